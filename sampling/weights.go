package sampling

import (
	"math"

	"logitscope/sampling/simd"
)

// fewEntries is the most entries for which exponentials are computed exactly
// even where an approximation would do.
const fewEntries = 2048

// rawStats computes the model's own distribution, exactly if a stage or the
// draw will go on with its exponentials.
func (r *row) rawStats(exact bool) {
	r.rawE = grow(&r.rawEBuf, len(r.raw)+simd.Slack)[:len(r.raw)]
	exact = exact || len(r.raw) <= fewEntries
	if exact {
		r.rawSum, r.rawDot = simd.Exp(r.rawE, r.raw, r.rawMax)
	} else {
		r.rawSum, r.rawDot = simd.ExpFast(r.rawE, r.raw, r.rawMax)
	}
	r.ref, r.sum, r.dot, r.fullSum, r.sumOK = r.rawMax, r.rawSum, r.rawDot, r.rawSum, true
	if exact {
		r.e, r.sharedE, r.eOK = r.rawE, true, true
	}
}

// max returns the largest logit of the entries.
func (r *row) max() float32 {
	if r.sorted {
		return r.x[0]
	}
	if !r.dense {
		return r.top(r.x[:r.n])
	}
	hi := negInf
	for _, v := range r.bm {
		hi = max(hi, v)
	}
	return hi
}

// sums makes sum and dot agree with the logits, well enough to look at.
func (r *row) sums() {
	if r.sumOK {
		return
	}
	if r.n <= fewEntries {
		r.exps()
		return
	}
	r.ref = r.max()
	r.sum, r.dot = simd.ExpFast(nil, r.x[:r.n], r.ref)
	r.fullSum, r.sumOK = r.sum, true
}

// exps makes e and its sums agree with the logits. The reference is the
// largest logit, as where engines compute a softmax.
func (r *row) exps() {
	hi := r.max()
	if r.eOK && r.sumOK && r.ref == hi {
		return
	}
	r.e = grow(&r.eBuf, len(r.raw)+simd.Slack)[:r.n]
	r.ref, r.sharedE = hi, false
	if r.nfin == 0 {
		r.sum, r.dot = 0, 0
		clear(r.e)
	} else {
		r.sum, r.dot = simd.Exp(r.e, r.x[:r.n], r.ref)
	}
	r.fullSum, r.eOK, r.sumOK = r.sum, true, true
}

// ownE makes e writable.
func (r *row) ownE() {
	if !r.eOK || !r.sharedE {
		return
	}
	e := grow(&r.eBuf, len(r.raw)+simd.Slack)[:r.n]
	copy(e, r.e)
	r.e, r.sharedE = e, false
}

// dirty forgets the exponentials and the sums.
func (r *row) dirty() { r.eOK, r.sumOK = false, false }

// resum recomputes the sums after entries were removed.
func (r *row) resum() {
	if !r.eOK {
		r.sumOK = false
		return
	}
	r.e = r.e[:r.n]
	r.sum, r.dot = simd.Sums(r.e, r.x[:r.n], r.ref)
	r.sumOK = true
	r.checkSum()
}

// checkSum forgets sums of which little but rounding is left.
func (r *row) checkSum() {
	if r.sum < 1e-4*r.fullSum {
		r.dirty()
	}
}

// bits returns the entropy of the entries in bits.
func (r *row) bits() float32 {
	if r.nfin <= 1 {
		return 0
	}
	r.sums()
	return entropyBits(r.sum, r.dot)
}

func entropyBits(sum, dot float64) float32 {
	if sum <= 0 {
		return 0
	}
	return float32(max(0, (math.Log(sum)-dot/sum)/math.Ln2))
}

// set gives entry i a new logit on a stage's own account.
func (r *row) set(i int, v float32) {
	old := r.x[i]
	if v == old {
		return
	}
	if r.loose != nil {
		pos := r.pos(i)
		r.settleAll()
		i = r.entry(pos)
	}
	r.touches = append(r.touches, touch{r.pos(i), old, v})
	r.touched++
	r.change(i, v)
}

// change replaces a logit and keeps maxima and sums right.
func (r *row) change(i int, v float32) {
	old := r.x[i]
	r.x[i] = v
	if old == negInf {
		r.nfin++
	}
	if v == negInf {
		r.nfin--
	}
	r.sorted = false
	if r.dense {
		r.changeMax(i, old, v)
	}
	if !r.sumOK {
		r.eOK = false
		return
	}
	if v > r.ref+20 {
		r.dirty()
		return
	}
	before, after := float32(math.Exp(float64(old-r.ref))), float32(math.Exp(float64(v-r.ref)))
	if r.eOK {
		r.ownE()
		before = r.e[i]
		r.e[i] = after
	}
	if before > 0 {
		r.sum -= float64(before)
		r.dot -= float64(before) * float64(old-r.ref)
	}
	if after > 0 {
		r.sum += float64(after)
		r.dot += float64(after) * float64(v-r.ref)
	}
	r.checkSum()
}

// changeMax corrects the maximum of the block of entry i.
func (r *row) changeMax(i int, old, v float32) {
	b := i / simd.Block
	switch {
	case v >= r.bm[b]:
		r.bm[b] = v
	case old == r.bm[b]:
		m := negInf
		for _, w := range r.x[b*simd.Block : min(r.n, (b+1)*simd.Block)] {
			m = max(m, w)
		}
		r.bm[b] = m
	}
}

// scale divides every logit by t.
func (r *row) scale(t float32) {
	simd.Div(r.x[:r.n], t)
	if r.dense {
		simd.Div(r.bm, t)
	}
	r.dirty()
}

// rebound recomputes the block maxima of a dense row.
func (r *row) rebound() {
	if r.dense {
		simd.MaxBlocks(r.bm, r.x[:r.n])
	}
}
