package constrain

import "encoding/binary"

// Texts of a deterministic automaton mostly leave what their pattern names for
// one state that common bytes lead back to, the ground. Its answer is kept, and
// that of another state is found by what differs: so a walk goes only as deep
// as the two states stay apart.
//
// Where several patternProperties apply to an object, its undeclared names are
// split into classes, one for each combination of patterns, and a name is in
// all of them until it ends. The classes have one automaton, so one walk
// answers for all of them, the members of the walk.

// gatherTexts makes parts of those that are texts of an automaton: one for all
// classes in the same state of theirs, and one for each other text.
func (m *Matcher) gatherTexts(parts []part) []part {
	rest := parts[:0]
	for _, p := range parts {
		d, st, ok := m.textOf(&p)
		if !ok {
			rest = append(rest, p)
			continue
		}
		i := len(rest)
		if d.labelled {
			for j := range rest {
				if rest[j].kind != partTexts {
					continue
				}
				if e, first, _ := m.textOf(&rest[j].members[0]); e.automaton() == d.automaton() && first.q == st.q && !m.hasLabel(rest[j].members, d.label) {
					i = j
				}
			}
		}
		if i == len(rest) {
			rest = append(rest, part{kind: partTexts})
		}
		rest[i].members = append(rest[i].members, p)
	}
	return rest
}

func (m *Matcher) hasLabel(members []part, label uint32) bool {
	for i := range members {
		if d, _, _ := m.textOf(&members[i]); d.label == label {
			return true
		}
	}
	return false
}

// textOf reports whether a part is a text of an automaton without bounds on its
// length, between its quotes and outside of escapes.
func (m *Matcher) textOf(p *part) (*dfaText, stringState, bool) {
	if p.kind != partRule || len(p.items) != 1 || p.items[0].at >= 0 {
		return nil, stringState{}, false
	}
	st := m.a.strings[^p.items[0].at].stringState
	d, ok := m.a.p.strs[st.str].lang.(*dfaText)
	return d, st, ok && st.esc == 0 && st.lo <= 0 && st.hi < 0
}

// A textWalk compares what follows two states of an automaton: q, which the
// text is in, and f, in whose answer it finds what q takes away and adds. Where
// both lead to the same state it need not look. Of f = dead, q adds everything.
type textWalk struct {
	m       *Matcher
	t       *trie
	s       *stringLang // a text of any of the members
	d       *dfaText    // of the first of them
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
	text  *dfaText
	ended []int32 // trie nodes of the quotes that end this text
}

// memberText is the language of the texts of all members of a walk.
type memberText struct {
	*dfaText
	w *textWalk
}

func (x memberText) cost(q, _, _ int32) int32 {
	best := unreachable
	for i := range x.w.members {
		best = min(best, x.w.members[i].text.near.bytes[q])
	}
	return best
}

func (m *Matcher) newTextWalk(p *part, out *sink) (w *textWalk, q int32) {
	w = &textWalk{m: m, t: &m.v.trie, out: out, members: make([]textMember, len(p.members))}
	for i := range p.members {
		k := &p.members[i]
		d, st, _ := m.textOf(k)
		if w.d == nil {
			w.d, q = d, st.q
		}
		w.members[i] = textMember{part: k, str: st.str, text: d}
	}
	w.s = &stringLang{lang: memberText{w.d, w}, hi: -1}
	w.alive = make([]int8, len(w.d.next))
	return w, q
}

// A groundKey is a state of an automaton with the strings of the members.
type groundKey struct {
	of      *[]int32 // the automaton
	f       int32
	members string
}

// A groundMask is the answer for a state: what stays inside the text, and what
// is left of the tokens that end it, by member.
type groundMask struct {
	inside  *maskEntry
	rest    []*region
	escaped bool // some token ends inside an escape
}

// texts adds a part of texts, among all tokens: those of the ground next to the
// state, but for what differs.
func (m *Matcher) texts(p *part, out *sink) {
	w, q := m.newTextWalk(p, out)
	f := w.ground(q)
	base := m.ground(p, w, f)
	w.all(q, f)
	tails := make([]*maskEntry, len(w.members))
	for i := range w.members {
		k := &w.members[i]
		tails[i] = m.tail(base.rest[i], k.caller)
		far := k.text.far + 1
		if w.escaped || base.escaped {
			far += maxEscape
		}
		out.farthest = max(out.farthest, add32(far, m.a.frames[k.caller].dist))
		if len(k.ended) > 0 {
			if to := m.a.left(k.caller); to != dead {
				m.reach(scope{t: w.t, nodes: k.ended}, to, out)
			}
		}
	}
	m.mark(w.drops)
	for _, e := range append(tails, base.inside) {
		if e != nil {
			out.addWithout(e, w.drops, m.marks)
			out.farthest = max(out.farthest, e.farthest)
		}
	}
	clearTokens(m.marks, w.drops)
}

// ground finds a state next to q that common bytes lead back to. Without one it
// is q itself.
func (w *textWalk) ground(q int32) int32 {
	for i := range len(loopProbes) {
		b := loopProbes[i]
		if f := w.step(q, b); f != dead && w.d.left[f] == 0 && w.step(f, b) == f {
			return f
		}
	}
	return q
}

// ground returns the answer for a state, which is kept.
func (m *Matcher) ground(p *part, w *textWalk, f int32) *groundMask {
	var buf [128]byte
	members := buf[:0]
	for i := range w.members {
		members = binary.LittleEndian.AppendUint32(members, uint32(w.members[i].str))
	}
	key := groundKey{w.d.automaton(), f, string(members)}
	if g := m.grounds[key]; g != nil {
		m.hit = true
		return g
	}
	m.walked = true
	out := m.openSink()
	all, _ := m.newTextWalk(p, out)
	all.all(f, dead)
	g := &groundMask{inside: out.take(m.v.size, &m.lists), escaped: all.escaped, rest: make([]*region, len(w.members))}
	m.closeSink()
	for i := range all.members {
		g.rest[i] = m.v.whole.below(all.members[i].ended, false)
	}
	m.makeRoom()
	m.grounds[key] = g
	m.keptBytes += g.inside.bytes()
	return g
}

// step follows a byte of a text that is not escaped.
func (w *textWalk) step(q int32, b byte) int32 {
	if q == dead || w.d.left[q] == 0 && (b < 0x20 || b == '"' || b == '\\') {
		return dead
	}
	to := w.d.next[q][w.d.class[b]]
	if to < 0 {
		return dead
	}
	if w.alive[to] == 0 {
		w.alive[to] = -1
		if w.s.lang.cost(to, 0, -1) < unreachable {
			w.alive[to] = 1
		}
	}
	if w.alive[to] < 0 {
		return dead
	}
	return to
}

// maxEscape is the number of bytes that an escape may still need.
const maxEscape = int32(len("uD83D\\uDE00"))

// span goes through trie nodes lo..hi, all of them below a node with q and f.
func (w *textWalk) span(lo, hi, q, f int32) {
	t := w.t
	var loops *[256]bool
	if f == dead {
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
			if on != from && w.token(i, on != dead, from != dead) {
				w.span(i+1, i+t.nodes[i].size, on, from)
			}
		}
	}
}

// loopsOf returns the bytes that lead from q back to it, or nil if that is not
// worth finding out for a number of nodes.
func (w *textWalk) loopsOf(q, nodes int32) *[256]bool {
	if w.loops == nil {
		w.loops = make([]*[256]bool, len(w.d.next))
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
	if q != dead {
		for k := range w.members {
			if w.members[k].text.final[q] {
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
	stringState
	ok bool
}

func (w *textWalk) inside(q int32) textPlace {
	return textPlace{stringState{q: q, hi: -1}, q != dead && w.d.left[q] == 0}
}

// escape follows node i, whose byte belongs to an escape.
func (w *textWalk) escape(i int32, q, f textPlace) {
	t := w.t
	q, f = w.read(q, t.bytes[i]), w.read(f, t.bytes[i])
	if q == f || !w.token(i, q.ok, f.ok) {
		return
	}
	if q.esc != 0 {
		w.escaped = true
	}
	if q.esc == 0 && (f.esc == 0 || !f.ok) {
		at := dead
		if f.ok {
			at = f.q
		}
		w.span(i+1, i+t.nodes[i].size, q.q, at)
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
	next, ok := w.s.step(x.stringState, b)
	if !ok {
		return textPlace{}
	}
	return textPlace{next, true}
}
