package sampling_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/sampling/param"
	"logitscope/sampling/value"
)

// TestExtremeValues: a value that the table allows never ends in NaN, in
// infinite logits or without a token, however small or large it is in float32.
func TestExtremeValues(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	tried := 0
	for i := range param.All() {
		prm := &param.All()[i]
		if prm.Kind != param.Float || prm.Stage == "" {
			continue
		}
		values := []float64{prm.Min, prm.Max, 1e-46, -1e-46, 1e-45, 1e-40, 1e-30, 1e-7, 0.99999999999, 1e-300, math.SmallestNonzeroFloat64}
		for _, o := range sampling.Orders() {
			for _, v := range values {
				c, err := neutral(o.Name()).With(prm.Key, v, sampling.FromYou)
				if err != nil {
					continue
				}
				for _, more := range [][2]any{{"xtc_probability", 1.0}, {"dry_multiplier", 1.0}, {"mirostat", 2}, {"dynatemp_range", 0.5}, {"exponential_decay_factor", 1e38}} {
					if d, err := c.With(more[0].(string), more[1], sampling.FromYou); err == nil && prm.Key != more[0] {
						p, err := sampling.Compile(d.MustWith("eos_token_id", 3, sampling.FromYou), nil)
						if err != nil {
							continue
						}
						tried++
						checkExtreme(t, p, prm.Key, v, rnd)
					}
				}
			}
		}
	}
	if tried < 2000 {
		t.Errorf("%d pipelines tried", tried)
	}
}

func checkExtreme(t *testing.T, p *sampling.Pipeline, key string, v float64, rnd *rand.Rand) {
	t.Helper()
	in := randomStep(rnd)
	in.IDs, in.Rest = nil, 0
	in.Second = slices.Clone(in.Logits)
	rnd.Shuffle(len(in.Second), func(i, j int) { in.Second[i], in.Second[j] = in.Second[j], in.Second[i] })
	var s sampling.Scratch
	var tr sampling.Trace
	if _, err := p.Sample(&tr, &s, in); err != nil {
		t.Errorf("%s under %s: %s %v: %v", p.StageNames(), p.Order(), key, v, err)
		return
	}
	var d dist.Dist
	s.Final(&d)
	sum := 0.0
	for _, q := range d.Probs {
		sum += q
	}
	if math.Abs(sum-1) > 1e-5 || tr.Bits != tr.Bits || tr.Prob != tr.Prob || len(d.IDs) != tr.Survived {
		t.Errorf("%s under %s: %s %v: sum %v, %v bits, probability %v, %d survive, %d counted", p.StageNames(), p.Order(), key, v, sum, tr.Bits, tr.Prob, len(d.IDs), tr.Survived)
	}
	for i := range tr.Rows() {
		r := &tr.Rows()[i]
		for k := range tr.Stages() {
			if q := r.Probs[k]; !(q >= 0 && q <= 1.00001) {
				t.Errorf("%s %v under %s: probability %v of token %d after %s", key, v, p.Order(), q, r.ID, tr.Stages()[k].Label)
			}
		}
	}
}

// TestColdIsGreedy: as the temperature goes to 0, what is left is the best
// token, under every engine and in every order.
func TestColdIsGreedy(t *testing.T) {
	rnd := rand.New(rand.NewPCG(10, 11))
	for _, order := range append(someLists, "transformers", "llama.cpp", "ollama", "ollama-go") {
		if !strings.Contains(order, "temperature") && strings.ContainsAny(order, ",:") || order == "none" || strings.HasPrefix(order, "vllm") {
			continue // has no temperature, or raises it
		}
		if strings.Contains(order, "xtc") || strings.Contains(order, "typical") {
			continue // may drop the best token first
		}
		for _, cold := range []float64{0, 1e-300, 1e-46, 1e-45, 1e-40, 1e-10} {
			x := make([]float32, 30)
			best := 0
			for i := range x {
				x[i] = float32(rnd.NormFloat64() * 4)
				if x[i] > x[best] {
					best = i
				}
			}
			p := compile(t, neutral(order, "temperature", cold))
			var s sampling.Scratch
			var tr sampling.Trace
			if id, err := p.Sample(&tr, &s, sampling.Input{Logits: x}); err != nil || int(id) != best || tr.Survived != 1 && tr.Prob < 0.999 {
				t.Errorf("%s at temperature %v: token %d of %d left: %v; want %d", order, cold, id, tr.Survived, err, best)
			}
		}
	}
}

// TestBiasBeyondFloat32: such a bias is refused where it is given.
func TestBiasBeyondFloat32(t *testing.T) {
	for _, v := range []string{"5=1e39", "5=-1e39", `[[5,1e308]]`, `{"5":-1e300}`} {
		if _, err := (sampling.Config{}).With("logit_bias", v, sampling.FromFlag); err == nil || !strings.Contains(err.Error(), "logit_bias: ") || !strings.Contains(err.Error(), "3.4e38") {
			t.Errorf("%s: %v", v, err)
		}
	}
	for _, v := range []string{"5=3e38", "5=-3e38", "5=ban", "5=0"} {
		p := compile(t, sampling.Config{}.MustWith("logit_bias", v, sampling.FromFlag))
		var s sampling.Scratch
		var tr sampling.Trace
		if _, err := p.Sample(&tr, &s, sampling.Input{Logits: []float32{1, 2, 3, 4, 5, 6, 7}}); err != nil || tr.Bits != tr.Bits {
			t.Errorf("%s: %v", v, err)
		}
	}
}

// TestSeeds: an engine's record says which seeds it takes; what it makes of
// others is said, and acts.
func TestSeeds(t *testing.T) {
	for _, c := range []struct {
		order   string
		seed    uint64
		inForce uint64
		note    string
	}{
		{"llama.cpp", 42, 42, ""},
		{"llama.cpp", 1 << 32, 0, "llama.cpp keeps 32 bits of a seed: 4294967296 acts as 0"},
		{"llama.cpp", 1<<32 + 7, 7, "llama.cpp keeps 32 bits of a seed: 4294967303 acts as 7"},
		{"llama.cpp", 1<<32 - 1, 1<<32 - 1, "llama.cpp reads 4294967295 as a random seed; here it is a seed like others"},
		{"ollama", 1<<33 + 1, 1, "ollama keeps 32 bits of a seed: 8589934593 acts as 1"},
		{"vllm", math.MaxUint64, math.MaxInt64, "vllm keeps 63 bits of a seed: 18446744073709551615 acts as 9223372036854775807"},
		{"transformers", math.MaxUint64, math.MaxUint64, ""},
	} {
		p := compile(t, sampling.Config{}.MustWith("order", c.order, sampling.FromYou).MustWith("seed", c.seed, sampling.FromYou))
		for _, e := range p.Effective() {
			if e.Key == "seed" && (e.InForce != c.inForce || e.Note != c.note) {
				t.Errorf("%s %d: %v in force, %q; want %v, %q", c.order, c.seed, e.InForce, e.Note, c.inForce, c.note)
			}
		}
	}
}

// TestSequenceLongerThanContext: transformers passes over a sequence that is
// longer than what is written, even where that leads up to its last token;
// other engines do not.
func TestSequenceLongerThanContext(t *testing.T) {
	for _, c := range []struct {
		order, key string
		acts       []bool // with 1, 2 and 3 tokens written
	}{
		{"transformers", "logit_bias", []bool{false, false, true}},
		{"transformers", "bad_words_ids", []bool{false, false, true}},
		{"vllm", "bad_words_ids", []bool{false, true, true}},
	} {
		v := any([]value.TokenBias{{Tokens: []int32{1, 2, 3}, Bias: 5}})
		if c.key == "bad_words_ids" {
			v = [][]int32{{1, 2, 3}}
		}
		p := compile(t, neutral(c.order, c.key, v))
		for i, output := range [][]int32{{2}, {1, 2}, {0, 1, 2}} {
			var s sampling.Scratch
			var tr sampling.Trace
			if _, err := p.Sample(&tr, &s, sampling.Input{Logits: make([]float32, 6), Output: output}); err != nil {
				t.Fatal(err)
			}
			if got := tr.Stages()[1].Touched > 0; got != c.acts[i] {
				t.Errorf("%s under %s after %v: acts %v, want %v", c.key, c.order, output, got, c.acts[i])
			}
		}
	}
}
