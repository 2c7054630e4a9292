package constrain

import (
	"encoding/binary"
	"slices"
)

// finish interns the collected set and returns its state, or dead.
func (a *automaton) finish() int32 {
	c := &a.set
	if len(c.items) == 0 && !c.accept && !c.escapes {
		return dead
	}
	if len(c.items) == 1 && !c.accept && !c.escapes {
		return a.soleState(c.items[0])
	}
	slices.SortFunc(c.items, compareItems)
	c.items = slices.Compact(c.items)
	if len(c.items) > maxItems {
		a.prune()
	}
	key := a.key[:0]
	flags := byte(0)
	if c.accept {
		flags = 1
	}
	if c.escapes {
		flags |= 2
	}
	key = append(key, flags)
	for _, it := range c.items {
		key = binary.LittleEndian.AppendUint32(key, uint32(it.at))
		key = binary.LittleEndian.AppendUint32(key, uint32(it.stack))
	}
	a.key = key
	if id, ok := a.stateIDs[string(key)]; ok {
		return id
	}
	id := a.addState(c.items, c.accept, c.escapes)
	a.stateIDs[string(key)] = id
	return id
}

// soleState is the state of one item. Most states are of this kind, so they
// have a table of their own.
func (a *automaton) soleState(it item) int32 {
	if id, ok := a.sole[it]; ok {
		return id
	}
	id := a.addState([]item{it}, false, false)
	a.sole[it] = id
	return id
}

func (a *automaton) addState(items []item, accept, escapes bool) int32 {
	if cap(a.chunk)-len(a.chunk) < len(items) {
		a.chunk = make([]item, 0, max(512, len(items)))
	}
	from := len(a.chunk)
	a.chunk = append(a.chunk, items...)
	s := dfaState{items: a.chunk[from:len(a.chunk):len(a.chunk)], accept: accept, escapes: escapes, dist: unreachable}
	if accept || escapes {
		s.dist = 0
	}
	for _, it := range s.items {
		for i, w := range a.itemLive(it) {
			s.live[i] |= w
		}
		s.dist = min(s.dist, a.itemDist(it))
	}
	a.states = append(a.states, s)
	return int32(len(a.states) - 1)
}

func compareItems(x, y item) int {
	if x.at != y.at {
		return int(x.at) - int(y.at)
	}
	return int(x.stack) - int(y.stack)
}

func (a *automaton) prune() {
	c := &a.set
	a.pruned = true
	slices.SortStableFunc(c.items, func(x, y item) int { return int(a.itemDist(x)) - int(a.itemDist(y)) })
	c.items = c.items[:maxItems]
	slices.SortFunc(c.items, compareItems)
}

// step returns the state behind byte b, or dead.
func (a *automaton) step(s int32, b byte) int32 {
	st := &a.states[s]
	if !hasByte(&st.live, b) {
		return dead
	}
	if st.row != nil {
		if to := st.row[b]; to != 0 {
			return to - 2
		}
	} else {
		for _, t := range st.few[:st.n] {
			if t.b == b {
				return t.to
			}
		}
	}
	to := a.compute(s, b)
	st = &a.states[s] // compute may have moved it
	if st.row == nil && int(st.n) < len(st.few) {
		st.few[st.n] = transition{b, to}
		st.n++
		return to
	}
	if st.row == nil {
		st.row = new([256]int32)
		for _, t := range st.few {
			st.row[t.b] = t.to + 2
		}
	}
	st.row[b] = to + 2
	return to
}

func (a *automaton) compute(s int32, b byte) int32 {
	items := a.states[s].items
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
	for _, e := range a.p.nodes[it.at].edges {
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
		for _, e := range a.p.nodes[it.at].edges {
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
		next.text = a.internText(a.readText(st, next, b))
	}
	if at, ok := a.internString(next); ok {
		a.set.items = append(a.set.items, item{at, it.stack})
		if s.bare && s.closes(next) && !a.repeats(next) {
			a.leave(a.remembered(next, it.stack))
		}
	}
}

// stateOf returns the state with exactly these items.
func (a *automaton) stateOf(items []item) int32 {
	a.begin()
	a.set.items = append(a.set.items, items...)
	return a.finish()
}

// left returns the state behind the end of a rule that was called with a stack.
func (a *automaton) left(stack int32) int32 {
	k := item{-1, stack} // no node is -1, so this cannot collide in single
	if s, ok := a.single[k]; ok {
		return s
	}
	a.begin()
	a.leave(stack)
	s := a.finish()
	a.single[k] = s
	return s
}
