package row

import (
	"math"

	"logitscope/sampling/simd"
)

// The stages of llama.cpp, on its array. A cut leaves keep entries at least
// where the engine asks for that; 0 leaves it to the cut.

// TopKArray keeps exactly k entries, sorted.
type TopKArray int

func (k TopKArray) Apply(r *Row) {
	m := min(int(k), r.N)
	if !r.Sorted {
		r.arraySort(m)
	} else {
		r.Truncate(m)
	}
}

// Sole reports whether k is 1.
func (k TopKArray) Sole() bool { return k == 1 }

// TopPArray keeps the best entries until their float32 sum reaches p, and at
// least keep.
type TopPArray struct {
	P    float32
	Keep int
}

func (s TopPArray) Apply(r *Row) {
	s.P = r.OfNamed(s.P)
	if !r.Sorted && r.N > 1024 {
		s.applyFast(r)
		return
	}
	sum := r.ArraySoftmax(false)
	if !r.Sorted {
		r.arraySort(r.N)
	}
	k, _ := s.walk(r.N, sum, func(i int) float32 { return r.E[i] })
	r.Truncate(k)
}

// walk returns how many of n entries stay, and whether their sum reached p.
func (s TopPArray) walk(n int, sum float32, e func(i int) float32) (int, bool) {
	var cum float32
	for i := range n {
		if cum += e(i) / sum; cum >= s.P && i+1 >= s.Keep {
			return i + 1, true
		}
	}
	return n, false
}

// MinPArray keeps logits within ln(p) of the best.
type MinPArray struct {
	P    float32
	Keep int
}

func (s MinPArray) Apply(r *Row) {
	limit := r.Max() + float32(math.Log(float64(s.P)))
	if !r.Sorted {
		n := 0
		if r.dense {
			for b, m := range r.bm {
				if m >= limit {
					for _, v := range r.X[b*simd.Block : min(r.N, (b+1)*simd.Block)] {
						if v >= limit {
							n++
						}
					}
				}
			}
		} else {
			for _, v := range r.X[:r.N] {
				if v >= limit {
					n++
				}
			}
		}
		if n > 0 && n >= s.Keep {
			if n < r.N {
				r.keepFrom(limit, 0)
			}
			return
		}
		r.arraySort(r.N)
	}
	i := 1
	for i < r.N && !(r.X[i] < limit && i >= s.Keep) {
		i++
	}
	r.Truncate(i)
}

// TypicalArray keeps entries of ordinary surprise until their sum exceeds p.
type TypicalArray struct {
	P    float32
	Keep int
}

func (s TypicalArray) Apply(r *Row) {
	sum := r.ArraySoftmax(true)
	var h float32
	for _, e := range r.E[:r.N] {
		p := e / sum
		h += float32(-p * log32(p))
	}
	keys := grow(&r.sortBuf, r.N)
	for i, e := range r.E[:r.N] {
		keys[i] = Item{-abs32(-log32(e/sum) - h), int32(i)}
	}
	cxxSort(keys)
	var cum float32
	n := r.N
	for i, k := range keys {
		if cum += r.E[k.I] / sum; cum > s.P && (s.Keep == 0 || i >= s.Keep-1) {
			n = i + 1
			break
		}
	}
	for i := range keys[:n] {
		keys[i].x = r.X[keys[i].I]
	}
	r.Holes = true
	r.permute(keys[:n])
	r.Sorted = false
}

func log32(f float32) float32 { return float32(math.Log(float64(f))) }

func abs32(f float32) float32 { return float32(math.Abs(float64(f))) }

// SigmaArray sends logits further than n standard deviations below the best
// to -inf (Tang et al. 2024, "top-nσ").
type SigmaArray float32

func (n SigmaArray) Apply(r *Row) {
	if r.N <= 1 || r.Finite == 0 {
		return
	}
	t, slack := n.estimate(r)
	if !(slack < inf32) || simd.CountAbove(r.X[:r.N], t-slack) != simd.CountAbove(r.X[:r.N], t+slack) {
		t = n.exact(r)
	}
	r.sinkBelow(t)
}

var inf32 = float32(math.Inf(1))

// estimate returns the threshold, and how far the engine's own arithmetic may
// be from it: its float32 sums over n logits are off by n units in the last
// place at most.
func (n SigmaArray) estimate(r *Row) (t, slack float32) {
	k, sum, squares := simd.Moments(r.X[:r.N])
	mean := sum / float64(k)
	std := math.Sqrt(max(0, squares/float64(k)-mean*mean))
	u := float64(k)/(1<<24) + 1e-6
	off := u * math.Sqrt(squares/float64(k)) // of the mean
	stdOff := u*std + off
	if squares > math.MaxFloat32 { // the engine's sum is infinite
		return 0, inf32
	}
	return r.Max() - float32(float64(n)*std), float32(float64(n)*stdOff) + 1e-5
}

// exact returns the threshold as the engine computes it.
func (n SigmaArray) exact(r *Row) float32 {
	var sum float32
	count := 0
	for _, v := range r.X[:r.N] {
		if v > negInf {
			sum += v
			count++
		}
	}
	mean := sum / float32(count)
	acc := simd.SquaresFloat32(r.X[:r.N], mean)
	std := float32(math.Sqrt(float64(acc / float32(count))))
	return r.Max() - float32(float32(n)*std)
}

// sinkBelow sends logits below t to -inf; the entries stay.
func (r *Row) sinkBelow(t float32) {
	if r.eOK {
		r.ownE()
		for i, v := range r.X[:r.N] {
			if v < t {
				r.E[i] = 0
			}
		}
	}
	if k := simd.Sink(r.X[:r.N], t); k > 0 {
		r.Finite -= k
		r.rebound()
		r.resum()
	}
}

// TemperatureArray divides the logits, or keeps only the first best entry
// above -inf if t is 0 or less.
type TemperatureArray float32

func (t TemperatureArray) Apply(r *Row) {
	if t > 0 {
		r.scaleBy(float32(t))
		return
	}
	best := r.Argmax()
	for i := range r.N {
		if i != best {
			r.X[i] = negInf
		}
	}
	r.Finite = 1
	r.rebound()
	r.dirty()
}

// Sole reports whether t is 0.
func (t TemperatureArray) Sole() bool { return t <= 0 }

// DynamicTemperature moves the temperature with the entropy between t-spread
// and t+spread.
type DynamicTemperature struct{ T, Spread, Exponent float32 }

func (s DynamicTemperature) Apply(r *Row) {
	lo, hi := max(0, s.T-s.Spread), s.T+s.Spread
	if r.N <= 1 {
		return
	}
	most := -log32(1 / float32(r.N))
	sum := r.ArraySoftmax(true)
	var h float32
	for _, e := range r.E[:r.N] {
		if p := e / sum; p > 0 {
			h -= float32(p * log32(p))
		}
	}
	f := float32(math.Pow(float64(h/most), float64(s.Exponent)))
	TemperatureArray(lo + float32((hi-lo)*f)).Apply(r)
}

// DropFirst removes the first k entries.
func (r *Row) DropFirst(k int) {
	r.SettleAll()
	for _, v := range r.X[:k] {
		if v > negInf {
			r.Finite--
		}
	}
	n := copy(r.X, r.X[k:r.N])
	copy(r.ix, r.ix[k:r.N])
	if r.eOK {
		r.ownE()
		copy(r.E, r.E[k:r.N])
	}
	r.N, r.X, r.ix, r.atOK, r.Holes = n, r.X[:n], r.ix[:n], false, true
	r.resum()
}
