package speculative

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A recorded round may say anything: what follows from it is drafts that were
// tested and tokens that the target gives, and no more of them than places.
func TestAgainTakesAnyRound(t *testing.T) {
	t.Parallel()
	const n = 6
	r := rand.New(rand.NewPCG(17, 18))
	any := func(least int) Law {
		var l Law
		for _, id := range r.Perm(n)[:least+r.IntN(n+1-least)] {
			p := r.Float64()
			if r.IntN(3) == 0 {
				p = float64(r.IntN(2))
			}
			l.IDs, l.Probs = append(l.IDs, int32(id)), append(l.Probs, p)
		}
		if least > 0 {
			l.Probs[0] = 0.5
		}
		return l
	}
	whole := 0
	for range 20_000 {
		j := Judged{Algorithm: []Algorithm{Exact, SpecInfer, SpecTr, AgainstTarget}[r.IntN(4)], Final: 3*r.Float64() - 1}
		for range r.IntN(4) {
			var tested []int32
			for range r.IntN(4) {
				tested = append(tested, int32(r.IntN(n)))
			}
			j.Tested, j.Drafts, j.Draft = append(j.Tested, tested), append(j.Drafts, r.IntN(5)), append(j.Draft, any(0))
		}
		for range r.IntN(5) {
			j.Target = append(j.Target, any(1))
		}
		for range r.IntN(9) {
			j.U = append(j.U, 3*r.Float64()-1)
		}
		for i := range j.Draft {
			if !j.Draft[i].Usable(n) {
				t.Fatalf("%+v is not a law", j.Draft[i])
			}
		}
		_, emitted := j.Again()
		if len(emitted) > len(j.Tested)+1 || len(emitted) > len(j.Target) {
			t.Fatalf("%+v: %v", j, emitted)
		}
		for i, x := range emitted {
			tested := i < len(j.Tested) && slices.Contains(j.Tested[i], x)
			if !tested && j.Target[i].prob(x) == 0 {
				t.Fatalf("%+v: token %d is of nowhere", j, x)
			}
		}
		if len(emitted) > 0 {
			whole++
		}
	}
	if whole < 2000 {
		t.Errorf("only %d rounds led anywhere", whole)
	}
}

// What is not a law over the vocabulary is not judged by.
func TestUsable(t *testing.T) {
	t.Parallel()
	for _, l := range []Law{
		{[]int32{0, 0}, []float64{0.5, 0.5}}, {[]int32{-1}, []float64{1}}, {[]int32{4}, []float64{1}}, {[]int32{1}, []float64{1.5}},
		{[]int32{1}, []float64{-0.5}}, {[]int32{1}, nil}, {[]int32{0, 1, 2, 3, 4}, make([]float64, 5)},
	} {
		if l.Usable(4) {
			t.Errorf("%+v is usable", l)
		}
	}
	if l := (Law{[]int32{3, 0}, []float64{0.75, 0.25}}); !l.Usable(4) {
		t.Errorf("%+v is not usable", l)
	}
}
