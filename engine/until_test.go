package engine

import (
	"testing"
	"testing/synctest"
)

// until runs a lane with a condition and returns the view that it was told of
// and the one that the lane then rests with.
func until(t *testing.T, opt Options, holds func(View) bool, pairs ...any) (at *View, rests View) {
	t.Helper()
	m := toy(t, 200, -9)
	if opt.Draft.NGram {
		opt.Draft = Draft{Model: seeded(t, 200, -9, 3)}
	}
	l := NewLane(0, m, opt)
	send := begin(t, l)
	held := make(chan View, 1)
	rests = send(Start{Prompt: []int32{1, 2, 3}, Settings: settings(t, m, pairs...)}, Until{Holds: holds, Done: held}, Advance{N: -1})
	select {
	case v, held := <-held:
		if held {
			at = &v
		}
	default:
	}
	return at, rests
}

// The lane stops before the first token for which the condition holds: the one
// that a walk through the whole text finds.
func TestUntil(t *testing.T) {
	synctest.Test(t, tryUntil)
}

func tryUntil(t *testing.T) {
	_, whole := until(t, Options{}, func(View) bool { return false }, "max_new_tokens", 40)
	if len(whole.Steps) != 40 {
		t.Fatalf("%d steps", len(whole.Steps))
	}
	for _, want := range []int{1, 2, 7, 40} {
		token, bits := whole.Steps[want-1].Token, whole.Steps[want-1].Summary.RawBits
		first := 0
		for i, s := range whole.Steps {
			if s.Token == token && s.Summary.RawBits == bits {
				first = i + 1
				break
			}
		}
		at, rests := until(t, Options{}, func(v View) bool {
			return v.Next != nil && v.Next.Token == token && v.Next.Summary.RawBits == bits
		}, "max_new_tokens", 40)
		if at == nil || len(at.Steps) != first-1 || at.Next.Token != token || at.Phase != Paused {
			t.Fatalf("step %d: told of %+v, want the proposal of step %d", want, at, first)
		}
		if rests.Phase != Paused || len(rests.Steps) != first-1 || rests.Next == nil || rests.Next.Token != token {
			t.Errorf("step %d: it rests with %d steps, phase %v", want, len(rests.Steps), rests.Phase)
		}
	}
	if at, rests := until(t, Options{}, func(View) bool { return false }, "max_new_tokens", 9); at != nil || rests.Phase != Done {
		t.Errorf("nothing held, and yet %v, %v", at, rests.Phase)
	}
}

// Tokens of a round are looked at one by one.
func TestUntilInARound(t *testing.T) {
	synctest.Test(t, tryUntilInARound)
}

func tryUntilInARound(t *testing.T) {
	for want := range 12 {
		at, rests := until(t, Options{Draft: Draft{NGram: true}}, func(v View) bool { return len(v.Steps) == want && v.Next != nil }, "max_new_tokens", 40, "num_assistant_tokens", 4)
		if at == nil || len(at.Steps) != want || at.Next == nil || at.Next.Index != want+1 {
			t.Fatalf("%d: told of %+v", want, at)
		}
		if rests.Phase != Paused || len(rests.Steps) > want {
			t.Errorf("%d: it rests with %d steps, phase %v", want, len(rests.Steps), rests.Phase)
		}
	}
}

// A search stops after the step.
func TestUntilInASearch(t *testing.T) {
	synctest.Test(t, tryUntilInASearch)
}

func tryUntilInASearch(t *testing.T) {
	at, rests := until(t, Options{}, func(v View) bool { return v.Beam != nil && len(v.Beam.Steps) == 5 }, "max_new_tokens", 40, "num_beams", 3)
	if at == nil || len(at.Beam.Steps) != 5 || len(rests.Beam.Steps) != 5 || rests.Phase != Paused {
		t.Errorf("told of %+v; it rests with %d steps", at, len(rests.Beam.Steps))
	}
}

// A new text takes the condition back.
func TestStartTakesUntilBack(t *testing.T) {
	synctest.Test(t, tryStartTakesUntilBack)
}

func tryStartTakesUntilBack(t *testing.T) {
	m := toy(t, 200, -9)
	l := NewLane(0, m, Options{})
	send := begin(t, l)
	held := make(chan View, 1)
	set := settings(t, m, "max_new_tokens", 5)
	send(Start{Prompt: []int32{1, 2}, Settings: set}, Until{Holds: func(View) bool { return true }, Done: held})
	v := send(Start{Prompt: []int32{1, 2}, Settings: set}, Advance{N: -1})
	if _, told := <-held; v.Phase != Done || told {
		t.Errorf("phase %v, told %v", v.Phase, told)
	}
}
