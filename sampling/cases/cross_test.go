package cases

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"testing"
)

// TestCross puts one row with the same neutral settings through every engine
// and checks each answer, and which of them agree.
func TestCross(t *testing.T) {
	lines := golden(t, "cross")
	engines := []string{"transformers", "llama.cpp", "vllm", "ollama", "ollama-go"}
	got := map[string][]result{}
	for _, e := range engines {
		got[e] = answers(t, lines, Options{Engine: e})
	}
	for i, line := range lines {
		var c struct {
			goldenCase
			Expected map[string]result `json:"expected"`
			Same     [][]string        `json:"same_distribution"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if err := c.Logits.generate(c.Vocab); err != nil {
			t.Fatal(err)
		}
		for _, e := range engines {
			want, have := c.Expected[e], got[e][i]
			want.Stages, have.Stages, want.Final, have.Final = nil, nil, "", ""
			if want.Greedy && !have.Greedy {
				t.Errorf("%s %s: not greedy", c.ID, e)
			}
			if want.Greedy {
				// Here the choice itself is the distribution.
				if *have.Argmax != *want.Argmax {
					t.Errorf("%s %s: argmax %d, want %d", c.ID, e, *have.Argmax, *want.Argmax)
				}
				continue
			}
			one := goldenCase{ID: c.ID, Logits: c.Logits, Expected: want}
			// Digests name what survived among equal logits too.
			one.Expected.TieOrder = want.Digest != nil || tied(c.Logits.Values, want.Survivors)
			for _, fault := range compare(&one, &have, e) {
				t.Errorf("%s %s: %s", c.ID, e, fault)
			}
			if !slices.Equal(have.NotSupported, want.NotSupported) {
				t.Errorf("%s %s: not supported %v, want %v", c.ID, e, have.NotSupported, want.NotSupported)
			}
		}
		for g, group := range c.Same {
			for _, e := range group[1:] {
				if slices.Contains(engines, e) && slices.Contains(engines, group[0]) && !agree(&got[e][i], &got[group[0]][i]) {
					t.Errorf("%s: %s and %s differ, want agreement", c.ID, group[0], e)
				}
			}
			for _, other := range c.Same[:g] {
				a, b := group[0], other[0]
				if slices.Contains(engines, a) && slices.Contains(engines, b) && agree(&got[a][i], &got[b][i]) {
					t.Errorf("%s: %s and %s agree, want a difference", c.ID, a, b)
				}
			}
		}
	}
}

// tied reports whether a survivor has the logit of a token that did not
// survive.
func tied(x []float32, survivors []int32) bool {
	if survivors == nil || len(x) > 4096 {
		return false
	}
	in := map[float32]bool{}
	for _, id := range survivors {
		in[x[id]] = true
	}
	for i, v := range x {
		if in[v] && !slices.Contains(survivors, int32(i)) {
			return true
		}
	}
	return false
}

// agree reports whether two answers are the same distribution, to 1e-3.
func agree(a, b *result) bool {
	if a.Error != "" || b.Error != "" {
		return a.Error != "" && b.Error != ""
	}
	if a.ProbsNaN || b.ProbsNaN {
		return a.ProbsNaN && b.ProbsNaN
	}
	if a.Greedy {
		return b.Greedy && *a.Argmax == *b.Argmax || !b.Greedy && slices.Equal(b.Survivors, []int32{*a.Argmax})
	}
	if b.Greedy {
		return agree(b, a)
	}
	if a.Digest != nil && b.Digest != nil {
		return a.Digest.FNV == b.Digest.FNV
	}
	if !slices.Equal(a.Survivors, b.Survivors) {
		return false
	}
	for i := range a.Probs {
		if math.Abs(a.Probs[i]-b.Probs[i]) > 1e-3*max(a.Probs[i], b.Probs[i])+1e-9 {
			return false
		}
	}
	return true
}

func TestGenerators(t *testing.T) {
	for _, line := range golden(t, "generators") {
		var c struct {
			Logits Logits `json:"logits"`
			First  Values `json:"first"`
			Last   Values `json:"last"`
			Argmax int    `json:"argmax"`
			FNV    string `json:"fnv1a64_le_bytes"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if err := c.Logits.generate(0); err != nil {
			t.Fatal(err)
		}
		x := c.Logits.Values
		h := fnv.New64a()
		for _, v := range x {
			var b [4]byte
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(v))
			h.Write(b[:])
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); got != c.FNV {
			t.Errorf("%s: hash %s, want %s", line[:90], got, c.FNV)
		}
		if !slices.Equal(x[:len(c.First)], []float32(c.First)) || !slices.Equal(x[len(x)-len(c.Last):], []float32(c.Last)) {
			t.Errorf("%s: other values", line[:90])
		}
		if argmax(x) != c.Argmax {
			t.Errorf("argmax %d, want %d", argmax(x), c.Argmax)
		}
	}
}
