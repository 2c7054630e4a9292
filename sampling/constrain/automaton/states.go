package automaton

import (
	"encoding/binary"
	"slices"

	"logitscope/sampling/constrain/lang"
)

// finish interns the collected set and returns its state, or dead.
func (a *automaton) finish() int32 {
	c := &a.set
	if len(c.items) == 0 && !c.accept && !c.escapes {
		return lang.Dead
	}
	if len(c.items) == 1 && !c.accept && !c.escapes {
		return a.soleState(c.items[0])
	}
	slices.SortFunc(c.items, compareItems)
	c.items = slices.Compact(c.items)
	if len(c.items) > a.most {
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
	s := dfaState{items: a.items.keep(items), accept: accept, escapes: escapes, dist: lang.Unreachable}
	if accept || escapes {
		s.dist = 0
	}
	for _, it := range s.items {
		for i, w := range a.itemLive(it) {
			s.live[i] |= w
		}
		s.dist = min(s.dist, a.itemDist(it))
	}
	n := popcount(&s.live)
	if s.only, s.narrow = -1, n < minLoops; n == 1 {
		s.only = int16(firstByte(&s.live))
	}
	return a.states.add(s)
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
	c.items = c.items[:a.most]
	slices.SortFunc(c.items, compareItems)
}

// stateOf returns the state with exactly these items.
func (a *automaton) stateOf(items []item) int32 {
	a.begin()
	a.set.items = append(a.set.items, items...)
	return a.finish()
}

// left returns the state after the end of a rule that was called with a stack.
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
