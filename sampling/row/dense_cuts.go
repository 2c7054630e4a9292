package row

import (
	"math"
	"sort"

	"logitscope/sampling/simd"
)

// The cuts of transformers and vLLM. They work on the row in order of token
// ids, by thresholds: what equals the threshold stays. Every cut leaves keep
// tokens at least.

// TopKTies keeps the tokens at least as good as the k-th best (Fan et al.
// 2018), ties included.
type TopKTies struct{ K, Keep int }

func (s TopKTies) Apply(r *Row) {
	k := max(s.K, s.Keep)
	if k < r.Finite {
		r.keepFrom(r.kth(k), 0)
	}
}

// TopPTail keeps the smallest set of best tokens that holds the share p
// (Holtzman et al. 2019, "nucleus"), by removing from the worst token up
// while the mass removed stays within limit, 1-p as the engine rounds it. Of
// tokens that tie at the border the higher ids stay.
type TopPTail struct {
	Limit float32
	Keep  int
}

func (s TopPTail) Apply(r *Row) {
	if r.Finite <= s.Keep {
		return
	}
	r.Exps()
	if r.HasRest() {
		if s.Limit = 1 - r.OfNamed(1-s.Limit); s.Limit <= 0 {
			return // the named tokens have less than the share
		}
	}
	c := crossing{sum: float32(r.Sum), left: r.shares(), limit: s.Limit}
	if !r.crossBest(&c) {
		r.crossBracket(&c)
	}
	if c.kept >= r.Finite {
		return
	}
	if c.kept < s.Keep {
		t := r.kth(s.Keep)
		above, equal := r.countAround(t)
		r.keepFrom(t, above+equal-s.Keep)
		return
	}
	_, equal := r.countAround(c.at)
	r.keepFrom(c.at, equal-c.ties)
}

// shares returns the sum of the probabilities as rounded to float32, exactly
// for short rows.
func (r *Row) shares() float64 {
	sum := float32(r.Sum)
	if r.N > 4096 {
		return r.Sum / float64(sum)
	}
	var total float64
	for _, e := range r.E[:r.N] {
		total += float64(e / sum)
	}
	return total
}

// countAround returns the number of logits above and equal to t.
func (r *Row) countAround(t float32) (above, equal int) {
	above = simd.CountAbove(r.X[:r.N], t)
	return above, simd.CountAbove(r.X[:r.N], justBelow(t)) - above
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
func (r *Row) crossBest(c *crossing) bool {
	start := *c
	for _, m := range [...]int{48, 256} {
		if m > r.N/256 && r.N > 4096 {
			break // dearer to select than to narrow down
		}
		*c = start
		for _, it := range r.Best(m) {
			if c.past(it.x, r.E[it.I]) {
				return true
			}
		}
		if m >= r.Finite {
			return true
		}
	}
	*c = start
	return false
}

// crossBracket looks for the crossing in the bracket it falls in.
func (r *Row) crossBracket(c *crossing) {
	b := r.bracketAt(r.X[:r.N], r.E[:r.N], (c.left-float64(c.limit))*float64(c.sum))
	c.left -= b.mass / float64(c.sum)
	c.kept = b.count
	for _, it := range b.items {
		if c.past(it.x, r.E[it.I]) {
			return
		}
	}
}

// MinPShare removes tokens below the share p of the best one's probability, and
// leaves the keep best; of equal ones at that border those of lower ids.
type MinPShare struct {
	P    float32
	Keep int
}

func (s MinPShare) Apply(r *Row) {
	r.Exps()
	sum := float32(r.Sum)
	best := float32(1) / sum
	limit := s.P * best
	if n := min(s.Keep, r.Finite); n > 1 && float32(math.Exp(float64(r.kth(n)-r.Ref)))/sum < limit {
		r.keepBest(r.Best(n), n)
		return
	}
	r.keepShare(limit, sum, 0)
}

// keepShare keeps the tokens whose probability is at least limit, and the
// keep best and what ties with them.
func (r *Row) keepShare(limit, sum float32, keep int) {
	e := leastFloat(func(e float32) bool { return e/sum >= limit })
	t := float32(math.Inf(1))
	if keep > 0 {
		t = r.kth(min(max(keep, 1), r.N))
	}
	removed := false
	for i, v := range r.E[:r.N] {
		if v < e && r.X[i] < t {
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
func (r *Row) keepExp(e, t float32) {
	r.List()
	r.Keep(func(i int) bool { return r.X[i] > negInf && (r.E[i] >= e || r.X[i] >= t) })
}

// EpsilonCut removes tokens below a probability (Hewitt et al. 2022).
type EpsilonCut struct {
	Eps  float32
	Keep int
}

func (s EpsilonCut) Apply(r *Row) {
	r.Exps()
	r.keepShare(r.OfNamed(s.Eps), float32(r.Sum), max(s.Keep, 1))
}

// EtaCut removes tokens below min(eps, sqrt(eps)·exp(-H)) (Hewitt et al.
// 2022).
type EtaCut struct {
	Eps  float32
	Keep int
}

func (s EtaCut) Apply(r *Row) {
	r.Exps()
	h := r.entropyAbout()
	limit := min(s.Eps, float32(math.Sqrt(float64(s.Eps)))*float32(math.Exp(-h)))
	r.keepShare(r.OfNamed(limit), float32(r.Sum), max(s.Keep, 1))
}

// TopH walks down the best 100 tokens while their share of the entropy is at
// most h, and keeps those; the best always.
type TopH struct{ H float32 }

func (s TopH) Apply(r *Row) {
	best := r.Best(100)
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
	limit := entropy * s.H
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
	mask := grow(&r.markBuf, r.N)
	clear(mask)
	for _, it := range best[:n] {
		mask[it.I] = true
	}
	r.List()
	r.Keep(func(i int) bool { return mask[i] })
}

// TypicalMass keeps the tokens whose surprise is nearest to the entropy until
// they hold the mass (Meister et al. 2022). The token that reaches it stays,
// and what ties with it.
type TypicalMass struct {
	Mass float32
	Keep int
}

func (s TypicalMass) Apply(r *Row) {
	if r.Finite <= 1 {
		return
	}
	r.Exps()
	sum := float32(r.Sum)
	logSum := math.Log(r.Sum)
	h := float32(logSum - r.dot/r.Sum)
	neg := grow(&r.negBuf, r.N)
	for i, v := range r.X[:r.N] {
		neg[i] = negInf
		if v > negInf {
			lp := float32(float64(v-r.Ref) - logSum)
			neg[i] = -abs32(-lp - h)
		}
	}
	if cut := r.typicalCut(neg, sum, s); cut > negInf {
		r.List()
		r.Keep(func(i int) bool { return neg[i] >= cut })
	}
}

// typicalCut returns the least negative key that stays, or -Inf if all do.
func (r *Row) typicalCut(neg []float32, sum float32, s TypicalMass) float32 {
	b := r.bracketAt(neg, r.E[:r.N], float64(s.Mass)*float64(sum))
	cum, seen := b.mass/float64(sum), b.count
	for _, it := range b.items {
		cum += float64(r.E[it.I] / sum)
		seen++
		if float32(cum) >= s.Mass && seen >= s.Keep {
			return it.x
		}
	}
	if seen < s.Keep && s.Keep < r.Finite {
		return selectLargest(append(grow(&r.keyBuf, 0), neg...), s.Keep)
	}
	return negInf
}
