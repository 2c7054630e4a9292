package constrain

// step returns the state behind byte b, or dead.
func (a *automaton) step(s int32, b byte) int32 {
	st := a.states.at(s)
	if !hasByte(&st.live, b) {
		return dead
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

// learn computes the state behind b, and remembers it for every byte that no
// item tells apart from b.
func (a *automaton) learn(s int32, b byte) int32 {
	r := byteRange{0, 0xFF}
	for _, it := range a.states.at(s).items {
		r = r.and(a.alike(it, b))
	}
	to := a.compute(s, b)
	st := a.states.at(s)
	if st.row == nil && int(st.n) < len(st.few) {
		st.few[st.n] = transition{r.lo, r.hi, to}
		st.n++
		return to
	}
	if st.row == nil {
		st.row = new([256]int32)
		for _, t := range st.few {
			fill(st.row, t)
		}
	}
	fill(st.row, transition{r.lo, r.hi, to})
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
	for _, e := range a.p.edgesOf(&a.p.nodes[it.at]) {
		if e.lo <= b && b <= e.hi {
			to = e.to
			n++
		}
	}
	return item{to, it.stack}, n == 1
}

// closed is the state of one place, remembered.
func (a *automaton) closed(it item) int32 {
	if a.p.nodes[it.at].kind == nodeBytes {
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
		for _, e := range a.p.edgesOf(&a.p.nodes[it.at]) {
			if e.lo <= b && b <= e.hi {
				a.enter(e.to, it.stack)
			}
		}
		return
	}
	st := a.strings[^it.at].stringState
	s := a.p.strs[st.str]
	if b == '"' && s.closes(st) && !s.bare {
		a.leave(a.remembered(st, it.stack))
		return
	}
	next, ok := s.step(st, b)
	if !ok {
		return
	}
	if st.text != 0 {
		next = a.read(st, next, b)
	}
	if at, ok := a.internString(next); ok {
		a.set.items = append(a.set.items, item{at, it.stack})
		if s.bare && s.closes(next) && !a.repeats(next) {
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
func (a *automaton) alike(it item, b byte) byteRange {
	if it.at >= 0 {
		r := byteRange{0, 0xFF}
		for _, e := range a.p.edgesOf(&a.p.nodes[it.at]) {
			switch {
			case e.hi < b:
				r.lo = max(r.lo, e.hi+1)
			case e.lo > b:
				r.hi = min(r.hi, e.lo-1)
			default:
				r = r.and(byteRange{e.lo, e.hi})
			}
		}
		return r
	}
	st := &a.strings[^it.at].stringState
	if st.esc != 0 || st.text != 0 {
		return byteRange{b, b}
	}
	return a.p.strs[st.str].lang.alike(st.q, b)
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
