package sampling_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// A split is a distribution and the part of it that a server names.
type split struct {
	whole, part sampling.Input
	probs       []float64 // descending
	named       int
}

func newSplit(r *rand.Rand) split {
	s := split{named: 5 + r.IntN(25)}
	x := make([]float32, 80)
	for i := range x {
		x[i] = float32(2 * r.NormFloat64())
	}
	ids := make([]int32, len(x))
	for i := range ids {
		ids[i] = int32(i)
	}
	slices.SortFunc(ids, func(a, b int32) int { return int(math.Copysign(1, float64(x[b]-x[a]))) })
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v))
	}
	s.whole = sampling.Input{Logits: x}
	for i, id := range ids {
		lp := float64(x[id]) - math.Log(sum)
		s.probs = append(s.probs, math.Exp(lp))
		if i < s.named {
			s.part.IDs = append(s.part.IDs, id)
			s.part.Logits = append(s.part.Logits, float32(lp))
		} else {
			s.part.Rest += float32(math.Exp(lp))
		}
	}
	return s
}

// Cuts by probability mean the probability among all tokens, not among those
// that a partial row names: where no unnamed token can survive, a cut leaves
// the same law of a part as of the whole.
func TestCutsCountTheUnnamed(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, o := range sampling.Orders() {
		for range 150 {
			s := newSplit(r)
			covered, least := 1-float64(s.part.Rest), s.probs[s.named-1]
			for key, value := range map[string]any{
				"top_k":          1 + r.IntN(s.named),
				"top_p":          r.Float64() * (covered - 1e-3),
				"min_p":          math.Min(1, (least*1.001)/s.probs[0]+0.5*r.Float64()),
				"epsilon_cutoff": least*1.001 + (0.9-least)*r.Float64()*r.Float64(),
				"mirostat_tau":   -math.Log2(least*1.01) / 2 * r.Float64(),
			} {
				if !o.Supports(key) {
					continue
				}
				c := neutral(o.Name(), key, value)
				if key == "mirostat_tau" {
					c = c.MustWith("mirostat", 2, sampling.FromYou)
				}
				var whole, part dist.Dist
				tw, sw := sample(t, c, nil, s.whole)
				tp, sp := sample(t, c, nil, s.part)
				sw.Final(&whole)
				sp.Final(&part)
				if tv := dist.TotalVariation(&whole, &part); tv > 1e-4 || tp.Survived != tw.Survived {
					t.Fatalf("%s, %s %v of %v, %d named: %d survive, not %d; distance %v", o, key, value, s.probs, s.named, tp.Survived, tw.Survived, tv)
				}
				if d := tp.RawLogprob - tw.RawLogprob; tp.Token != tw.Token || math.Abs(float64(d)) > 1e-4 {
					t.Fatalf("%s, %s %v: token %d with %v, not %d with %v", o, key, value, tp.Token, tp.RawLogprob, tw.Token, tw.RawLogprob)
				}
			}
		}
	}
}

// What a trace calls raw is the probability under the model, so with the rest
// it adds up to 1.
func TestRawProbabilitiesOfAPart(t *testing.T) {
	s := newSplit(rand.New(rand.NewPCG(9, 9)))
	for _, o := range sampling.Orders() {
		tr, _ := sample(t, neutral(o.Name()), nil, s.part)
		sum := float64(tr.Rest)
		for i, r := range tr.Rows() {
			sum += float64(r.RawProb)
			if math.Abs(float64(r.RawProb)-s.probs[i]) > 1e-5 || math.Abs(float64(r.RawCum)+float64(tr.Rest)-sum) > 1e-4 {
				t.Errorf("%s: rank %d has %v down to %v, want %v", o, i+1, r.RawProb, r.RawCum, s.probs[i])
			}
		}
		if math.Abs(sum-1) > 1e-4 || len(tr.Rows()) != s.named {
			t.Errorf("%s: all rows and the rest have %v", o, sum)
		}
	}
}

// The raw entropy of a part is the least that the whole can have: between that
// of the whole and that of the unnamed tokens taken for one.
func TestRawBitsOfAPart(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	for range 300 {
		s := newSplit(r)
		whole, lump := 0.0, -float64(s.part.Rest)*math.Log2(float64(s.part.Rest))
		for i, p := range s.probs {
			whole -= p * math.Log2(p)
			if i < s.named {
				lump -= p * math.Log2(p)
			}
		}
		tr, _ := sample(t, neutral("vllm"), nil, s.part)
		if got := float64(tr.RawBits); got > whole+1e-3 || got < lump-1e-3 {
			t.Fatalf("%v bits, the whole has %v, with one token for the rest %v", got, whole, lump)
		}
	}
}

// A temperature before the cut changes the share of the unnamed tokens; what
// the cut leaves then is near what the whole would leave, and nearer than
// without counting them.
func TestTemperatureThenTopP(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	counted, ignored := 0.0, 0.0
	for range 300 {
		s := newSplit(r)
		c := neutral("vllm", "temperature", 0.5+r.Float64(), "top_p", 0.2+0.4*r.Float64())
		bare := s.part
		bare.Rest = 0
		var whole, part, without dist.Dist
		for in, d := range map[*sampling.Input]*dist.Dist{&s.whole: &whole, &s.part: &part, &bare: &without} {
			_, sc := sample(t, c, nil, *in)
			sc.Final(d)
		}
		counted += dist.TotalVariation(&whole, &part)
		ignored += dist.TotalVariation(&whole, &without)
	}
	if counted > ignored/2 {
		t.Errorf("the distances add up to %v with the rest counted, %v without", counted, ignored)
	}
}
