package row

import (
	"math"

	"logitscope/sampling/simd"
)

// fewEntries is the most entries for which exponentials are computed exactly
// even where an approximation would do.
const fewEntries = 2048

// RawStats computes the model's own distribution, exactly if a stage or the
// draw will go on with its exponentials.
func (r *Row) RawStats(exact bool) {
	r.RawE = grow(&r.rawEBuf, len(r.Raw)+simd.Slack)[:len(r.Raw)]
	exact = exact || len(r.Raw) <= fewEntries
	if exact {
		r.RawSum, r.RawDot = simd.Exp(r.RawE, r.Raw, r.RawMax)
	} else {
		r.RawSum, r.RawDot = simd.ExpFast(r.RawE, r.Raw, r.RawMax)
	}
	r.Ref, r.Sum, r.dot, r.fullSum, r.SumOK = r.RawMax, r.RawSum, r.RawDot, r.RawSum, true
	if exact {
		r.E, r.sharedE, r.eOK = r.RawE, true, true
	}
}

// Max returns the largest logit of the entries.
func (r *Row) Max() float32 {
	if r.Sorted {
		return r.X[0]
	}
	if !r.dense {
		return r.top(r.X[:r.N])
	}
	hi := negInf
	for _, v := range r.bm {
		hi = max(hi, v)
	}
	return hi
}

// Sums makes sum and dot agree with the logits, well enough to look at.
func (r *Row) Sums() {
	if r.SumOK {
		return
	}
	if r.N <= fewEntries {
		r.Exps()
		return
	}
	r.Ref = r.Max()
	r.Sum, r.dot = simd.ExpFast(nil, r.X[:r.N], r.Ref)
	r.fullSum, r.SumOK = r.Sum, true
}

// Exps makes e and its sums agree with the logits. The reference is the
// largest logit, as where engines compute a softmax.
func (r *Row) Exps() {
	hi := r.Max()
	if r.eOK && r.SumOK && r.Ref == hi {
		return
	}
	r.E = grow(&r.eBuf, len(r.Raw)+simd.Slack)[:r.N]
	r.Ref, r.sharedE = hi, false
	if r.Finite == 0 {
		r.Sum, r.dot = 0, 0
		clear(r.E)
	} else {
		r.Sum, r.dot = simd.Exp(r.E, r.X[:r.N], r.Ref)
	}
	r.fullSum, r.eOK, r.SumOK = r.Sum, true, true
}

// ownE makes e writable.
func (r *Row) ownE() {
	if !r.eOK || !r.sharedE {
		return
	}
	e := grow(&r.eBuf, len(r.Raw)+simd.Slack)[:r.N]
	copy(e, r.E)
	r.E, r.sharedE = e, false
}

// dirty forgets the exponentials and the sums.
func (r *Row) dirty() { r.eOK, r.SumOK = false, false }

// resum recomputes the sums after entries were removed.
func (r *Row) resum() {
	if !r.eOK {
		r.SumOK = false
		return
	}
	r.E = r.E[:r.N]
	r.Sum, r.dot = simd.Sums(r.E, r.X[:r.N], r.Ref)
	r.SumOK = true
	r.checkSum()
}

// checkSum forgets sums of which little but rounding is left.
func (r *Row) checkSum() {
	if r.Sum < 1e-4*r.fullSum {
		r.dirty()
	}
}

// Bits returns the entropy of the entries in bits.
func (r *Row) Bits() float32 {
	if r.Finite <= 1 {
		return 0
	}
	r.Sums()
	return EntropyBits(r.Sum, r.dot)
}

// EntropyBits returns the entropy in bits of weights e = exp(x) from their sum
// and the sum of e·x.
func EntropyBits(sum, dot float64) float32 {
	if sum <= 0 {
		return 0
	}
	return float32(max(0, (math.Log(sum)-dot/sum)/math.Ln2))
}

// Set gives entry i a new logit on a stage's own account.
func (r *Row) Set(i int, v float32) {
	old := r.X[i]
	if v == old {
		return
	}
	if r.loose != nil {
		pos := r.Pos(i)
		r.SettleAll()
		i = r.Entry(pos)
	}
	r.Touches = append(r.Touches, Touch{r.Pos(i), old, v})
	r.Touched++
	r.change(i, v)
}

// change replaces a logit and keeps maxima and sums right.
func (r *Row) change(i int, v float32) {
	old := r.X[i]
	r.X[i] = v
	if old == negInf {
		r.Finite++
	}
	if v == negInf {
		r.Finite--
	}
	r.Sorted = false
	if r.dense {
		r.changeMax(i, old, v)
	}
	if !r.SumOK {
		r.eOK = false
		return
	}
	if v > r.Ref+20 {
		r.dirty()
		return
	}
	before, after := float32(math.Exp(float64(old-r.Ref))), float32(math.Exp(float64(v-r.Ref)))
	if r.eOK {
		r.ownE()
		before = r.E[i]
		r.E[i] = after
	}
	if before > 0 {
		r.Sum -= float64(before)
		r.dot -= float64(before) * float64(old-r.Ref)
	}
	if after > 0 {
		r.Sum += float64(after)
		r.dot += float64(after) * float64(v-r.Ref)
	}
	r.checkSum()
}

// changeMax corrects the maximum of the block of entry i.
func (r *Row) changeMax(i int, old, v float32) {
	b := i / simd.Block
	switch {
	case v >= r.bm[b]:
		r.bm[b] = v
	case old == r.bm[b]:
		m := negInf
		for _, w := range r.X[b*simd.Block : min(r.N, (b+1)*simd.Block)] {
			m = max(m, w)
		}
		r.bm[b] = m
	}
}

// scale divides every logit by t.
func (r *Row) scale(t float32) {
	simd.Div(r.X[:r.N], t)
	if r.dense {
		simd.Div(r.bm, t)
	}
	r.dirty()
}

// rebound recomputes the block maxima of a dense row.
func (r *Row) rebound() {
	if r.dense {
		simd.MaxBlocks(r.bm, r.X[:r.N])
	}
}
