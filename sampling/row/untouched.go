package row

import (
	"math"

	"logitscope/sampling/simd"
)

// WorstUntouched returns the entry of lowest rank that no stage has touched,
// or -1. Such entries rank as their logits do, so it has the smallest logit;
// after a stage that changed many logits every entry is looked at.
func (r *Row) WorstUntouched() int {
	x := r.X[:r.N]
	if r.reordered {
		return r.worstRaw()
	}
	least := r.leastFinite()
	ix, same := grow(&r.idxBuf, r.N+simd.Slack), grow(&r.tmpBuf, r.N+simd.Slack)
	n := simd.Between(ix, same, x, math.Nextafter32(least, negInf), least)
	at := -1
	for k := n - 1; k >= 0; k-- {
		at = r.worse(at, int(ix[k]))
	}
	if at < 0 { // all of them are touched
		for i := r.N - 1; i >= 0; i-- {
			if x[i] > negInf && (at < 0 || x[i] <= x[at]) {
				at = r.worse(at, i)
			}
		}
	}
	return at
}

// worstRaw returns the entry of lowest rank above -inf, or -1.
func (r *Row) worstRaw() int {
	at := -1
	for i, v := range r.X[:r.N] {
		if v == negInf {
			continue
		}
		if at >= 0 {
			was, is := r.Pos(at), r.Pos(i)
			if r.Raw[is] > r.Raw[was] || r.Raw[is] == r.Raw[was] && is < was {
				continue
			}
		}
		at = i
	}
	return at
}

// worse returns i if it is untouched and ranks below at, which may be -1, and
// has no larger logit; else at.
func (r *Row) worse(at, i int) int {
	if at >= 0 && r.X[i] == r.X[at] && r.Raw[r.Pos(i)] > r.Raw[r.Pos(at)] || r.wasTouched(r.Pos(i)) {
		return at
	}
	return i
}

// leastFinite returns the smallest logit above -inf, or +inf.
func (r *Row) leastFinite() float32 {
	x := r.X[:r.N]
	switch {
	case r.Sorted:
		for i := r.N - 1; i >= 0; i-- {
			if x[i] > negInf {
				return x[i]
			}
		}
		return inf32
	case r.dense:
		least := inf32
		for b, hi := range r.bm {
			if hi > negInf {
				least = min(least, leastFinite(x[b*simd.Block:min(r.N, (b+1)*simd.Block)]))
			}
		}
		return least
	}
	return leastFinite(x)
}

// leastFinite does it without branches, since which elements are at -inf is
// in no order.
func leastFinite(x []float32) float32 {
	above := orderKey(negInf) + 1 // the key of -inf wraps to the largest
	least := orderKey(inf32) - above
	for _, v := range x {
		least = min(least, orderKey(v)-above)
	}
	return keyLogit(least + above)
}

// wasTouched reports whether a stage changed the logit at a position on its
// own account.
func (r *Row) wasTouched(pos int32) bool {
	for i := range r.Touches {
		if r.Touches[i].Pos == pos {
			return true
		}
	}
	return false
}
