package row

import "math"

// Cuts and shapes that no big engine has and others do: koboldcpp,
// text-generation-webui, exllamav2 or their authors' code. They compute in
// float64 from the exponentials of the row.

// PLess keeps the tokens that are at least as likely as two draws are to agree:
// p >= sum of p² (Tan, Wu and Howard 2025, "p-less sampling"). The best always
// stays, and what ties with it. Normalised, the threshold is 0 on a row where
// all are alike; it never keeps fewer.
type PLess struct{ Normalised bool }

func (s PLess) Apply(r *Row) {
	r.Exps()
	limit := r.collision()
	if s.Normalised {
		n := float64(len(r.Raw))
		if limit = (n*limit - 1) / (n - 1); n == 1 {
			return // 0/0: off
		}
	}
	r.keepLikely(limit * r.Sum)
}

// collision returns the chance that two draws from the row agree.
func (r *Row) collision() float64 {
	sum := 0.0
	for _, e := range r.E[:r.N] {
		sum += float64(e) * float64(e)
	}
	return sum / (r.Sum * r.Sum)
}

// keepLikely keeps the entries whose exponential is at least limit, and the best
// and what ties with it in any case.
func (r *Row) keepLikely(limit float64) {
	hi := r.Max()
	r.List()
	r.Keep(func(i int) bool { return r.X[i] == hi || r.X[i] > negInf && float64(r.E[i]) >= limit })
}

// TopA keeps the tokens of at least a times the square of the best one's
// probability. Where none has that, the first of the best stays alone.
type TopA float64

func (a TopA) Apply(r *Row) {
	r.Exps()
	if limit := float64(a) / r.Sum; limit <= 1 {
		r.keepLikely(limit)
		return
	}
	Greedy{}.Apply(r)
}

// TailFree keeps the best tokens up to where the curve of the sorted
// probabilities has bent by the share z of all its bends (Phénix and Egan 2019,
// "tail free sampling"). Its two editions differ in what they count as the row
// and in where they cut.
type TailFree struct {
	Z float64
	// Whole is text-generation-webui's edition: tokens that were removed count
	// with probability 0, and the last place always goes. koboldcpp's knows
	// only what is left, and never cuts three tokens or fewer.
	Whole bool
}

func (s TailFree) Apply(r *Row) {
	r.Exps()
	best := r.Best(r.Finite)
	n := len(best)
	if s.Whole {
		n = len(r.Raw)
	}
	if n <= 2 && !s.Whole || n < 2 {
		return
	}
	p := func(k int) float64 {
		if k < len(best) {
			return float64(r.E[best[k].I]) / r.Sum
		}
		return 0
	}
	bend := func(k int) float64 { return math.Abs(p(k) - 2*p(k+1) + p(k+2)) }
	sum := 0.0
	for k := range n - 2 {
		sum += bend(k)
	}
	var keep int
	if s.Whole {
		keep = s.untilWhole(n, sum, bend)
	} else {
		keep = s.until(n, sum, bend)
	}
	r.keepBest(best, min(keep, len(best)))
}

// until is koboldcpp's walk: the list ends at the first place after the first
// where the share exceeds z.
func (s TailFree) until(n int, sum float64, bend func(k int) float64) int {
	share := 0.0
	for k := range n - 2 {
		if sum > 1e-6 {
			share += bend(k) / sum
		} else {
			share += 1 / float64(n-2)
		}
		if k >= 1 && share > s.Z {
			return k
		}
	}
	return n
}

// untilWhole is text-generation-webui's: a place goes if the share before it
// exceeds z, and the last one always.
func (s TailFree) untilWhole(n int, sum float64, bend func(k int) float64) int {
	share := 0.0
	for k := range n - 2 {
		if share += bend(k) / sum; share > s.Z { // 0/0 is more than nothing
			return k + 1
		}
	}
	return n - 1
}

// keepBest keeps the first n of a selection of the best entries.
func (r *Row) keepBest(best []Item, n int) {
	mask := grow(&r.markBuf, r.N)
	clear(mask)
	for _, it := range best[:max(n, 1)] {
		mask[it.I] = true
	}
	r.List()
	r.Keep(func(i int) bool { return mask[i] })
}

// Smoothing bends the logits by a parabola of their distance d to the best,
// and with a curve other than 1 by a cubic: x' = best - k·f·d² + s·f·d³, with
// k = (3-curve)/2 and s = (curve-1)/2 ("quadratic sampling"). A curve of 1 to
// 3 keeps the order.
type Smoothing struct{ Factor, Curve float64 }

func (s Smoothing) Apply(r *Row) {
	hi := float64(r.Max())
	k, cubic := (3-s.Curve)/2*s.Factor, (s.Curve-1)/2*s.Factor
	r.Bend(func(i int) float64 {
		d := float64(r.X[i]) - hi
		return hi - k*d*d + cubic*d*d*d
	})
}

// Skew moves probability towards the unlikely end of the row if it is above 0,
// towards the likely one below: the cumulative distribution, best token first,
// to the power of exp(skew).
type Skew float64

func (s Skew) Apply(r *Row) {
	r.Exps()
	g := math.Exp(float64(s))
	best := r.Best(r.Finite)
	x := grow(&r.bendBuf, r.N)
	cum := 0.0
	for k, it := range best {
		e := float64(r.E[it.I])
		if cum += e; k == len(best)-1 {
			cum = r.Sum
		}
		// ln(C^g - (C-p)^g), without the loss of taking like from like.
		share := math.Log(-math.Expm1(g * math.Log1p(-min(e/cum, 1))))
		x[it.I] = g*math.Log(cum/r.Sum) + share
	}
	r.Bend(func(i int) float64 { return x[i] })
}

// Bend gives every entry above -Inf a new logit, for a stage that changes them
// all and not one by one.
func (r *Row) Bend(logit func(i int) float64) {
	for i := range r.X[:r.N] {
		if r.X[i] == negInf {
			continue
		}
		// Computed from entries as they were, so in order and not from others.
		r.X[i] = float32(max(-math.MaxFloat32, min(logit(i), math.MaxFloat32)))
	}
	r.SettleAll()
	r.dirty()
	r.rebound()
	r.Sorted, r.Bent, r.reordered = false, true, true
}

// Add adds to the logits of tokens, of which there may be many: they are
// counted, and not noted one by one.
func (r *Row) Add(ids []int32, by float32) {
	r.SettleAll()
	for _, id := range ids {
		pos, ok := r.Position(id)
		if !ok {
			continue
		}
		if i := r.Entry(pos); i >= 0 && r.X[i] > negInf {
			r.X[i] += by
			r.Touched++
		}
	}
	if r.Touched == 0 {
		return
	}
	r.dirty()
	r.rebound()
	r.Sorted, r.Bent, r.reordered = false, true, true
}
