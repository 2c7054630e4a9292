package automaton

import (
	"logitscope/sampling/constrain/lang"
)

// A textWalk compares what follows two states of an automaton: q, which the
// text is in, and f, in whose answer it finds what q takes away and adds. Where
// both lead to the same state it need not look. Of f = dead, q adds everything.
type textWalk struct {
	m       *Matcher
	t       *trie
	s       *lang.StringLang // a text of any of the members
	d       *lang.DFA        // of the first of them
	members []textMember
	alive   []int8       // per state: 1 if a text can still be completed, -1 if not, 0 if not known
	loops   []*[256]bool // per state, nil if not known
	escaped bool         // some token ends inside an escape
	out     *sink
	drops   []int32

	from, to int32 // of the trie's tokens, those taken last
}

type textMember struct {
	*part
	str   int32
	text  *lang.DFA
	ended []int32 // trie nodes of the quotes that end this text
}

// memberText is the language of the texts of all members of a walk.
type memberText struct {
	*lang.DFA
	w *textWalk
}

func (x memberText) Cost(q, _, _ int32) int32 {
	best := lang.Unreachable
	for i := range x.w.members {
		best = min(best, x.w.members[i].text.Near.Bytes[q])
	}
	return best
}

func (m *Matcher) newTextWalk(p *part, out *sink) (w *textWalk, q int32) {
	w = &textWalk{m: m, t: &m.v.trie, out: out, members: make([]textMember, len(p.members))}
	for i := range p.members {
		k := &p.members[i]
		d, st, _ := m.textOf(k)
		if w.d == nil {
			w.d, q = d, st.Q
		}
		w.members[i] = textMember{part: k, str: st.Str, text: d}
	}
	w.s = &lang.StringLang{Lang: memberText{w.d, w}, Hi: -1}
	w.alive = make([]int8, len(w.d.Next))
	return w, q
}

// ground finds a state next to q that common bytes lead back to. Without one it
// is q itself.
func (w *textWalk) ground(q int32) int32 {
	for i := range len(loopProbes) {
		b := loopProbes[i]
		if f := w.step(q, b); f != lang.Dead && w.d.Left[f] == 0 && w.step(f, b) == f {
			return f
		}
	}
	return q
}

// step follows a byte of a text that is not escaped.
func (w *textWalk) step(q int32, b byte) int32 {
	if q == lang.Dead || w.d.Left[q] == 0 && (b < 0x20 || b == '"' || b == '\\') {
		return lang.Dead
	}
	to := w.d.Next[q][w.d.Class[b]]
	if to < 0 {
		return lang.Dead
	}
	if w.alive[to] == 0 {
		w.alive[to] = -1
		if w.s.Lang.Cost(to, 0, -1) < lang.Unreachable {
			w.alive[to] = 1
		}
	}
	if w.alive[to] < 0 {
		return lang.Dead
	}
	return to
}

// maxEscape is the number of bytes that an escape may still need.
const maxEscape = int32(len("uD83D\\uDE00"))

// span goes through trie nodes lo..hi, all of them below a node with q and f.
func (w *textWalk) span(lo, hi, q, f int32) {
	t := w.t
	var loops *[256]bool
	if f == lang.Dead {
		loops = w.loopsOf(q, hi-lo)
	}
	for i := lo; i < hi; i += t.nodes[i].size {
		if loops != nil {
			// A stretch of bytes that all lead back to q is taken as a whole.
			from := i
			for i < hi && loops[t.bytes[i]] {
				i++
			}
			w.take(t.nodes[from].first, t.nodes[i].first)
			if i == hi {
				return
			}
		}
		switch b := t.bytes[i]; b {
		case '"':
			w.end(i, q, f)
		case '\\':
			w.escape(i, w.inside(q), w.inside(f))
		default:
			on, from := w.step(q, b), w.step(f, b)
			if on != from && w.token(i, on != lang.Dead, from != lang.Dead) {
				w.span(i+1, i+t.nodes[i].size, on, from)
			}
		}
	}
}

// loopsOf returns the bytes that lead from q back to it, or nil if that is not
// worth finding out for a number of nodes.
func (w *textWalk) loopsOf(q, nodes int32) *[256]bool {
	if w.loops == nil {
		w.loops = make([]*[256]bool, len(w.d.Next))
	}
	l := w.loops[q]
	if l == nil && nodes >= minGlance {
		l = new([256]bool)
		for b := range l {
			l[b] = w.step(q, byte(b)) == q
		}
		w.loops[q] = l
	}
	return l
}

// token compares the tokens of node i, and reports whether any are below.
func (w *textWalk) token(i int32, q, f bool) bool {
	t := w.t
	switch {
	case !q:
		w.drop(i)
		return false
	case !f:
		w.take(t.nodes[i].first, t.nodes[i+1].first)
	}
	return true
}

// take adds the tokens from..to of the trie, which mostly go on from the last.
func (w *textWalk) take(from, to int32) {
	if from != w.to {
		w.flush()
		w.from = from
	}
	w.to = to
}

func (w *textWalk) flush() {
	w.out.ids = append(w.out.ids, w.t.tokens[w.from:w.to]...)
	w.from = w.to
}

// all compares what follows q and f among all tokens.
func (w *textWalk) all(q, f int32) {
	w.span(0, int32(len(w.t.bytes)), q, f)
	w.flush()
}

// drop takes away all that begins with node i.
func (w *textWalk) drop(i int32) {
	w.drops = append(w.drops, w.t.under(i)...)
}

// memberAt is the member whose text may end in q, or -1.
func (w *textWalk) memberAt(q int32) int {
	if q != lang.Dead {
		for k := range w.members {
			if w.members[k].text.Final[q] {
				return k
			}
		}
	}
	return -1
}

// end closes the text at the quote of node i.
func (w *textWalk) end(i, q, f int32) {
	k, l := w.memberAt(q), w.memberAt(f)
	if k == l {
		return
	}
	if l >= 0 {
		w.drop(i)
	}
	if k >= 0 {
		w.take(w.t.nodes[i].first, w.t.nodes[i+1].first)
		if w.t.nodes[i].size > 1 {
			w.members[k].ended = append(w.members[k].ended, i)
		}
	}
}

// A textPlace is where a text stands, escapes included; ok is false where it is
// dead.
type textPlace struct {
	lang.StringState
	ok bool
}

func (w *textWalk) inside(q int32) textPlace {
	return textPlace{lang.StringState{Q: q, Hi: -1}, q != lang.Dead && w.d.Left[q] == 0}
}

// escape follows node i, whose byte belongs to an escape.
func (w *textWalk) escape(i int32, q, f textPlace) {
	t := w.t
	q, f = w.read(q, t.bytes[i]), w.read(f, t.bytes[i])
	if q == f || !w.token(i, q.ok, f.ok) {
		return
	}
	if q.Esc != 0 {
		w.escaped = true
	}
	if q.Esc == 0 && (f.Esc == 0 || !f.ok) {
		at := lang.Dead
		if f.ok {
			at = f.Q
		}
		w.span(i+1, i+t.nodes[i].size, q.Q, at)
		return
	}
	for j := i + 1; j < i+t.nodes[i].size; j += t.nodes[j].size {
		w.escape(j, q, f)
	}
}

func (w *textWalk) read(x textPlace, b byte) textPlace {
	if !x.ok {
		return textPlace{}
	}
	next, ok := w.s.Step(x.StringState, b)
	if !ok {
		return textPlace{}
	}
	return textPlace{next, true}
}
