package automaton

import (
	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/program"
)

// step returns the state after byte b, or dead.
func (a *automaton) step(s int32, b byte) int32 {
	st := a.states.at(s)
	if !lang.HasByte(&st.live, b) {
		return lang.Dead
	}
	if st.row != nil {
		if to := st.row[b]; to != 0 {
			return to - 2
		}
	} else {
		for _, t := range st.few[:st.n] {
			if t.lo <= b && b <= t.hi {
				return t.to
			}
		}
	}
	return a.learn(s, b)
}

// learn computes the state after b, and remembers it for every byte that no
// item tells apart from b.
func (a *automaton) learn(s int32, b byte) int32 {
	r := lang.ByteRange{Lo: 0, Hi: 0xFF}
	for _, it := range a.states.at(s).items {
		r = r.And(a.alike(it, b))
	}
	to := a.compute(s, b)
	st := a.states.at(s)
	if st.row == nil && int(st.n) < len(st.few) {
		st.few[st.n] = transition{r.Lo, r.Hi, to}
		st.n++
		return to
	}
	if st.row == nil {
		st.row = new([256]int32)
		for _, t := range st.few {
			fill(st.row, t)
		}
	}
	fill(st.row, transition{r.Lo, r.Hi, to})
	return to
}

func (a *automaton) compute(s int32, b byte) int32 {
	items := a.states.at(s).items
	if len(items) > busyItems {
		if a.busy += len(items); a.busy > maxBusy {
			a.most = busyItems
		}
	}
	if len(items) == 1 && items[0].at >= 0 {
		if to, ok := a.soleTarget(items[0], b); ok {
			return a.closed(to)
		}
	}
	a.begin()
	for _, it := range items {
		a.advance(it, b)
	}
	return a.finish()
}

// soleTarget returns the one place that an item leads to on b, if it is one.
func (a *automaton) soleTarget(it item, b byte) (item, bool) {
	to, n := int32(0), 0
	for _, e := range a.p.EdgesOf(&a.p.Nodes[it.at]) {
		if e.Lo <= b && b <= e.Hi {
			to = e.To
			n++
		}
	}
	return item{to, it.stack}, n == 1
}

// closed is the state of one place, remembered.
func (a *automaton) closed(it item) int32 {
	if a.p.Nodes[it.at].Kind == program.NodeBytes {
		return a.soleState(it)
	}
	if s, ok := a.single[it]; ok {
		return s
	}
	a.begin()
	a.enter(it.at, it.stack)
	s := a.finish()
	a.single[it] = s
	return s
}

// advance adds what one item leads to on b.
func (a *automaton) advance(it item, b byte) {
	if it.at >= 0 {
		for _, e := range a.p.EdgesOf(&a.p.Nodes[it.at]) {
			if e.Lo <= b && b <= e.Hi {
				a.enter(e.To, it.stack)
			}
		}
		return
	}
	st := a.strings[^it.at].StringState
	s := a.p.Strs[st.Str]
	if b == '"' && s.Closes(st) && !s.Bare {
		a.leave(a.remembered(st, it.stack))
		return
	}
	next, ok := s.Step(st, b)
	if !ok {
		return
	}
	if st.Text != 0 {
		next = a.read(st, next, b)
	}
	if at, ok := a.internString(next); ok {
		a.set.items = append(a.set.items, item{at, it.stack})
		switch {
		case !s.Bare || !s.Closes(next) || a.repeats(next) != s.Among:
		case s.Among:
			a.leave(it.stack)
		default:
			a.leave(a.remembered(next, it.stack))
		}
	}
}

// fill enters a transition into a row.
func fill(row *[256]int32, t transition) {
	for b := int(t.lo); b <= int(t.hi); b++ {
		row[b] = t.to + 2
	}
}

// alike is a range of bytes around b that lead an item to the same places.
func (a *automaton) alike(it item, b byte) lang.ByteRange {
	if it.at >= 0 {
		r := lang.ByteRange{Lo: 0, Hi: 0xFF}
		for _, e := range a.p.EdgesOf(&a.p.Nodes[it.at]) {
			switch {
			case e.Hi < b:
				r.Lo = max(r.Lo, e.Hi+1)
			case e.Lo > b:
				r.Hi = min(r.Hi, e.Lo-1)
			default:
				r = r.And(lang.ByteRange{Lo: e.Lo, Hi: e.Hi})
			}
		}
		return r
	}
	st := &a.strings[^it.at].StringState
	if st.Esc != 0 || st.Text != 0 {
		return lang.ByteRange{Lo: b, Hi: b}
	}
	return a.p.Strs[st.Str].Lang.Alike(st.Q, b)
}

// Looking for loops takes a step on every byte, so it is done only where one
// of a few common bytes leads back to the state.
const (
	loopProbes = "et1"
	minLoops   = 10
)

// loopsOf returns the bytes that lead from a state back to it, or nil if they
// are few. Texts with few rules have such states, and whatever consists of
// these bytes alone needs no more than a glance.
func (a *automaton) loopsOf(s int32) *[256]bool {
	st := a.states.at(s)
	if st.probed {
		return st.loops
	}
	st.probed = true
	probes := 0
	for i := range len(loopProbes) {
		if a.step(s, loopProbes[i]) == s {
			probes++
		}
	}
	if probes == 0 {
		return nil
	}
	loops, n := new([256]bool), 0
	for b := range 256 {
		if a.step(s, byte(b)) == s {
			loops[b] = true
			n++
		}
	}
	if n >= minLoops {
		st.loops = loops
	}
	return st.loops
}
