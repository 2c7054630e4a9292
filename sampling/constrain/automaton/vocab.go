package automaton

import (
	"bytes"
	"slices"
	"sync"

	"logitscope/sampling/constrain/lang"
)

// A Vocab is a tokenizer's pieces as a byte trie. It is built once per
// tokenizer, is immutable to its users and safe for concurrent use.
type Vocab struct {
	size    int
	pieces  [][]byte // nil for ids that are never allowed
	eog     []int32
	isEOG   map[int32]bool
	longest int
	bytes   [4]uint64 // bytes that are a piece of their own
	quoted  []int32   // tokens with three quotes or more: they may end two strings
	trie    trie

	mu    sync.Mutex
	whole *region // of all tokens
}

// NewVocab builds the trie of the pieces of ids 0..size-1. A piece is the
// token's exact bytes; ids with an empty piece or for which skip (may be nil)
// reports true are never allowed. eog lists the tokens that end a text; their
// pieces are ignored.
func NewVocab(piece func(id int32) []byte, size int, eog []int32, skip func(id int32) bool) *Vocab {
	v := &Vocab{size: size, pieces: make([][]byte, size), isEOG: map[int32]bool{}}
	for _, id := range eog {
		if id >= 0 && int(id) < size && !v.isEOG[id] {
			v.isEOG[id] = true
			v.eog = append(v.eog, id)
		}
	}
	ids := make([]int32, 0, size)
	for id := int32(0); int(id) < size; id++ {
		if v.isEOG[id] || skip != nil && skip(id) {
			continue
		}
		p := piece(id)
		if len(p) == 0 {
			continue
		}
		v.pieces[id] = bytes.Clone(p)
		v.longest = max(v.longest, len(p))
		if bytes.Count(p, []byte{'"'}) > 2 {
			v.quoted = append(v.quoted, id)
		}
		if len(p) == 1 {
			lang.SetBytes(&v.bytes, p[0], p[0])
		}
		ids = append(ids, id)
	}
	slices.SortStableFunc(ids, func(a, b int32) int { return bytes.Compare(v.pieces[a], v.pieces[b]) })
	v.trie = makeTrie(len(ids), func(i int) ([]byte, int32) { return v.pieces[ids[i]], ids[i] })
	v.whole = &region{t: &v.trie, limit: max(1024, int32(len(v.trie.bytes)/8)), mu: &v.mu, common: map[string]*ruleMask{}}
	return v
}

// Size returns the number of ids, the length of a mask in bits.
func (v *Vocab) Size() int { return v.size }

// Words returns the number of 64-bit words of a mask.
func (v *Vocab) Words() int { return (v.size + 63) / 64 }

// Piece returns the bytes of a token, nil if it is never allowed. The slice is
// the vocabulary's own.
func (v *Vocab) Piece(id int32) []byte {
	if id < 0 || int(id) >= v.size {
		return nil
	}
	return v.pieces[id]
}

// IsEOG reports whether a token ends a text.
func (v *Vocab) IsEOG(id int32) bool { return v.isEOG[id] }
