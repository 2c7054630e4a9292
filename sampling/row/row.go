package row

import (
	"math"
	"slices"

	"logitscope/sampling/simd"
)

// A Cut is a stage that looks at the row alone.
type Cut interface{ Apply(r *Row) }

// A Sole is a cut that may leave one token alone: the best there is.
type Sole interface{ Sole() bool }

var negInf = float32(math.Inf(-1))

// A Row is the set of tokens a pipeline narrows down to one: the logits of a
// step on their way through the stages.
//
// It begins dense: entry i is the token at position i of the model's row.
// The first stage that cuts makes it a list of entries, each with its
// position, which stages may reorder. A position is an index into the model's
// row; positions ascend with token ids.
type Row struct {
	Raw     []float32 // logits by position, ids without a piece masked
	base    []int32   // token ids by position; nil: the position is the id
	RawE    []float32 // exp(raw-rawMax)
	RawMax  float32
	RawSum  float64
	RawDot  float64
	NoPiece int
	Vocab   int     // width of the vocabulary; 0 if unknown
	rest    float64 // ln of the weight of the tokens a partial row does not name, as a logit; see loadRest

	dense  bool
	Sorted bool      // entries are in descending order of their logits
	mixed  bool      // entries are not in the order of their positions
	ix     []int32   // position of each entry; unused while dense
	X      []float32 // logit of each entry; -inf is a token that cannot be drawn
	N      int       // entries
	Finite int       // entries above -inf

	bm, rawBM []float32 // block maxima of x while dense, and of raw

	// The exponentials of the entries, exact if eOK, and their sums. The sums
	// alone (sumOK) may be good to 1e-6 only: enough to look at.
	E        []float32 // exp(x-ref)
	eOK      bool
	SumOK    bool
	sharedE  bool // e is rawE and may not be written
	Ref      float32
	Sum, dot float64 // sums of e and of e*(x-ref)
	fullSum  float64 // sum when it was last computed

	Touches []Touch
	seen    [2]seenOf // with the prompt, and of the output alone

	// HistoryGrows says that the history of a call is that of the call before
	// with tokens after it, in the same memory.
	HistoryGrows bool

	Touched         int     // entries the running stage changed on its own account
	Scaled          float32 // what the running stage divided every logit by; 0 if it did not
	Shifted         float32 // what it took off every logit before that
	TouchFrom       int     // touches of the stages before
	Bent            bool    // the running stage changed all logits, not one by one
	reordered       bool    // a stage that changed many logits may have changed the tokens' order
	Holes           bool    // a stage removed better tokens than it left
	probBuf         []float32
	loose, looseBuf []Item // see settle; nil if the entries are in their final order
	looseAll        bool
	goOK            bool // probBuf holds Ollama's probabilities

	// Buffers behind the slices above.
	xBuf, eBuf, rawBuf, rawEBuf, keyBuf, tmpBuf []float32
	ixBuf, baseBuf, idxBuf, atBuf               []int32
	atOK                                        bool // atBuf finds the entries of a mixed list
	sortBuf, itemTmp, looseTmp                  []Item
	topBuf                                      []float32
	negBuf                                      []float32
	bendBuf                                     []float64
	markBuf                                     []bool
}

// A Touch is one token whose logit a stage changed on its own account.
type Touch struct {
	Pos           int32
	Before, After float32
}

// An Item is an entry while it is being sorted.
type Item struct {
	x float32
	I int32 // entry
}

func grow[T any](buf *[]T, n int) []T {
	if cap(*buf) < n {
		*buf = make([]T, n, n+n/8)
	}
	*buf = (*buf)[:n]
	return *buf
}

// Begin loads the logits of a step: logits[i] scores token ids[i], or token i
// if ids is nil. rest is the probability that a partial row leaves to the
// tokens it does not name. Ids in noPiece are masked. repair replaces values
// that are not finite, as transformers' remove_invalid_values does. It reports
// false if the row is not a distribution: a logit is NaN or +Inf, or all are -Inf.
func (r *Row) Begin(ids []int32, logits []float32, rest float32, noPiece []int32, repair bool) bool {
	r.loadRaw(ids, logits, noPiece)
	n := len(r.Raw)
	if repair {
		r.repair()
	}
	rawBM := grow(&r.rawBM, simd.Blocks(n))
	hi, _, finite, nan := simd.MaxBlocks(rawBM, r.Raw)
	if nan > 0 || finite == 0 || math.IsInf(float64(hi), 1) {
		return false
	}
	r.RawMax = hi
	r.N, r.Finite = n, finite
	r.loadRest(ids, rest)
	copy(grow(&r.bm, len(rawBM)), rawBM)
	r.dense, r.Sorted, r.mixed, r.atOK = true, false, false, false
	r.X = grow(&r.xBuf, n+simd.Slack)[:n]
	copy(r.X, r.Raw)
	r.ix = nil
	r.eOK, r.SumOK, r.sharedE = false, false, false
	r.Touches = r.Touches[:0]
	r.Touched, r.Scaled, r.Shifted, r.TouchFrom = 0, 0, 0, 0
	r.Holes, r.Bent, r.reordered, r.goOK, r.loose = false, false, false, false, nil
	return true
}

// loadRaw sets raw and base: the model's own row if nothing has to change.
func (r *Row) loadRaw(ids []int32, logits []float32, noPiece []int32) {
	r.Raw, r.base, r.NoPiece = logits, nil, 0
	if ids != nil {
		r.loadPartial(ids, logits)
	}
	if len(noPiece) == 0 {
		return
	}
	if r.base == nil {
		r.Raw = grow(&r.rawBuf, len(logits))
		copy(r.Raw, logits)
	}
	for _, id := range noPiece {
		if pos, ok := r.Position(id); ok {
			r.Raw[pos] = negInf
			r.NoPiece++
		}
	}
}

// loadPartial copies a partial row, ordered by ascending id.
func (r *Row) loadPartial(ids []int32, logits []float32) {
	n := len(ids)
	items := grow(&r.sortBuf, n)
	ascending := true
	for i, id := range ids {
		items[i] = Item{logits[i], id}
		ascending = ascending && (i == 0 || ids[i-1] < id)
	}
	if !ascending {
		slices.SortStableFunc(items, func(a, b Item) int { return int(a.I) - int(b.I) })
	}
	r.Raw, r.base = grow(&r.rawBuf, n)[:0], grow(&r.baseBuf, n)[:0]
	for i, it := range items {
		if i > 0 && it.I == items[i-1].I {
			continue // a server named a token twice
		}
		r.Raw = append(r.Raw, it.x)
		r.base = append(r.base, it.I)
	}
}

// repair replaces NaN by 0 and infinities by the largest finite numbers.
func (r *Row) repair() {
	x := grow(&r.rawBuf, len(r.Raw))
	for i, v := range r.Raw {
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
	r.Raw = x
}

// Position returns where the row holds a token.
func (r *Row) Position(id int32) (int32, bool) {
	if r.base == nil {
		return id, id >= 0 && int(id) < len(r.Raw)
	}
	i, ok := slices.BinarySearch(r.base, id)
	return int32(i), ok
}

// PosOf is position for a token the row has.
func (r *Row) PosOf(id int32) int32 {
	pos, _ := r.Position(id)
	return pos
}

// ID returns the token at a position.
func (r *Row) ID(pos int32) int32 {
	if r.base == nil {
		return pos
	}
	return r.base[pos]
}

// Pos returns the position of entry i.
func (r *Row) Pos(i int) int32 {
	if r.dense {
		return int32(i)
	}
	return r.ix[i]
}

// Entry returns the entry at a position, or -1 if it has been cut.
func (r *Row) Entry(pos int32) int {
	if r.dense {
		return int(pos)
	}
	if !r.mixed {
		if i, ok := slices.BinarySearch(r.ix[:r.N], pos); ok {
			return i
		}
		return -1
	}
	// A sparse set: what atBuf holds for an entry that was cut may be stale,
	// so the entry found there has to point back.
	at := grow(&r.atBuf, len(r.Raw))
	if !r.atOK {
		for i, p := range r.ix[:r.N] {
			at[p] = int32(i)
		}
		r.atOK = true
	}
	if i := int(at[pos]); i < r.N && r.ix[i] == pos {
		return i
	}
	return -1
}

// inOrder reports whether the entries are in the order of their positions.
func (r *Row) inOrder() bool { return r.dense || !r.mixed }
