package constrain

import (
	"math/bits"
	"slices"
)

// A maskEntry is the answer for one state: which tokens may come next. It is
// immutable. With bits it is those without the ones of drop and with those of
// ids; the bits may be another entry's. Without bits it is ids alone.
type maskEntry struct {
	bits  []uint64
	drop  []int32
	ids   []int32
	count int
	own   bool // bits are this entry's alone
	// farthest bounds the distance to completion behind any allowed token.
	farthest int32
}

// bytes is the memory that an entry takes for itself.
func (e *maskEntry) bytes() int {
	n := 4*len(e.ids) + 4*len(e.drop) + 96
	if e.own {
		n += 8 * len(e.bits)
	}
	return n
}

// write puts the mask into dst.
func (e *maskEntry) write(dst []uint64) {
	if e.bits == nil {
		clear(dst)
	} else {
		copy(dst, e.bits)
	}
	for _, id := range e.drop {
		dst[id>>6] &^= 1 << (id & 63)
	}
	for _, id := range e.ids {
		dst[id>>6] |= 1 << (id & 63)
	}
}

// collect calls fn for every allowed token: in ascending order of ids if there
// are bits, else in the order of the trie.
func (e *maskEntry) collect(fn func(id int32)) {
	if e.bits == nil {
		for _, id := range e.ids {
			fn(id)
		}
		return
	}
	all := make([]uint64, len(e.bits))
	e.write(all)
	eachBit(all, fn)
}

func eachBit(set []uint64, fn func(id int32)) {
	for w, x := range set {
		for ; x != 0; x &= x - 1 {
			fn(int32(w<<6 + bits.TrailingZeros64(x)))
		}
	}
}

func hasBit(set []uint64, id int32) bool { return set[id>>6]>>(id&63)&1 != 0 }

// A sink gathers tokens: those of walks as a list, those of one shared answer
// as changes to it, and as bits once there is more than that.
type sink struct {
	ids      []int32    // not among the bits yet, perhaps more than once
	base     *maskEntry // an answer that stands for its tokens, or nil
	drops    []int32    // but for these
	bits     []uint64   // nil until needed; then base is nil
	count    int        // of bits
	mixed    bool       // ids may name a token twice
	farthest int32
	escapes  []int32 // trie nodes reached as the known part of the stack ended

	marks []uint64 // scratch, all zero between calls
}

func (o *sink) reset() {
	*o = sink{ids: o.ids[:0], drops: o.drops[:0], escapes: o.escapes[:0], marks: o.marks}
}

// mark sets scratch bits and reports whether one was not set before.
func (o *sink) mark(id int32) bool {
	for int(id>>6) >= len(o.marks) {
		o.marks = append(o.marks, make([]uint64, 64+len(o.marks))...)
	}
	w, b := &o.marks[id>>6], uint64(1)<<(id&63)
	was := *w&b != 0
	*w |= b
	return !was
}

func (o *sink) unmark(tokens []int32) {
	for _, id := range tokens {
		o.marks[id>>6] &^= 1 << (id & 63)
	}
}

func (o *sink) empty() bool { return o.bits == nil && o.base == nil && len(o.ids) == 0 }

// spread moves everything into the bits.
func (o *sink) spread(words int) {
	if o.bits == nil {
		o.bits, o.count = make([]uint64, words), 0
		if o.base != nil {
			o.base.write(o.bits)
			o.count, o.base = o.base.count, nil
			o.clearBits(o.drops)
			o.drops = o.drops[:0]
		}
	}
	for _, id := range o.ids {
		if w, b := &o.bits[id>>6], uint64(1)<<(id&63); *w&b == 0 {
			*w |= b
			o.count++
		}
	}
	o.ids = o.ids[:0]
}

func (o *sink) clearBits(tokens []int32) {
	for _, id := range tokens {
		if w, b := &o.bits[id>>6], uint64(1)<<(id&63); *w&b != 0 {
			*w &^= b
			o.count--
		}
	}
}

// union adds a mask.
func (o *sink) union(words int, e *maskEntry) {
	o.mixed = true
	if e.bits == nil {
		o.ids = append(o.ids, e.ids...)
		return
	}
	if o.bits == nil && o.base == nil && len(e.drop) == 0 && len(e.ids) == 0 {
		o.base = e
		return
	}
	o.spread(words)
	all := make([]uint64, words)
	e.write(all)
	o.count = 0
	for i, w := range all {
		o.bits[i] |= w
		o.count += bits.OnesCount64(o.bits[i])
	}
}

// absorb adds what another sink holds and leaves that one of no more use.
func (o *sink) absorb(words int, other *sink) {
	o.farthest = max(o.farthest, other.farthest)
	o.spread(words)
	other.spread(words)
	o.count = 0
	for i, w := range other.bits {
		o.bits[i] |= w
		o.count += bits.OnesCount64(o.bits[i])
	}
}

// drop takes tokens away.
func (o *sink) drop(tokens []int32) {
	if len(tokens) == 0 {
		return
	}
	if o.bits != nil {
		o.clearBits(tokens)
	} else if o.base != nil {
		for _, id := range tokens {
			if hasBit(o.base.bits, id) {
				o.drops = append(o.drops, id)
			}
		}
	}
	for _, id := range tokens {
		o.mark(id)
	}
	o.ids = slices.DeleteFunc(o.ids, func(id int32) bool { return !o.mark(id) })
	o.unmark(o.ids)
	o.unmark(tokens)
}

// sparseShare is how many times the tokens of a mask kept as a list fit into
// the vocabulary: below that, bits are smaller and quicker. A mask may differ
// from the one it stands on in maxChanges tokens.
const (
	sparseShare = 16
	maxChanges  = 512
)

// take makes an immutable mask of what was gathered, for a vocabulary of size
// tokens. The sink is to be reset afterwards.
func (o *sink) take(size int) *maskEntry {
	e := &maskEntry{farthest: o.farthest}
	switch {
	case o.base != nil && len(o.ids)+len(o.drops) <= maxChanges:
		return o.changed(e)
	case o.base == nil && o.bits == nil && !o.mixed && len(o.ids)*sparseShare <= size:
		e.ids, e.count = slices.Clone(o.ids), len(o.ids)
		return e
	}
	o.spread((size + 63) / 64)
	if e.count = o.count; e.count*sparseShare > size {
		e.bits, e.own, o.bits = o.bits, true, nil
		return e
	}
	e.ids = make([]int32, 0, e.count)
	eachBit(o.bits, func(id int32) { e.ids = append(e.ids, id) })
	return e
}

// changed makes a mask that shares the bits of the base.
func (o *sink) changed(e *maskEntry) *maskEntry {
	e.bits = o.base.bits
	for _, id := range o.drops {
		if o.mark(id) {
			e.drop = append(e.drop, id)
		}
	}
	o.unmark(e.drop)
	again := func(id int32) bool { return hasBit(e.bits, id) && !slices.Contains(e.drop, id) }
	for _, id := range o.ids {
		if !again(id) && o.mark(id) {
			e.ids = append(e.ids, id)
		}
	}
	o.unmark(e.ids)
	e.count = o.base.count - len(e.drop) + len(e.ids)
	return e
}
