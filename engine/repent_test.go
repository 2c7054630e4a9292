package engine

import (
	"strings"
	"testing"
	"testing/synctest"
)

// TestBannedPhrases: a phrase is taken back and begun otherwise, its first
// token stays in the row with next to no chance, tokens taken back count
// towards the limit, and without phrases the text is as it was.
func TestBannedPhrases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := seeded(t, 400, never, 5)
		free := begin(t, NewLane(0, m, Options{}))(Start{Prompt: []int32{1, 2}, Settings: settings(t, m, "max_new_tokens", 60)}, Advance{-1})
		text := free.Text()
		if len(text) < 40 {
			t.Fatalf("%q", text)
		}
		phrase := text[10:13]
		do := begin(t, NewLane(1, m, Options{}))
		v := do(Start{Prompt: []int32{1, 2}, Settings: settings(t, m, "max_new_tokens", 60, "banned_phrases", []string{phrase})}, Advance{-1})
		if v.Phase != Done || v.Reason != Length || strings.Contains(strings.ToLower(v.Text()), phrase) {
			t.Errorf("%q bans %q: %v, %v %q", v.Text(), phrase, v.Err, v.Reason, v.Text())
		}
		if len(v.Steps) >= 60 {
			t.Errorf("%d tokens are left of 60, and some were taken back", len(v.Steps))
		}
		found := false
		for k, s := range v.Steps {
			if len(s.banned) == 0 {
				continue
			}
			found = true
			for _, id := range s.banned {
				if s.Token == id {
					t.Errorf("step %d wrote token %d, which is banned there", k, id)
				}
			}
			again, err := v.Retrace(k, s.Settings)
			if err != nil || again.Token != s.Token || again.Trace.Stages()[1].Name != "banned" {
				t.Errorf("step %d traced again: %v", k, err)
			}
		}
		if !found {
			t.Error("no step remembers what was banned there")
		}
		if v = do(Rewind{5}, Advance{3}); len(v.Steps) < 5 {
			t.Errorf("after going back: %d steps, %v", len(v.Steps), v.Err)
		}
	})
}

// TestUnsure: what a banned phrase may still take back is not sure, so that
// whoever prints a text as it grows never prints what is taken back.
func TestUnsure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := seeded(t, 400, never, 5)
		set := settings(t, m, "max_new_tokens", 40, "banned_phrases", []string{"bc", "xe", "the a"})
		do := begin(t, NewLane(0, m, Options{}))
		v := do(Start{Prompt: []int32{1, 2}, Settings: set}, Advance{1})
		printed, taken, took := "", 0, false // a phrase may take back all that is held
		for range 120 {
			text := v.Text()
			if sure := text[:len(text)-v.Unsure()]; !strings.HasPrefix(text, printed) {
				t.Fatalf("%q was printed and the text is %q", printed, text)
			} else if len(sure) > len(printed) {
				printed = sure
			}
			if v.Phase == Done {
				if v.Unsaid() != 0 {
					t.Errorf("%d steps of a text that has ended are held", v.Unsaid())
				}
				break
			}
			if k := v.Unsaid(); k < 1 && !took || k > set.phrases.Hold() {
				t.Fatalf("%d steps are held, at most %d are", k, set.phrases.Hold())
			}
			n := len(v.Steps)
			v = do(Advance{1})
			if took = len(v.Steps) < n; took {
				taken++
			}
		}
		if v.Phase != Done || taken == 0 || printed != v.Text() {
			t.Errorf("%v, taken back %d times, printed %q of %q", v.Phase, taken, printed, v.Text())
		}
	})
}
