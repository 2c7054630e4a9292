package lab

import (
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/param"
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
		{60, "4,096 ▸ min new 20 → 4,095 left ▸ greedy → 1 left"}, // 49 cells
		{48, "4,096 ▸ … ▸ greedy → 1 left"},
	} {
		if got := words(oneLiner(tr, tt.w)); got != tt.want {
			t.Errorf("in %d cells %q, want %q", tt.w, got, tt.want)
		}
	}
}

// Value and survivors stand apart: a number after an arrow is what a stage
// left, and only that. Short of room, first all but the last "left" go, then
// leading zeros, then the values of stages that cut nothing, then the draw's
// stages before the last; an arrow and its number stay.
func TestOneLinerGivesWayInOrder(t *testing.T) {
	tr := traceUnder(t, storyLab(t), nil)
	all := words(oneLiner(tr, 200))
	if want := "4,096 ▸ rep 1.05 ↓25 ▸ T 0.70 ▸ top_k 50 → 50 left ▸ top_p 0.90 → 10 left ▸ u "; !strings.HasPrefix(all, want) {
		t.Fatalf("%q, want %q…", all, want)
	}
	forms := []string{
		"4,096 ▸ rep 1.05 ↓25 ▸ T 0.70 ▸ top_k 50 → 50 left ▸ top_p 0.90 → 10 left",
		"4,096 ▸ rep 1.05 ↓25 ▸ T 0.70 ▸ top_k 50 → 50 ▸ top_p 0.90 → 10 left",
		"4,096 ▸ rep 1.05 ↓25 ▸ T .70 ▸ top_k 50 → 50 ▸ top_p .90 → 10 left",
		"4,096 ▸ rep ↓25 ▸ T .70 ▸ top_k 50 → 50 ▸ top_p .90 → 10 left",
		"4,096 ▸ … ▸ T .70 ▸ top_k 50 → 50 ▸ top_p .90 → 10 left",
	}
	for i, want := range forms {
		w := lineWidth(oneLiner(tr, 200))
		for ; w > 0; w-- {
			if words(oneLiner(tr, w)) == want {
				break
			}
		}
		if w == 0 {
			t.Errorf("form %d never shows: %q", i, want)
		}
	}
	for w := 30; w < 120; w++ {
		if got := lineWidth(oneLiner(tr, w)); got > w {
			t.Errorf("%d cells in %d", got, w)
		}
	}
}

// The arrow before a count of tokens points where the stage moved them, as the
// words of the stage say.
func TestStagesThatRaiseTokensPointUp(t *testing.T) {
	for _, tt := range []struct {
		key   string
		value float64
		want  string
	}{
		{"watermark_bias", 4.0, "mark 4.0 ↑4"}, // four of the ten that are left
		{"watermark_bias", -4.0, "mark -4.0 ↓4"},
		{"repetition_penalty", 1.2, "↓25"},
		{"repetition_penalty", 0.8, "↑25"},
	} {
		tr := traceUnder(t, storyLab(t), map[string]any{"order": "lab", tt.key: tt.value})
		if got := words(oneLiner(tr, 200)); !strings.Contains(got, tt.want) {
			t.Errorf("%s %g shows %q, want %q", tt.key, tt.value, got, tt.want)
		}
	}
}

// A stage that cuts says its value and, after an arrow, how many it left.
func TestStageWordNamesValueAndSurvivors(t *testing.T) {
	tried := 0
	for _, p := range param.All() {
		if !isCut(p.Key) {
			continue
		}
		for short := range nBrevities {
			for _, last := range []bool{false, true} {
				tried++
				got := stageWord(sampling.StageTrace{Name: p.Key, Setting: "0.42", Kept: 1234, Removed: 7}, 1, short, last, "↓")
				name, after, ok := strings.Cut(got, " → ")
				value := "0.42"
				if short >= noZeros {
					value = ".42"
				}
				left := "1,234"
				if last || short < lastLeft {
					left += " left"
				}
				if !ok || after != left || !strings.HasSuffix(name, " "+value) {
					t.Errorf("%s, %d, %v: %q", p.Key, short, last, got)
				}
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d cases", tried)
	}
}
