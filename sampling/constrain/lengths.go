package constrain

import "slices"

// Texts that must differ are listed in the order in which nearest completions
// write them, so that the distance to a completion knows which are still free.

// Texts of more bytes than maxListedBytes are not listed, nor those of a
// language in which finding them takes more than maxListedPlaces places.
const (
	maxListedBytes  = 64
	maxListedPlaces = 4000
)

// jsonBytes is the length of the shortest way to write a byte of UTF-8 inside a
// JSON string.
func jsonBytes(b byte) int32 {
	switch {
	case b == '"' || b == '\\' || b == '\b' || b == '\f' || b == '\n' || b == '\r' || b == '\t':
		return 2
	case b < 0x20:
		return 6
	}
	return 1
}

func jsonLength(text string) (n int32) {
	for i := range len(text) {
		n += jsonBytes(text[i])
	}
	return n
}

// jsonOrder is all bytes in the order of their shortest JSON forms.
var jsonOrder = func() (order [256]byte) {
	for i := range order {
		order[i] = byte(i)
	}
	first := func(b byte) byte {
		if jsonBytes(b) > 1 {
			return '\\'
		}
		return b
	}
	slices.SortStableFunc(order[:], func(x, y byte) int { return int(first(x)) - int(first(y)) })
	return order
}()

// A textLister lists the texts of a language from a place on, by the length of
// their shortest JSON forms and then in their order.
type textLister struct {
	s      *stringLang
	fn     func(text string) bool
	places int
	again  bool // a longer text may exist
	done   bool // fn has stopped it
}

// eachText calls fn for texts from q on, with lo..hi code points to come, until
// it returns false. It reports whether fn has stopped it or heard of all texts.
func (s *stringLang) eachText(q, lo, hi int32, fn func(text string) bool) bool {
	l := textLister{s: s, fn: fn, again: true}
	for n := s.lang.cost(q, lo, hi); l.again; n++ {
		l.again = false
		if n > maxListedBytes {
			return n >= unreachable
		}
		l.list(q, lo, hi, n, make([]byte, 0, maxListedBytes))
		if l.done || l.places > maxListedPlaces {
			return l.done
		}
	}
	return true
}

// list goes through the texts of exactly n bytes in JSON.
func (l *textLister) list(q, lo, hi, n int32, text []byte) {
	if l.places++; l.places > maxListedPlaces {
		return
	}
	if n == 0 && lo <= 0 && l.s.lang.accept(q) && !l.fn(string(text)) {
		l.done = true
		return
	}
	if !l.s.lang.inside(q) {
		if hi == 0 {
			return
		}
		lo, hi = less1(lo), less1(hi)
	}
	for _, b := range jsonOrder {
		to := l.s.lang.step(q, b)
		if to == dead {
			continue
		}
		switch cost := l.s.lang.cost(to, lo, hi); {
		case cost >= unreachable:
		case jsonBytes(b)+cost > n:
			l.again = true
		default:
			l.list(to, lo, hi, n-jsonBytes(b), append(text, b))
		}
		if l.done || l.places > maxListedPlaces || n == 0 && l.again {
			return
		}
	}
}

// At least minFirsts texts are listed of those that must differ, if there are
// as many, and at most maxFirsts.
const (
	minFirsts = 64
	maxFirsts = 4096
)

// A textList is a language of texts that must differ, and the first of them in
// the order of eachText: one more than are wanted at least, or none if they are
// hard to list.
type textList struct {
	*stringLang
	firsts []string
	all    bool // the language has no others
}

// listTexts prepares an object or array for distances to texts that differ.
func (o *objectProg) listTexts(differ []*stringLang) {
	wanted := max(int(o.min)+1, minFirsts)
	for _, s := range differ {
		list := textList{stringLang: s}
		if wanted <= maxFirsts {
			told := s.eachText(s.lang.start(), s.lo, s.hi, func(text string) bool {
				list.firsts = append(list.firsts, text)
				return len(list.firsts) < wanted
			})
			list.all = told && len(list.firsts) < wanted
			if !told && len(list.firsts) <= int(o.min) {
				list.firsts = nil
			}
		}
		o.texts = append(o.texts, list)
	}
}

// listed reports whether the first texts of all languages are known.
func (o *objectProg) listed() bool {
	for _, l := range o.texts {
		if len(l.firsts) == 0 {
			return false
		}
	}
	return len(o.texts) > 0
}

// finite reports whether there are no texts but those listed.
func (o *objectProg) finite() bool { return len(o.texts) == 1 && o.texts[0].all }

// free lists the lengths of the first texts behind d, in ascending order, if
// there is one language. Where none of those listed is free, it is that of the
// next text.
func (o *objectProg) free(d objectData) []int32 {
	if len(o.texts) != 1 || !o.listed() {
		return nil
	}
	list := &o.texts[0]
	free := make([]int32, 0, len(list.firsts))
	for _, t := range list.firsts {
		if !d.texts.has(list.identity(t)) {
			free = append(free, jsonLength(t))
		}
	}
	if len(free) == 0 && !list.all && !list.bare {
		st := stringState{q: list.lang.start(), lo: list.lo, hi: list.hi}
		next, _ := list.nearestFree(st, "", d.texts.list())
		free = append(free, next-list.closing())
	}
	return free
}

// nearestFree is the fewest bytes that complete a text so that it is none of
// those taken, which all begin with what was read of it and are in ascending
// order. Where that is hard to
// find, it is not exact and may be less.
func (s *stringLang) nearestFree(st stringState, read string, taken []string) (bytes int32, exact bool) {
	best := unreachable
	exact = s.eachText(st.q, st.lo, st.hi, func(text string) bool {
		if _, gone := slices.BinarySearch(taken, read+text); gone {
			return true
		}
		best = jsonLength(text)
		return false
	})
	if !exact {
		best = s.lang.cost(st.q, st.lo, st.hi)
	}
	return add32(s.closing(), best), exact
}

// Completions of text that must differ may take some bytes more than the
// distance says: the text under way may turn out to be one of the short ones
// that were counted for others. Numbers are compared by value, which is not
// counted, and so may need some digits more.
const (
	textSlack   = 3
	numberSlack = 10
)

// findDetour finds out how much longer than its distance a completion may be.
func (p *prog) findDetour() {
	for _, o := range p.objs {
		switch {
		case len(o.texts) == 0:
		case !o.listed():
			p.slack = maxDetour
		case o.texts[0].bare:
			p.slack = max(p.slack, o.spread()+numberSlack)
		case len(o.texts) == 1:
			p.slack = max(p.slack, o.spread()+textSlack)
		default: // the distance takes each text for the shortest
			p.slack = max(p.slack, min(mul32(o.spread(), o.min)+textSlack, maxDetour))
		}
	}
}

// spread is how much longer than the first text the last may be that is counted
// for others.
func (o *objectProg) spread() (most int32) {
	for _, l := range o.texts {
		last := l.firsts[min(int(o.min), len(l.firsts)-1)]
		most = max(most, jsonLength(last)-jsonLength(l.firsts[0]))
	}
	return most
}

// A plainForm is a state inside a text that must differ from others, and the
// state without that: what has been read of the text is not remembered.
// Completions behind the two cost the same unless the text is one that a nearest
// completion may write for another, or one of those taken.
type plainForm struct {
	state  int32
	read   string
	taken  []string
	firsts []string // those that a nearest completion may write
	closes bool     // also behind the end of the text
}

// plainFormOf returns the plain form of a state that is inside such a text, in
// one or more languages of one object or array; or nil.
func (m *Matcher) plainFormOf(id int32) *plainForm {
	if m.g.prog.slack == 0 {
		return nil
	}
	a := m.a
	var f *plainForm
	var owner *objectProg
	var plain []item
	for _, it := range a.states.at(id).items {
		if it.at >= 0 || a.strings[^it.at].text == 0 {
			plain = append(plain, it)
			continue
		}
		st := a.strings[^it.at].stringState
		if st.esc != 0 || a.p.strs[st.str].bare {
			return nil
		}
		o, d := a.owner(it.stack)
		switch {
		case f == nil:
			if !o.listed() {
				return nil
			}
			owner = o
			f = &plainForm{read: a.textOf(st), taken: a.matching(st)}
			f.closes = d.count < o.min || d.texts.len()+2 <= len(o.texts[0].firsts)
			for _, l := range o.texts {
				f.firsts = append(f.firsts, l.firsts...)
			}
		case o != owner || a.textOf(st) != f.read:
			return nil
		}
		st.text, st.seen, st.apart = 0, 0, false
		at, ok := a.internString(st)
		if !ok {
			return nil
		}
		plain = append(plain, item{at, it.stack})
	}
	if f != nil {
		f.state = a.stateOf(plain)
	}
	return f
}

// covers reports whether the plain form may stand for the state in front of a
// token.
func (f *plainForm) covers(piece []byte) bool {
	end, quotes := len(piece), 0
	for i, b := range piece {
		switch {
		case b == '\\':
			return false
		case b == '"':
			if quotes++; quotes == 1 {
				end = i
			} else if i < len(piece)-1 {
				return false // another text has begun
			}
		}
	}
	if quotes > 0 && !f.closes {
		return false
	}
	begins := func(t string) bool {
		n := len(f.read)
		return len(t) >= n+end && t[:n] == f.read && t[n:n+end] == string(piece[:end])
	}
	return !slices.ContainsFunc(f.firsts, begins) && !slices.ContainsFunc(f.taken, begins)
}

// behind is a state that costs as much to complete as the one behind a token
// that is allowed.
func (m *Matcher) behind(id int32, f *plainForm, token int32) int32 {
	piece := m.v.pieces[token]
	if f != nil && f.covers(piece) {
		id = f.state
	}
	to, _ := m.run(id, piece)
	if g := m.plainFormOf(to); g != nil && g.covers(nil) {
		return g.state
	}
	return to
}

// owner is the object or array that the text on top of a stack belongs to, and
// its data.
func (a *automaton) owner(stack int32) (*objectProg, objectData) {
	f := a.frames[stack]
	n := &a.p.nodes[f.place]
	if n.kind == nodeString {
		return a.owner(f.parent)
	}
	return a.p.objs[n.arg], a.data[f.a]
}
