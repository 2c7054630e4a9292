package sampling

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"logitscope/sampling/thinking"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestThinking: which tokens a thinking budget forces, on the cases of
// transcriptions of vLLM's and llama.cpp's state machines. The model says the
// next word of a script whenever it is free.
func TestThinking(t *testing.T) {
	n := 0
	for s := bufio.NewScanner(beyond(t, "thinking")); s.Scan(); n++ {
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
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
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

// beyond opens a group of the cases beyond the engines: those of the directory
// that the environment names, else the copy here.
func beyond(t *testing.T, group string) io.Reader {
	if dir := os.Getenv("LOGITSCOPE_GOLDEN"); dir != "" {
		f, err := os.Open(filepath.Join(dir, "beyond", group+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	f, err := os.Open("testdata/beyond-" + group + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// letters is a vocabulary of bytes and of the tags of thinking.
type letters struct{}

func (letters) Size() int           { return 260 }
func (letters) EOG() []int32        { return []int32{0} }
func (letters) HasPiece(int32) bool { return true }
func (letters) Piece(id int32) string {
	switch {
	case id == 256:
		return "<think>"
	case id == 257:
		return "</think>"
	case id > 257:
		return ""
	}
	return string([]byte{byte(id)})
}

func (letters) Encode(text string) (ids []int32) {
	for _, c := range []byte(text) {
		ids = append(ids, int32(c))
	}
	return ids
}

// TestThinkingUnderEngines: the parameter finds the tags, and each engine
// closes the block by its rule; llama.cpp's waits for the end of a character.
func TestThinkingUnderEngines(t *testing.T) {
	euro := []int32{0xe2, 0x82, 0xac}
	for _, c := range []struct {
		order   string
		set     map[string]any
		output  []int32
		want    int32 // forced; -1 if the draw is free
		support bool
	}{
		{"vllm", nil, []int32{256, 'a', 'b'}, 257, true},
		{"vllm", nil, []int32{256, 'a'}, -1, true},
		{"vllm", nil, []int32{256, 'a', 'b', 257, 256, 'a', 'b', 'c'}, -1, true},
		{"llama.cpp", nil, []int32{256, 'a', 'b', 257, 256, 'a', 'b'}, 257, true},
		{"llama.cpp", nil, append([]int32{256, 'a'}, euro[:1]...), -1, true},
		{"llama.cpp", nil, append([]int32{256, 'a'}, euro[:2]...), -1, true},
		{"llama.cpp", nil, append([]int32{256, 'a'}, euro...), 257, true},
		{"llama.cpp", map[string]any{"thinking_message": "so"}, []int32{256, 'a', 'b'}, 's', true},
		{"llama.cpp", map[string]any{"mirostat": 2}, []int32{256, 'a', 'b'}, 257, true},
		{"lab", map[string]any{"thinking_rules": "llama.cpp"}, []int32{256, 'a', 'b', 257, 256, 'a', 'b'}, 257, true},
		{"transformers", nil, []int32{256, 'a', 'b'}, -1, false},
	} {
		cfg := Config{}.MustWith("order", c.order, FromYou).MustWith("thinking_budget", 2, FromYou)
		for k, v := range c.set {
			cfg = cfg.MustWith(k, v, FromYou)
		}
		p, err := Compile(cfg, letters{})
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.Order().Supports("thinking_budget"); got != c.support {
			t.Errorf("%s supports a thinking budget: %v", c.order, got)
		}
		var s Scratch
		var tr Trace
		x := make([]float32, 260)
		x[7] = 9
		id, err := p.Sample(&tr, &s, Input{Logits: x, Output: c.output})
		if err != nil {
			t.Fatal(err)
		}
		if forced := tr.Prob > 0.9999 && id != 7; forced != (c.want >= 0) || forced && id != c.want {
			t.Errorf("%s %v after %v: token %d with probability %v, want %d", c.order, c.set, c.output, id, tr.Prob, c.want)
		}
	}
}
