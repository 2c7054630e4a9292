package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

// presetsOf returns the preset field of the step records, "" where it is left
// out.
func presetsOf(all []map[string]any) []string {
	var out []string
	for _, m := range all {
		if m["type"] == "step" {
			p, _ := m["preset"].(string)
			out = append(out, p)
		}
	}
	return out
}

func TestScheduleFlag(t *testing.T) {
	t.Parallel()
	base := []string{"run", "--prompt", "Once upon a time", "--preset", "chat", "--max-new-tokens", "8", "--format", "jsonl"}
	rules := []string{"at token 3: creative", "at token 5: temperature=0; top_k=5", "at token 7: factual; top_p=0.5"}
	var flags, set []string
	for _, r := range rules {
		flags = append(flags, "--schedule", r)
		set = append(set, "--set", "schedule="+r)
	}
	out, errs, code := try(t, "", append(base, flags...)...)
	if code != console.ExitDone {
		t.Fatal(errs)
	}
	want := []string{"", "", "creative", "", "creative*", "", "factual*", ""}
	if got := presetsOf(lines(t, out)); !slices.Equal(got, want) {
		t.Errorf("presets %q, want %q", got, want)
	}
	if cfg := lines(t, out)[0]["config"].(map[string]any); fmt.Sprint(cfg["schedule"]) != fmt.Sprint(rules) {
		t.Errorf("the run's record has the schedule %v", cfg["schedule"])
	}
	texts := func(out string) any { all := lines(t, out); return all[len(all)-1]["text"] }
	bySet, errs, _ := try(t, "", append(base, set...)...)
	if texts(bySet) != texts(out) {
		t.Errorf("--set: %s%v", errs, texts(bySet))
	}
	file := write(t, "c.json", `{"schedule": ["at token 3: creative", "at token 5: temperature=0; top_k=5", "at token 7: factual; top_p=0.5"]}`)
	byFile, errs, _ := try(t, "", append(base, "--config", file)...)
	if texts(byFile) != texts(out) {
		t.Errorf("--config: %s%v", errs, texts(byFile))
	}
	// Before the first switch the text is that of the base; from a switch to a
	// preset on it is that preset's, given the same text before.
	plain, _, _ := try(t, "", base...)
	a, b := lines(t, plain), lines(t, out)
	for i := 1; i <= 2; i++ {
		if a[i]["token"] != b[i]["token"] || a[i]["logprob"] != b[i]["logprob"] {
			t.Errorf("token %d: %v, without a schedule %v", i, b[i], a[i])
		}
	}
	b = slices.DeleteFunc(b, func(m map[string]any) bool { return m["type"] != "step" })
	for _, m := range b[4:6] { // temperature 0
		if m["logprob"] != 0.0 {
			t.Errorf("at temperature 0 a token of log-probability %v", m["logprob"])
		}
	}
}

// A rule may name a preset of one's own, and a lane have a schedule.
func TestScheduleNamesOwnPresets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "presets"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "presets", "wild.json"), []byte(`{"name":"wild","config":{"temperature":1.9}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := tryIn(t, dir, "", "run", "--prompt", "Once", "--preset", "chat", "--schedule", "at token 2: wild", "--max-new-tokens", "3", "--format", "jsonl")
	if got := presetsOf(lines(t, out)); code != console.ExitDone || !slices.Equal(got, []string{"", "wild", ""}) {
		t.Errorf("exit %d, presets %q: %s", code, got, errs)
	}
	out, errs, code = tryIn(t, dir, "", "compare", "--prompt", "Once", "--lane", "chat", "--lane", "chat,schedule=at token 2: wild", "--max-new-tokens", "3", "--format", "jsonl")
	var switched []any
	for _, m := range lines(t, out) {
		if m["type"] == "step" && m["preset"] != nil {
			switched = append(switched, m["lane"], m["preset"])
		}
	}
	if code != console.ExitDone || fmt.Sprint(switched) != "[2 wild]" {
		t.Errorf("exit %d, switches %v: %s", code, switched, errs)
	}
}

func TestScheduleErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ rule, want string }{
		{"at token x: chat", "schedule: rule 1 (at token x: chat): token \"x:\": must be a number from 1"},
		{"at token 3: chatty", "chatty: no such preset; factual, chat, creative, neutral, greedy"},
		{"at token 3: top_p=3", "top_p: 3 is out of range, 0 to 1"},
		{"whenever: chat", "at token N, before token N, after \"TEXT\""},
	} {
		for _, args := range [][]string{
			{"run", "--prompt", "x", "--schedule", tt.rule},
			{"run", "--prompt", "x", "--set", "schedule=" + tt.rule},
			{"config", "show", "--schedule", tt.rule},
			{"sweep", "--prompt", "x", "--grid", "top_k=1", "--schedule", tt.rule},
		} {
			out, errs, code := try(t, "", args...)
			if code != console.ExitUsage || out != "" || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("%q: exit %d, %q, want one line with %q", args, code, errs, tt.want)
			}
		}
	}
	_, errs, code := try(t, "", "run", "--prompt", "x", "--num-beams", "3", "--schedule", "at token 3: chat")
	if code != console.ExitUsage || !strings.Contains(errs, "beam search keeps one set of settings") {
		t.Errorf("exit %d: %s", code, errs)
	}
}
