package dry

import "strings"

// A Vocab is a model's tokens, as far as breakers need to know them.
type Vocab interface {
	Size() int
	Encode(text string) []int32
	Piece(id int32) string // bytes; need not be whole UTF-8
	HasPiece(id int32) bool
}

// Breakers are the token sequences that end a run for DRY.
type Breakers struct {
	single []uint64            // bits of ids that break by themselves
	tails  map[int32][][]int32 // what must follow other ids; nothing for ids beyond the bits
}

// The most of a breaker text, and of its tokens after the first, that count.
const (
	maxBreakerText = 40
	maxBreakerTail = 20
)

// NewBreakers returns the given sequences, and with a vocabulary those that
// write a text: every token whose piece holds it, and every token whose piece
// ends with a start of it together with the tokens of the rest.
// x finds the pieces of v. Without a vocabulary, v is nil and the texts count for
// nothing.
func NewBreakers(sequences [][]int32, texts []string, v Vocab, x *Pieces) Breakers {
	b := Breakers{tails: make(map[int32][][]int32)}
	if v != nil {
		b.single = make([]uint64, (v.Size()+63)/64)
	}
	for _, s := range sequences {
		if len(s) > 0 {
			b.add(s[0], s[1:])
		}
	}
	if v == nil {
		return b
	}
	for _, text := range texts {
		if text != "" {
			b.addText(text[:min(len(text), maxBreakerText)], v, x)
		}
	}
	return b
}

func (b *Breakers) add(id int32, tail []int32) {
	if len(tail) == 0 && uint(id) < uint(len(b.single)*64) {
		b.single[id/64] |= 1 << (id % 64)
		return
	}
	b.tails[id] = append(b.tails[id], tail)
}

func (b *Breakers) addText(text string, v Vocab, x *Pieces) {
	rarest := x.holds.of(text[0])
	for i := range len(text) {
		if ids := x.holds.of(text[i]); len(ids) < len(rarest) {
			rarest = ids
		}
	}
	for _, id := range rarest {
		if len(text) == 1 || strings.Contains(v.Piece(id), text) {
			b.add(id, nil)
		}
	}
	for k := len(text) - 1; k > 0; k-- {
		tail := v.Encode(text[k:])
		tail = tail[:min(len(tail), maxBreakerTail)]
		for _, id := range x.ends.of(text[k-1]) {
			if piece := v.Piece(id); strings.HasSuffix(piece, text[:k]) && !strings.Contains(piece, text) {
				b.add(id, tail)
			}
		}
	}
}

// breaks reports whether a token breaks a run by itself.
func (b *Breakers) breaks(id int32) bool {
	if uint(id) < uint(len(b.single)*64) && b.single[id/64]>>(id%64)&1 != 0 {
		return true
	}
	for _, tail := range b.tails[id] {
		if len(tail) == 0 {
			return true
		}
	}
	return false
}

// longest returns the length of the longest tail of a breaker that begins
// with the i-th token from the end, or -1 if none does.
func (b *Breakers) longest(i int, back func(int) int32) int {
	head, longest := back(i), -1
	if uint(head) < uint(len(b.single)*64) && b.single[head/64]>>(head%64)&1 != 0 {
		longest = 0
	}
tails:
	for _, tail := range b.tails[head] {
		if len(tail) <= longest || len(tail) > i {
			continue
		}
		for k, t := range tail {
			if t != back(i-k-1) {
				continue tails
			}
		}
		longest = len(tail)
	}
	return longest
}
