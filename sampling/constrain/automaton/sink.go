package automaton

import (
	"math/bits"
)

// A tokenSet is a set of tokens as bits. It is immutable.
type tokenSet struct {
	bits  []uint64
	count int
}

// A maskEntry is the answer for one state: which tokens may come next. It is
// immutable: the tokens of dense (which may be nil) without those of drop, and
// those of the lists, in which a token may come more than once. What it is made
// of may be other entries' as well.
type maskEntry struct {
	dense *tokenSet
	drop  []int32
	lists [][]int32
	own   int32 // bytes that are this entry's alone
	// generation is the memo's, when the entry was last used there.
	generation int32
	// farthest bounds the distance to completion after any allowed token.
	farthest int32
}

// bytes is the memory that an entry takes for itself.
func (e *maskEntry) bytes() int { return int(e.own) + 24*len(e.lists) + 96 }

// write puts the mask into dst and returns the number of its tokens.
func (e *maskEntry) write(dst []uint64) int {
	n := 0
	if e.dense == nil {
		clear(dst)
	} else {
		copy(dst, e.dense.bits)
		n = e.dense.count
	}
	n -= clearTokens(dst, e.drop)
	for _, list := range e.lists {
		n += setTokens(dst, list)
	}
	return n
}

// setTokens sets bits and returns how many were not set.
func setTokens(dst []uint64, list []int32) (n int) {
	for _, id := range list {
		w, k := &dst[id>>6], id&63
		n += int(^*w >> k & 1)
		*w |= 1 << k
	}
	return n
}

// clearTokens clears bits and returns how many were set.
func clearTokens(dst []uint64, list []int32) (n int) {
	for _, id := range list {
		w, k := &dst[id>>6], id&63
		n += int(*w >> k & 1)
		*w &^= 1 << k
	}
	return n
}

// collect calls fn for every allowed token in ascending order of ids.
func (e *maskEntry) collect(words int, fn func(id int32)) {
	all := make([]uint64, words)
	e.write(all)
	for w, x := range all {
		for ; x != 0; x &= x - 1 {
			fn(int32(w<<6 + bits.TrailingZeros64(x)))
		}
	}
}

// A sink gathers tokens: those of walks in a list, and answers as they are.
type sink struct {
	ids      []int32
	dense    *tokenSet
	drops    []int32
	lists    [][]int32
	farthest int32
	escapes  []int32 // trie nodes reached as the known part of the stack ended
}

func (o *sink) reset() {
	*o = sink{ids: o.ids[:0], lists: o.lists[:0], escapes: o.escapes[:0]}
}

// openSink and closeSink lend sinks, the last one first.
func (m *Matcher) openSink() *sink {
	if m.openSinks == len(m.sinks) {
		m.sinks = append(m.sinks, &sink{})
	}
	o := m.sinks[m.openSinks]
	m.openSinks++
	o.reset()
	return o
}

func (m *Matcher) closeSink() { m.openSinks-- }

// add takes in an answer, but for its farthest, whose meaning differs.
func (o *sink) add(e *maskEntry) {
	o.lists = append(o.lists, e.lists...)
	if e.dense != nil {
		o.addDense(e.dense, e.drop)
	}
}

// addWithout takes in an answer but for some tokens, which are marked.
func (o *sink) addWithout(e *maskEntry, tokens []int32, marks []uint64) {
	for _, list := range e.lists {
		o.lists = append(o.lists, unmarked(list, marks))
	}
	switch {
	case e.dense == nil:
	case len(tokens) == 0:
		o.addDense(e.dense, e.drop)
	default:
		o.addDense(e.dense, append(append(make([]int32, 0, len(tokens)+len(e.drop)), tokens...), e.drop...))
	}
}

// unmarked is a list but for its marked tokens: the list itself if it has none.
func unmarked(list []int32, marks []uint64) []int32 {
	for i, id := range list {
		if !hasBit(marks, id) {
			continue
		}
		kept := append(make([]int32, 0, len(list)), list[:i]...)
		for _, id := range list[i:] {
			if !hasBit(marks, id) {
				kept = append(kept, id)
			}
		}
		return kept
	}
	return list
}

func hasBit(set []uint64, id int32) bool { return set[id>>6]>>(id&63)&1 != 0 }

// addDense takes in a set but for some tokens.
func (o *sink) addDense(set *tokenSet, drop []int32) {
	if o.dense == nil {
		o.dense, o.drops = set, drop
		return
	}
	all := make([]uint64, len(set.bits))
	copy(all, set.bits)
	clearTokens(all, drop)
	was := make([]uint64, len(all))
	copy(was, o.dense.bits)
	clearTokens(was, o.drops)
	n := 0
	for i := range all {
		all[i] |= was[i]
		n += bits.OnesCount64(all[i])
	}
	o.dense, o.drops = &tokenSet{all, n}, nil
}

// sparseShare is how many times the tokens of a mask kept as lists fit into
// the vocabulary: below that, bits are smaller and quicker.
const sparseShare = 16

// take makes an immutable mask of what was gathered, for a vocabulary of size
// tokens.
func (o *sink) take(size int, keep *listArenas) *maskEntry {
	e := maskEntry{dense: o.dense, drop: o.drops, farthest: o.farthest, own: 4 * int32(len(o.drops))}
	n := len(o.ids)
	for _, list := range o.lists {
		n += len(list)
	}
	if n*sparseShare > size {
		all := make([]uint64, (size+63)/64)
		e.lists = append(o.lists, o.ids)
		count := e.write(all)
		return &maskEntry{dense: &tokenSet{all, count}, farthest: o.farthest, own: 8 * int32(len(all))}
	}
	if len(o.ids) > 0 {
		e.own += 4 * int32(len(o.ids))
		o.lists = append(o.lists, keep.ids.keep(o.ids))
	}
	e.lists = keep.lists.keep(o.lists)
	return &e
}

// listArenas are where masks have their lists.
type listArenas struct {
	ids   arena[int32]
	lists arena[[]int32]
}
