package constrain

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

// Items of an array that must differ are read by a stringLang that remembers
// what it read, and so are undeclared names of an object as long as each counts
// for its least number of properties. The data of the array or object holds the
// texts before; one of them cannot close again, and a beginning that only such
// texts complete is dead.

// ends is the code point that an escape stands for once b completes it.
func (e escape) ends(b byte) rune {
	if e.kind() == escBackslash {
		for _, x := range shortEscapes {
			if x.code == b {
				return rune(x.char)
			}
		}
	}
	digit, _ := hexValue(b)
	value := rune(e.value()<<4 | digit)
	if e.kind() == escLow {
		return 0x10000 + rune(e.high())<<10 + value - 0xDC00
	}
	return value
}

// identity is what makes two items equal: the text of a string, the value of a
// number.
func (s *stringLang) identity(text string) string {
	if s.bare {
		if r, ok := new(big.Rat).SetString(strings.TrimSuffix(text, ".")); ok {
			return r.RatString()
		}
	}
	return text
}

// repeats reports whether the text read is one of the items before.
func (a *automaton) repeats(st stringState) bool {
	if st.text == 0 || st.apart && !a.p.strs[st.str].bare {
		return false
	}
	return a.data[st.seen].texts.has(a.p.strs[st.str].identity(a.textOf(st)))
}

// remembered is the stack behind a text that has ended: that of a unique one
// has it among the items before.
func (a *automaton) remembered(st stringState, stack int32) int32 {
	if st.text == 0 {
		return stack
	}
	f := a.frames[stack]
	n := &a.p.nodes[f.place]
	if n.kind == nodeString { // a name: its value follows
		return a.frame(f.place, f.a, f.b, a.remembered(st, f.parent))
	}
	d := a.data[st.seen]
	if o := a.p.objs[n.arg]; o.distinct >= 0 && d.count >= o.min {
		d.texts = nil // there are enough
	} else {
		d.texts = a.take(d.texts, a.p.strs[st.str].identity(a.textOf(st)))
	}
	return a.frame(f.place, a.internData(d), f.b, f.parent)
}

// keepUnique takes the end away where it would repeat a text, and what leads
// only to repetitions.
func (a *automaton) keepUnique(place *stringPlace) {
	s, st := a.p.strs[place.str], place.stringState
	repeats := s.closes(st) && a.repeats(st)
	if s.bare {
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
	if st.esc != 0 {
		a.keepBytes(place, escapeBytes)
		return
	}
	read := a.textOf(st)
	place.dist, _ = s.nearestFree(st, read, taken)
	a.keepBytes(place, append(nextBytes(taken, len(read)), '\\'))
}

// keepBytes takes away those of some bytes that lead only to repetitions.
func (a *automaton) keepBytes(place *stringPlace, list []byte) {
	s := a.p.strs[place.str]
	for _, b := range list {
		if !hasByte(&place.live, b) || b == '"' && place.esc == 0 {
			continue
		}
		next, ok := s.step(place.stringState, b)
		if ok {
			ok = a.completable(a.read(place.stringState, next, b))
		}
		if !ok {
			place.live[b>>6] &^= 1 << (b & 63)
		}
	}
}

var digitBytes = []byte("-.0123456789")

// matching lists the texts before that begin with what was read, in ascending
// order.
func (a *automaton) matching(st stringState) []string {
	if st.apart {
		return nil
	}
	return a.data[st.seen].texts.under(a.textOf(st))
}

// completable reports whether some text that is not among the items before
// begins with what was read.
func (a *automaton) completable(st stringState) bool {
	s := a.p.strs[st.str]
	if s.bare {
		return !s.settled(a.textOf(st)) || !a.repeats(st)
	}
	taken := a.matching(st)
	if len(taken) == 0 {
		return true
	}
	if st.esc != 0 {
		return a.escapeCompletable(st)
	}
	if _, ok := s.lang.(anyText); ok {
		return st.hi != 0 || len(taken) == 0
	}
	if bytes, exact := s.nearestFree(st, a.textOf(st), taken); exact {
		return bytes < unreachable
	}
	d, ok := s.lang.(*dfaText)
	return !ok || d.count(st.q, st.lo, st.hi, len(taken)+1) > len(taken)
}

// settled reports whether nothing that follows in a number can change its value:
// behind the point of a whole one, and behind the zero of one.
func (s *stringLang) settled(text string) bool {
	return s.whole && (strings.Contains(text, ".") || strings.Trim(text, "-") == "0")
}

// escapeCompletable looks for a way on inside an escape.
func (a *automaton) escapeCompletable(st stringState) bool {
	s := a.p.strs[st.str]
	for _, b := range escapeBytes {
		if next, ok := s.step(st, b); ok && a.completable(a.read(st, next, b)) {
			return true
		}
	}
	return false
}

// count is the number of texts from q with lo..hi more code points, at most
// limit.
func (d *dfaText) count(q, lo, hi int32, limit int) int {
	n := 0
	d.explore(q, lo, hi, func(string) bool { n++; return n < limit }, limit)
	return min(n, limit)
}

// fewerThan reports whether a language has fewer texts than n. Numbers, and
// texts that are not those of an automaton, are without end.
func (s *stringLang) fewerThan(n int) bool {
	d, ok := s.lang.(*dfaText)
	return ok && !s.bare && d.count(d.start(), s.lo, s.hi, n) < n
}

// list returns all texts of lo..hi code points, if there are at most limit.
func (d *dfaText) list(lo, hi int32, limit int) (texts []string, ok bool) {
	ok = d.explore(d.start(), lo, hi, func(s string) bool {
		texts = append(texts, s)
		return len(texts) <= limit
	}, limit)
	return texts, ok && len(texts) <= limit
}

// explore calls fn for texts in order of their bytes' number until it returns
// false. It gives up, with false, once more than limit beginnings are open:
// each has a completion of its own, and fn hears of those as well.
func (d *dfaText) explore(q, lo, hi int32, fn func(string) bool, limit int) bool {
	type place struct {
		q, lo, hi int32
		text      string
	}
	if d.cost(q, lo, hi) >= unreachable {
		return true
	}
	queue := []place{{q, lo, hi, ""}}
	for len(queue) > 0 {
		if len(queue) > limit {
			for _, p := range queue {
				if !fn(p.text) {
					break
				}
			}
			return false
		}
		p := queue[0]
		queue = queue[1:]
		if p.lo <= 0 && d.final[p.q] && !fn(p.text) {
			return false
		}
		for b := range 256 {
			to := d.next[p.q][d.class[b]]
			if to < 0 || d.left[p.q] == 0 && p.hi == 0 {
				continue
			}
			next := place{to, p.lo, p.hi, p.text + string([]byte{byte(b)})}
			if d.left[p.q] == 0 {
				next.lo, next.hi = less1(p.lo), less1(p.hi)
			}
			if d.cost(next.q, next.lo, next.hi) < unreachable {
				queue = append(queue, next)
			}
		}
		if len(p.text) > maxListed {
			return false
		}
	}
	return true
}

// maxListed is the longest text that explore goes through.
const maxListed = 4096

// uniqueItem answers for a unique text: what a plain text allows, with the
// tokens looked at one by one that could repeat an item, or that end more than
// one text.
func (m *Matcher) uniqueItem(p *part, out *sink) {
	a, it := m.a, p.items[0]
	st := a.strings[^it.at].stringState
	plain := st
	plain.text, plain.seen, plain.apart = 0, 0, false
	at, ok := a.internString(plain)
	if !ok {
		return
	}
	u := uniqueWalk{m: m, s: a.p.strs[st.str], taken: a.matching(st)}
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
	s        *stringLang
	taken    []string
	suspects []int32
}

func (u *uniqueWalk) walk(lo, hi int32, st stringState, text string) {
	if len(u.taken) == 0 {
		return
	}
	t := &u.m.v.trie
	for i := lo; i < hi; i += t.nodes[i].size {
		b := t.bytes[i]
		if b == '"' && st.esc == 0 {
			if _, ok := slices.BinarySearch(u.taken, text); ok {
				u.suspects = append(u.suspects, t.under(i)...)
			}
			continue
		}
		next, ok := u.s.step(st, b)
		if !ok {
			continue
		}
		now := text
		if next.esc == 0 && st.esc == 0 {
			now += string([]byte{b})
		} else if next.esc == 0 {
			now = string(utf8.AppendRune([]byte(text), st.esc.ends(b)))
		}
		if at, _ := slices.BinarySearch(u.taken, now); at == len(u.taken) || !strings.HasPrefix(u.taken[at], now) {
			continue
		}
		u.suspects = append(u.suspects, t.here(i)...)
		u.walk(i+1, i+t.nodes[i].size, next, now)
	}
}
