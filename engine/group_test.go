package engine

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
)

// together runs lanes in a group until the test ends and returns a function
// that does something, waits for all to settle and returns their views.
func together(t *testing.T, g *Group) func(func()) []View {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- g.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return func(f func()) []View {
		f()
		synctest.Wait()
		return <-g.Views()
	}
}

func group(t *testing.T, n int) (*Group, [][]int32) {
	m := toy(t, 2000, never)
	gate := NewGate(1)
	var lanes []*Lane
	var alone [][]int32
	for i := range n {
		s := settings(t, m, "seed", 7, "temperature", 0.5+0.5*float64(i))
		start := Start{Prompt: []int32{1, 2}, Settings: s}
		alone = append(alone, written(begin(t, NewLane(10+i, m, Options{}))(start, Advance{60})))
		l := NewLane(i, m, Options{Gate: gate})
		l.Post(start)
		lanes = append(lanes, l)
	}
	return NewGroup(lanes...), alone
}

// Four lanes at once must each write what they write alone.
func TestLanesAreIndependent(t *testing.T) {
	for _, step := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			g, alone := group(t, 4)
			do := together(t, g)
			views := do(func() { g.SetInStep(step); g.Advance(60) })
			for i, v := range views {
				if !slices.Equal(written(v), alone[i]) {
					t.Errorf("in step %v, lane %d wrote\n%v, alone\n%v", step, i+1, written(v), alone[i])
				}
			}
		})
	}
}

func TestInStepNobodyRunsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := group(t, 3)
		do := together(t, g)
		do(func() {})
		views := do(func() { g.PostTo(1, Advance{4}) }) // one lane alone
		if n := len(views[1].Steps); n != 4 || len(views[0].Steps) != 0 {
			t.Fatalf("lane 2 has %d steps, lane 1 %d", n, len(views[0].Steps))
		}
		for want := range 5 {
			views = do(func() { g.Advance(1) })
			for i, v := range views {
				start := []int{0, 4, 0}[i]
				if len(v.Steps) != start+want+1 {
					t.Fatalf("after %d steps together lane %d has %d, want %d", want+1, i+1, len(v.Steps), start+want+1)
				}
			}
		}
		views = do(func() { g.Advance(-1) })
		for i, v := range views {
			if v.Phase != Done {
				t.Errorf("lane %d ended %v with %d steps", i+1, v.Phase, len(v.Steps))
			}
		}
	})
}

func TestPauseStopsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, _ := group(t, 2)
		do := together(t, g)
		do(func() { g.Advance(10) })
		views := do(func() { g.Advance(0); g.SetInStep(false) })
		for i, v := range views {
			if len(v.Steps) != 10 || v.Phase != Paused {
				t.Errorf("lane %d: %d steps, %v", i+1, len(v.Steps), v.Phase)
			}
		}
	})
}

// Pausing in step leaves all lanes at the same token, whenever it happens.
func TestPauseInStepKeepsStep(t *testing.T) {
	m := toy(t, 5000, never)
	gate := NewGate(1)
	var lanes []*Lane
	for i := range 3 {
		l := NewLane(i, m, Options{Gate: gate})
		l.Post(Start{Prompt: []int32{1, 2}, Settings: settings(t, m, "seed", i, "max_new_tokens", 4000)})
		lanes = append(lanes, l)
	}
	g := NewGroup(lanes...)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- g.Run(ctx) }()
	defer func() { cancel(); <-done }()
	for round := range 20 {
		g.Advance(-1)
		for views := range g.Views() {
			if len(views[0].Steps) >= (round+1)*20 {
				break
			}
		}
		g.Advance(0)
		still := func(views []View) bool {
			for _, v := range views {
				resting := v.Phase == Paused && v.Next != nil || v.Phase == Done
				if !resting || len(v.Steps) != len(views[0].Steps) {
					return false
				}
			}
			return true
		}
		for views := range g.Views() {
			if still(views) {
				break
			}
		}
	}
}
