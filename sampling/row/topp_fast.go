package row

import (
	"math"

	"logitscope/sampling/simd"
)

// applyFast keeps what Apply does, on a long array that is not sorted: it
// looks among the best few, then among all, and sorts no more of the array
// than what it keeps.
func (s TopPArray) applyFast(r *Row) {
	r.Sums()
	// No probability is above 1/sum, so few tokens cannot reach p on a flat row.
	const few = 256
	if float64(s.P)*r.Sum > few || s.Keep > few || !s.fromBest(r, r.arrayBuckets(few)) {
		s.fromAll(r)
	}
}

// fromBest cuts within the best few, if it is there that the sum reaches p.
func (s TopPArray) fromBest(r *Row, items []Item) bool {
	hi := r.Max()
	scale := math.Exp(float64(r.Ref - hi))
	e := func(i int) float32 { return float32(math.Exp(float64(items[i].x - hi))) }
	// The engine's own sum runs in float32 through the whole array. Most
	// often all that it can be leads to the same cut.
	slack := float64(r.N)/(1<<24) + 1e-5
	k, ok := s.walk(len(items), float32(r.Sum*scale*(1+slack)), e)
	if k2, _ := s.walk(len(items), float32(r.Sum*scale*(1-slack)), e); !ok || k != k2 {
		if k, ok = s.walk(len(items), r.ArraySoftmax(false), e); !ok {
			return false
		}
	}
	r.permute(items[:k])
	r.Sorted = true
	return true
}

// fromAll cuts anywhere.
func (s TopPArray) fromAll(r *Row) {
	sum := r.ArraySoftmax(false)
	if !r.dense {
		items := r.arrayBuckets(r.N)
		k, _ := s.walk(r.N, sum, func(i int) float32 { return r.E[items[i].I] })
		r.permute(items[:k])
		r.Sorted = true
		return
	}
	// The walk ends where the exact sum is near p; buckets are taken whole.
	slack := 2*float64(r.N)/(1<<24) + 1e-5
	from := 1
	if target := float64(s.P) * (1 + slack); target < 1 {
		if b := r.bracketAt(r.X[:r.N], r.E[:r.N], target*r.Sum); len(b.items) > 0 {
			from = arrayBucket(b.items[len(b.items)-1].x)
		}
	}
	if !s.fromLoose(r, sum, from) {
		s.fromLoose(r, sum, 0)
	}
}

// fromLoose cuts among the entries of the buckets from from up, and reports
// whether it is there that the sum reaches p.
func (s TopPArray) fromLoose(r *Row, sum float32, from int) bool {
	items := r.bucketsFrom(from)
	if len(items) == 0 {
		return false
	}
	items = r.radixSort(items)
	e := grow(&r.negBuf, len(items))
	for k, it := range items {
		e[k] = r.E[it.I]
	}
	k, ok := s.walk(len(items), sum, func(i int) float32 { return e[i] })
	if !ok && from > 0 {
		return false
	}
	all := len(items) == r.N
	r.permute(items[:k])
	r.Sorted = true
	// While the row was dense, entries were positions. The list stays, so the
	// other buffer is what the next sort writes to.
	r.loose, r.looseAll = items, all
	if len(r.itemTmp) > 0 && &items[0] == &r.itemTmp[0] {
		r.itemTmp, r.looseBuf = r.looseBuf, r.itemTmp
	}
	r.Settle(k - 1)
	return true
}

// bucketsFrom returns the entries of the buckets from from up in array order,
// in r.looseBuf.
func (r *Row) bucketsFrom(from int) []Item {
	items := grow(&r.looseBuf, r.N)
	if from == 0 {
		for i, v := range r.X[:r.N] {
			items[i] = Item{v, int32(i)}
		}
		return items
	}
	ix, x := grow(&r.idxBuf, r.N+simd.Slack), grow(&r.tmpBuf, r.N+simd.Slack)
	below := math.Nextafter32(arrayBucketFloor(from), negInf)
	n := simd.Between(ix, x, r.X[:r.N], below, inf32)
	for k, v := range x[:n] {
		items[k] = Item{v, ix[k]}
	}
	return items[:n]
}
