package sampling

import (
	"math"
	"slices"

	"logitscope/sampling/vec"
)

var negInf = float32(math.Inf(-1))

// A row is the set of tokens a pipeline narrows down to one: the logits of a
// step on their way through the stages.
//
// It begins dense: entry i is the token at position i of the model's row.
// The first stage that cuts makes it a list of entries, each with its
// position, which stages may reorder. A position is an index into the model's
// row; positions ascend with token ids.
type row struct {
	in Input

	raw     []float32 // logits by position, ids without a piece masked
	base    []int32   // token ids by position; nil: the position is the id
	rawE    []float32 // exp(raw-rawMax)
	rawMax  float32
	rawSum  float64
	rawDot  float64
	noPiece int

	dense  bool
	sorted bool      // entries are in descending order of their logits
	mixed  bool      // entries are not in the order of their positions
	ix     []int32   // position of each entry; unused while dense
	x      []float32 // logit of each entry; -inf is a token that cannot be drawn
	n      int       // entries
	nfin   int       // entries above -inf

	bm, rawBM []float32 // block maxima of x while dense, and of raw

	// The exponentials of the entries and their sums; valid if expOK.
	e        []float32 // exp(x-ref)
	expOK    bool
	sharedE  bool // e is rawE and may not be written
	ref      float32
	sum, dot float64 // sums of e and of e*(x-ref)
	fullSum  float64 // sum when e was last computed

	touches   []touch
	seenIdx   []int32
	seenBuf   []seen
	touched   int     // entries the running stage changed on its own account
	scaled    float32 // what the running stage divided every logit by; 0 if it did not
	adaptive  float32 // the target that adaptive-p bent the logits to; negative if it did not
	touchFrom int     // touches of the stages before
	holes     bool    // a stage removed better tokens than it left
	state     *State
	maskBuf   []uint64
	mt        *[2]generator
	final     finalStage // makes the draw in place of the engine's; may be nil
	bucketIdx []int8
	probBuf   []float32
	goOK      bool // probBuf holds Ollama's probabilities

	// Buffers behind the slices above.
	xBuf, eBuf, rawBuf, rawEBuf, keyBuf, tmpBuf []float32
	ixBuf, baseBuf, idxBuf, atBuf               []int32
	atOK                                        bool // atBuf finds the entries of a mixed list
	sortBuf, itemTmp                            []item
	topBuf                                      []float32
	negBuf                                      []float32
	markBuf                                     []bool
}

// A touch is one token whose logit a stage changed on its own account.
type touch struct {
	pos           int32
	before, after float32
}

// An item is an entry while it is being sorted.
type item struct {
	x float32
	i int32 // entry
}

func grow[T any](buf *[]T, n int) []T {
	if cap(*buf) < n {
		*buf = make([]T, n, n+n/8)
	}
	*buf = (*buf)[:n]
	return *buf
}

// begin loads the logits of a step. repair replaces values that are not
// finite, as transformers' remove_invalid_values does.
func (r *row) begin(in Input, noPiece []int32, repair bool) error {
	r.in = in
	r.loadRaw(in, noPiece)
	n := len(r.raw)
	if repair {
		r.repair()
	}
	rawBM := grow(&r.rawBM, vec.Blocks(n))
	hi, finite, nan := vec.MaxBlocks(rawBM, r.raw)
	if nan > 0 || finite == 0 || math.IsInf(float64(hi), 1) {
		return invalidLogits(r.raw, nan)
	}
	r.rawMax = hi
	r.n, r.nfin = n, finite
	copy(grow(&r.bm, len(rawBM)), rawBM)
	r.dense, r.sorted, r.mixed, r.atOK = true, false, false, false
	r.x = grow(&r.xBuf, n)
	copy(r.x, r.raw)
	r.ix = nil
	r.expOK, r.sharedE = false, false
	r.touches = r.touches[:0]
	r.touched, r.scaled, r.adaptive, r.touchFrom = 0, 0, -1, 0
	r.holes, r.final, r.goOK = false, nil, false
	return nil
}

// loadRaw sets raw and base: the model's own row if nothing has to change.
func (r *row) loadRaw(in Input, noPiece []int32) {
	r.raw, r.base, r.noPiece = in.Logits, nil, 0
	if in.IDs != nil {
		r.loadPartial(in)
	}
	if len(noPiece) == 0 {
		return
	}
	if r.base == nil {
		r.raw = grow(&r.rawBuf, len(in.Logits))
		copy(r.raw, in.Logits)
	}
	for _, id := range noPiece {
		if pos, ok := r.position(id); ok {
			r.raw[pos] = negInf
			r.noPiece++
		}
	}
}

// loadPartial copies a partial row, ordered by ascending id.
func (r *row) loadPartial(in Input) {
	n := len(in.IDs)
	items := grow(&r.sortBuf, n)
	ascending := true
	for i, id := range in.IDs {
		items[i] = item{in.Logits[i], id}
		ascending = ascending && (i == 0 || in.IDs[i-1] < id)
	}
	if !ascending {
		slices.SortStableFunc(items, func(a, b item) int { return int(a.i) - int(b.i) })
	}
	r.raw, r.base = grow(&r.rawBuf, n)[:0], grow(&r.baseBuf, n)[:0]
	for i, it := range items {
		if i > 0 && it.i == items[i-1].i {
			continue // a server named a token twice
		}
		r.raw = append(r.raw, it.x)
		r.base = append(r.base, it.i)
	}
}

// repair replaces NaN by 0 and infinities by the largest finite numbers.
func (r *row) repair() {
	x := grow(&r.rawBuf, len(r.raw))
	for i, v := range r.raw {
		switch {
		case v != v:
			v = 0
		case v > math.MaxFloat32:
			v = math.MaxFloat32
		case v < -math.MaxFloat32:
			v = -math.MaxFloat32
		}
		x[i] = v
	}
	r.raw = x
}

// position returns where the row holds a token.
func (r *row) position(id int32) (int32, bool) {
	if r.base == nil {
		return id, id >= 0 && int(id) < len(r.raw)
	}
	i, ok := slices.BinarySearch(r.base, id)
	return int32(i), ok
}

// posOf is position for a token the row has.
func (r *row) posOf(id int32) int32 {
	pos, _ := r.position(id)
	return pos
}

// id returns the token at a position.
func (r *row) id(pos int32) int32 {
	if r.base == nil {
		return pos
	}
	return r.base[pos]
}

// pos returns the position of entry i.
func (r *row) pos(i int) int32 {
	if r.dense {
		return int32(i)
	}
	return r.ix[i]
}

// entry returns the entry at a position, or -1 if it has been cut.
func (r *row) entry(pos int32) int {
	if r.dense {
		return int(pos)
	}
	if !r.mixed {
		if i, ok := slices.BinarySearch(r.ix[:r.n], pos); ok {
			return i
		}
		return -1
	}
	// A sparse set: what atBuf holds for an entry that was cut may be stale,
	// so the entry found there has to point back.
	at := grow(&r.atBuf, len(r.raw))
	if !r.atOK {
		for i, p := range r.ix[:r.n] {
			at[p] = int32(i)
		}
		r.atOK = true
	}
	if i := int(at[pos]); i < r.n && r.ix[i] == pos {
		return i
	}
	return -1
}

// inOrder reports whether the entries are in the order of their positions.
func (r *row) inOrder() bool { return r.dense || !r.mixed }

// rawStats computes the model's own distribution.
func (r *row) rawStats() {
	r.rawE = grow(&r.rawEBuf, len(r.raw))
	r.rawSum, r.rawDot = vec.Exp(r.rawE, r.raw, r.rawMax)
	if !r.expOK {
		r.e, r.sharedE, r.expOK = r.rawE, true, true
		r.ref, r.sum, r.dot, r.fullSum = r.rawMax, r.rawSum, r.rawDot, r.rawSum
	}
}

// max returns the largest logit of the entries.
func (r *row) max() float32 {
	if r.sorted {
		return r.x[0]
	}
	s := r.x[:r.n]
	if r.dense {
		s = r.bm
	}
	hi := negInf
	for _, v := range s {
		if v > hi {
			hi = v
		}
	}
	return hi
}

// exps makes e, sum and dot agree with the logits.
func (r *row) exps() {
	if r.expOK {
		return
	}
	r.e = grow(&r.eBuf, len(r.x))[:r.n]
	r.sharedE = false
	r.ref = r.max()
	if r.nfin == 0 {
		r.sum, r.dot = 0, 0
		clear(r.e)
	} else {
		r.sum, r.dot = vec.Exp(r.e, r.x[:r.n], r.ref)
	}
	r.fullSum = r.sum
	r.expOK = true
}

// exactExps is exps with the reference at the largest logit, as engines
// compute a softmax.
func (r *row) exactExps() {
	if r.expOK && r.ref != r.max() {
		r.expOK = false
	}
	r.exps()
}

// ownE makes e writable.
func (r *row) ownE() {
	if !r.sharedE {
		return
	}
	e := grow(&r.eBuf, len(r.x))[:r.n]
	copy(e, r.e)
	r.e, r.sharedE = e, false
}

// bits returns the entropy of the entries in bits.
func (r *row) bits() float32 {
	if r.nfin <= 1 {
		return 0
	}
	r.exps()
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
	r.touches = append(r.touches, touch{r.pos(i), old, v})
	r.touched++
	r.change(i, v)
}

// change replaces a logit and keeps the sums right.
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
		b := i / vec.Block
		if v > r.bm[b] {
			r.bm[b] = v
		} else if old == r.bm[b] {
			m := negInf
			for _, w := range r.x[b*vec.Block : min(r.n, (b+1)*vec.Block)] {
				m = max(m, w)
			}
			r.bm[b] = m
		}
	}
	if !r.expOK {
		return
	}
	if v > r.ref+20 {
		r.expOK = false
		return
	}
	r.ownE()
	if e := float64(r.e[i]); e > 0 {
		r.sum -= e
		r.dot -= e * float64(old-r.ref)
	}
	r.e[i] = float32(math.Exp(float64(v - r.ref)))
	if e := float64(r.e[i]); e > 0 {
		r.sum += e
		r.dot += e * float64(v-r.ref)
	}
	if r.sum < 1e-4*r.fullSum {
		r.expOK = false // what is left of the sum is mostly rounding
	}
}

// scale divides every logit by t.
func (r *row) scale(t float32) {
	vec.Div(r.x[:r.n], t)
	if r.dense {
		vec.Div(r.bm, t)
	}
	r.expOK = false
	if t < 0 {
		r.sorted = false
	}
}

// truncate keeps the first n entries.
func (r *row) truncate(n int) {
	if n >= r.n {
		return
	}
	if r.dense {
		r.list()
	}
	for _, v := range r.x[n:r.n] {
		if v > negInf {
			r.nfin--
		}
	}
	r.n = n
	r.x, r.ix = r.x[:n], r.ix[:n]
	r.resum()
}

// resum recomputes the sums after entries were removed.
func (r *row) resum() {
	if !r.expOK {
		return
	}
	r.e = r.e[:r.n]
	var sum, dot float64
	for i, e := range r.e {
		if e > 0 {
			sum += float64(e)
			dot += float64(e) * float64(r.x[i]-r.ref)
		}
	}
	r.sum, r.dot = sum, dot
	if sum < 1e-4*r.fullSum {
		r.expOK = false
	}
}

// list leaves the dense form.
func (r *row) list() {
	if !r.dense {
		return
	}
	r.ix = grow(&r.ixBuf, r.n)
	for i := range r.ix {
		r.ix[i] = int32(i)
	}
	if r.expOK {
		r.ownE()
	}
	r.dense = false
}

// keep removes the entries that want does not report, in place. It is for
// cuts that are no threshold on the logit.
func (r *row) keep(want func(i int) bool) {
	r.list()
	k := 0
	r.nfin = 0
	for i := range r.n {
		if !want(i) {
			continue
		}
		r.ix[k], r.x[k] = r.ix[i], r.x[i]
		if r.expOK {
			r.e[k] = r.e[i]
		}
		if r.x[k] > negInf {
			r.nfin++
		}
		k++
	}
	r.n, r.atOK = k, false
	r.ix, r.x = r.ix[:k], r.x[:k]
	r.resum()
}

// keepFrom keeps the entries with a logit of at least t, less the first skip
// of those equal to it, in their order. Nothing at -inf is kept.
func (r *row) keepFrom(t float32, skip int) {
	if r.dense {
		r.keepDense(t, skip)
		return
	}
	k := 0
	for i, v := range r.x[:r.n] {
		if !(v >= t) || v == negInf {
			continue
		}
		if v == t && skip > 0 {
			skip--
			continue
		}
		r.ix[k], r.x[k] = r.ix[i], v
		if r.expOK {
			r.e[k] = r.e[i]
		}
		k++
	}
	r.n, r.nfin, r.atOK = k, k, false
	r.ix, r.x = r.ix[:k], r.x[:k]
	r.resum()
}

func (r *row) keepDense(t float32, skip int) {
	r.ix = grow(&r.ixBuf, r.n)
	e := r.e
	if r.expOK && r.sharedE {
		e = grow(&r.eBuf, len(r.x))
	}
	k := 0
	for b, m := range r.bm {
		if m < t || m == negInf {
			continue
		}
		lo := b * vec.Block
		for i, v := range r.x[lo:min(r.n, lo+vec.Block)] {
			if !(v >= t) || v == negInf {
				continue
			}
			if v == t && skip > 0 {
				skip--
				continue
			}
			r.ix[k], r.x[k] = int32(lo+i), v
			if r.expOK {
				e[k] = r.e[lo+i]
			}
			k++
		}
	}
	r.dense = false
	r.n, r.nfin = k, k
	r.ix, r.x = r.ix[:k], r.x[:k]
	if r.expOK {
		r.e, r.sharedE = e, false
		r.resum()
	}
}

// rebound recomputes the block maxima of a dense row.
func (r *row) rebound() {
	if r.dense {
		vec.MaxBlocks(r.bm, r.x[:r.n])
	}
}

// permute puts the entries in the order of items, dropping the others.
func (r *row) permute(items []item) {
	n := len(items)
	ix := grow(&r.idxBuf, n)
	for k, it := range items {
		ix[k] = r.pos(int(it.i))
	}
	if r.expOK {
		tmp := grow(&r.tmpBuf, n)
		for k, it := range items {
			tmp[k] = r.e[it.i]
		}
		r.e = grow(&r.eBuf, max(n, len(r.e)))[:n]
		copy(r.e, tmp)
		r.sharedE = false
	}
	for k, it := range items {
		r.x[k] = it.x
	}
	if r.dense {
		r.ix = grow(&r.ixBuf, n)
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
