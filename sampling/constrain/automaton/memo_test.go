package automaton

import (
	"testing"
)

func TestMemoDropsWhatIsNotUsed(t *testing.T) {
	a := &automaton{}
	for range 4 {
		a.states.add(dfaState{})
	}
	m := memo{a: a}
	small, turn := &maskEntry{}, func() { m.bytes = memoLimit; m.put(3, &maskEntry{}) }
	m.put(0, small)
	m.put(1, &maskEntry{})
	turn() // 0 and 1 are of the last generation from here on
	if m.get(0) != small {
		t.Fatal("a mask of the last generation is gone")
	}
	turn()
	if m.get(0) != small || a.states.at(1).mask != nil {
		t.Errorf("0 was used and is kept: %v; 1 was not and is dropped: %v", m.get(0) == small, a.states.at(1).mask == nil)
	}
}
