package seeds

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFirst compares with the outputs of mt19937 for its own first seed, which
// the generator's authors print.
func TestFirst(t *testing.T) {
	outputs := []float64{3499211612, 581869302, 3890346734, 3586334585, 545404204, 4161255391, 3922919429, 949333985}
	var u [4]float64
	First(u[:], 5489)
	for i := range u {
		if want := (outputs[2*i] + outputs[2*i+1]*(1<<32)) / (1 << 64); u[i] != want {
			t.Errorf("number %d is %v, want %v", i, u[i], want)
		}
	}
}

// TestNear finds seeds whose numbers would draw the same tokens of a
// distribution, up to the first that is not: far more than chance.
func TestNear(t *testing.T) {
	shares := []float64{0.6, 0.85, 0.93, 0.97, 0.99, 1}
	pick := func(u float64) int {
		for i, s := range shares {
			if u < s {
				return i
			}
		}
		return len(shares)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for n, want := range map[int]float64{1: 0.97, 2: 1.9, 4: 3.2, 8: 3.8, Most: 3.6} {
		same := 0
		const tries = 400
		for range tries {
			draws := make([]float64, n)
			for i := range draws {
				draws[i] = rnd.Float64()
			}
			first := make([]float64, n)
			First(first, Near(draws))
			for i := 0; i < n && pick(first[i]) == pick(draws[i]); i++ {
				same++
			}
		}
		if float64(same) < want*tries {
			t.Errorf("of %d draws %.2f agree, want %v", n, float64(same)/tries, want)
		}
	}
}

// TestNearIsNearest compares with all seeds of the table, one by one.
func TestNearIsNearest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		u := rnd.Float64()
		least := math.Inf(1)
		var first [1]float64
		for seed := range uint32(count) {
			First(first[:], seed)
			least = min(least, math.Abs(first[0]-u))
		}
		First(first[:], Near([]float64{u}))
		if got := math.Abs(first[0] - u); got > least+1e-7 {
			t.Errorf("draw %v is missed by %v, want %v", u, got, least)
		}
	}
	if Near(nil) >= count {
		t.Error("no draws, no seed")
	}
}

func BenchmarkNear(b *testing.B) {
	table()
	rnd := rand.New(rand.NewPCG(1, 2))
	draws := make([]float64, Most)
	for b.Loop() {
		for i := range draws {
			draws[i] = rnd.Float64()
		}
		Near(draws)
	}
}
