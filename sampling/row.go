package sampling

import (
	"math"
	"slices"

	"logitscope/sampling/simd"
)

// A narrower is a stage that looks at the row alone.
type narrower interface{ apply(r *row) }

var negInf = float32(math.Inf(-1))

// A row is the set of tokens a pipeline narrows down to one: the logits of a
// step on their way through the stages.
//
// It begins dense: entry i is the token at position i of the model's row.
// The first stage that cuts makes it a list of entries, each with its
// position, which stages may reorder. A position is an index into the model's
// row; positions ascend with token ids.
type row struct {
	raw     []float32 // logits by position, ids without a piece masked
	base    []int32   // token ids by position; nil: the position is the id
	rawE    []float32 // exp(raw-rawMax)
	rawMax  float32
	rawSum  float64
	rawDot  float64
	noPiece int
	vocab   int     // width of the vocabulary; 0 if unknown
	rest    float64 // ln of the weight of the tokens a partial row does not name, as a logit; see loadRest

	dense  bool
	sorted bool      // entries are in descending order of their logits
	mixed  bool      // entries are not in the order of their positions
	ix     []int32   // position of each entry; unused while dense
	x      []float32 // logit of each entry; -inf is a token that cannot be drawn
	n      int       // entries
	nfin   int       // entries above -inf

	bm, rawBM []float32 // block maxima of x while dense, and of raw

	// The exponentials of the entries, exact if eOK, and their sums. The sums
	// alone (sumOK) may be good to 1e-6 only: enough to look at.
	e        []float32 // exp(x-ref)
	eOK      bool
	sumOK    bool
	sharedE  bool // e is rawE and may not be written
	ref      float32
	sum, dot float64 // sums of e and of e*(x-ref)
	fullSum  float64 // sum when it was last computed

	touches         []touch
	seenIdx         []int32
	seenBuf         []seen
	touched         int     // entries the running stage changed on its own account
	scaled          float32 // what the running stage divided every logit by; 0 if it did not
	touchFrom       int     // touches of the stages before
	holes           bool    // a stage removed better tokens than it left
	probBuf         []float32
	loose, looseBuf []item // see settle; nil if the entries are in their final order
	looseAll        bool
	goOK            bool // probBuf holds Ollama's probabilities

	// Buffers behind the slices above.
	xBuf, eBuf, rawBuf, rawEBuf, keyBuf, tmpBuf []float32
	ixBuf, baseBuf, idxBuf, atBuf               []int32
	atOK                                        bool // atBuf finds the entries of a mixed list
	sortBuf, itemTmp, looseTmp                  []item
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

// begin loads the logits of a step: logits[i] scores token ids[i], or token i
// if ids is nil. rest is the probability that a partial row leaves to the
// tokens it does not name. Ids in noPiece are masked. repair replaces values
// that are not finite, as transformers' remove_invalid_values does. It reports
// false if the row is no distribution: a logit is NaN or +Inf, or all are -Inf.
func (r *row) begin(ids []int32, logits []float32, rest float32, noPiece []int32, repair bool) bool {
	r.loadRaw(ids, logits, noPiece)
	n := len(r.raw)
	if repair {
		r.repair()
	}
	rawBM := grow(&r.rawBM, simd.Blocks(n))
	hi, _, finite, nan := simd.MaxBlocks(rawBM, r.raw)
	if nan > 0 || finite == 0 || math.IsInf(float64(hi), 1) {
		return false
	}
	r.rawMax = hi
	r.n, r.nfin = n, finite
	r.loadRest(ids, rest)
	copy(grow(&r.bm, len(rawBM)), rawBM)
	r.dense, r.sorted, r.mixed, r.atOK = true, false, false, false
	r.x = grow(&r.xBuf, n+simd.Slack)[:n]
	copy(r.x, r.raw)
	r.ix = nil
	r.eOK, r.sumOK, r.sharedE = false, false, false
	r.touches = r.touches[:0]
	r.touched, r.scaled, r.touchFrom = 0, 0, 0
	r.holes, r.goOK, r.loose = false, false, nil
	return true
}

// loadRaw sets raw and base: the model's own row if nothing has to change.
func (r *row) loadRaw(ids []int32, logits []float32, noPiece []int32) {
	r.raw, r.base, r.noPiece = logits, nil, 0
	if ids != nil {
		r.loadPartial(ids, logits)
	}
	if len(noPiece) == 0 {
		return
	}
	if r.base == nil {
		r.raw = grow(&r.rawBuf, len(logits))
		copy(r.raw, logits)
	}
	for _, id := range noPiece {
		if pos, ok := r.position(id); ok {
			r.raw[pos] = negInf
			r.noPiece++
		}
	}
}

// loadPartial copies a partial row, ordered by ascending id.
func (r *row) loadPartial(ids []int32, logits []float32) {
	n := len(ids)
	items := grow(&r.sortBuf, n)
	ascending := true
	for i, id := range ids {
		items[i] = item{logits[i], id}
		ascending = ascending && (i == 0 || ids[i-1] < id)
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
