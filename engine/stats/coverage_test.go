package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// covered returns how often intervals of n values from draw contain truth.
func covered(runs, n int, truth float64, seed uint64, draw func(*rand.Rand) float64, interval func([]float64) Estimate) float64 {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	hits := 0
	values := make([]float64, n)
	for range runs {
		for i := range values {
			values[i] = draw(r)
		}
		if interval(values).Contains(truth) {
			hits++
		}
	}
	return float64(hits) / float64(runs)
}

func normal(r *rand.Rand) float64 { return r.NormFloat64() }

func TestCoverageOfT(t *testing.T) {
	for _, n := range []int{4, 8, 30, 200} {
		if c := covered(8000, n, 0, 1, normal, Mean); c < 0.94 || c > 0.96 {
			t.Errorf("t over %d normal values: %.3f of the intervals contain the mean, want 0.94 to 0.96", n, c)
		}
	}
}

// The coverage of Wilson's interval is a sum over the binomial law; its mean
// over shares is near 95 %, and it swings by a few points with the share
// (Brown, Cai and DasGupta 2001).
func TestCoverageOfWilson(t *testing.T) {
	for _, n := range []int{10, 30, 200} {
		sum, least, shares := 0.0, 1.0, 0
		for p := 0.05; p < 0.96; p += 0.005 {
			c := 0.0
			for k := range n + 1 {
				if Wilson(k, n).Contains(p) {
					c += math.Exp(choose(n, k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
				}
			}
			sum, least, shares = sum+c, min(least, c), shares+1
		}
		mean := sum / float64(shares)
		t.Logf("Wilson over %d texts: coverage %.3f on the mean, %.3f at least", n, mean, least)
		if mean < 0.945 || mean > 0.965 || least < 0.87 {
			t.Errorf("Wilson over %d texts: coverage %.3f on the mean, %.3f at least", n, mean, least)
		}
	}
}

func choose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// Newcombe's interval holds at the sizes of a bench, where the two shares
// depend on each other through the prompt.
func TestCoverageOfPairedShares(t *testing.T) {
	for _, n := range []int{20, 200} {
		r := rand.New(rand.NewPCG(2, uint64(n)))
		hits, runs := 0, 4000
		for range runs {
			var c Pairs
			for range n {
				switch u := r.Float64(); {
				case u < 0.5:
					c.Both++
				case u < 0.6:
					c.OnlyA++
				case u < 0.8:
					c.OnlyB++
				default:
					c.Neither++
				}
			}
			if e, _ := PairedShare(c); e.Contains(-0.1) {
				hits++
			}
		}
		if c := float64(hits) / float64(runs); c < 0.94 || c > 0.98 {
			t.Errorf("over %d prompts: %.3f of the intervals contain the difference", n, c)
		}
	}
}

// What falls short of 95 % at small n is logged as it comes out; a report of
// fewer than FewTexts texts says so.
func TestCoverageOfSkewed(t *testing.T) {
	lognormal := func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }
	truth := math.Exp(0.5)
	bca := func(values []float64) Estimate {
		return Bootstrap(len(values), 1, func(pick []int) float64 {
			return average(values, pick)
		})
	}
	t.Log("log-normal values, mean:    n    t      BCa")
	for _, n := range []int{8, 20, 60} {
		a, b := covered(300, n, truth, 3, lognormal, Mean), covered(300, n, truth, 3, lognormal, bca)
		t.Logf("%28d  %.3f  %.3f", n, a, b)
		if a < 0.75 || b < 0.7 || n == 60 && b < 0.87 {
			t.Errorf("over %d skewed values: t %.3f, BCa %.3f", n, a, b)
		}
	}
	if c := covered(300, 60, 0, 4, normal, bca); c < 0.91 || c > 0.98 {
		t.Errorf("BCa over 60 normal values: %.3f", c)
	}
}

func TestCoverageOfResampledTexts(t *testing.T) {
	draw := func(r *rand.Rand, n int) [][]int32 {
		texts := make([][]int32, n)
		for i := range texts {
			for range 12 {
				texts[i] = append(texts[i], int32(math.Exp(4*r.Float64())))
			}
		}
		return texts
	}
	t.Log("self-BLEU:    n    coverage")
	for _, n := range []int{5, 10} {
		r := rand.New(rand.NewPCG(6, uint64(n)))
		truth := 0.0
		for range 500 {
			truth += SelfBLEU(draw(r, n))(nil) / 500
		}
		hits, runs := 0, 30
		for range runs {
			texts := draw(r, n)
			e := ResampleTexts(n, 1, SelfBLEU(texts))
			if !e.Contains(e.Value) {
				t.Fatalf("%v does not contain its own estimate", e)
			}
			if e.Contains(truth) {
				hits++
			}
		}
		t.Logf("%15d  %d of %d", n, hits, runs)
		if hits < runs/2 {
			t.Errorf("self-BLEU of %d texts: %d of %d intervals contain the mean", n, hits, runs)
		}
	}
}

// The same seed gives the same interval, whatever was drawn before.
func TestBootstrapIsSeeded(t *testing.T) {
	values := []float64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}
	of := func(pick []int) float64 {
		return average(values, pick)
	}
	a, b, c := Bootstrap(len(values), 7, of), Bootstrap(len(values), 7, of), Bootstrap(len(values), 8, of)
	if a != b || a == c {
		t.Errorf("seed 7: %v and %v; seed 8: %v", a, b, c)
	}
	if e := Bootstrap(3, 1, func([]int) float64 { return 2 }); e.Low != 2 || e.High != 2 {
		t.Errorf("without spread: %v", e)
	}
	if e := Bootstrap(1, 1, of); e.Bounded() || e.Value != average(values, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
		t.Errorf("of one: %v", e)
	}
}

func average(values []float64, pick []int) float64 {
	sum := 0.0
	pick = all(pick, len(values))
	for _, i := range pick {
		sum += values[i]
	}
	return sum / float64(len(pick))
}
