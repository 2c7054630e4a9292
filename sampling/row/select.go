package row

import (
	"math"
	"slices"

	"logitscope/sampling/simd"
)

// orderKey maps a logit to an integer that orders as it does. Both zeros have
// one key.
func orderKey(f float32) uint32 {
	b := math.Float32bits(f + 0)
	return b ^ (uint32(int32(b)>>31) | 1<<31) // without a branch: signs are in no order
}

// keyLogit is the inverse of orderKey.
func keyLogit(k uint32) float32 {
	if k>>31 == 0 {
		return math.Float32frombits(^k)
	}
	return math.Float32frombits(k &^ (1 << 31))
}

// kth returns the k-th largest logit of the entries, counting equal ones. k
// is 1 to n.
func (r *Row) kth(k int) float32 {
	if r.Sorted {
		return r.X[k-1]
	}
	if k > r.Finite {
		return negInf
	}
	vals := grow(&r.keyBuf, 0)
	bm := r.blocks()
	switch {
	case k <= len(bm)/4:
		// The k-th largest block maximum is a lower bound of the k-th value.
		vals = append(vals, bm...)
		t := selectLargest(vals, k)
		vals = vals[:0]
		for b, m := range bm {
			if m < t {
				continue
			}
			for _, v := range r.X[b*simd.Block : min(r.N, (b+1)*simd.Block)] {
				if v >= t {
					vals = append(vals, v)
				}
			}
		}
	case r.N > fewEntries:
		var above int
		vals, above = r.around(k)
		k -= above
	default:
		vals = append(vals, r.X[:r.N]...)
	}
	v := selectLargest(vals, k)
	r.keyBuf = vals[:0]
	return v
}

// around returns logits among which the k-th largest is, and how many are
// above them. Counts of the row narrow two thresholds down.
func (r *Row) around(k int) (vals []float32, above int) {
	const enough = 512
	x := r.X[:r.N]
	hi, lo := r.top(x), negInf
	countLo := r.Finite
	t, step := hi-1, float32(1)
	for i := 0; i < 48 && countLo-above > enough && t < hi && t > lo; i++ {
		if n := simd.CountAbove(x, t); n < k {
			hi, above = t, n
		} else {
			lo, countLo = t, n
		}
		if lo == negInf {
			step *= 2
			t = hi - step
		} else {
			t = hi - (hi-lo)*nudged(float32(k-above)/float32(countLo-above))
		}
	}
	ix := grow(&r.idxBuf, r.N+simd.Slack)
	vals = grow(&r.keyBuf, r.N+simd.Slack)
	return vals[:simd.Between(ix, vals, x, lo, hi)], above
}

// blocks returns the block maxima of the entries.
func (r *Row) blocks() []float32 {
	if r.dense {
		return r.bm
	}
	bm := grow(&r.topBuf, simd.Blocks(r.N))
	simd.MaxBlocks(bm, r.X[:r.N])
	return bm
}

// selectLargest returns the k-th largest of s, which it reorders.
func selectLargest(s []float32, k int) float32 {
	lo, hi, k := 0, len(s)-1, k-1
	for lo < hi {
		p := medianOf3(s[lo], s[lo+(hi-lo)/2], s[hi])
		i, j := lo, hi
		for i <= j {
			for s[i] > p {
				i++
			}
			for s[j] < p {
				j--
			}
			if i <= j {
				s[i], s[j] = s[j], s[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return s[k]
		}
	}
	return s[k]
}

func medianOf3(a, b, c float32) float32 {
	return max(min(a, b), min(max(a, b), c))
}

// Best returns the m best entries in rank order: descending logit, equal ones
// by ascending position. Fewer are returned if there are fewer above -inf.
// The result is valid until the next selection.
func (r *Row) Best(m int) []Item {
	m = min(m, r.Finite)
	if m <= 0 {
		return nil
	}
	t := r.kth(m)
	items := r.gather(t, m)
	r.sortItems(items)
	return items[:m]
}

// gather returns the entries with a logit of at least t. Of those equal to t
// it stops at the first ones that make up m, if entries are in position order.
func (r *Row) gather(t float32, m int) []Item {
	items := grow(&r.sortBuf, 0)
	bm := r.blocks()
	ties, inOrder := 0, r.inOrder()
	if inOrder {
		above := 0
		for b, hi := range bm {
			if hi > t {
				above += simd.CountAbove(r.X[b*simd.Block:min(r.N, (b+1)*simd.Block)], t)
			}
		}
		ties = m - above
	}
	for b, hi := range bm {
		if hi < t {
			continue
		}
		lo := b * simd.Block
		for i, v := range r.X[lo:min(r.N, lo+simd.Block)] {
			if !(v >= t) {
				continue
			}
			if v == t && inOrder {
				if ties <= 0 {
					continue
				}
				ties--
			}
			items = append(items, Item{v, int32(lo + i)})
		}
	}
	r.sortBuf = items
	return items
}

// sortItems sorts items by rank: descending logit, then ascending position.
func (r *Row) sortItems(items []Item) {
	if len(items) > 512 && r.inOrder() {
		if sorted := r.radixSort(items); &sorted[0] != &items[0] {
			copy(items, sorted)
		}
		return
	}
	if r.dense {
		slices.SortFunc(items, byRankDense)
		return
	}
	ix := r.ix
	slices.SortFunc(items, func(a, b Item) int {
		switch {
		case a.x > b.x:
			return -1
		case a.x < b.x:
			return 1
		}
		return int(ix[a.I] - ix[b.I])
	})
}

func byRankDense(a, b Item) int {
	switch {
	case a.x > b.x:
		return -1
	case a.x < b.x:
		return 1
	}
	return int(a.I - b.I)
}

// radixSort sorts items by descending logit and keeps the order of equal
// ones. The result is in items or in r.itemTmp, and the other is overwritten.
func (r *Row) radixSort(items []Item) []Item {
	tmp := grow(&r.itemTmp, len(items))
	var count [3][radix]int32
	for _, it := range items {
		k := ^orderKey(it.x)
		count[0][k%radix]++
		count[1][k/radix%radix]++
		count[2][k/(radix*radix)]++
	}
	src, dst := items, tmp
	for pass := range 3 {
		c := &count[pass]
		shift := uint(pass * radixBits)
		if c[^orderKey(src[0].x)>>shift%radix] == int32(len(src)) {
			continue
		}
		begins(c)
		for _, it := range src {
			b := ^orderKey(it.x) >> shift % radix
			dst[c[b]] = it
			c[b]++
		}
		src, dst = dst, src
	}
	return src
}

const (
	radixBits = 11
	radix     = 1 << radixBits
)

// begins turns counts into where the items of each digit begin.
func begins(count *[radix]int32) {
	at := int32(0)
	for i, n := range count {
		count[i] = at
		at += n
	}
}

// sortByPosition sorts items by ascending position, which differ.
func (r *Row) sortByPosition(items []Item) {
	if len(items) <= 64 {
		slices.SortFunc(items, func(a, b Item) int { return int(a.I - b.I) })
		return
	}
	src, dst := items, grow(&r.itemTmp, len(items))
	for shift := 0; len(r.Raw)>>shift > 0; shift += radixBits {
		var count [radix]int32
		for _, it := range src {
			count[it.I>>shift%radix]++
		}
		begins(&count)
		for _, it := range src {
			b := it.I >> shift % radix
			dst[count[b]] = it
			count[b]++
		}
		src, dst = dst, src
	}
	if &src[0] != &items[0] {
		copy(items, src)
	}
}

// A bracket is a run of entries in descending order of some value, small
// enough to sort, with what lies above it.
type bracket struct {
	items []Item  // by descending value, equal ones by ascending position
	mass  float64 // weight of the entries above
	count int     // number of the entries above
}

// bracketAt returns the entries around the place where the weights w, added
// up from the largest value down, first exceed target. Nothing but the
// bracket is sorted: passes over the row narrow two thresholds down, which
// keep clear of the target by what sums in another order may differ.
func (r *Row) bracketAt(vals, w []float32, target float64) bracket {
	const enough = 512
	hi, lo := r.top(vals), negInf
	n, total := simd.SumAbove(vals, w, negInf)
	slack := 2e-7 * total
	above, below := 0.0, total // masses above hi and above lo
	count, countLo := 0, n
	step := float32(1)
	t := hi - step
	for i := 0; i < 48 && countLo-count > enough && t < hi && t > lo; i++ {
		k, m := simd.SumAbove(vals, w, t)
		switch {
		case m > target+slack:
			lo, below, countLo = t, m, k
		case m <= target-slack:
			hi, above, count = t, m, k
		case i%2 == 0: // too near to tell: look to the sides of it
			t += (hi - t) / 2
			continue
		default:
			t -= min((t-lo)/2, 1)
			continue
		}
		switch {
		case lo == negInf:
			step *= 2
			t = hi - step
		default:
			t = hi - (hi-lo)*nudged(float32((target-above)/(below-above)))
		}
	}
	return bracket{r.between(vals, lo, hi), above, count}
}

// nudged keeps a guess away from the ends of its interval, so that both ends
// move.
func nudged(f float32) float32 { return min(max(f, 0.02), 0.98) }

// top returns the largest of vals.
func (r *Row) top(vals []float32) float32 {
	bm := grow(&r.topBuf, simd.Blocks(len(vals)))
	hi, _, _, _ := simd.MaxBlocks(bm, vals)
	return hi
}

// between returns the entries with lo < value <= hi.
func (r *Row) between(vals []float32, lo, hi float32) []Item {
	ix, x := grow(&r.idxBuf, len(vals)+simd.Slack), grow(&r.tmpBuf, len(vals)+simd.Slack)
	n := simd.Between(ix, x, vals, lo, hi)
	items := grow(&r.sortBuf, n)
	for k := range items {
		items[k] = Item{x[k], ix[k]}
	}
	r.sortItems(items)
	return items
}

// RawRank returns the rank, from 1, of a position by the model's own
// distribution, and the sum of the raw exponentials down to and with it.
func (r *Row) RawRank(pos int32) (rank int32, cum float64) {
	v := r.Raw[pos]
	n := 0
	for b, m := range r.rawBM {
		if m < v {
			continue
		}
		lo, hi := b*simd.Block, min(len(r.Raw), (b+1)*simd.Block)
		k, s := simd.SumAbove(r.Raw[lo:hi], r.RawE[lo:hi], v)
		n += k
		cum += s
		if lo <= int(pos) {
			for i, w := range r.Raw[lo:min(hi, int(pos)+1)] {
				if w == v {
					n++
					cum += float64(r.RawE[lo+i])
				}
			}
		}
	}
	return int32(n), cum
}
