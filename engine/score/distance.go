package score

import (
	"cmp"
	"math"
	"slices"

	"logitscope/models"
	"logitscope/sampling/dist"
)

// A Step is two laws at one step, A and B, on the same context.
type Step struct {
	dist.Distance
	RawKL   float64 // of the models alone, bits: nothing cut, no temperature; NaN if the rows are partial
	SameRaw bool    // the models' own best token is the same
}

// size is by how much a step differs, for the most different ones: of two
// models the divergence of their rows, else the total variation of the laws.
func (s *Step) size(models bool) float64 {
	if models {
		return s.RawKL
	}
	return s.TV
}

// A Beside is one token in both rows of a step.
type Beside struct {
	ID   int32
	A, B Place
}

// A Place is a token under one law.
type Place struct {
	Raw   float64 // its probability under the law's model
	Kept  bool
	Final float64 // its probability under the law; 0 if it is cut
}

// bestBeside is how many of the best tokens of each row stand beside each
// other.
const bestBeside = 5

// among reports whether a difference is among the largest that the worker has
// seen, as many as are asked for.
func (w *worker) among(size float64) bool {
	n := w.in.Most
	if n == 0 || !(size > 0) || len(w.most) == n && size <= w.most[0] {
		return false
	}
	i, _ := slices.BinarySearch(w.most, size)
	w.most = slices.Insert(w.most, i, size)
	if len(w.most) > n {
		w.most = w.most[1:]
	}
	return true
}

// beside lays the best tokens of both rows beside each other, best under A
// first, the token of the text among them.
func (w *worker) beside(token int32, row, other models.Logits) (out []Beside) {
	pa, pb := probabilities(row), probabilities(other)
	for _, id := range append(append(best(row, bestBeside), best(other, bestBeside)...), token) {
		if !slices.ContainsFunc(out, func(x Beside) bool { return x.ID == id }) {
			out = append(out, Beside{id, place(pa, &w.a, id), place(pb, &w.b, id)})
		}
	}
	slices.SortStableFunc(out, func(x, y Beside) int { return cmp.Compare(y.A.Raw, x.A.Raw) })
	return out
}

func place(raw func(int32) float64, law *dist.Dist, id int32) Place {
	p := Place{Raw: raw(id)}
	if i := slices.Index(law.IDs, id); i >= 0 {
		p.Kept, p.Final = true, law.Probs[i]
	}
	return p
}

// probabilities returns the probability of each token of a row, 0 of one that
// it does not name.
func probabilities(l models.Logits) func(id int32) float64 {
	most, sum := math.Inf(-1), 0.0
	for _, v := range l.Values {
		most = max(most, float64(v))
	}
	for _, v := range l.Values {
		sum += math.Exp(float64(v) - most)
	}
	return func(id int32) float64 {
		i := int(id)
		if l.IDs != nil {
			i = slices.Index(l.IDs, id)
		}
		if i < 0 || i >= len(l.Values) {
			return 0
		}
		return math.Exp(float64(l.Values[i])-most) / sum * (1 - float64(l.Rest))
	}
}

// best returns the n best tokens of a row, of equals those with lower ids.
func best(l models.Logits, n int) (ids []int32) {
	var at []int
	for i, v := range l.Values {
		k := len(at)
		for k > 0 && v > l.Values[at[k-1]] {
			k--
		}
		if k < n {
			at = slices.Insert(at, k, i)
			at = at[:min(len(at), n)]
		}
	}
	for _, i := range at {
		if l.IDs != nil {
			ids = append(ids, l.IDs[i])
		} else {
			ids = append(ids, int32(i))
		}
	}
	return ids
}

// rawDivergence is the divergence of two whole rows, bits.
func rawDivergence(a, b models.Logits) (kl float64, same bool) {
	if a.IDs != nil || b.IDs != nil || len(a.Values) != len(b.Values) {
		return math.NaN(), false
	}
	logs := func(v []float32) (norm float64, top int) {
		for i, x := range v {
			if x > v[top] {
				top = i
			}
		}
		sum := 0.0
		for _, x := range v {
			sum += math.Exp(float64(x) - float64(v[top]))
		}
		return float64(v[top]) + math.Log(sum), top
	}
	na, ta := logs(a.Values)
	nb, tb := logs(b.Values)
	for i := range a.Values {
		la := float64(a.Values[i]) - na
		if p := math.Exp(la); p > 0 {
			kl += p * (la - (float64(b.Values[i]) - nb))
		}
	}
	return max(0, kl/math.Ln2), ta == tb
}
