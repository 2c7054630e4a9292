package engine

import (
	"testing"
	"testing/synctest"

	"logitscope/models"
)

// What a proposal ends is what the lane says once it is written.
func TestEndsWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			context int
			ends    float64
			pairs   []any
			want    Reason
		}{
			"eos":        {200, 0, []any{"max_new_tokens", 100}, EOS},
			"length":     {200, -9, []any{"max_new_tokens", 7}, Length},
			"one":        {200, -9, []any{"max_new_tokens", 1}, Length},
			"context":    {12, -9, nil, ContextFull},
			"repetition": {200, -9, []any{"do_sample", false, "repetition_detection", `{"max_pattern_size":20,"min_count":2}`}, Repetition},
		} {
			m := toy(t, c.context, c.ends)
			l := NewLane(0, m, Options{})
			send := begin(t, l)
			v := send(Start{Prompt: []int32{1, 2, 3}, Settings: settings(t, m, c.pairs...)})
			said := Reason("")
			for n := 0; v.Phase == Paused && n < 190; n++ {
				if said != "" {
					t.Errorf("%s: said to end with %v, and it went on", name, said)
				}
				said = v.EndsWith(m.Vocab())
				v = send(Advance{N: 1})
			}
			if v.Phase != Done || v.Reason != c.want || said != c.want {
				t.Errorf("%s: it was said to end with %q, and ended with %q, want %q", name, said, v.Reason, c.want)
			}
		}
	})
	var none View
	if r := none.EndsWith(models.Vocab(nil)); r != "" {
		t.Errorf("an empty view ends with %q", r)
	}
}
