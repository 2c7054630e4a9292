package sampling

import (
	"math"
	"sort"

	"logitscope/sampling/simd"
)

// The cuts of transformers and vLLM. They work on the row in order of token
// ids, by thresholds: what equals the threshold stays. Every cut leaves keep
// tokens at least.

// topKTies keeps the tokens at least as good as the k-th best (Fan et al.
// 2018), ties included.
type topKTies struct{ k, keep int }

func (s topKTies) apply(r *row) {
	k := max(s.k, s.keep)
	if k < r.nfin {
		r.keepFrom(r.kth(k), 0)
	}
}

// topPTail keeps the smallest set of best tokens that holds the share p
// (Holtzman et al. 2019, "nucleus"), by removing from the worst token up
// while the mass removed stays within limit, 1-p as the engine rounds it. Of
// tokens that tie at the border the higher ids stay.
type topPTail struct {
	limit float32
	keep  int
}

func (s topPTail) apply(r *row) {
	if r.nfin <= s.keep {
		return
	}
	r.exps()
	if r.hasRest() {
		if s.limit = 1 - r.ofNamed(1-s.limit); s.limit <= 0 {
			return // the named tokens have less than the share
		}
	}
	c := crossing{sum: float32(r.sum), left: r.shares(), limit: s.limit}
	if !r.crossBest(&c) {
		r.crossBracket(&c)
	}
	if c.kept >= r.nfin {
		return
	}
	if c.kept < s.keep {
		t := r.kth(s.keep)
		above, equal := r.countAround(t)
		r.keepFrom(t, above+equal-s.keep)
		return
	}
	_, equal := r.countAround(c.at)
	r.keepFrom(c.at, equal-c.ties)
}

// shares returns the sum of the probabilities as rounded to float32, exactly
// for short rows.
func (r *row) shares() float64 {
	sum := float32(r.sum)
	if r.n > 4096 {
		return r.sum / float64(sum)
	}
	var total float64
	for _, e := range r.e[:r.n] {
		total += float64(e / sum)
	}
	return total
}

// countAround returns the number of logits above and equal to t.
func (r *row) countAround(t float32) (above, equal int) {
	above = simd.CountAbove(r.x[:r.n], t)
	return above, simd.CountAbove(r.x[:r.n], justBelow(t)) - above
}

// justBelow returns the largest float32 below t.
func justBelow(t float32) float32 { return math.Nextafter32(t, negInf) }

// A crossing walks down the ranks until the mass that is left is within a
// limit.
type crossing struct {
	sum   float32 // of the exponentials
	left  float64 // probability of the tokens not walked past
	limit float32
	kept  int     // tokens walked past
	at    float32 // logit of the last of them
	ties  int     // how many of them have that logit
}

// past walks past a token and reports whether the walk ends before it.
func (c *crossing) past(x, e float32) (ended bool) {
	if float32(c.left) <= c.limit {
		return true
	}
	c.left -= float64(e / c.sum)
	c.kept++
	if x == c.at && c.ties > 0 {
		c.ties++
	} else {
		c.at, c.ties = x, 1
	}
	return false
}

// crossBest looks for the crossing among the best few hundred tokens.
func (r *row) crossBest(c *crossing) bool {
	start := *c
	for _, m := range [...]int{48, 256} {
		if m > r.n/256 && r.n > 4096 {
			break // dearer to select than to narrow down
		}
		*c = start
		for _, it := range r.best(m) {
			if c.past(it.x, r.e[it.i]) {
				return true
			}
		}
		if m >= r.nfin {
			return true
		}
	}
	*c = start
	return false
}

// crossBracket looks for the crossing in the bracket it falls in.
func (r *row) crossBracket(c *crossing) {
	b := r.bracketAt(r.x[:r.n], r.e[:r.n], (c.left-float64(c.limit))*float64(c.sum))
	c.left -= b.mass / float64(c.sum)
	c.kept = b.count
	for _, it := range b.items {
		if c.past(it.x, r.e[it.i]) {
			return
		}
	}
}

// minPShare removes tokens below the share p of the best one's probability.
type minPShare struct {
	p    float32
	keep int
}

func (s minPShare) apply(r *row) {
	r.exps()
	sum := float32(r.sum)
	best := float32(1) / sum
	r.keepShare(s.p*best, sum, s.keep)
}

// keepShare keeps the tokens whose probability is at least limit, and the
// keep best and what ties with them.
func (r *row) keepShare(limit, sum float32, keep int) {
	e := leastFloat(func(e float32) bool { return e/sum >= limit })
	t := float32(math.Inf(1))
	if keep > 0 {
		t = r.kth(min(max(keep, 1), r.n))
	}
	removed := false
	for i, v := range r.e[:r.n] {
		if v < e && r.x[i] < t {
			removed = true
			break
		}
	}
	if removed {
		r.keepExp(e, t)
	}
}

// leastFloat returns the least float32 from 0 to 1 for which ok holds, which
// must be monotone; above 1 if there is none.
func leastFloat(ok func(float32) bool) float32 {
	n := sort.Search(int(math.Float32bits(1))+1, func(i int) bool {
		return ok(math.Float32frombits(uint32(i)))
	})
	return math.Float32frombits(uint32(n))
}

// keepExp keeps the entries with an exponential of at least e or a logit of
// at least t.
func (r *row) keepExp(e, t float32) {
	r.list()
	r.keep(func(i int) bool { return r.x[i] > negInf && (r.e[i] >= e || r.x[i] >= t) })
}

// epsilonCut removes tokens below a probability (Hewitt et al. 2022).
type epsilonCut struct {
	eps  float32
	keep int
}

func (s epsilonCut) apply(r *row) {
	r.exps()
	r.keepShare(r.ofNamed(s.eps), float32(r.sum), max(s.keep, 1))
}

// etaCut removes tokens below min(eps, sqrt(eps)·exp(-H)) (Hewitt et al.
// 2022).
type etaCut struct {
	eps  float32
	keep int
}

func (s etaCut) apply(r *row) {
	r.exps()
	h := r.entropyAbout()
	limit := min(s.eps, float32(math.Sqrt(float64(s.eps)))*float32(math.Exp(-h)))
	r.keepShare(r.ofNamed(limit), float32(r.sum), max(s.keep, 1))
}

// topH walks down the best 100 tokens while their share of the entropy is at
// most h, and keeps those; the best always.
type topH struct{ h float32 }

func (s topH) apply(r *row) {
	best := r.best(100)
	var sum float64
	for _, it := range best {
		sum += math.Exp(float64(it.x - best[0].x))
	}
	// In float32 where torch rounds: the entropy comes from the logits less
	// their log-sum, the walk from logarithms of the probabilities.
	logSum := best[0].x + float32(math.Log(sum))
	share := func(x float32) float32 { return float32(math.Exp(float64(x-best[0].x)) / sum) }
	var entropy float32
	for _, it := range best {
		entropy -= float32((it.x - logSum) * share(it.x))
	}
	limit := entropy * s.h
	n, cum := 0, 0.0
	for _, it := range best {
		p := share(it.x)
		if p > 0 {
			cum -= float64(float32(p * log32(p)))
		}
		if n > 0 && float32(cum) > limit {
			break
		}
		n++
	}
	mask := grow(&r.markBuf, r.n)
	clear(mask)
	for _, it := range best[:n] {
		mask[it.i] = true
	}
	r.list()
	r.keep(func(i int) bool { return mask[i] })
}

// typicalMass keeps the tokens whose surprise is nearest to the entropy until
// they hold the mass (Meister et al. 2022). The token that reaches it stays,
// and what ties with it.
type typicalMass struct {
	mass float32
	keep int
}

func (s typicalMass) apply(r *row) {
	if r.nfin <= 1 {
		return
	}
	r.exps()
	sum := float32(r.sum)
	logSum := math.Log(r.sum)
	h := float32(logSum - r.dot/r.sum)
	neg := grow(&r.negBuf, r.n)
	for i, v := range r.x[:r.n] {
		neg[i] = negInf
		if v > negInf {
			lp := float32(float64(v-r.ref) - logSum)
			neg[i] = -abs32(-lp - h)
		}
	}
	if cut := r.typicalCut(neg, sum, s); cut > negInf {
		r.list()
		r.keep(func(i int) bool { return neg[i] >= cut })
	}
}

// typicalCut returns the least negative key that stays, or -Inf if all do.
func (r *row) typicalCut(neg []float32, sum float32, s typicalMass) float32 {
	b := r.bracketAt(neg, r.e[:r.n], float64(s.mass)*float64(sum))
	cum, seen := b.mass/float64(sum), b.count
	for _, it := range b.items {
		cum += float64(r.e[it.i] / sum)
		seen++
		if float32(cum) >= s.mass && seen >= s.keep {
			return it.x
		}
	}
	if seen < s.keep && s.keep < r.nfin {
		return selectLargest(append(grow(&r.keyBuf, 0), neg...), s.keep)
	}
	return negInf
}
