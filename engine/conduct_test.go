package engine

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
)

// A lane that was told to go on before it stood in a group does so, whether or
// not it had begun by then.
func TestGroupLeavesWhatWasAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		l := NewLane(0, m, Options{})
		do := begin(t, l)
		do(Start{Prompt: []int32{1, 2}, Settings: settings(t, m, "seed", 7)})
		l.Post(Advance{4})
		NewGroup(l).SetInStep(true)
		if n := len(do(Pin{}).Steps); n != 4 {
			t.Errorf("the lane wrote %d tokens, want the 4 it was told", n)
		}
	})
}

// A group keeps lanes in step that others run, one of them already under way,
// also after one was taken back.
func TestConduct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		s := settings(t, m, "seed", 7)
		var lanes []*Lane
		var do []func(...Command) View
		for i := range 3 {
			l := NewLane(i, m, Options{})
			lanes = append(lanes, l)
			do = append(do, begin(t, l))
			do[i](Start{Prompt: []int32{1, 2}, Settings: s})
		}
		do[1](Advance{4})
		g := NewGroup(lanes...)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() { g.Conduct(ctx); close(done) }()
		lens := func() []int {
			synctest.Wait()
			var n []int
			for i := range lanes {
				n = append(n, len(do[i](Pin{}).Steps))
			}
			return n
		}
		g.Advance(3)
		if got, want := lens(), []int{3, 7, 3}; !slices.Equal(got, want) {
			t.Errorf("lanes have %v steps, want %v", got, want)
		}
		if g.Running() {
			t.Error("the lanes are said to run on")
		}
		lanes[1].Post(Rewind{2})
		g.Advance(2)
		if got, want := lens(), []int{5, 4, 5}; !slices.Equal(got, want) {
			t.Errorf("after a rewind lanes have %v steps, want %v", got, want)
		}
		g.Advance(1)
		g.Advance(1)
		if got, want := lens(), []int{7, 6, 7}; !slices.Equal(got, want) {
			t.Errorf("after two single steps asked for at once lanes have %v steps, want %v", got, want)
		}
		cancel()
		<-done
		lanes[0].Post(Advance{1})
		if got, want := lens(), []int{8, 6, 7}; !slices.Equal(got, want) {
			t.Errorf("after the group lanes have %v steps, want %v", got, want)
		}
	})
}

// A token can be forced in the same breath as going back to its place.
func TestForceAfterRewind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		do := begin(t, NewLane(0, m, Options{}))
		do(Start{Prompt: []int32{1}, Settings: settings(t, m, "seed", 7)}, Advance{9})
		v := do(Rewind{4}, Force{5})
		if len(v.Steps) != 5 || v.Steps[4].Token != 5 || !v.Steps[4].Forced {
			t.Errorf("%d steps: %v", len(v.Steps), written(v))
		}
	})
}

// A fork that starts with another branch shares what is parked of it.
func TestForkOfABranch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		s := settings(t, m, "seed", 7)
		a := NewLane(0, m, Options{})
		doA := begin(t, a)
		left := doA(Start{Prompt: []int32{1, 2}, Settings: s}, Advance{100})
		doA(Adopt{Prompt: left.Prompt, Steps: left.Steps[:40], Settings: settings(t, m, "seed", 8)})
		doA(Advance{10})
		b := NewLane(1, m, Options{})
		doB := begin(t, b)
		doA(Fork{To: b, Steps: left.Steps, Settings: s})
		v := doB(Advance{1})
		if len(v.Steps) != 101 || !slices.Equal(written(v)[:100], written(left)) {
			t.Fatalf("the fork holds %d steps", len(v.Steps))
		}
		if v.ForwardPositions > 2 {
			t.Errorf("the fork ran %d positions, want no more than 2", v.ForwardPositions)
		}
	})
}

// A lane that searches with beams keeps in step as those that draw do.
func TestBeamsKeepInStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 2000, never)
		var lanes []*Lane
		for i, s := range []*Settings{settings(t, m, "seed", 7), settings(t, m, "num_beams", 3)} {
			l := NewLane(i, m, Options{})
			l.Post(Start{Prompt: []int32{1, 2}, Settings: s})
			lanes = append(lanes, l)
		}
		g := NewGroup(lanes...)
		do := together(t, g)
		views := do(func() { g.Advance(5) })
		if a, b := len(views[0].Steps), len(views[1].Beam.Steps); a != 5 || b != 5 {
			t.Errorf("after 5 steps together one lane has %d, the beams %d", a, b)
		}
	})
}
