package constrain

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"
)

// fablePieces are the pieces of the built-in model; id 0 ends the text.
func fablePieces(t testing.TB) [][]byte {
	t.Helper()
	var list []string
	readFixture(t, "testdata/fable_vocab.json", &list)
	pieces := make([][]byte, len(list))
	for i, h := range list {
		b, err := hex.DecodeString(h)
		if err != nil {
			t.Fatal(err)
		}
		pieces[i] = b
	}
	return pieces
}

func vocabOf(pieces [][]byte, eog ...int32) *Vocab {
	return NewVocab(func(id int32) []byte { return pieces[id] }, len(pieces), eog, nil)
}

func fableVocab(t testing.TB) *Vocab { return vocabOf(fablePieces(t), 0) }

// byteVocab has one token per byte; id 256 ends the text.
func byteVocab() *Vocab {
	pieces := make([][]byte, 257)
	for i := range 256 {
		pieces[i] = []byte{byte(i)}
	}
	return vocabOf(pieces, 256)
}

// grownPieces extends the built-in pieces to n by joining pieces that begin
// and end like words, numbers, blanks and punctuation do in larger
// vocabularies.
func grownPieces(t testing.TB, n int) [][]byte {
	pieces := fablePieces(t)
	seen := map[string]bool{}
	for _, p := range pieces {
		seen[string(p)] = true
	}
	rng := rand.New(rand.NewPCG(7, 11))
	base := slices.Clone(pieces[1:])
	marks := []string{`"`, `":`, `",`, `"}`, `"]`, `{"`, `["`, "},", "],", "\n", "  ", " ", ".", ",", ":", "/", "-", "_", "=", "(", ")", `":"`, `","`, `":{"`, `é`, `日`, `語`, `я`}
	for len(pieces) < n {
		a, b := base[rng.IntN(len(base))], base[rng.IntN(len(base))]
		var p []byte
		switch k := rng.IntN(20); {
		case k < 15:
			p = slices.Concat(a, b)
		case k < 16:
			p = slices.Concat(a, base[rng.IntN(len(base))], b)
		case k < 18:
			p = append(slices.Clone(a), marks[rng.IntN(len(marks))]...)
		case k < 19:
			p = append([]byte(marks[rng.IntN(len(marks))]), b...)
		default:
			for range 1 + rng.IntN(4) {
				p = append(p, byte('0'+rng.IntN(10)))
			}
		}
		if len(p) == 0 || len(p) > 24 || seen[string(p)] {
			continue
		}
		seen[string(p)] = true
		pieces = append(pieces, p)
	}
	return pieces
}

// longest cuts a text into tokens, always taking the longest that fits.
func longest(v *Vocab, text []byte) []int32 {
	var out []int32
	for len(text) > 0 {
		best := 0
		v.trie.prefixes(text, func(n int) { best = n })
		if best == 0 {
			return nil
		}
		out = append(out, v.tokenOf(text[:best]))
		text = text[best:]
	}
	return out
}

// tokenOf finds a token by its bytes.
func (v *Vocab) tokenOf(piece []byte) int32 {
	t := &v.trie
	i := t.root[piece[0]] - 1
	for _, b := range piece[1:] {
		for i++; t.bytes[i] != b; i += t.nodes[i].size {
		}
	}
	return t.tokens[t.nodes[i].first]
}
