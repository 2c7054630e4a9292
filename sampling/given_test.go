package sampling

import (
	"logitscope/sampling/dist"
	"math"
	"math/rand/v2"
	"testing"
)

// TestGivenIsWhatSampleRecords: of the token that a step drew Given says to the
// last bit what the trace says; of others what the trace of a pinned token
// says.
func TestGivenIsWhatSampleRecords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	last, cuts := 0, map[string]int{}
	for trial := range 4000 {
		row := make([]float32, 2+rnd.IntN(400))
		for i := range row {
			row[i] = float32(3 * rnd.NormFloat64())
		}
		c := Config{}.MustWith("order", Orders()[trial%len(Orders())].Name(), FromYou).MustWith("seed", uint64(trial), FromYou)
		for key, v := range map[string]any{
			"temperature": 0.1 + 1.8*rnd.Float64(), "top_k": rnd.IntN(50), "top_p": 0.3 + 0.7*rnd.Float64(), "min_p": 0.1 * rnd.Float64(),
			"mirostat": 1 + rnd.IntN(2), "adaptive_target": 0.3 + 0.2*rnd.Float64(), "xtc_probability": 0.5, "typical_p": 0.5 + 0.5*rnd.Float64(), "repetition_penalty": 1 + rnd.Float64(),
		} {
			if rnd.IntN(2) == 0 {
				c = c.MustWith(key, v, FromYou)
			}
		}
		p, err := Compile(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		in := Input{Logits: row, Prompt: []int32{0, 1}, Output: []int32{1}}
		var s Scratch
		var tr Trace
		drawn, err := p.Sample(&tr, &s, in)
		if err != nil {
			t.Fatal(err)
		}
		g, err := p.Given(&s, in, drawn)
		if err != nil {
			t.Fatal(err)
		}
		tr.State.Draws = 0 // a token that stands there takes nothing from a generator
		want := Given{State: tr.State, RawLogprob: tr.RawLogprob, Rank: tr.Rank, RawBits: tr.RawBits, Kept: true, Logprob: tr.Logprob}
		if g != want {
			if last++; math.Abs(float64(g.Logprob-want.Logprob)) > 1e-6 || g.RawLogprob != want.RawLogprob || g.Rank != want.Rank {
				t.Fatalf("trial %d under %s: %+v, want %+v", trial, c.Order().Name(), g, want)
			}
		}
		var d, plain dist.Dist
		s.Law(&d)
		if err := p.Distribution(&plain, &s, in); err != nil {
			t.Fatal(err)
		}
		for i, id := range d.IDs {
			if math.Abs(plain.Prob(id)-d.Probs[i]) > 1e-7 || len(plain.IDs) != len(d.IDs) {
				t.Fatalf("trial %d: token %d has %v, want %v", trial, id, d.Probs[i], plain.Prob(id))
			}
		}
		id := int32(rnd.IntN(len(row)))
		in.Pins = []int32{id}
		if _, err := p.Sample(&tr, &s, in); err != nil {
			t.Fatal(err)
		}
		if g, err = p.Given(&s, in, id); err != nil {
			t.Fatal(err)
		}
		r := tr.Row(id)
		cut := ""
		if r.Cut != NoStage {
			cut = tr.Stages()[r.Cut].Name
		}
		if g.Rank != r.Rank || g.CutBy != cut || g.Kept != (cut == "") || math.Abs(math.Exp(float64(g.Logprob))-float64(r.Prob)) > 1e-6 {
			t.Fatalf("trial %d: token %d is %+v, the trace has %+v cut by %q", trial, id, g, r, cut)
		}
		cuts[cut]++
	}
	if last > 0 {
		t.Errorf("%d of 4000 differ in the last bits of the final probability", last)
	}
	for _, stage := range []string{"", "top_k", "top_p", "min_p", "typical_p"} {
		if cuts[stage] == 0 {
			t.Errorf("no token was cut by %q: %v", stage, cuts)
		}
	}
}

// TestGivenOfPartialRows: a token that the row does not name is an error, and
// what is named counts what is not.
func TestGivenOfPartialRows(t *testing.T) {
	p, err := Compile(Config{}.MustWith("top_k", 0, FromYou), nil)
	if err != nil {
		t.Fatal(err)
	}
	var s Scratch
	in := Input{IDs: []int32{4, 9}, Logits: []float32{0, 0}, Rest: 0.5}
	g, err := p.Given(&s, in, 9)
	if err != nil || math.Abs(float64(g.RawLogprob)-math.Log(0.25)) > 1e-6 || g.Rank != 2 {
		t.Errorf("%+v, %v; want a quarter", g, err)
	}
	for _, id := range []int32{5, -1} {
		if _, err := p.Given(&s, in, id); err == nil {
			t.Errorf("token %d is read of a row that does not name it", id)
		}
	}
	if _, err := p.Given(&s, Input{Logits: []float32{0, 0}}, 2); err == nil {
		t.Error("an id beyond the row is read")
	}
}
