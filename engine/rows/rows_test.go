package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"logitscope/models"
)

// The quick sum of exponentials agrees with the plain one.
func TestSumExp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, spread := range []float64{1e-3, 1, 20, 300, 2000} {
		for range 50 {
			x := make([]float32, 1+r.IntN(300))
			top := float32(math.Inf(-1))
			for i := range x {
				x[i] = float32((r.Float64() - 0.7) * spread)
				top = max(top, x[i])
			}
			x[r.IntN(len(x))] = top
			want := 0.0
			for _, v := range x {
				want += math.Exp(float64(v) - float64(top))
			}
			if got := sumExp(x, float64(top)); math.Abs(got-want) > 4e-15*want {
				t.Fatalf("spread %v: %v, want %v", spread, got, want)
			}
		}
	}
}

// The quicker sum for wide rows is good to 2e-8.
func TestLogSumExp(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, spread := range []float64{1e-3, 3, 30, 500} {
		for range 20 {
			x := make([]float32, wide+r.IntN(3000))
			top := float32(math.Inf(-1))
			for i := range x {
				x[i] = float32(r.NormFloat64() * spread)
				top = max(top, x[i])
			}
			got, want := new(Reader).logSumExp(x, top), float64(top)+math.Log(sumExp(x, float64(top)))
			if math.Abs(got-want) > 2e-8 {
				t.Fatalf("spread %v: %v, off by %g", spread, got, got-want)
			}
		}
	}
	x := make([]float32, 2*wide)
	x[wide] = float32(math.NaN())
	if _, err := new(Reader).Read(models.Logits{Values: x}); err == nil || err.Error() != "1 of 2048 logits are NaN" {
		t.Errorf("NaN in a wide row: %v", err)
	}
}

// Rows that cannot be chosen from are refused in words, and a partial row
// leaves its rest to the tokens it does not name.
func TestRow(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		row  []float32
		want string
	}{
		{[]float32{nan, 1, nan}, "2 of 3 logits are NaN"},
		{[]float32{1, nan}, "1 of 2 logits are NaN"},
		{[]float32{nan}, "1 of 1 logits are NaN"},
		{[]float32{-inf, -inf}, "none of 2 logits is a finite number"},
		{[]float32{inf, 1}, "none of 2 logits is a finite number"},
	} {
		if _, err := new(Reader).Read(models.Logits{Values: c.row}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.row, err, c.want)
		}
	}
	r, err := new(Reader).Read(models.Logits{IDs: []int32{7, 9}, Values: []float32{1, 1}, Rest: 0.5})
	if want := 1 - math.Log(0.25); err != nil || math.Abs(r.Norm-want) > 1e-12 || r.ID(1) != 9 {
		t.Errorf("partial row: norm %v, id %d, %v; want %v, 9", r.Norm, r.ID(1), err, want)
	}
}

// The heap keeps what a full sort keeps, equal sums by beam and token.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		all := make([]Pick, r.IntN(60))
		for i := range all {
			all[i] = Pick{Order: i, Sum: float64(r.IntN(8))}
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		b := Best{K: 1 + r.IntN(12)}
		for _, p := range all {
			if p.Sum >= b.Floor() {
				b.Offer(p)
			}
		}
		got := b.Sorted()
		slices.SortFunc(all, func(x, y Pick) int {
			if x.better(y) {
				return -1
			}
			return 1
		})
		if want := all[:min(b.K, len(all))]; !slices.Equal(got, want) {
			t.Fatalf("%d best: %v, want %v", b.K, got, want)
		}
	}
}

// Measure ranks from 1, of equals the lower id first, in a whole row and in one
// that names its tokens in another order.
func TestMeasureRanks(t *testing.T) {
	logits := []float32{1, 3, 2, 3, 1, 3}
	want := []int{5, 1, 4, 2, 6, 3}
	whole := Row{Logits: logits}
	named := Row{IDs: []int32{5, 4, 3, 2, 1, 0}, Logits: slices.Clone(logits)}
	slices.Reverse(named.Logits)
	for id, rank := range want {
		for name, r := range map[string]*Row{"whole": &whole, "named": &named} {
			r.Norm = math.Log(3*math.Exp(3) + math.Exp(2) + 2*math.E)
			logprob, got, bits := r.Measure(int32(id))
			if got != rank || logprob != float64(logits[id])-r.Norm {
				t.Errorf("%s: token %d has rank %d and logprob %v, want %d", name, id, got, logprob, rank)
			}
			p3, p2, p1 := math.Exp(3-r.Norm), math.Exp(2-r.Norm), math.Exp(1-r.Norm)
			if h := -(3*p3*math.Log2(p3) + p2*math.Log2(p2) + 2*p1*math.Log2(p1)); math.Abs(bits-h) > 1e-12 {
				t.Errorf("%s: %v bits, want %v", name, bits, h)
			}
		}
	}
}
