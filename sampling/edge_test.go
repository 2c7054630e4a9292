package sampling_test

import (
	"math"
	"testing"

	"logitscope/sampling"
)

// TestRepetitionToTheLastBit: vLLM multiplies by the reciprocal where the
// others divide, which differs in the last bit of some logits.
func TestRepetitionToTheLastBit(t *testing.T) {
	r := float32(1.3)
	var x float32
	for x = 1; x/r == x*(1/r); x += 0.1 {
	}
	for order, want := range map[string]float32{"transformers": x / r, "llama.cpp": x / r, "vllm": x * (1 / r)} {
		tr, _ := sample(t, neutral(order, "repetition_penalty", 1.3), nil,
			sampling.Input{Logits: []float32{x, -x, 0}, Prompt: []int32{0, 1, 0}})
		if got := tr.Row(0).Logit; got != want {
			t.Errorf("%s: %v, want %v", order, got, want)
		}
		if got := tr.Row(1).Logit; got != -x*r {
			t.Errorf("%s: %v, want %v", order, got, -x*r)
		}
	}
}

// TestNgramsOfShortHistories: a history of n tokens can already hold a copy.
func TestNgramsOfShortHistories(t *testing.T) {
	banned := func(n int, history ...int32) (ids []int32) {
		tr, _ := sample(t, neutral("transformers", "no_repeat_ngram_size", n), nil,
			sampling.Input{Logits: make([]float32, 8), Output: history})
		for i := range tr.Rows() {
			if tr.Rows()[i].Cut != sampling.NoStage {
				ids = append(ids, tr.Rows()[i].ID)
			}
		}
		return ids
	}
	for _, c := range []struct {
		n       int
		history []int32
		want    int // tokens banned
	}{
		{3, []int32{5, 5, 5}, 1},
		{3, []int32{5, 5}, 0},
		{2, []int32{5, 6, 5}, 1},
		{1, []int32{5, 6, 5}, 2},
		{1, nil, 0},
		{4, []int32{1, 2, 3}, 0},
	} {
		if got := banned(c.n, c.history...); len(got) != c.want {
			t.Errorf("n %d, history %v: banned %v, want %d tokens", c.n, c.history, got, c.want)
		}
	}
}

// TestBorders has shares that fall exactly on what is asked, in powers of
// two, where the engines part.
func TestBorders(t *testing.T) {
	ln2 := float32(math.Ln2)
	x := []float32{-ln2, -2 * ln2, -3 * ln2, -3 * ln2} // 1/2, 1/4, 1/8, 1/8
	for order, want := range map[string]int{"transformers": 2, "llama.cpp": 2, "vllm": 2, "ollama": 2, "ollama-go": 3} {
		tr, _ := sample(t, neutral(order, "top_p", 0.75), nil, sampling.Input{Logits: x})
		if tr.Survived != want {
			t.Errorf("%s keeps %d at exactly 0.75, want %d", order, tr.Survived, want)
		}
	}
	ties := []float32{5, 4, 3, 3, 3, 2}
	for order, want := range map[string]int{"transformers": 5, "llama.cpp": 3, "vllm": 5, "ollama": 3, "ollama-go": 3} {
		tr, _ := sample(t, neutral(order, "top_k", 3), nil, sampling.Input{Logits: ties})
		if tr.Survived != want {
			t.Errorf("%s keeps %d of a three-way tie at 3, want %d", order, tr.Survived, want)
		}
	}
}

// TestRawValues: what an engine's own interface is given is held to that
// engine's rules alone.
func TestRawValues(t *testing.T) {
	for _, c := range []struct {
		order, key string
		v          any
		extra      []any
		ok         bool
		kept       int // of eight
	}{
		{"transformers", "temperature", 0.0, nil, false, 0},
		{"transformers", "temperature", 0.0, []any{"do_sample", false}, true, 1},
		{"transformers", "top_k", -1, nil, false, 0},
		{"transformers", "top_p", 1.5, nil, true, 8},
		{"transformers", "top_p", -0.5, nil, false, 0},
		{"transformers", "epsilon_cutoff", 1.5, nil, true, 8},
		{"transformers", "top_h", 0.0, nil, false, 0},
		{"llama.cpp", "top_k", -1, nil, true, 8},
		{"llama.cpp", "min_p", 1.5, nil, true, 1},
		{"llama.cpp", "temperature", -1.0, nil, true, 1},
		{"vllm", "top_k", -1, nil, true, 8},
		{"vllm", "top_k", -2, nil, false, 0},
		{"ollama-go", "top_p", -1.0, nil, true, 1},
		{"ollama-go", "temperature", -1.0, nil, true, 1},
	} {
		cfg, err := neutral(c.order, c.extra...).WithRaw(c.key, c.v, sampling.FromFile)
		if err != nil {
			t.Fatal(err)
		}
		p, err := sampling.Compile(cfg, nil)
		if (err == nil) != c.ok {
			t.Errorf("%s %s=%v: %v", c.order, c.key, c.v, err)
			continue
		}
		if err != nil {
			continue
		}
		var tr sampling.Trace
		var s sampling.Scratch
		if _, err := p.Sample(&tr, &s, sampling.Input{Logits: []float32{4, 3, 2, 1, 0, -1, -2, -3}}); err != nil || tr.Survived != c.kept {
			t.Errorf("%s %s=%v: %d left (%v), want %d", c.order, c.key, c.v, tr.Survived, err, c.kept)
		}
	}
}
