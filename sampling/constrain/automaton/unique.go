package automaton

import (
	"slices"
	"strings"
	"unicode/utf8"

	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/program"
)

// repeats reports whether the text read is one of the items before.
func (a *automaton) repeats(st lang.StringState) bool {
	s := a.p.Strs[st.Str]
	if st.Text == 0 || st.Apart && !s.Bare || s.Word && !s.Among {
		return false
	}
	return a.data[st.Seen].Texts.Has(s.Identity(a.textOf(st)))
}

// remembered is the stack after a text that has ended: that of a unique one
// has it among the items before.
func (a *automaton) remembered(st lang.StringState, stack int32) int32 {
	if st.Text == 0 {
		return stack
	}
	f := a.frames[stack]
	n := &a.p.Nodes[f.place]
	if n.Kind == program.NodeString { // a name: its value follows
		return a.frame(f.place, f.a, f.b, a.remembered(st, f.parent))
	}
	d := a.data[st.Seen]
	if o := a.p.Objs[n.Arg]; o.Distinct >= 0 && d.Count >= o.Min {
		d.Texts = nil // there are enough
	} else {
		d.Texts = a.taken.Take(d.Texts, a.p.Strs[st.Str].Identity(a.textOf(st)))
	}
	return a.frame(f.place, a.internData(d), f.b, f.parent)
}

// keepUnique takes the end away where it would repeat a text, and what leads
// only to repetitions.
func (a *automaton) keepUnique(place *stringPlace) {
	s, st := a.p.Strs[place.Str], place.StringState
	switch {
	case s.Among:
		a.keepAmong(place)
		return
	case s.Word:
		return
	}
	repeats := s.Closes(st) && a.repeats(st)
	if s.Bare {
		if repeats {
			place.dist++
		}
		a.keepBytes(place, digitBytes)
		return
	}
	taken := a.matching(st)
	if len(taken) == 0 {
		return
	}
	if repeats {
		place.live['"'>>6] &^= 1 << ('"' & 63)
	}
	if st.Esc != 0 {
		a.keepBytes(place, lang.EscapeBytes)
		return
	}
	read := a.textOf(st)
	place.dist, _ = s.NearestFree(st, read, taken)
	a.keepBytes(place, append(nextBytes(taken, len(read)), '\\'))
}

// keepBytes takes away those of some bytes that lead only to repetitions.
func (a *automaton) keepBytes(place *stringPlace, list []byte) {
	s := a.p.Strs[place.Str]
	for _, b := range list {
		if !lang.HasByte(&place.live, b) || b == '"' && place.Esc == 0 {
			continue
		}
		next, ok := s.Step(place.StringState, b)
		if ok {
			ok = a.completable(a.read(place.StringState, next, b))
		}
		if !ok {
			place.live[b>>6] &^= 1 << (b & 63)
		}
	}
}

// keepAmong leaves only the bytes that lead to a word that was remembered.
func (a *automaton) keepAmong(place *stringPlace) {
	words, read := a.matching(place.StringState), len(a.textOf(place.StringState))
	place.live, place.dist = [4]uint64{}, lang.Unreachable
	for _, w := range words {
		place.dist = min(place.dist, int32(len(w)-read))
	}
	for _, b := range nextBytes(words, read) {
		lang.SetBytes(&place.live, b, b)
		if 'a' <= b && b <= 'z' {
			lang.SetBytes(&place.live, b-'a'+'A', b-'a'+'A')
		}
	}
}

var digitBytes = []byte("-.0123456789")

// matching lists the texts before that begin with what was read, in ascending
// order.
func (a *automaton) matching(st lang.StringState) []string {
	if st.Apart {
		return nil
	}
	return a.data[st.Seen].Texts.Under(a.textOf(st))
}

// completable reports whether some text that is not among the items before
// begins with what was read.
func (a *automaton) completable(st lang.StringState) bool {
	s := a.p.Strs[st.Str]
	switch {
	case s.Among:
		return len(a.matching(st)) > 0
	case s.Word:
		return true
	case s.Bare:
		return !s.Settled(a.textOf(st)) || !a.repeats(st)
	}
	taken := a.matching(st)
	if len(taken) == 0 {
		return true
	}
	if st.Esc != 0 {
		return a.escapeCompletable(st)
	}
	if _, ok := s.Lang.(lang.AnyText); ok {
		return st.Hi != 0 || len(taken) == 0
	}
	if bytes, exact := s.NearestFree(st, a.textOf(st), taken); exact {
		return bytes < lang.Unreachable
	}
	d, ok := s.Lang.(*lang.DFA)
	return !ok || d.Count(st.Q, st.Lo, st.Hi, len(taken)+1) > len(taken)
}

// escapeCompletable looks for a way on inside an escape.
func (a *automaton) escapeCompletable(st lang.StringState) bool {
	s := a.p.Strs[st.Str]
	for _, b := range lang.EscapeBytes {
		if next, ok := s.Step(st, b); ok && a.completable(a.read(st, next, b)) {
			return true
		}
	}
	return false
}

// uniqueItem answers for a unique text: what a plain text allows, with the
// tokens looked at one by one that could repeat an item, or that end more than
// one text.
func (m *Matcher) uniqueItem(p *part, out *sink) {
	a, it := m.a, p.items[0]
	st := a.strings[^it.at].StringState
	plain := st
	plain.Text, plain.Seen, plain.Apart = 0, 0, false
	at, ok := a.internString(plain)
	if !ok {
		return
	}
	u := uniqueWalk{m: m, s: a.p.Strs[st.Str], taken: a.matching(st)}
	u.walk(0, int32(len(m.v.trie.bytes)), st, a.textOf(st))
	u.suspects = append(u.suspects, m.v.quoted...)
	q := m.plainPart(item{at, it.stack})
	m.allBut(m.v.whole, &q, u.suspects, out)
	state := a.stateOf(p.items)
	for _, id := range u.suspects {
		if _, n := m.run(state, m.v.pieces[id]); n == len(m.v.pieces[id]) {
			out.ids = append(out.ids, id)
		}
	}
}

// A uniqueWalk finds the tokens that spell the beginning of an item before.
type uniqueWalk struct {
	m        *Matcher
	s        *lang.StringLang
	taken    []string
	suspects []int32
}

func (u *uniqueWalk) walk(lo, hi int32, st lang.StringState, text string) {
	if len(u.taken) == 0 {
		return
	}
	t := &u.m.v.trie
	for i := lo; i < hi; i += t.nodes[i].size {
		b := t.bytes[i]
		if b == '"' && st.Esc == 0 {
			if _, ok := slices.BinarySearch(u.taken, text); ok {
				u.suspects = append(u.suspects, t.under(i)...)
			}
			continue
		}
		next, ok := u.s.Step(st, b)
		if !ok {
			continue
		}
		now := text
		if next.Esc == 0 && st.Esc == 0 {
			now += string([]byte{b})
		} else if next.Esc == 0 {
			now = string(utf8.AppendRune([]byte(text), st.Esc.Ends(b)))
		}
		if at, _ := slices.BinarySearch(u.taken, now); at == len(u.taken) || !strings.HasPrefix(u.taken[at], now) {
			continue
		}
		u.suspects = append(u.suspects, t.here(i)...)
		u.walk(i+1, i+t.nodes[i].size, next, now)
	}
}
