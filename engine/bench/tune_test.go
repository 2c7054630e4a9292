package bench

import (
	"fmt"
	"strings"
	"testing"

	"logitscope/engine/bench/prompts"
	"logitscope/engine/enginetest"
)

// A check that low temperatures pass more often, over two parameters that do
// nothing to three tokens: the search finds the one that matters and names the
// others, within its budget.
func TestTuneFindsWhatMatters(t *testing.T) {
	m := coin(t)
	var set []prompts.Prompt
	for i := range 60 {
		set = append(set, prompts.Prompt{ID: fmt.Sprint(i), Text: "a"})
	}
	var over []Range
	for _, spec := range []string{"temperature=0.2:1.6", "top_k=10:100", "dynatemp_exponent=0.5:2"} {
		r, err := ParseRange(spec)
		if err != nil {
			t.Fatal(err)
		}
		over = append(over, r)
	}
	seeds := 20
	if testing.Short() {
		seeds = 5
	}
	found := 0
	for seed := range uint64(seeds) {
		s := &Search{Backend: backend(m), Base: enginetest.Config(t, "max_new_tokens", 1), Over: over, Prompts: set, Checks: checks(t, "equals: a"),
			Seeds: []uint64{1000 * seed, 1000*seed + 1, 1000*seed + 2, 1000*seed + 3}, Metric: MetricNamed("pass"), Seed: seed, Holdout: 0.2}
		out, err := Tune(t.Context(), s, Options{Budget: Budget{Tokens: 12_000}})
		if err != nil {
			t.Fatal(err)
		}
		if out.Stopped || out.Simplest.Config.Float("temperature") > 0.65 || len(out.Influence) != 3 || out.Influence[0].Idle() || !out.Influence[1].Idle() || !out.Influence[2].Idle() {
			t.Logf("seed %d: %s, stopped %v, %+v", seed, out.Simplest.Name, out.Stopped, out.Influence)
			continue
		}
		if !strings.HasPrefix(out.Simplest.Name, "temperature=") || strings.Contains(out.Simplest.Name, ",") || out.Simplest.Set != 1 {
			t.Logf("seed %d: %s is not the simplest", seed, out.Simplest.Name)
			continue
		}
		if !out.Gain.Found() || out.Gain.Diff.Value < 0.1 || out.Held == nil || out.Held.Diff.N < 5 {
			t.Logf("seed %d: gain %+v, held %+v", seed, out.Gain, out.Held)
			continue
		}
		found++
	}
	if found < seeds*19/20 {
		t.Errorf("found in %d of %d searches", found, seeds)
	}
}

func TestTuneKeepsBounds(t *testing.T) {
	var set []prompts.Prompt
	for i := range 40 {
		set = append(set, prompts.Prompt{ID: fmt.Sprint(i), Text: "a"})
	}
	r, err := ParseRange("temperature=0.2:2")
	if err != nil {
		t.Fatal(err)
	}
	b, err := ParseBound("bits >= 0.6")
	if err != nil {
		t.Fatal(err)
	}
	s := &Search{Backend: backend(coin(t)), Base: enginetest.Config(t, "max_new_tokens", 1), Over: []Range{r}, Prompts: set, Checks: checks(t, "equals: a"),
		Seeds: []uint64{1, 2, 3, 4}, Metric: MetricNamed("pass"), Subject: []Bound{b}}
	out, err := Tune(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The lowest temperature passes most and is too sure.
	best := out.Trials[out.Best]
	if !best.Bounds || best.Config.Float("temperature") < 0.5 {
		t.Errorf("%+v", best)
	}
	for _, i := range out.Equal {
		if !out.Trials[i].Bounds {
			t.Errorf("%s does not keep the bound", out.Trials[i].Name)
		}
	}
	again, err := Tune(t.Context(), s, Options{})
	if err != nil || again.Trials[again.Best].Name != best.Name || len(again.Equal) != len(out.Equal) {
		t.Errorf("the same search: %v, %v", again, err)
	}
}

// What is simplest must keep the bounds, too: every text passes here, but those
// of the base repeat one token.
func TestTuneChoosesWithinBounds(t *testing.T) {
	var set []prompts.Prompt
	for i := range 12 {
		set = append(set, prompts.Prompt{ID: fmt.Sprint(i), Text: "a"})
	}
	r, err := ParseRange("temperature=0.1:3")
	if err != nil {
		t.Fatal(err)
	}
	b, err := ParseBound("distinct_1 >= 0.2")
	if err != nil {
		t.Fatal(err)
	}
	s := &Search{Backend: backend(coin(t)), Base: enginetest.Config(t, "max_new_tokens", 8, "temperature", 0.1), Over: []Range{r}, Prompts: set,
		Checks: checks(t, "min_tokens: 1"), Seeds: []uint64{1, 2}, Metric: MetricNamed("pass"), Subject: []Bound{b}}
	out, err := Tune(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if base := out.Trials[0]; base.Bounds || !base.Base {
		t.Errorf("the base: %+v", base)
	}
	if best := out.Trials[out.Best]; !best.Bounds || !out.Simplest.Bounds || out.Simplest.Base {
		t.Errorf("chosen %+v, best %+v", out.Simplest, best)
	}
}

func TestTuneBudget(t *testing.T) {
	var set []prompts.Prompt
	for i := range 200 {
		set = append(set, prompts.Prompt{ID: fmt.Sprint(i), Text: "a"})
	}
	r, err := ParseRange("temperature=0.2:2")
	if err != nil {
		t.Fatal(err)
	}
	s := &Search{Backend: backend(coin(t)), Base: enginetest.Config(t, "max_new_tokens", 1), Over: []Range{r}, Prompts: set, Checks: checks(t, "equals: a"),
		Seeds: []uint64{1}, Metric: MetricNamed("pass")}
	out, err := Tune(t.Context(), s, Options{Budget: Budget{Tokens: 600}})
	if err != nil || !out.Stopped || len(out.Rounds) != 1 {
		t.Errorf("%+v, %v; want a stop after the first round", out, err)
	}
	if _, err := Tune(t.Context(), s, Options{Budget: Budget{Tokens: 100}}); err == nil {
		t.Error("a budget below one round: no error")
	}
}

func TestParseRange(t *testing.T) {
	for _, tt := range []struct{ spec, want string }{
		{"temperature=0.1:1.3", "[0.1 0.7 1.3]"}, {"top_k=1:100", "[1 51 100]"}, {"min_p=0:0.004", "[0 0.002 0.004]"},
		{"do_sample=true,false", "[true false false]"}, {"order=llama.cpp,vllm", "[llama.cpp vllm vllm]"},
	} {
		r, err := ParseRange(tt.spec)
		if err != nil {
			t.Errorf("%s: %v", tt.spec, err)
			continue
		}
		if got := fmt.Sprint([]any{r.at(0), r.at(0.5), r.at(1)}); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.spec, got, tt.want)
		}
	}
	for _, tt := range []struct{ spec, want string }{
		{"temperature", "key=from:to"}, {"temperature=1.3:0.1", "below"}, {"temperature=0.1:x", "temperature"}, {"temprature=0:1", "temperature"},
		{"order=a:b", "order"}, {"model=a,b", "parameter"}, {"top_p=0.5", "two values"}, {"top_p=0.5:2", "0 to 1"},
	} {
		if r, err := ParseRange(tt.spec); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %+v, %v; want an error with %q", tt.spec, r, err, tt.want)
		}
	}
	if b, err := ParseBound(" loop <= 0.01"); err != nil || metrics[b.Metric].Key != "loop" || !b.Most || b.Value != 0.01 {
		t.Errorf("%+v, %v", b, err)
	}
	for _, bad := range []string{"loop", "loop<0.1", "lop<=0.1", "loop<=x", "loop<=NaN"} {
		if _, err := ParseBound(bad); err == nil {
			t.Errorf("%s is no error", bad)
		}
	}
}
