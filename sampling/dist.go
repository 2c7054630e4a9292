package sampling

import (
	"math"
	"slices"
	"sort"
)

// A Dist is a distribution over tokens, best first; tokens that cannot be
// drawn are left out. Its memory is reused.
type Dist struct {
	IDs   []int32
	Probs []float64 // descending, summing to 1
}

// Distribution computes the law that the next token is drawn from, without
// drawing. If no draw is made it is the one token. Engines that draw in
// another order (llama.cpp walks its array) have the same law. Where a
// constraint is checked after the draw, it is the law of both draws together.
//
// Where chance plays a part before the draw (XTC), it is the law after the
// chance that in.State gives.
func (p *Pipeline) Distribution(d *Dist, s *Scratch, in Input) error {
	if in.Mask != nil && p.checkAfter {
		return p.checkedDistribution(d, s, in)
	}
	return p.distribution(d, s, in, maskCut)
}

func (p *Pipeline) distribution(d *Dist, s *Scratch, in Input, mode maskMode) error {
	if err := p.begin(&s.r, in); err != nil {
		return err
	}
	p.prepare(s, in)
	if err := p.run(s, nil, mode, p.stages); err != nil {
		return err
	}
	s.Final(d)
	return nil
}

// checkedDistribution is the law of a draw that is checked and, if refused,
// made again from the tokens allowed.
func (p *Pipeline) checkedDistribution(d *Dist, s *Scratch, in Input) error {
	var first Dist
	if err := p.distribution(&first, s, in, maskOff); err != nil {
		return err
	}
	if err := p.distribution(d, s, in, maskBury); err != nil {
		return err
	}
	miss, passed := 0.0, make(map[int32]float64)
	for i, id := range first.IDs {
		if p.allows(&in, id) {
			passed[id] = first.Probs[i]
		} else {
			miss += first.Probs[i]
		}
	}
	for i, id := range d.IDs {
		d.Probs[i] = d.Probs[i]*miss + passed[id]
		delete(passed, id)
	}
	for id, prob := range passed {
		d.IDs, d.Probs = append(d.IDs, id), append(d.Probs, prob)
	}
	d.Sort()
	return nil
}

// Sort puts the tokens in order: descending probability, then ascending id.
func (d *Dist) Sort() { sort.Sort((*byProb)(d)) }

// byProb sorts a distribution: descending probability, then ascending id.
type byProb Dist

func (d *byProb) Len() int { return len(d.IDs) }
func (d *byProb) Less(i, j int) bool {
	return d.Probs[i] > d.Probs[j] || d.Probs[i] == d.Probs[j] && d.IDs[i] < d.IDs[j]
}
func (d *byProb) Swap(i, j int) {
	d.IDs[i], d.IDs[j] = d.IDs[j], d.IDs[i]
	d.Probs[i], d.Probs[j] = d.Probs[j], d.Probs[i]
}

// Final fills d with the distribution that the last call of a pipeline with s
// ended with. The input of that call must not have changed since.
func (s *Scratch) Final(d *Dist) {
	r := &s.r
	r.Exps()
	items := r.Best(r.Finite)
	d.IDs, d.Probs = slices.Grow(d.IDs[:0], len(items)), slices.Grow(d.Probs[:0], len(items))
	for _, it := range items {
		d.IDs = append(d.IDs, r.ID(r.Pos(int(it.I))))
		d.Probs = append(d.Probs, float64(r.E[it.I])/r.Sum)
	}
}

// Array appends to dst the tokens of the array of candidates that the last
// call of a pipeline with s ended with, in the order of the array: where an
// engine has one, the order in which its draw walks. Tokens at -Inf that the
// engine leaves in it are included.
func (s *Scratch) Array(dst []int32) []int32 {
	s.r.SettleAll()
	for i := range s.r.N {
		dst = append(dst, s.r.ID(s.r.Pos(i)))
	}
	return dst
}

// Draw returns the index of the token at u, in [0, 1), and the interval
// [lo, hi) of the cumulative distribution that u fell in.
func (d *Dist) Draw(u float64) (i int, lo, hi float64) {
	for i, p := range d.Probs {
		if hi = lo + p; u < hi || i == len(d.Probs)-1 {
			return i, lo, max(hi, math.Nextafter(u, 2))
		}
		lo = hi
	}
	return -1, 0, 0
}

// Prob returns the probability of a token, 0 if it cannot be drawn.
func (d *Dist) Prob(id int32) float64 {
	if i := slices.Index(d.IDs, id); i >= 0 {
		return d.Probs[i]
	}
	return 0
}

// Entropy returns the entropy in bits.
func (d *Dist) Entropy() float64 {
	h := 0.0
	for _, p := range d.Probs {
		if p > 0 {
			h -= p * math.Log2(p)
		}
	}
	return max(0, h)
}

// TotalVariation returns half the sum of the differences between two
// distributions: 0 for equal ones, 1 for ones with no token in common.
func TotalVariation(a, b *Dist) float64 {
	sum := 0.0
	pairs(a, b, func(p, q float64) { sum += math.Abs(p - q) })
	return min(1, sum/2)
}

// JensenShannon returns the Jensen-Shannon divergence of two distributions in
// bits, 0 to 1.
func JensenShannon(a, b *Dist) float64 {
	sum := 0.0
	pairs(a, b, func(p, q float64) {
		m := (p + q) / 2
		if p > 0 {
			sum += p * math.Log2(p/m)
		}
		if q > 0 {
			sum += q * math.Log2(q/m)
		}
	})
	return min(1, max(0, sum/2))
}

// Overlap returns the share of tokens that both distributions can draw, of
// those that either can.
func Overlap(a, b *Dist) float64 {
	both, either := 0, 0
	pairs(a, b, func(p, q float64) {
		if p > 0 || q > 0 {
			either++
		}
		if p > 0 && q > 0 {
			both++
		}
	})
	if either == 0 {
		return 1
	}
	return float64(both) / float64(either)
}

// pairs calls f with the probabilities of every token that a or b has.
func pairs(a, b *Dist, f func(p, q float64)) {
	i, j := ordered(a), ordered(b)
	for len(i) > 0 || len(j) > 0 {
		switch {
		case len(j) == 0 || len(i) > 0 && a.IDs[i[0]] < b.IDs[j[0]]:
			f(a.Probs[i[0]], 0)
			i = i[1:]
		case len(i) == 0 || a.IDs[i[0]] > b.IDs[j[0]]:
			f(0, b.Probs[j[0]])
			j = j[1:]
		default:
			f(a.Probs[i[0]], b.Probs[j[0]])
			i, j = i[1:], j[1:]
		}
	}
}

// ordered returns the indices of d by ascending id.
func ordered(d *Dist) []int32 {
	ix := make([]int32, len(d.IDs))
	for i := range ix {
		ix[i] = int32(i)
	}
	slices.SortFunc(ix, func(x, y int32) int { return int(d.IDs[x] - d.IDs[y]) })
	return ix
}

// Process applies what comes before the cuts (the constraint, biases, bans
// and penalties) to in.Logits and writes the row to dst, which must have its
// length: -Inf for what is banned. Beam search gives it log-probabilities.
func (p *Pipeline) Process(dst []float32, s *Scratch, in Input) error {
	return p.rewrite(dst, s, in, p.stages[:p.procs])
}

// Processes reports whether [Pipeline.Process] may change anything when the
// input has no mask: there is a bias, a ban or a penalty, or the vocabulary has
// ids without a piece.
func (p *Pipeline) Processes() bool { return p.procs > 0 || len(p.noPiece) > 0 }

// Warp applies every stage to in.Logits and writes the row to dst, which must
// have its length: -Inf for what is removed. Beam sampling draws from it.
func (p *Pipeline) Warp(dst []float32, s *Scratch, in Input) error {
	stages := p.stages
	if p.greedy {
		stages = stages[:len(stages)-1]
	}
	return p.rewrite(dst, s, in, stages)
}

func (p *Pipeline) rewrite(dst []float32, s *Scratch, in Input, stages []planned) error {
	r := &s.r
	if err := p.begin(r, in); err != nil {
		return err
	}
	p.prepare(s, in)
	if err := p.run(s, nil, maskCut, stages); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = negInf
	}
	for i, v := range r.X[:r.N] {
		pos := r.Pos(i)
		if in.IDs != nil {
			pos = int32(slices.Index(in.IDs, r.ID(pos)))
		}
		dst[pos] = v
	}
	return nil
}
