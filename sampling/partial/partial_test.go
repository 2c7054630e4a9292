package partial

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A case is a whole distribution, descending, and how much of it is named.
type whole struct {
	probs []float64
	named int
}

// random returns distributions from flat to steep.
func random(r *rand.Rand) whole {
	n := 2 + r.IntN(60)
	scale := math.Exp(r.Float64()*5 - 2)
	w := whole{probs: make([]float64, n), named: 1 + r.IntN(n)}
	sum := 0.0
	for i := range w.probs {
		w.probs[i] = math.Exp(scale * r.NormFloat64())
		sum += w.probs[i]
	}
	for i := range w.probs {
		w.probs[i] /= sum
	}
	slices.SortFunc(w.probs, func(a, b float64) int {
		if a > b {
			return -1
		}
		return 1
	})
	return w
}

func (w whole) row() Row {
	rest := 0.0
	for _, p := range w.probs[w.named:] {
		rest += p
	}
	return Row{Probs: w.probs[:w.named], Rest: rest, Unnamed: len(w.probs) - w.named}
}

func (w whole) entropy() float64 {
	h := 0.0
	for _, p := range w.probs {
		h -= p * math.Log(p)
	}
	return h
}

// A control changes weights (0 removes) given the whole distribution.
type control struct {
	name  string
	value func(r *rand.Rand) float64
	apply func(w []float64, x float64, h float64) []float64
	judge func(r Row, x float64) Verdict
}

func cut(w []float64, p float64) []float64 {
	out := make([]float64, len(w))
	for i, q := range w {
		if q >= p || i == 0 {
			out[i] = q
		}
	}
	return out
}

var controls = []control{
	{"top_k", func(r *rand.Rand) float64 { return float64(r.IntN(70)) }, func(w []float64, x, _ float64) []float64 {
		out := slices.Clone(w)
		if x > 0 {
			clear(out[min(len(out), int(x)):])
		}
		return out
	}, func(r Row, x float64) Verdict { return TopK(r, int(x)) }},
	{"top_p", func(r *rand.Rand) float64 { return 1.05 * r.Float64() }, func(w []float64, x, _ float64) []float64 {
		out, sum := make([]float64, len(w)), 0.0
		for i, p := range w {
			if sum < x || i == 0 || x >= 1 {
				out[i] = p
			}
			sum += p
		}
		return out
	}, TopP},
	{"min_p", func(r *rand.Rand) float64 { return math.Exp(-8 * r.Float64()) }, func(w []float64, x, _ float64) []float64 { return cut(w, x*w[0]) }, MinP},
	{"epsilon_cutoff", func(r *rand.Rand) float64 { return math.Exp(-8 * r.Float64()) }, func(w []float64, x, _ float64) []float64 { return cut(w, x) }, EpsilonCutoff},
	{"eta_cutoff", func(r *rand.Rand) float64 { return math.Exp(-10 * r.Float64()) }, func(w []float64, x, h float64) []float64 {
		return cut(w, min(x, math.Sqrt(x)*math.Exp(-h)))
	}, EtaCutoff},
	{"mirostat 2", func(r *rand.Rand) float64 { return 10 * r.Float64() }, func(w []float64, x, _ float64) []float64 { return cut(w, math.Exp2(-x)) }, Mirostat2},
	{"temperature", func(r *rand.Rand) float64 { return 3 * r.Float64() }, func(w []float64, x, _ float64) []float64 {
		out := make([]float64, len(w))
		for i, p := range w {
			out[i] = math.Pow(p/w[0], 1/x)
		}
		return out
	}, Temperature},
	{"xtc_threshold", func(r *rand.Rand) float64 { return 0.6 * r.Float64() }, func(w []float64, x, _ float64) []float64 {
		out := slices.Clone(w)
		for i := 0; i+1 < len(w) && w[i+1] >= x; i++ {
			out[i] = 0
		}
		return out
	}, XTC},
}

// TestBoundsHold applies each control to whole distributions and checks what
// is claimed from a part of them.
func TestBoundsHold(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, c := range controls {
		exacts, tight, n := 0, 0, 20000
		for range n {
			w := random(rnd)
			x := c.value(rnd)
			v := c.judge(w.row(), x)
			got := c.apply(w.probs, x, w.entropy())
			named, rest := 0.0, 0.0
			for i, p := range got {
				if i < w.named {
					named += p
				} else {
					rest += p
				}
			}
			truth := rest / (named + rest)
			if truth < v.RestMin-2e-6 || truth > v.RestMax+2e-6 || v.RestMin > v.RestMax || v.RestMin < 0 || v.RestMax > 1 {
				t.Fatalf("%s %v of %v, %d named: the rest is %v, claimed %v to %v (%s)", c.name, x, w.probs, w.named, truth, v.RestMin, v.RestMax, v.Text)
			}
			if v.Exact {
				exacts++
				// The named tokens alone must lead to the same survivors.
				part := c.apply(slices.Concat(w.probs[:w.named]), x, w.entropy())
				for i := range part {
					if (part[i] > 0) != (got[i] > 0) {
						t.Fatalf("%s %v of %v, %d named: token %d survives differently (%s)", c.name, x, w.probs, w.named, i, v.Text)
					}
				}
				if math.Abs(v.RestMin-truth) > 2e-6 {
					t.Fatalf("%s %v: exact, and the rest is %v, not %v", c.name, x, truth, v.RestMin)
				}
			} else if v.RestMax < 0.9 {
				tight++
			}
			if v.Text == "" || strings.ContainsAny(v.Text, "\n") {
				t.Fatalf("%s: text %q", c.name, v.Text)
			}
		}
		if exacts < n/20 || exacts == n {
			t.Errorf("%s: %d of %d exact", c.name, exacts, n)
		}
	}
}

// TestTotalVariation checks what RestMax promises of sampling from the named
// survivors alone, where these are the right ones.
// At low temperatures every power of a probability is 0 in a float64, and
// equal tokens still share what there is.
func TestColdTemperature(t *testing.T) {
	for _, temp := range []float64{0.01, 0.002, 1e-6} {
		if v := Temperature(Row{Probs: []float64{0.05}, Rest: 0.95, Unnamed: 19}, temp); v.RestMin > 0.95 || v.RestMax < 0.95 || v.RestMax > 1 {
			t.Errorf("temperature %g of 20 equal tokens, one named: %+v, want 0.95 within", temp, v)
		}
		if v := Temperature(Row{Probs: []float64{0.5, 0.1}, Rest: 0.4, Unnamed: 9}, temp); v.RestMax > 1e-6 {
			t.Errorf("temperature %g of a clear best token: %+v", temp, v)
		}
	}
}

func TestTotalVariation(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	for range 20000 {
		w := random(rnd)
		temp := 0.1 + 2*rnd.Float64()
		v := Temperature(w.row(), temp)
		all, part := 0.0, 0.0
		for i, p := range w.probs {
			q := math.Pow(p, 1/temp)
			all += q
			if i < w.named {
				part += q
			}
		}
		tv := 0.0
		for i, p := range w.probs {
			q := math.Pow(p, 1/temp)
			claimed := 0.0
			if i < w.named {
				claimed = q / part
			}
			tv += math.Abs(q/all-claimed) / 2
		}
		if tv > v.RestMax+1e-6 {
			t.Fatalf("temperature %v of %v, %d named: distance %v, at most %v was claimed", temp, w.probs, w.named, tv, v.RestMax)
		}
	}
}

func TestEntropyBounds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	for range 20000 {
		w := random(rnd)
		lo, hi := entropy(w.row())
		if h := w.entropy(); h < lo-1e-4 || h > hi+1e-9 {
			t.Fatalf("%v, %d named: entropy %v, claimed %v to %v", w.probs, w.named, h, lo, hi)
		}
	}
}

func TestMaskBounds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	for range 20000 {
		w := random(rnd)
		kept, rest, unnamed := 0.0, 0.0, 0
		share := rnd.Float64()
		for i, p := range w.probs {
			switch {
			case rnd.Float64() < share:
			case i < w.named:
				kept += p
			default:
				rest += p
				unnamed++
			}
		}
		if kept+rest == 0 {
			continue
		}
		v := Mask(w.row(), kept, unnamed)
		truth := rest / (kept + rest)
		if truth < v.RestMin-1e-6 || truth > v.RestMax+1e-6 {
			t.Fatalf("%v, %d named: the rest is %v, claimed %v to %v (%s)", w.probs, w.named, truth, v.RestMin, v.RestMax, v.Text)
		}
		if v.Exact && math.Abs(truth-v.RestMin) > 1e-6 {
			t.Fatalf("exact, and the rest is %v, not %v", truth, v.RestMin)
		}
	}
}

func TestAdditiveBounds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 20000 {
		w := random(rnd)
		kept, rest, lowered := 0.0, 0.0, 0
		touch := rnd.Float64() * 0.3
		for i, p := range w.probs {
			d := 0.0
			if rnd.Float64() < touch {
				d = -2 * rnd.Float64()
				if i >= w.named {
					lowered++
				}
			}
			if i < w.named {
				kept += p * math.Exp(d)
			} else {
				rest += p * math.Exp(d)
			}
		}
		v := Additive(w.row(), kept, lowered, 0)
		if truth := rest / (kept + rest); truth < v.RestMin-1e-9 || truth > v.RestMax+1e-9 || v.Exact != (lowered == 0 || w.named == len(w.probs)) {
			t.Fatalf("the rest is %v, claimed %+v", truth, v)
		}
	}
	if v := Additive(Row{Probs: []float64{0.5}, Rest: 0.5, Unnamed: 3}, 0.5, 0, 1); v.Exact || v.RestMax != 1 {
		t.Errorf("a raised unnamed token: %+v", v)
	}
}

func TestByHand(t *testing.T) {
	// 0.5, 0.3, 0.1 are named; 0.1 is spread over 5 others.
	r := Row{Probs: []float64{0.5, 0.3, 0.1}, Rest: 0.1, Unnamed: 5}
	for _, c := range []struct {
		v        Verdict
		exact    bool
		min, max float64
		text     string
	}{
		{TopK(r, 3), true, 0, 0, "top_k 3: exact, 3 tokens are named"},
		{TopK(r, 0), true, 0.1, 0.1, "top_k: off"},
		{TopK(r, 4), false, 0.02 / 0.92, 0.1, "top_k 4: not exact, only 3 tokens are named: unnamed tokens keep 2.2 to 10 %"},
		{TopK(r, 8), true, 0.1, 0.1, "top_k 8: keeps all"},
		{TopP(r, 0.9), false, 0, 0.1, "top_p 0.9: not exact, the named tokens have 0.9000: unnamed tokens keep at most 10 %"},
		{TopP(r, 0.89), true, 0, 0, "top_p 0.89: exact, the named tokens have 0.9000"},
		{TopP(r, 1), true, 0.1, 0.1, "top_p: off"},
		{MinP(r, 0.3), true, 0, 0, "min_p 0.3: exact, no unnamed token can reach it"},
		{MinP(r, 0.1), false, 0, 0.1, "min_p 0.1: not exact, unnamed tokens may reach 0.05: unnamed tokens keep at most 10 %"},
		{Temperature(r, 0), true, 0, 0, "temperature 0: exact, the most probable token is named"},
		// squares: 0.25+0.09+0.01 named; 5*0.02^2 = 0.002 to 0.1^2 = 0.01 unnamed
		{Temperature(r, 0.5), false, 0.002 / 0.352, 0.01 / 0.36, "temperature 0.5: bounded: unnamed tokens keep 0.57 to 2.8 %"},
		{Repetition(r, 1.1, 0.9, 2, false), false, 0, 1, "repetition_penalty 1.1: not exact, it needs logits and the server gives log-probabilities"},
		{Repetition(r, 1, 0.9, 2, false), true, 0.1, 0.1, "repetition_penalty: off"},
		{Repetition(r, 1.1, 0.4, 0, true), true, 0.2, 0.2, "repetition_penalty 1.1: exact, the server gives logits"},
		{Repetition(r, 1.1, 0.4, 2, true), false, 0, 0.2, "repetition_penalty 1.1: exact among the named tokens; 2 unnamed ones are lowered: unnamed tokens keep at most 20 %"},
		{Repetition(r, 0.9, 0.4, 2, true), false, 0, 1, "repetition_penalty 0.9: not exact, it raises 2 unnamed tokens from an unknown level"},
		{Repetition(Row{Probs: []float64{1}}, 1.1, 0.9, 0, true), true, 0, 0, "repetition_penalty 1.1: exact, the server gives logits"},
		{TypicalP(r, 0.9), false, 0, 1, "typical_p 0.9: not exact, it depends on the logits of all tokens"},
		{TopNSigma(r, 0), true, 0.1, 0.1, "top_n_sigma 0: off"},
		{DynamicTemperature(r, 0.5, 1.5), false, 0, 1, "dynamic temperature: not exact, the entropy is known within 0.23 bits only"},
		{Mask(r, 0, 2), false, 1, 1, "mask: it lets no named token through"},
	} {
		if c.v.Exact != c.exact || math.Abs(c.v.RestMin-c.min) > 1e-5 || math.Abs(c.v.RestMax-c.max) > 1e-5 || c.v.Text != c.text {
			t.Errorf("%+v\nwant %v %v %v %q", c.v, c.exact, c.min, c.max, c.text)
		}
	}
}

func TestOf(t *testing.T) {
	lp := func(p float64) float32 { return float32(math.Log(p)) }
	r := Of([]float32{lp(0.2), lp(0.7)}, 0.1, 10)
	if math.Abs(r.Probs[0]-0.7) > 1e-6 || math.Abs(r.Probs[1]-0.2) > 1e-6 || math.Abs(r.Rest-0.1) > 1e-6 || r.Unnamed != 8 || r.Whole() {
		t.Errorf("%+v", r)
	}
	r = Of([]float32{5, 5, float32(math.Inf(-1))}, 0, 3)
	if r.Probs[0] != 0.5 || r.Probs[2] != 0 || !r.Whole() {
		t.Errorf("%+v", r)
	}
}
