package cli

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

// The same lanes and seed give the same bytes, whatever the timing.
func TestCompareIsDeterministic(t *testing.T) {
	t.Parallel()
	args := []string{"compare", "--lane", "chat", "--lane", "creative,temperature=1.3", "--lane", "greedy", "--lane", "chat,num_assistant_tokens=3",
		"--prompt", "Once upon a time", "--seed", "5", "--max-new-tokens", "40", "--format", "jsonl"}
	first, errs, code := try(t, "", args...)
	if code != console.ExitDone {
		t.Fatal(errs)
	}
	for range 3 {
		if again, _, _ := try(t, "", args...); again != first {
			t.Fatal("another run wrote other bytes")
		}
	}
	all := lines(t, first)
	s := all[len(all)-1]
	if s["type"] != "summary" || len(s["lanes"].([]any)) != 4 || len(s["distances"].([]any)) != 12 {
		t.Errorf("summary: %v", s)
	}
	// What a lane writes does not depend on the others.
	alone, _, _ := try(t, "", "run", "--preset", "chat", "--prompt", "Once upon a time", "--seed", "5", "--max-new-tokens", "40", "--format", "jsonl")
	a := lines(t, alone)
	for _, m := range all {
		if m["type"] == "end" && m["lane"] == 1.0 && m["text"] != a[len(a)-1]["text"] {
			t.Errorf("lane 1 wrote %q, alone %q", m["text"], a[len(a)-1]["text"])
		}
	}
}

// A lane has an arithmetic of its own, which its records name.
func TestLanesOfTwoArithmetics(t *testing.T) {
	t.Parallel()
	out, errs, code := try(t, "", "compare", "--lane", "neutral", "--lane", "neutral,arith=llama.cpp", "--lane", "neutral,arith=llama.cpp,flash-attn=on",
		"--prompt", "Once upon a time", "--max-new-tokens", "3", "--format", "jsonl")
	if code != console.ExitDone {
		t.Fatal(errs)
	}
	want := []map[string]any{
		{"name": "exact", "kv_type": "f32"}, {"name": "llama.cpp", "kv_type": "f16"}, {"name": "llama.cpp", "kv_type": "f16", "flash_attn": true},
	}
	first, probs := map[any]bool{}, map[any]bool{}
	for _, m := range lines(t, out) {
		switch m["type"] {
		case "run":
			lane := int(m["lane"].(float64))
			if got := m["model"].(map[string]any)["arith"]; !reflect.DeepEqual(got, want[lane-1]) {
				t.Errorf("lane %d: %v", lane, got)
			}
		case "step":
			if !first[m["lane"]] {
				first[m["lane"]] = true
				probs[m["top"].([]any)[0].(map[string]any)["raw_prob"]] = true
			}
		}
	}
	if len(probs) != 3 {
		t.Errorf("%d different probabilities in three lanes", len(probs))
	}
}

// Two lanes under one law are 0 apart on either's text, whatever their seeds
// and wherever the texts part: they are compared on one text at every step.
func TestOneLawHasNoDistance(t *testing.T) {
	t.Parallel()
	parted := 0
	for _, spec := range []string{"neutral,seed=7", "neutral,seed=8", "neutral,seed=9", "neutral,luck=race"} {
		out, errs, code := try(t, "", "compare", "--prompt", "Once upon a time", "--lane", "neutral", "--lane", spec, "--max-new-tokens", "12", "--format", "jsonl")
		if code != console.ExitDone {
			t.Fatalf("exit %d: %s", code, errs)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var s struct {
			Distances []struct {
				Text, Law, Steps int
				TV               []float64 `json:"tv"`
				Mean             *float64  `json:"tv_mean"`
				KL               *float64  `json:"kl_ab"`
				Back             *float64  `json:"kl_ba"`
				SameTop          float64   `json:"same_top"`
				Against          struct {
					Bits       *float64 `json:"final_bits_per_token"`
					Impossible int
				}
			} `json:"distances"`
			Lanes []struct {
				Own struct {
					Bits *float64 `json:"final_bits_per_token"`
				} `json:"under_own"`
			}
			First *int `json:"first_divergence"`
		}
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); err != nil {
			t.Fatal(err)
		}
		if s.First != nil {
			parted++
		}
		if len(s.Distances) != 2 {
			t.Fatalf("%s: %d readings, want each text under the other law", spec, len(s.Distances))
		}
		for i, d := range s.Distances {
			if d.Text != i+1 || d.Law != 2-i || d.Steps != 12 || len(d.TV) != 12 || *d.Mean != 0 || *d.KL != 0 || *d.Back != 0 || d.SameTop != 1 || d.Against.Impossible != 0 || *d.Against.Bits != *s.Lanes[i].Own.Bits {
				t.Errorf("%s: %+v", spec, d)
			}
		}
	}
	if parted < 3 {
		t.Errorf("%d of 4 pairs parted", parted)
	}
}

// Over seeds: lanes with one law never part, lanes that race part less often
// than lanes that share u, and the same command gives the same bytes.
func TestCompareOverSeeds(t *testing.T) {
	t.Parallel()
	run := func(args ...string) string {
		t.Helper()
		out, errs, code := try(t, "", append([]string{"compare", "--prompt", "Once upon a time", "--max-new-tokens", "20", "--seeds", "25", "--format", "jsonl"}, args...)...)
		if code != console.ExitDone {
			t.Fatalf("exit %d: %s", code, errs)
		}
		return out
	}
	parting := func(out string) (parted, rate float64, steps []any) {
		t.Helper()
		all := lines(t, out)
		m := all[len(all)-1]
		value := func(key string) float64 { return m[key].(map[string]any)["estimate"].(float64) }
		return value("parted"), value("partings_a_token"), m["steps"].([]any)
	}
	shared := run("--lane", "chat", "--lane", "creative")
	if shared != run("--lane", "chat", "--lane", "creative") {
		t.Error("the same command gives other bytes")
	}
	_, byU, steps := parting(shared)
	_, byRace, _ := parting(run("--lane", "chat", "--lane", "creative", "--luck", "race"))
	if len(steps) != 25 || !(byRace < byU) {
		t.Errorf("%d steps, a parting a token %v by the shared u, %v by the race", len(steps), byU, byRace)
	}
	if parted, rate, steps := parting(run("--lane", "chat", "--lane", "chat,max_new_tokens=20")); parted != 0 || rate != 0 || steps[0] != nil {
		t.Errorf("one law parts: %v, %v, %v", parted, rate, steps)
	}
	out, _, code := try(t, "", "compare", "--prompt", "Once", "--max-new-tokens", "4", "--seeds", "3", "--lane", "greedy", "--lane", "chat")
	if code != console.ExitDone || !strings.Contains(out, "3 seeds each") || !strings.Contains(out, "lane 2 parts from lane 1 in ") {
		t.Errorf("exit %d: %s", code, out)
	}
	for _, tt := range []struct{ args, want string }{
		{"--seeds 0", "--seeds 0: must be 1 to 10000"},
		{"--seeds 3 --format screen", "--format screen: must be table or jsonl"},
		{"--format table", "--format table: must be screen or jsonl"},
		{"--seeds 3 --lane chat,seed=7", "--lane 3: seed= does not go with --seeds"},
	} {
		_, errs, code := try(t, "", append([]string{"compare", "--prompt", "Once", "--lane", "chat", "--lane", "greedy"}, strings.Fields(tt.args)...)...)
		if code != console.ExitUsage || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit %d, %q", tt.args, code, errs)
		}
	}
}

// Lanes with another model of the same vocabulary read each other's texts with
// their own models.
func TestCompareReadsAcrossModels(t *testing.T) {
	t.Parallel()
	out, errs, code := try(t, "", "compare", "--prompt", "Once upon a time", "--max-new-tokens", "8", "--format", "jsonl",
		"--lane", "chat", "--lane", "chat,arith=llama.cpp")
	if code != console.ExitDone {
		t.Fatal(errs)
	}
	all := lines(t, out)
	for _, d := range all[len(all)-1]["distances"].([]any) {
		m := d.(map[string]any)
		if tv := m["tv_mean"].(float64); m["steps"] != 8.0 || tv > 0.05 || tv == 0 {
			t.Errorf("%v", m)
		}
	}
}
