package sampling

import (
	"math"

	"logitscope/sampling/simd"
)

// list leaves the dense form.
func (r *row) list() {
	if !r.dense {
		return
	}
	r.ownE()
	r.ix = grow(&r.ixBuf, r.n+simd.Slack)[:r.n]
	for i := range r.ix {
		r.ix[i] = int32(i)
	}
	r.dense = false
}

// truncate keeps the first n entries.
func (r *row) truncate(n int) {
	if n >= r.n {
		return
	}
	r.list()
	if n > 0 {
		r.settle(n - 1)
	}
	for _, v := range r.x[n:r.n] {
		if v > negInf {
			r.nfin--
		}
	}
	r.n, r.atOK = n, false
	r.x, r.ix = r.x[:n], r.ix[:n]
	r.resum()
}

// keep removes the entries that want does not report, in place. It is for
// cuts that are no threshold on the logit.
func (r *row) keep(want func(i int) bool) {
	r.list()
	r.settleAll()
	k := 0
	r.nfin = 0
	for i := range r.n {
		if !want(i) {
			continue
		}
		r.ix[k], r.x[k] = r.ix[i], r.x[i]
		if r.eOK {
			r.e[k] = r.e[i]
		}
		if r.x[k] > negInf {
			r.nfin++
		}
		k++
	}
	r.cutTo(k)
}

// cutTo ends a removal in place that left k entries.
func (r *row) cutTo(k int) {
	r.n, r.atOK = k, false
	r.ix, r.x = r.ix[:k], r.x[:k]
	r.resum()
}

// keepFrom keeps the entries with a logit of at least t, less the first skip
// of those equal to it, in their order. Nothing at -inf is kept.
func (r *row) keepFrom(t float32, skip int) {
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
	r.nfin = r.n
	r.resum()
}

// blocksFrom returns the number of blocks that reach t.
func (r *row) blocksFrom(t float32) int {
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
func (r *row) keepBlocks(t float32) {
	r.ix = grow(&r.ixBuf, r.n+simd.Slack)
	r.eOK = false // shorter to compute anew than to carry along
	k := 0
	for b, m := range r.bm {
		if !(m >= t) {
			continue
		}
		lo := b * simd.Block
		for i, v := range r.x[lo:min(r.n, lo+simd.Block)] {
			if v >= t {
				r.ix[k], r.x[k] = int32(lo+i), v
				k++
			}
		}
	}
	r.dense = false
	r.cutTo(k)
}

// keepDense is keepFrom for many survivors: one pass without branches.
func (r *row) keepDense(t float32) {
	r.ix = grow(&r.ixBuf, r.n+simd.Slack)
	n := r.n
	x := r.xBuf[:n+simd.Slack]
	e := r.e
	if !r.eOK {
		e = x // carried along for nothing
	}
	de := grow(&r.eBuf, len(r.raw)+simd.Slack)
	if !r.eOK {
		de = grow(&r.tmpBuf, n+simd.Slack)
	}
	k := simd.Compress(r.ix, x, de, x[:n], e[:n], 0, t)
	r.dense = false
	if r.eOK {
		r.e, r.sharedE = de[:k], false
	}
	r.n, r.atOK = k, false
	r.ix, r.x = r.ix[:k], x[:k]
}

func (r *row) keepList(t float32) {
	r.settleAll()
	k := 0
	for i, v := range r.x[:r.n] {
		if !(v >= t) {
			continue
		}
		r.ix[k], r.x[k] = r.ix[i], v
		if r.eOK {
			r.e[k] = r.e[i]
		}
		k++
	}
	r.n, r.atOK = k, false
	r.ix, r.x = r.ix[:k], r.x[:k]
}

// skipTies removes the first skip entries equal to t.
func (r *row) skipTies(t float32, skip int) {
	k := 0
	for i, v := range r.x[:r.n] {
		if v == t && skip > 0 {
			skip--
			continue
		}
		if k != i {
			r.ix[k], r.x[k] = r.ix[i], v
			if r.eOK {
				r.e[k] = r.e[i]
			}
		}
		k++
	}
	r.n, r.atOK = k, false
	r.ix, r.x = r.ix[:k], r.x[:k]
}

// permute puts the entries in the order of items, dropping the others.
func (r *row) permute(items []item) {
	r.settleAll()
	n := len(items)
	ix := grow(&r.idxBuf, n)
	for k, it := range items {
		ix[k] = r.pos(int(it.i))
	}
	if r.eOK {
		tmp := grow(&r.tmpBuf, n)
		for k, it := range items {
			tmp[k] = r.e[it.i]
		}
		r.e = grow(&r.eBuf, len(r.raw)+simd.Slack)[:n]
		copy(r.e, tmp)
		r.sharedE = false
	}
	for k, it := range items {
		r.x[k] = it.x
	}
	if r.dense {
		r.ix = grow(&r.ixBuf, r.n+simd.Slack)
	}
	copy(r.ix[:n], ix)
	r.dense, r.mixed, r.atOK = false, true, false
	r.ix, r.x, r.n = r.ix[:n], r.x[:n], n
	r.nfin = 0
	for _, v := range r.x {
		if v > negInf {
			r.nfin++
		}
	}
	r.resum()
}
