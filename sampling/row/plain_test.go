package row

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPlain holds every fast cut to the plain one on random rows: the same
// tokens survive but for those whose float32 value stands at the border.
func TestPlain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	tried, unsure := 0, 0
	for trial := range 1400 {
		n := []int{1, 2, 3, 17, 100, 1025, 3000}[trial%7]
		logits := make([]float64, n)
		fast := make([]float32, n)
		for i := range fast {
			fast[i] = float32(rnd.NormFloat64() * 3)
			if trial%5 == 0 {
				fast[i] = float32(math.Round(float64(fast[i]))) // many equal ones
			}
			logits[i] = float64(fast[i])
		}
		k, p := 1+rnd.IntN(n), rnd.Float64()
		for name, c := range map[string]struct {
			want, low, high []float64 // as it stands, and with the border moved both ways
			cuts            []Cut
		}{
			"top_k": {PlainTopK(logits, k), nil, nil, []Cut{TopKTies{K: k, Keep: 1}}},
			"top_p": {PlainTopP(logits, p), PlainTopP(logits, p-1e-5), PlainTopP(logits, p+1e-5),
				[]Cut{TopPTail{Limit: float32(1 - p), Keep: 1}, TopPArray{P: float32(p)}}},
			"min_p": {PlainMinP(logits, p), PlainMinP(logits, p*(1-1e-5)), PlainMinP(logits, p*(1+1e-5)),
				[]Cut{MinPShare{P: float32(p), Keep: 1}, MinPArray{P: float32(p)}}},
			"typical_p": {PlainTypical(logits, p), PlainTypical(logits, p-1e-4), PlainTypical(logits, p+1e-4),
				[]Cut{TypicalMass{Mass: float32(p), Keep: 1}, TypicalArray{P: float32(p)}}},
		} {
			if c.low != nil && left(c.low) != left(c.high) {
				unsure++ // the border is nearer than float32 can tell
				continue
			}
			for _, cut := range c.cuts {
				tried++
				var r Row
				if !r.Begin(nil, fast, 0, nil, false) {
					t.Fatal("no distribution")
				}
				r.RawStats(true)
				cut.Apply(&r)
				r.SettleAll()
				// Of equal logits at the border the engines keep other ones, or all.
				got := survivorLogits(&r)
				want := finiteOf(c.want)
				slices.Sort(got)
				slices.Sort(want)
				got, want = slices.Compact(got), slices.Compact(want)
				if !slices.Equal(got, want) {
					t.Errorf("trial %d: %T of %s k %d p %v keeps %d values of %d, want %d", trial, cut, name, k, p, len(got), n, len(want))
				}
			}
		}
	}
	if tried < 7000 || unsure > tried/10 {
		t.Errorf("%d cuts tried, %d left out at the border", tried, unsure)
	}
}

func left(logits []float64) int { return len(finiteOf(logits)) }

func finiteOf(logits []float64) (out []float64) {
	for _, x := range logits {
		if x > math.Inf(-1) {
			out = append(out, x)
		}
	}
	return out
}

func survivorLogits(r *Row) (out []float64) {
	for i := range r.N {
		if r.X[i] > negInf {
			out = append(out, float64(r.Raw[r.Pos(i)]))
		}
	}
	return out
}

// TestPlainDraw: the fast draw finds the plain one's token at every u that
// does not stand at an end of its interval.
func TestPlainDraw(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for trial := range 2000 {
		n := []int{1, 2, 5, 80, 2100}[trial%5]
		fast, logits := make([]float32, n), make([]float64, n)
		temperature := 0.3 + 2*rnd.Float64()
		for i := range fast {
			fast[i] = float32(rnd.NormFloat64() * 3)
			logits[i] = float64(fast[i])
		}
		var r Row
		r.Begin(nil, fast, 0, nil, false)
		r.RawStats(true)
		Temperature(temperature).Apply(&r)
		u := rnd.Float64()
		got, lo, hi := r.DrawRanked(u)
		if u-lo < 1e-5 || hi-u < 1e-5 {
			continue
		}
		probs := PlainSoftmax(logits, temperature)
		if want := PlainDraw(probs, u); int(r.Pos(got)) != want || math.Abs(hi-lo-probs[want]) > 1e-5 {
			t.Errorf("trial %d: token %d in [%v, %v) at %v, want %d of %v", trial, got, lo, hi, u, want, probs[want])
		}
	}
}
