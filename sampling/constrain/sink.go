package constrain

import (
	"math/bits"
	"slices"
)

// A sink gathers tokens: those of walks as a list, those of shared answers as
// bits, once there are any.
type sink struct {
	ids      []int32  // not among the bits yet
	bits     []uint64 // nil until needed
	count    int      // of bits
	mixed    bool     // the list may name a token twice
	farthest int32
	escapes  []int32 // trie nodes reached as the known part of the stack ended
}

func (o *sink) reset() {
	o.ids, o.escapes, o.farthest, o.bits, o.count, o.mixed = o.ids[:0], o.escapes[:0], 0, nil, 0, false
}

func (o *sink) empty() bool { return o.bits == nil && len(o.ids) == 0 }

// spread moves the list into the bits.
func (o *sink) spread(words int) {
	if o.bits == nil {
		o.bits, o.count = make([]uint64, words), 0
	}
	for _, id := range o.ids {
		if w, b := &o.bits[id>>6], uint64(1)<<(id&63); *w&b == 0 {
			*w |= b
			o.count++
		}
	}
	o.ids = o.ids[:0]
}

// union adds a mask.
func (o *sink) union(words int, e *maskEntry) {
	o.ids, o.mixed = append(o.ids, e.ids...), true
	switch {
	case e.bits == nil:
	case o.bits == nil:
		o.bits, o.count = slices.Clone(e.bits), e.count
	default:
		o.count = 0
		for i, w := range e.bits {
			o.bits[i] |= w
			o.count += bits.OnesCount64(o.bits[i])
		}
	}
}

// drop takes tokens away. The list has been spread before.
func (o *sink) drop(tokens []int32) {
	for _, id := range tokens {
		if w, b := &o.bits[id>>6], uint64(1)<<(id&63); *w&b != 0 {
			*w &^= b
			o.count--
		}
	}
}

// sparseShare is how many times the tokens of a mask kept as a list fit into
// the vocabulary: below that, bits are smaller and quicker.
const sparseShare = 16

// take makes an immutable mask of what was gathered, for a vocabulary of size
// tokens. The sink is empty afterwards.
func (o *sink) take(size int) *maskEntry {
	e := &maskEntry{farthest: o.farthest}
	if o.bits == nil && !o.mixed && len(o.ids)*sparseShare <= size {
		e.ids, e.count = slices.Clone(o.ids), len(o.ids)
		return e
	}
	o.spread((size + 63) / 64)
	if e.count = o.count; e.count*sparseShare > size {
		e.bits, o.bits = o.bits, nil
		return e
	}
	e.ids = make([]int32, 0, e.count)
	for w, x := range o.bits {
		for ; x != 0; x &= x - 1 {
			e.ids = append(e.ids, int32(w<<6+bits.TrailingZeros64(x)))
		}
	}
	return e
}
