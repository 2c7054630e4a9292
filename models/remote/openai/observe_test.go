package openai

import (
	"maps"
	"math"
	"slices"
	"testing"

	"logitscope/models"
	"logitscope/models/remote"
)

// watched returns what a watch makes of one event.
func watched(t *testing.T, event string) (out []models.Observation, rows []map[string]float64) {
	t.Helper()
	v := newGrowing()
	w := &watch{m: &model{c: &remote.Client{Meter: new(remote.Meter)}, vocab: v}}
	w.yield = func(o models.Observation) error {
		row := map[string]float64{}
		for i, id := range o.Logits.IDs {
			row[v.Piece(id)] = float64(o.Logits.Values[i])
		}
		out, rows = append(out, o), append(rows, row)
		return nil
	}
	if err := w.event([]byte(event)); err != nil {
		t.Fatal(err)
	}
	return out, rows
}

// "Not among the top 20" is written as -9999, and is no log-probability.
func TestNotAmongTheTop(t *testing.T) {
	for lp, want := range map[string]float64{"-9999": math.Inf(-1), "-9999.0": math.Inf(-1), "-10000": math.Inf(-1), "-9998.5": -9998.5, "-0.5": -0.5} {
		out, _ := watched(t, `{"choices":[{"logprobs":{"content":[{"token":"a","logprob":`+lp+`,"bytes":[97],"top_logprobs":[{"token":"b","logprob":-0.25,"bytes":[98]}]}]}}]}`)
		if len(out) != 1 || float64(out[0].Logprob) != want {
			t.Errorf("%s: %v, want %g", lp, out, want)
		}
	}
}

// Alternatives of one text are one token here, with the probability of both.
func TestAlternativesOfOneText(t *testing.T) {
	out, rows := watched(t, `{"choices":[{"logprobs":{"content":[{"token":"a","logprob":-1.3862943611198906,"bytes":[97],"top_logprobs":[
		{"token":"a","logprob":-1.3862943611198906,"bytes":[97]},
		{"token":"b","logprob":-2.0794415416798357,"bytes":[98]},
		{"token":"a","logprob":-1.3862943611198906,"bytes":[97]}]}]}}]}`)
	if len(rows) != 1 {
		t.Fatalf("%d steps", len(rows))
	}
	if names := slices.Sorted(maps.Keys(rows[0])); !slices.Equal(names, []string{"a", "b"}) || len(out[0].Logits.IDs) != 2 {
		t.Errorf("tokens %q, ids %v", names, out[0].Logits.IDs)
	}
	// ¼ + ¼ = ½ and ⅛: ⅜ is the rest's.
	if p := math.Exp(rows[0]["a"]); math.Abs(p-0.5) > 1e-6 {
		t.Errorf("a has %g, want 0.5", p)
	}
	if rest := float64(out[0].Logits.Rest); math.Abs(rest-0.375) > 1e-6 {
		t.Errorf("the rest has %g, want 0.375", rest)
	}
}
