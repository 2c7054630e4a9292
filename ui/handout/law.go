package handout

import (
	"cmp"
	"math"
	"slices"

	"logitscope/models/tape"
)

// A law is what page.js computes, in Go: the page is written only if this
// agrees with the run, and the tests hold both to the program's own engine.

// Values are the five controls of the page.
type Values struct {
	Temperature float64 `json:"temperature"` // 0 is greedy
	TopK        int     `json:"top_k"`       // 0 is off
	TopP        float64 `json:"top_p"`       // 1 is off
	MinP        float64 `json:"min_p"`       // 0 is off
	Repetition  float64 `json:"repetition_penalty"`
}

// A share is one token after the settings.
type share struct {
	id     int32
	raw, p float64
	cut    bool
}

// shares returns the tokens of a row after the settings, best first; seen are
// the tokens before. enough is false where the row does not hold enough.
func shares(row *tape.Row, seen map[int32]bool, v Values) (out []share, enough bool) {
	n := len(row.Values)
	z := make([]float64, n)
	top := math.Inf(-1)
	for i, x := range row.Values {
		z[i] = float64(x)
		top = max(top, z[i])
	}
	id := func(i int) int32 {
		if row.IDs == nil {
			return int32(i)
		}
		return row.IDs[i]
	}
	sum := tail(row, 1, top)
	for _, x := range z {
		sum += math.Exp(x - top)
	}
	raw := make([]float64, n)
	for i, x := range z {
		raw[i] = math.Exp(x-top) / sum
		if v.Repetition != 1 && seen[id(i)] {
			if x < 0 {
				z[i] = x * v.Repetition
			} else {
				z[i] = x / v.Repetition
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(z[b], z[a]), cmp.Compare(id(a), id(b))) })
	left, weights, total, enough := cuts(row, z, order, v)
	for k, i := range order {
		s := share{id: id(i), raw: raw[i], cut: k >= left}
		if !s.cut {
			s.p = weights[k] / total
		}
		out = append(out, s)
	}
	return out, enough
}

// cuts returns how many of the tokens in order stay, their weights and what
// those come to with the tokens that the row does not name.
func cuts(row *tape.Row, z []float64, order []int, v Values) (left int, w []float64, total float64, enough bool) {
	enough = true
	if v.Temperature == 0 {
		return 1, []float64{1}, 1, true
	}
	m := z[order[0]]
	w = make([]float64, len(order))
	for k, i := range order {
		w[k] = math.Exp((z[i] - m) / v.Temperature)
	}
	left = len(order)
	more := tail(row, v.Temperature, m)
	if v.TopK > 0 && (v.TopK < left || more > 0) {
		if v.TopK > left {
			enough = false
		} else {
			kth := z[order[v.TopK-1]]
			for left = v.TopK; left < len(order) && z[order[left]] == kth; left++ {
			}
			more = 0
		}
	}
	if v.TopP < 1 {
		all := more
		for _, x := range w[:left] {
			all += x
		}
		k, run := 0, 0.0
		for ; k < left && (k == 0 || run/all < v.TopP); k++ {
			run += w[k]
		}
		if k == left && more > 0 && run/all < v.TopP {
			enough = false
		} else {
			left, more = k, 0
		}
	}
	if v.MinP > 0 {
		k := 1
		for ; k < left && w[k] >= v.MinP*w[0]; k++ {
		}
		if k == left && more > 0 {
			enough = false
		} else {
			left, more = k, 0
		}
	}
	total = more
	for _, x := range w[:left] {
		total += x
	}
	return left, w, total, enough
}

// tail returns the weight of the tokens without a name at a temperature, with
// logits from m.
func tail(row *tape.Row, t, m float64) (sum float64) {
	for _, b := range row.Bins {
		spread := 1.0
		if b.Count > 1 {
			spread = math.Cosh(tape.BinSpread / t)
		}
		sum += float64(b.Count) * spread * math.Exp((float64(b.Mean)-m)/t)
	}
	return sum
}
