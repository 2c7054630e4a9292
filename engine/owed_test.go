package engine

import (
	"strings"
	"testing"
	"testing/synctest"

	"logitscope/engine/beam"
	"logitscope/engine/enginetest"
	"logitscope/models"
)

// Two advances that come before the first is done are both owed; a pause ends
// what is owed, and a negative number does not add up.
func TestAdvancesAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		start := Start{Prompt: []int32{1}, Settings: settings(t, m, "max_new_tokens", 40)}
		for _, tt := range []struct {
			commands []Command
			want     int
		}{
			{[]Command{Advance{3}, Advance{4}}, 7},
			{[]Command{Advance{3}, Advance{0}, Advance{2}}, 2},
			{[]Command{Advance{-1}, Advance{2}}, 2},
			{[]Command{Advance{2}, Advance{-1}}, 40},
		} {
			v := begin(t, NewLane(0, m, Options{}))(append([]Command{start}, tt.commands...)...)
			if len(v.Steps) != tt.want {
				t.Errorf("%v: %d tokens, want %d", tt.commands, len(v.Steps), tt.want)
			}
		}
	})
}

// A forced token is not one of those asked for, says what would have been
// drawn, and leaves the draw of the next as it would be.
func TestAForcedToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := toy(t, 500, never)
		start := Start{Prompt: []int32{1}, Settings: settings(t, m, "seed", 4)}
		plain := begin(t, NewLane(0, m, Options{}))(start, Advance{3})
		drawn := plain.Next.Token
		other := drawn%int32(len(words)-1) + 1
		do := begin(t, NewLane(1, m, Options{}))
		do(start, Advance{3})
		v := do(Advance{4}, Force{other})
		if len(v.Steps) != 8 {
			t.Fatalf("%d tokens: 3, 1 forced and 4 that were owed are 8", len(v.Steps))
		}
		s := v.Steps[3]
		if s.Token != other || !s.Forced || s.Drawn != drawn {
			t.Errorf("token %d, forced %v, drawn %d; want %d, true, %d", s.Token, s.Forced, s.Drawn, other, drawn)
		}
	})
}

// Every setting that a server which chooses by itself cannot be given is named,
// in one order.
func TestWhatAWatchedServerRefuses(t *testing.T) {
	m := watchedOnly{toy(t, 50, never)}
	for range 20 {
		_, err := NewCompiler(m).Settings(enginetest.Config(t, "penalty_alpha", 0.5, "top_k", 4, "constraint", `{"type":"regex","regex":"a"}`), "")
		if err == nil || !strings.HasPrefix(err.Error(), "constraint: ") || !strings.Contains(err.Error(), "\npenalty_alpha: ") {
			t.Fatalf("%v", err)
		}
	}
}

// A watchedOnly model takes no settings.
type watchedOnly struct{ models.Model }

func (m watchedOnly) Info() models.Info {
	i := m.Model.Info()
	i.Caps.ObserveOnly = true
	return i
}

// A search says why the text that won ends, not why it stopped looking.
func TestWhyAWinningTextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := 0
		for seed := range uint64(12) {
			m := seeded(t, 500, 0.6, seed)
			s := settings(t, m, "do_sample", false, "num_beams", 3, "early_stopping", "never", "length_penalty", 0.2, "max_new_tokens", 5)
			v := begin(t, NewLane(0, m, Options{}))(Start{Prompt: []int32{1}, Settings: s}, Advance{-1})
			winner := v.Beam.Result()[0]
			want := Length
			if tokens := winner.Tokens(); tokens[len(tokens)-1] == 0 {
				want = EOS
			}
			if v.Reason != want {
				t.Errorf("seed %d: %q, want %q for %v", seed, v.Reason, want, winner.Tokens())
			}
			if want == EOS && v.Beam.Reason == beam.Length {
				cut++
			}
		}
		if cut == 0 {
			t.Error("no search was cut by the length while a finished text won")
		}
	})
}
