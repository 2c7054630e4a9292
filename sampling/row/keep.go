package row

import (
	"math"

	"logitscope/sampling/simd"
)

// List leaves the dense form.
func (r *Row) List() {
	if !r.dense {
		return
	}
	r.ownE()
	r.ix = grow(&r.ixBuf, r.N+simd.Slack)[:r.N]
	for i := range r.ix {
		r.ix[i] = int32(i)
	}
	r.dense = false
}

// Truncate keeps the first n entries.
func (r *Row) Truncate(n int) {
	if n >= r.N {
		return
	}
	r.List()
	if n > 0 {
		r.Settle(n - 1)
	}
	for _, v := range r.X[n:r.N] {
		if v > negInf {
			r.Finite--
		}
	}
	r.N, r.atOK = n, false
	r.X, r.ix = r.X[:n], r.ix[:n]
	r.resum()
}

// Keep removes the entries that want does not report, in place. It is for
// cuts that are not thresholds on the logit.
func (r *Row) Keep(want func(i int) bool) {
	r.List()
	r.SettleAll()
	k := 0
	r.Finite = 0
	for i := range r.N {
		if !want(i) {
			continue
		}
		r.ix[k], r.X[k] = r.ix[i], r.X[i]
		if r.eOK {
			r.E[k] = r.E[i]
		}
		if r.X[k] > negInf {
			r.Finite++
		}
		k++
	}
	r.cutTo(k)
}

// cutTo ends a removal in place that left k entries.
func (r *Row) cutTo(k int) {
	r.N, r.atOK = k, false
	r.ix, r.X = r.ix[:k], r.X[:k]
	r.resum()
}

// keepFrom keeps the entries with a logit of at least t, less the first skip
// of those equal to it, in their order. Nothing at -inf is kept.
func (r *Row) keepFrom(t float32, skip int) {
	if t == negInf {
		t = -math.MaxFloat32
	}
	switch {
	case r.dense && r.blocksFrom(t) < len(r.bm)/8:
		r.keepBlocks(t)
	case r.dense:
		r.keepDense(t)
	default:
		r.keepList(t)
	}
	if skip > 0 {
		r.skipTies(t, skip)
	}
	r.Finite = r.N
	r.resum()
}

// blocksFrom returns the number of blocks that reach t.
func (r *Row) blocksFrom(t float32) int {
	k := 0
	for _, m := range r.bm {
		if m >= t {
			k++
		}
	}
	return k
}

// keepBlocks is keepFrom for few survivors: it looks into the blocks that
// have any.
func (r *Row) keepBlocks(t float32) {
	r.ix = grow(&r.ixBuf, r.N+simd.Slack)
	r.eOK = false // shorter to compute anew than to carry along
	k := 0
	for b, m := range r.bm {
		if !(m >= t) {
			continue
		}
		lo := b * simd.Block
		for i, v := range r.X[lo:min(r.N, lo+simd.Block)] {
			if v >= t {
				r.ix[k], r.X[k] = int32(lo+i), v
				k++
			}
		}
	}
	r.dense = false
	r.cutTo(k)
}

// keepDense is keepFrom for many survivors: one pass without branches.
func (r *Row) keepDense(t float32) {
	r.ix = grow(&r.ixBuf, r.N+simd.Slack)
	n := r.N
	x := r.xBuf[:n+simd.Slack]
	e := r.E
	if !r.eOK {
		e = x // carried along for nothing
	}
	de := grow(&r.eBuf, len(r.Raw)+simd.Slack)
	if !r.eOK {
		de = grow(&r.tmpBuf, n+simd.Slack)
	}
	k := simd.Compress(r.ix, x, de, x[:n], e[:n], 0, t)
	r.dense = false
	if r.eOK {
		r.E, r.sharedE = de[:k], false
	}
	r.N, r.atOK = k, false
	r.ix, r.X = r.ix[:k], x[:k]
}

func (r *Row) keepList(t float32) {
	r.SettleAll()
	k := 0
	for i, v := range r.X[:r.N] {
		if !(v >= t) {
			continue
		}
		r.ix[k], r.X[k] = r.ix[i], v
		if r.eOK {
			r.E[k] = r.E[i]
		}
		k++
	}
	r.N, r.atOK = k, false
	r.ix, r.X = r.ix[:k], r.X[:k]
}

// skipTies removes the first skip entries equal to t.
func (r *Row) skipTies(t float32, skip int) {
	k := 0
	for i, v := range r.X[:r.N] {
		if v == t && skip > 0 {
			skip--
			continue
		}
		if k != i {
			r.ix[k], r.X[k] = r.ix[i], v
			if r.eOK {
				r.E[k] = r.E[i]
			}
		}
		k++
	}
	r.N, r.atOK = k, false
	r.ix, r.X = r.ix[:k], r.X[:k]
}

// permute puts the entries in the order of items, dropping the others.
func (r *Row) permute(items []Item) {
	r.SettleAll()
	n := len(items)
	ix := grow(&r.idxBuf, n)
	for k, it := range items {
		ix[k] = r.Pos(int(it.I))
	}
	if r.eOK {
		tmp := grow(&r.tmpBuf, n)
		for k, it := range items {
			tmp[k] = r.E[it.I]
		}
		r.E = grow(&r.eBuf, len(r.Raw)+simd.Slack)[:n]
		copy(r.E, tmp)
		r.sharedE = false
	}
	for k, it := range items {
		r.X[k] = it.x
	}
	if r.dense {
		r.ix = grow(&r.ixBuf, r.N+simd.Slack)
	}
	copy(r.ix[:n], ix)
	r.dense, r.mixed, r.atOK = false, true, false
	r.ix, r.X, r.N = r.ix[:n], r.X[:n], n
	r.Finite = 0
	for _, v := range r.X {
		if v > negInf {
			r.Finite++
		}
	}
	r.resum()
}
