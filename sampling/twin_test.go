package sampling_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/cases"
	"logitscope/sampling/dist"
)

// The slow twin: the cuts of transformers as their definitions read, on a
// full sort of the row.

type twin struct {
	x    []float64 // -Inf is removed
	keep int
}

func newTwin(x []float32) *twin {
	t := &twin{keep: 1}
	for _, v := range x {
		t.x = append(t.x, float64(v))
	}
	return t
}

func (t *twin) probs() []float32 {
	hi := slices.Max(t.x)
	sum := 0.0
	p := make([]float32, len(t.x))
	for _, v := range t.x {
		sum += float64(float32(math.Exp(v - hi)))
	}
	for i, v := range t.x {
		p[i] = float32(math.Exp(v-hi)) / float32(sum)
	}
	return p
}

func (t *twin) temperature(f float64) {
	for i := range t.x {
		t.x[i] = float64(float32(t.x[i]) / float32(f))
	}
}

func (t *twin) topK(k int) {
	s := slices.Clone(t.x)
	slices.Sort(s)
	limit := s[len(s)-min(max(k, t.keep), len(s))]
	t.remove(func(i int) bool { return t.x[i] < limit })
}

func (t *twin) remove(bad func(i int) bool) {
	for i := range t.x {
		if bad(i) {
			t.x[i] = math.Inf(-1)
		}
	}
}

// ascending returns the indices by ascending value, equal ones by index.
func (t *twin) ascending() []int {
	ix := make([]int, len(t.x))
	for i := range ix {
		ix[i] = i
	}
	slices.SortStableFunc(ix, func(a, b int) int {
		switch {
		case t.x[a] < t.x[b]:
			return -1
		case t.x[a] > t.x[b]:
			return 1
		}
		return 0
	})
	return ix
}

func (t *twin) topP(p float64) {
	probs, cum := t.probs(), 0.0
	ix := t.ascending()
	for _, i := range ix[:len(ix)-t.keep] {
		if cum += float64(probs[i]); float32(cum) <= float32(1-p) {
			t.x[i] = math.Inf(-1)
		}
	}
}

func (t *twin) minP(p float64) {
	probs := t.probs()
	limit := float32(p) * slices.Max(probs)
	t.remove(func(i int) bool { return probs[i] < limit })
}

func (t *twin) entropy() float64 {
	h := 0.0
	for _, p := range t.probs() {
		if p > 0 {
			h -= float64(p) * math.Log(float64(p))
		}
	}
	return h
}

func (t *twin) typical(mass float64) {
	probs, h := t.probs(), t.entropy()
	key := make([]float64, len(probs))
	ix := make([]int, len(probs))
	for i, p := range probs {
		key[i], ix[i] = math.Abs(-math.Log(float64(p))-h), i
	}
	slices.SortStableFunc(ix, func(a, b int) int {
		switch {
		case key[a] < key[b]:
			return -1
		case key[a] > key[b]:
			return 1
		}
		return 0
	})
	cum, limit := 0.0, math.Inf(1)
	for _, i := range ix {
		if cum += float64(probs[i]); float32(cum) >= float32(mass) {
			limit = key[i]
			break
		}
	}
	t.remove(func(i int) bool { return key[i] > limit+1e-6 })
}

func (t *twin) epsilon(eps float64) {
	probs, best := t.probs(), slices.Max(t.x)
	t.remove(func(i int) bool { return probs[i] < float32(eps) && t.x[i] < best })
}

func (t *twin) eta(eps float64) { t.epsilon(min(eps, math.Sqrt(eps)*math.Exp(-t.entropy()))) }

func (t *twin) survivors() (ids []int32) {
	for i, v := range t.x {
		if v > math.Inf(-1) {
			ids = append(ids, int32(i))
		}
	}
	return ids
}

func TestAgainstTheSlowTwin(t *testing.T) {
	type step struct {
		key string
		v   float64
		do  func(*twin, float64)
	}
	chains := [][]step{
		{{"top_p", 0.9, (*twin).topP}},
		{{"top_p", 0.37, (*twin).topP}},
		{{"top_p", 0.999, (*twin).topP}},
		{{"temperature", 0.7, (*twin).temperature}, {"top_p", 0.9, (*twin).topP}},
		{{"temperature", 1.7, (*twin).temperature}, {"top_p", 0.95, (*twin).topP}, {"min_p", 0.01, (*twin).minP}},
		{{"temperature", 0.6, (*twin).temperature}, {"top_k", 700, func(t *twin, v float64) { t.topK(int(v)) }}, {"top_p", 0.8, (*twin).topP}},
		{{"top_k", 3000, func(t *twin, v float64) { t.topK(int(v)) }}},
		{{"min_p", 0.05, (*twin).minP}},
		{{"typical_p", 0.9, (*twin).typical}},
		{{"typical_p", 0.3, (*twin).typical}},
		{{"epsilon_cutoff", 0.0003, (*twin).epsilon}},
		{{"eta_cutoff", 0.002, (*twin).eta}},
		{{"top_p", 0.9, (*twin).topP}, {"typical_p", 0.8, (*twin).typical}, {"epsilon_cutoff", 0.00002, (*twin).epsilon}},
	}
	seeds := 4
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		rows := map[string][]float32{
			"flat":      cases.Generate(nil, 20011, uint64(seed), 2, 0),
			"quantised": cases.Generate(nil, 9000, uint64(seed), 3, 8),
			"small":     cases.Generate(nil, 77, uint64(seed), 2, 0),
			"peaked":    benchRow(8192+seed, true),
		}
		for name, x := range rows {
			for k, chain := range chains {
				c := neutral("transformers")
				slow := newTwin(x)
				for _, s := range chain {
					c = c.MustWith(s.key, s.v, sampling.FromYou)
					s.do(slow, s.v)
				}
				var s sampling.Scratch
				var tr sampling.Trace
				p := compile(t, c)
				in := sampling.Input{Logits: x, Prompt: make([]int32, seed*7+k)}
				id, err := p.Sample(&tr, &s, in)
				if err != nil {
					t.Fatal(err)
				}
				var d dist.Dist
				s.Final(&d)
				got := slices.Sorted(slices.Values(d.IDs))
				if want := slow.survivors(); !slices.Equal(got, want) {
					t.Errorf("%s %d, chain %d: %d survivors, want %d%s", name, seed, k, len(got), len(want), firstDifference(got, want))
					continue
				}
				checkDraw(t, &d, &tr, id)
			}
		}
	}
}

func firstDifference(a, b []int32) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf(", first difference %d, want %d", a[i], b[i])
		}
	}
	return ""
}

// checkDraw walks the whole distribution to where the draw fell.
func checkDraw(t *testing.T, d *dist.Dist, tr *sampling.Trace, id int32) {
	t.Helper()
	i, lo, hi := d.Draw(tr.U)
	if d.IDs[i] != id || math.Abs(lo-tr.Lo) > 1e-6 || math.Abs(hi-tr.Hi) > 1e-6 {
		t.Errorf("u %v: token %d in [%v, %v), want %d in [%v, %v)", tr.U, id, tr.Lo, tr.Hi, d.IDs[i], lo, hi)
	}
}

// FuzzSample puts random settings and rows through every engine.
func FuzzSample(f *testing.F) {
	f.Add(uint64(1), uint8(0), uint16(50), 0.7, 50, 0.9, 0.05, 0.95, uint8(0))
	f.Add(uint64(2), uint8(1), uint16(9), 1.5, 0, 0.3, 0.0, 0.5, uint8(1))
	f.Add(uint64(3), uint8(2), uint16(300), 0.0, 3, 1.0, 1.0, 1.0, uint8(2))
	f.Add(uint64(4), uint8(3), uint16(1), 2.0, 1, 0.0, 0.5, 0.0, uint8(3))
	f.Add(uint64(5), uint8(4), uint16(2000), 0.01, 10000, 0.999, 0.9, 0.1, uint8(4))
	f.Fuzz(func(t *testing.T, seed uint64, engine uint8, n uint16, temp float64, k int, p, m, typ float64, odd uint8) {
		x := cases.Generate(nil, int(n%3000)+1, seed, float64(odd%7), float64(odd%5))
		switch odd % 6 {
		case 1:
			x[seed%uint64(len(x))] = float32(math.Inf(-1))
		case 2:
			x[seed%uint64(len(x))] = float32(math.NaN())
		case 3:
			x[seed%uint64(len(x))] = float32(math.Inf(1))
		case 4:
			x[seed%uint64(len(x))] = math.MaxFloat32
		}
		order := sampling.Orders()[int(engine)%len(sampling.Orders())]
		c := with("order", order.Name(), "seed", seed)
		extras := []any{"repetition_penalty", 1 + p, "frequency_penalty", m, "xtc_probability", p, "dynatemp_range", m, "top_n_sigma", typ,
			"dry_multiplier", m, "mirostat", int(odd) % 3, "epsilon_cutoff", m, "eta_cutoff", p / 10, "top_h", typ, "adaptive_target", p}
		settings := append([]any{"temperature", temp, "top_k", k, "top_p", p, "min_p", m, "typical_p", typ}, extras[:2*(int(odd)%(len(extras)/2))]...)
		for i := 0; i < len(settings); i += 2 {
			if d, err := c.With(settings[i].(string), settings[i+1], sampling.FromYou); err == nil {
				c = d
			}
		}
		pl, err := sampling.Compile(c, nil)
		if err != nil {
			return
		}
		var s sampling.Scratch
		var tr sampling.Trace
		in := sampling.Input{Logits: x, Prompt: testHistory, Output: testHistory[:4], Pins: []int32{0, 3}}
		bad := slices.ContainsFunc(x, func(v float32) bool { return v != v })
		for range 3 {
			id, err := pl.Sample(&tr, &s, in)
			if err != nil {
				if !bad && slices.Max(x) < 1e30 && slices.Max(x) > float32(math.Inf(-1)) {
					t.Fatalf("%v: %v", c.Keys(), err)
				}
				return
			}
			if bad {
				t.Fatal("a row with NaN was drawn from")
			}
			if id < 0 || int(id) >= len(x) || tr.Survived < 1 || !(tr.Prob >= 0 && tr.Prob <= 1.0001) || tr.Bits != tr.Bits {
				t.Fatalf("token %d, trace %d %v %v", id, tr.Survived, tr.Prob, tr.Bits)
			}
			for _, st := range tr.Stages() {
				if st.Kept < 1 || !(st.Mass >= 0 && st.Mass <= 1.0001) || st.Bits != st.Bits {
					t.Fatalf("%+v", st)
				}
			}
			in.State = tr.State
		}
	})
}
