package sampling

import (
	"math"

	"logitscope/sampling/simd"
)

// The stages of llama.cpp, on its array. A cut leaves keep entries at least
// where the engine asks for that; 0 leaves it to the cut.

// topKArray keeps exactly k entries, sorted.
type topKArray int

func (k topKArray) apply(r *row) {
	m := min(int(k), r.n)
	if !r.sorted {
		r.arraySort(m)
	} else {
		r.truncate(m)
	}
}

// topPArray keeps the best entries until their float32 sum reaches p, and at
// least keep.
type topPArray struct {
	p    float32
	keep int
}

func (s topPArray) apply(r *row) {
	s.p = r.ofNamed(s.p)
	if r.sorted || r.n <= 1024 {
		sum := r.arraySoftmax(false)
		if !r.sorted {
			r.arraySort(r.n)
		}
		k, _ := s.walk(r.n, sum, func(i int) float32 { return r.e[i] })
		r.truncate(k)
		return
	}
	r.sums()
	// No probability is above 1/sum, so few tokens cannot reach p on a flat row.
	const few = 256
	if float64(s.p)*r.sum > few || s.keep > few || !s.fromBest(r, r.arrayBuckets(few)) {
		s.fromAll(r)
	}
}

// fromBest cuts within the best few, if it is there that the sum reaches p.
func (s topPArray) fromBest(r *row, items []item) bool {
	hi := r.max()
	scale := math.Exp(float64(r.ref - hi))
	e := func(i int) float32 { return float32(math.Exp(float64(items[i].x - hi))) }
	// The engine's own sum runs in float32 through the whole array. Most
	// often all that it can be leads to the same cut.
	slack := float64(r.n)/(1<<24) + 1e-5
	k, ok := s.walk(len(items), float32(r.sum*scale*(1+slack)), e)
	if k2, _ := s.walk(len(items), float32(r.sum*scale*(1-slack)), e); !ok || k != k2 {
		if k, ok = s.walk(len(items), r.arraySoftmax(false), e); !ok {
			return false
		}
	}
	r.permute(items[:k])
	r.sorted = true
	return true
}

// fromAll cuts anywhere.
func (s topPArray) fromAll(r *row) {
	sum := r.arraySoftmax(false)
	if !r.dense {
		items := r.arrayBuckets(r.n)
		k, _ := s.walk(r.n, sum, func(i int) float32 { return r.e[items[i].i] })
		r.permute(items[:k])
		r.sorted = true
		return
	}
	// The walk ends where the exact sum is near p; buckets are taken whole.
	slack := 2*float64(r.n)/(1<<24) + 1e-5
	from := 1
	if target := float64(s.p) * (1 + slack); target < 1 {
		if b := r.bracketAt(r.x[:r.n], r.e[:r.n], target*r.sum); len(b.items) > 0 {
			from = arrayBucket(b.items[len(b.items)-1].x)
		}
	}
	if !s.fromLoose(r, sum, from) {
		s.fromLoose(r, sum, 0)
	}
}

// fromLoose cuts among the entries of the buckets from from up, and reports
// whether it is there that the sum reaches p.
func (s topPArray) fromLoose(r *row, sum float32, from int) bool {
	items := r.radixSort(r.bucketsFrom(from))
	e := grow(&r.negBuf, len(items))
	for k, it := range items {
		e[k] = r.e[it.i]
	}
	k, ok := s.walk(len(items), sum, func(i int) float32 { return e[i] })
	if !ok && from > 0 {
		return false
	}
	all := len(items) == r.n
	r.permute(items[:k])
	r.sorted = true
	// While the row was dense, entries were positions. The list is no
	// scratch any more.
	r.loose, r.looseAll = items, all
	if len(r.itemTmp) > 0 && &items[0] == &r.itemTmp[0] {
		r.itemTmp, r.looseBuf = r.looseBuf, r.itemTmp
	}
	r.settle(k - 1)
	return true
}

// bucketsFrom returns the entries of the buckets from from up in array order,
// in r.looseBuf.
func (r *row) bucketsFrom(from int) []item {
	items := grow(&r.looseBuf, r.n)
	if from == 0 {
		for i, v := range r.x[:r.n] {
			items[i] = item{v, int32(i)}
		}
		return items
	}
	ix, x := grow(&r.idxBuf, r.n+simd.Slack), grow(&r.tmpBuf, r.n+simd.Slack)
	below := math.Nextafter32(arrayBucketFloor(from), negInf)
	n := simd.Between(ix, x, r.x[:r.n], below, inf32)
	for k, v := range x[:n] {
		items[k] = item{v, ix[k]}
	}
	return items[:n]
}

// walk returns how many of n entries stay, and whether their sum reached p.
func (s topPArray) walk(n int, sum float32, e func(i int) float32) (int, bool) {
	var cum float32
	for i := range n {
		if cum += e(i) / sum; cum >= s.p && i+1 >= s.keep {
			return i + 1, true
		}
	}
	return n, false
}

// minPArray keeps logits within ln(p) of the best.
type minPArray struct {
	p    float32
	keep int
}

func (s minPArray) apply(r *row) {
	limit := r.max() + float32(math.Log(float64(s.p)))
	if !r.sorted {
		n := 0
		if r.dense {
			for b, m := range r.bm {
				if m >= limit {
					for _, v := range r.x[b*simd.Block : min(r.n, (b+1)*simd.Block)] {
						if v >= limit {
							n++
						}
					}
				}
			}
		} else {
			for _, v := range r.x[:r.n] {
				if v >= limit {
					n++
				}
			}
		}
		if n > 0 && n >= s.keep {
			if n < r.n {
				r.keepFrom(limit, 0)
			}
			return
		}
		r.arraySort(r.n)
	}
	i := 1
	for i < r.n && !(r.x[i] < limit && i >= s.keep) {
		i++
	}
	r.truncate(i)
}

// typicalArray keeps entries of ordinary surprise until their sum exceeds p.
type typicalArray struct {
	p    float32
	keep int
}

func (s typicalArray) apply(r *row) {
	sum := r.arraySoftmax(true)
	var h float32
	for _, e := range r.e[:r.n] {
		p := e / sum
		h += float32(-p * log32(p))
	}
	keys := grow(&r.sortBuf, r.n)
	for i, e := range r.e[:r.n] {
		keys[i] = item{-abs32(-log32(e/sum) - h), int32(i)}
	}
	cxxSort(keys)
	var cum float32
	n := r.n
	for i, k := range keys {
		if cum += r.e[k.i] / sum; cum > s.p && (s.keep == 0 || i >= s.keep-1) {
			n = i + 1
			break
		}
	}
	for i := range keys[:n] {
		keys[i].x = r.x[keys[i].i]
	}
	r.holes = true
	r.permute(keys[:n])
	r.sorted = false
}

func log32(f float32) float32 { return float32(math.Log(float64(f))) }

func abs32(f float32) float32 { return float32(math.Abs(float64(f))) }

// sigmaArray sends logits further than n standard deviations below the best
// to -inf (Tang et al. 2024, "top-nσ").
type sigmaArray float32

func (n sigmaArray) apply(r *row) {
	if r.n <= 1 || r.nfin == 0 {
		return
	}
	t, slack := n.estimate(r)
	if !(slack < inf32) || simd.CountAbove(r.x[:r.n], t-slack) != simd.CountAbove(r.x[:r.n], t+slack) {
		t = n.exact(r)
	}
	r.sinkBelow(t)
}

var inf32 = float32(math.Inf(1))

// estimate returns the threshold, and how far the engine's own arithmetic may
// be from it: its float32 sums over n logits are off by n units in the last
// place at most.
func (n sigmaArray) estimate(r *row) (t, slack float32) {
	k, sum, squares := simd.Moments(r.x[:r.n])
	mean := sum / float64(k)
	std := math.Sqrt(max(0, squares/float64(k)-mean*mean))
	u := float64(k)/(1<<24) + 1e-6
	off := u * math.Sqrt(squares/float64(k)) // of the mean
	stdOff := u*std + off
	return r.max() - float32(float64(n)*std), float32(float64(n)*stdOff) + 1e-5
}

// exact returns the threshold as the engine computes it.
func (n sigmaArray) exact(r *row) float32 {
	var sum float32
	count := 0
	for _, v := range r.x[:r.n] {
		if v > negInf {
			sum += v
			count++
		}
	}
	mean := sum / float32(count)
	acc := simd.SquaresFloat32(r.x[:r.n], mean)
	std := float32(math.Sqrt(float64(acc / float32(count))))
	return r.max() - float32(float32(n)*std)
}

// sinkBelow sends logits below t to -inf; the entries stay.
func (r *row) sinkBelow(t float32) {
	if r.eOK {
		r.ownE()
		for i, v := range r.x[:r.n] {
			if v < t {
				r.e[i] = 0
			}
		}
	}
	if k := simd.Sink(r.x[:r.n], t); k > 0 {
		r.nfin -= k
		r.rebound()
		r.resum()
	}
}

// temperatureArray divides the logits, or keeps only the first best entry
// above -inf if t is 0 or less.
type temperatureArray float32

func (t temperatureArray) apply(r *row) {
	if t > 0 {
		r.scaleBy(float32(t))
		return
	}
	best := r.argmax()
	for i := range r.n {
		if i != best {
			r.x[i] = negInf
		}
	}
	r.nfin = 1
	r.rebound()
	r.dirty()
}

// dynamicTemperature moves the temperature with the entropy between t-spread
// and t+spread.
type dynamicTemperature struct{ t, spread, exponent float32 }

func (s dynamicTemperature) apply(r *row) {
	lo, hi := max(0, s.t-s.spread), s.t+s.spread
	if r.n <= 1 {
		return
	}
	most := -log32(1 / float32(r.n))
	sum := r.arraySoftmax(true)
	var h float32
	for _, e := range r.e[:r.n] {
		if p := e / sum; p > 0 {
			h -= float32(p * log32(p))
		}
	}
	f := float32(math.Pow(float64(h/most), float64(s.exponent)))
	temperatureArray(lo + float32((hi-lo)*f)).apply(r)
}

// dropFirst removes the first k entries.
func (r *row) dropFirst(k int) {
	r.settleAll()
	for _, v := range r.x[:k] {
		if v > negInf {
			r.nfin--
		}
	}
	n := copy(r.x, r.x[k:r.n])
	copy(r.ix, r.ix[k:r.n])
	if r.eOK {
		r.ownE()
		copy(r.e, r.e[k:r.n])
	}
	r.n, r.x, r.ix, r.atOK, r.holes = n, r.x[:n], r.ix[:n], false, true
	r.resum()
}
