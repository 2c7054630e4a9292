package quiz

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s: %.6f, want %.6f", what, got, want)
	}
}

// The numbers of a class of 31 that was asked about the first token of
// "…who lived in the", worked out by hand: 4.5/15.5, 10.5/15.5, 0.5/15.5,
// (70+5)/(310+55).
func TestScoresByHand(t *testing.T) {
	near(t, "4 of 10 chips", Guess{0, 4, 0, 0, 0, 4, 0, 0, 2, 0, 0}.Bits(5), math.Log2(15.5/4.5), 1e-12)
	near(t, "all in, right", AllOn(11, 3).Bits(3), 0.5619, 1e-4)
	near(t, "all in, wrong", AllOn(11, 3).Bits(4), 4.9542, 1e-4)
	near(t, "blind", Blind(11), 3.4594, 1e-4)

	p := NewPool(11)
	for option, n := range []int{2, 6, 4, 3, 1, 7, 4, 1, 1, 1, 1} {
		for range n {
			p.Add(AllOn(11, option))
		}
	}
	if p.Guesses() != 31 || p.Favourites(5) != 7 || p.Favourite() != 5 {
		t.Errorf("%d guesses, %d on option 5, favourite %d", p.Guesses(), p.Favourites(5), p.Favourite())
	}
	near(t, "held", p.Held(5), 7.0/31, 1e-12)
	near(t, "the class as one", p.Bits(5), math.Log2(365.0/75), 1e-12)
	near(t, "a lone guesser", p.MeanBits(5), (7*0.5619+24*4.9542)/31, 1e-3)
	sum := 0.0
	for i := range 11 {
		sum += p.share(i)
	}
	near(t, "sum of the shares", sum, 1, 1e-12)
	if p := NewPool(4); p.Held(0) != 0 || p.share(0) != 0.25 || !math.IsNaN(p.MeanBits(0)) {
		t.Error("an empty pool must hold nothing and expect equal chances")
	}
}

func TestQuestion(t *testing.T) {
	q := NewQuestion([]float64{0.5, 0.25, 0}, 1, 0.25)
	if !slices.Equal(q.Law, []float64{0.5, 0.25, 0, 0.25}) || q.Drawn != 1 {
		t.Errorf("%+v", q)
	}
	near(t, "floor", q.Floor(), 1.5, 1e-12)
	near(t, "model", q.Model(), 2, 1e-12)
	if q := NewQuestion([]float64{0.5, 0.25}, -1, 0.125); q.Drawn != 2 || q.Model() != 2 {
		t.Errorf("something else drawn: %+v", q)
	}
	// float32 shares may add up to a little more than one
	over := NewQuestion([]float64{0.7, 0.3000001}, -1, 1e-6)
	near(t, "drawn beyond rounding", over.Model(), -math.Log2(1e-6), 1e-9)
	if q := NewQuestion([]float64{0.7, 0.3000001}, 0, 0.7); q.Law[2] != 0 {
		t.Errorf("something else has %v, want 0", q.Law[2])
	}
	if q := NewQuestion([]float64{1}, 0, 1); q.Model() != 0 || q.Floor() != 0 {
		t.Errorf("greedy costs %v, floor %v, want 0", q.Model(), q.Floor())
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		guess Guess
		m     int
		ok    bool
	}{
		{Guess{4, 6}, 2, true},
		{Guess{10}, 1, true},
		{Guess{4, 5}, 2, false},
		{Guess{4, 7}, 2, false},
		{Guess{-1, 11}, 2, false},
		{Guess{math.MaxInt, math.MaxInt, 12}, 3, false}, // the sum must not wrap around
		{Guess{10}, 2, false},
		{nil, 2, false},
	} {
		if err := c.guess.Check(c.m); (err == nil) != c.ok {
			t.Errorf("%v of %d: %v", c.guess, c.m, err)
		}
	}
}

// allGuesses calls yield with every whole guess of m options.
func allGuesses(m int, yield func(Guess)) {
	g := make(Guess, m)
	var place func(i, left int)
	place = func(i, left int) {
		if i == m-1 {
			g[i] = left
			yield(g)
			return
		}
		for c := range left + 1 {
			g[i] = c
			place(i+1, left-c)
		}
	}
	place(0, Chips)
}

func randomLaw(r *rand.Rand, m int) []float64 {
	law := make([]float64, m)
	sum := 0.0
	for i := range law {
		law[i] = math.Pow(r.ExpFloat64(), 1+3*r.Float64())
		if r.IntN(5) == 0 {
			law[i] = 0
		}
		sum += law[i]
	}
	for i := range law {
		if sum == 0 {
			law[0] = 1
			break
		}
		law[i] /= sum
	}
	return law
}

// Over random laws: no guess beats the entropy, none beats Best, and Best is
// a rounding of λ·p − ½, where λ is 10 + m/2 unless an option would have less
// than no chips.
func TestCalibrated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		m := 2 + r.IntN(4)
		law := randomLaw(r, m)
		floor := Question{Law: law}.Floor()
		best := Best(law)
		if err := best.Check(m); err != nil {
			t.Fatal(err)
		}
		least := best.expected(law)
		allGuesses(m, func(g Guess) {
			e := g.expected(law)
			if e < floor-1e-12 {
				t.Fatalf("%v expects %v under %v, below the entropy %v", g, e, law, floor)
			}
			if e < least-1e-12 {
				t.Fatalf("%v expects %v under %v, Best %v expects %v", g, e, law, best, least)
			}
		})
	}
	for range 500 {
		m := 2 + r.IntN(10)
		law := randomLaw(r, m)
		best := Best(law)
		// λ by bisection: Σ max(λp − ½, 0) = 10
		lo, hi := 0.0, 1000.0
		for range 100 {
			mid, sum := (lo+hi)/2, 0.0
			for _, p := range law {
				sum += max(mid*p-0.5, 0)
			}
			if sum < Chips {
				lo = mid
			} else {
				hi = mid
			}
		}
		for i, p := range law {
			if want := max(lo*p-0.5, 0); math.Abs(float64(best[i])-want) >= 1 {
				t.Errorf("Best of %v has %d chips on option %d, want a rounding of %.3f", law, best[i], i, want)
			}
		}
	}
}

func TestBook(t *testing.T) {
	var b Book
	b.TakeBack()
	if b.Mean() != (Mean{}) || b.Questions() != 0 {
		t.Error("an empty book has a mean")
	}
	half := Question{Law: []float64{0.5, 0.5}, Drawn: 0}
	for range 9 {
		b.Add(Answer{half, Guess{10, 0}})
	}
	if _, ok := b.Calibration(); ok {
		t.Error("calibrated after 9 questions")
	}
	b.Add(Answer{Question{Law: []float64{0.25, 0.25, 0.5}, Drawn: 2}, Guess{3, 3, 4}})
	cells, ok := b.Calibration()
	if !ok {
		t.Error("not calibrated after 10 questions")
	}
	want := [Chips]Cell{}
	for i := range want {
		want[i].Chips = i + 1
	}
	want[2].Given, want[3].Given, want[3].Drawn, want[9].Given, want[9].Drawn = 2, 1, 1, 9, 9
	if cells != want {
		t.Errorf("%+v", cells)
	}
	if _, ok := cells[0].Rate(); ok {
		t.Error("a rate of nothing")
	}
	if rate, ok := cells[9].Rate(); rate != 1 || !ok {
		t.Errorf("all in: %v", rate)
	}
	m := b.Mean()
	near(t, "guess", m.Guess, (9*math.Log2(11/10.5)+math.Log2(11.5/4.5))/10, 1e-12)
	near(t, "model", m.Model, 1, 1e-12)
	near(t, "floor", m.Floor, (9+1.5)/10, 1e-12)
	near(t, "blind", m.Blind, (9+math.Log2(3))/10, 1e-12)
	b.TakeBack()
	if b.Questions() != 9 {
		t.Error("nothing was taken back")
	}
}

// A forecaster who puts down the law of a fair die of ten is calibrated: one
// chip is drawn one time in ten.
func TestCalibrationInTheLongRun(t *testing.T) {
	var b Book
	r := rand.New(rand.NewPCG(3, 4))
	law := []float64{0.5, 0.3, 0.2}
	for range 20000 {
		drawn, u := 0, r.Float64()
		for u >= law[drawn] {
			u -= law[drawn]
			drawn++
		}
		b.Add(Answer{Question{law, drawn}, Guess{5, 3, 2}})
	}
	cells, _ := b.Calibration()
	for _, c := range []int{2, 3, 5} {
		rate, _ := cells[c-1].Rate()
		near(t, "rate", rate, float64(c)/10, 0.02)
	}
}
