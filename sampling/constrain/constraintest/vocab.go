package constraintest

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"logitscope/sampling/constrain/automaton"
)

// IDs lists the ordinary tokens of a mask.
func IDs(v *automaton.Vocab, mask []uint64) []int32 {
	out := []int32{}
	for id := int32(0); int(id) < v.Size(); id++ {
		if mask[id>>6]>>(id&63)&1 != 0 && !v.IsEOG(id) {
			out = append(out, id)
		}
	}
	return out
}

// fablePieces are the pieces of the built-in model; id 0 ends the text.
func fablePieces(t testing.TB) [][]byte {
	t.Helper()
	var list []string
	ReadFixture(t, "fable_vocab.json", &list)
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

// VocabOf has the pieces, by their places, and the tokens eog that end a text.
func VocabOf(pieces [][]byte, eog ...int32) *automaton.Vocab {
	return automaton.NewVocab(func(id int32) []byte { return pieces[id] }, len(pieces), eog, nil)
}

// FableVocab is the vocabulary of the built-in model.
func FableVocab(t testing.TB) *automaton.Vocab { return VocabOf(fablePieces(t), 0) }

// ByteVocab has one token per byte; id 256 ends the text.
func ByteVocab() *automaton.Vocab {
	pieces := make([][]byte, 257)
	for i := range 256 {
		pieces[i] = []byte{byte(i)}
	}
	return VocabOf(pieces, 256)
}

// GrownPieces extends the built-in pieces to n by joining pieces that begin
// and end like words, numbers, blanks and punctuation do in larger
// vocabularies.
func GrownPieces(t testing.TB, n int) [][]byte {
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

// Longest cuts a text into tokens, always taking the longest that fits.
func Longest(v *automaton.Vocab, text []byte) []int32 {
	var out []int32
	for len(text) > 0 {
		fits := Prefixes(v, text)
		if len(fits) == 0 {
			return nil
		}
		last := fits[len(fits)-1]
		out = append(out, TokenOf(v, text[:last]))
		text = text[last:]
	}
	return out
}

// byText are the tokens of vocabularies by their text, the first of several.
var byText sync.Map // *Vocab to map[string]int32

// TokenOf is the token of a text, or -1.
func TokenOf(v *automaton.Vocab, text []byte) int32 {
	known, ok := byText.Load(v)
	if !ok {
		tokens := map[string]int32{}
		for id := int32(v.Size()) - 1; id >= 0; id-- {
			if !v.IsEOG(id) {
				tokens[string(v.Piece(id))] = id
			}
		}
		known, _ = byText.LoadOrStore(v, tokens)
	}
	if id, ok := known.(map[string]int32)[string(text)]; ok {
		return id
	}
	return -1
}

// Prefixes lists the lengths of the tokens that text begins with.
func Prefixes(v *automaton.Vocab, text []byte) (lengths []int) {
	for n := 1; n <= min(len(text), 64); n++ {
		if TokenOf(v, text[:n]) >= 0 {
			lengths = append(lengths, n)
		}
	}
	return lengths
}

// RandomText draws tokens uniformly among the allowed ones, up to budget, and
// ends with a chance of one in end whenever the text may end.
func RandomText(t testing.TB, m *automaton.Matcher, rng *rand.Rand, budget, end int) (string, bool) {
	t.Helper()
	mask := make([]uint64, m.Vocab().Words())
	var text []byte
	s := m.Start()
	for left := budget; left > 0; left-- {
		info := m.MaskWithin(s, mask, left)
		if info.Allowed == 0 && !info.EOSAllowed {
			t.Fatalf("nothing allowed after %q with %d tokens left", text, left)
		}
		if info.EOSAllowed && (info.Allowed == 0 || rng.IntN(end) == 0) {
			return string(text), true
		}
		list := IDs(m.Vocab(), mask)
		if len(list) != info.Allowed {
			t.Fatalf("after %q: %d bits, %d allowed", text, len(list), info.Allowed)
		}
		token := list[rng.IntN(len(list))]
		next, err := m.Accept(s, token)
		if err != nil {
			t.Fatalf("after %q: %v", text, err)
		}
		text = append(text, m.Vocab().Piece(token)...)
		s = next
	}
	return string(text), m.Accepting(s)
}
