package lab

import (
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/ui/tui/run"
)

func words(parts []stagePart) string {
	var out []string
	for _, p := range parts {
		out = append(out, p.text)
	}
	return strings.Join(out, " ▸ ")
}

// Greedy stands once at the end of the pipeline, in the draw's place.
func TestOneLinerOfGreedy(t *testing.T) {
	tr := traceUnder(t, storyLab(t), map[string]any{"do_sample": false, "min_new_tokens": int64(20), "repetition_penalty": 1.0})
	for _, tt := range []struct {
		w    int
		want string
	}{
		{60, "logits 4096 ▸ min new 4095 ▸ greedy"}, // 35 cells
		{34, "logits 4096 ▸ … ▸ greedy"},
	} {
		if got := words(oneLiner(tr, tt.w)); got != tt.want {
			t.Errorf("in %d cells %q, want %q", tt.w, got, tt.want)
		}
	}
}

// No number of the one-liner can be taken for a setting that is not in force:
// what a cut keeps is said to be that where it could be.
func TestOneLinerIsNoOtherSetting(t *testing.T) {
	tried := 0
	for _, p := range sampling.Params() {
		if !isCut(p.Key) {
			continue
		}
		for _, setting := range []string{"1", "2", "5", "40", "0.05", "0.5", "0.90"} {
			v, err := p.Parse(setting)
			if err != nil {
				continue
			}
			if _, err := (sampling.Config{}).With(p.Key, v, sampling.FromYou); err != nil {
				continue
			}
			for kept := 1; kept < 120; kept++ {
				tried++
				word := stageWord(sampling.StageTrace{Name: p.Key, Setting: setting, Kept: kept, Removed: 7}, 1)
				shown, ok := strings.CutPrefix(word, run.Short(p.Key)+" ")
				if !ok {
					t.Fatalf("%s: %q", p.Key, word)
				}
				read, err := p.Parse(shown)
				if err != nil || shown == setting {
					continue
				}
				if _, err := (sampling.Config{}).With(p.Key, read, sampling.FromYou); err == nil {
					t.Fatalf("%s %s keeps %d: %q reads as another setting", p.Key, setting, kept, word)
				}
			}
		}
	}
	t.Logf("%d cases", tried)
	if tried < 1000 {
		t.Errorf("only %d cases", tried)
	}
}
