package sampling

import (
	"encoding/json"
	"slices"
	"testing"

	"logitscope/models/goldentest"
	"logitscope/sampling/thinking"
)

// TestThinking: which tokens a thinking budget forces, on the cases of
// transcriptions of vLLM's and llama.cpp's state machines. The model says the
// next word of a script whenever it is free.
func TestThinking(t *testing.T) {
	n := 0
	for _, line := range goldentest.Group(t, "thinking", "testdata/beyond-thinking.jsonl.gz") {
		n++
		var c struct {
			ID           string  `json:"id"`
			Engine       string  `json:"engine"`
			Start        []int32 `json:"start"`
			End          []int32 `json:"end"`
			Budget       int     `json:"budget"`
			Prompt       []int32 `json:"prompt_tokens"`
			Script       []int32 `json:"script"`
			Forced       []int32 `json:"forced"`
			StartsInside bool    `json:"starts_inside"`
			Partial      []int32 `json:"partial_utf8_tokens"`
			Max          int     `json:"max_tokens"`
			Expected     struct {
				Tokens []int32 `json:"tokens"`
				Forced []int   `json:"forced_at"`
			} `json:"expected"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		block := &thinking.Block{Budget: c.Budget, Start: c.Start, End: c.End}
		st := thinkingVLLM(block)
		if c.Engine == "llama.cpp" {
			st = thinkingLlama(block, c.Forced[:len(c.Forced)-len(c.End)],
				func(output []int32) bool { return !slices.Contains(c.Partial, output[len(output)-1]) })
		}
		prompt := c.Prompt
		if c.StartsInside {
			prompt = append(slices.Clone(prompt), c.Start...)
		}
		var out []int32
		forced := []int{}
		for script := c.Script; len(out) < c.Max; {
			r := step{in: Input{Prompt: prompt, Output: out}}
			r.Begin(nil, make([]float32, 100), 0, nil, false)
			if c.Budget >= 0 {
				st.apply(&r)
			}
			if r.Touched > 0 || r.Finite == 1 {
				forced = append(forced, len(out))
				out = append(out, r.ID(r.Pos(r.Argmax())))
				continue
			}
			if len(script) == 0 {
				break
			}
			out, script = append(out, script[0]), script[1:]
		}
		if !slices.Equal(out, c.Expected.Tokens) || !slices.Equal(forced, c.Expected.Forced) {
			t.Errorf("%s (%s): %v forced at %v, want %v at %v", c.ID, c.Engine, out, forced, c.Expected.Tokens, c.Expected.Forced)
		}
	}
	if n < 20 {
		t.Errorf("%d cases", n)
	}
}
