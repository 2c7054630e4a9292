package sampling

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// words is a vocabulary of given pieces; an id with the piece "-" has none.
type words []string

func (w words) Size() int              { return len(w) }
func (w words) Piece(id int32) string  { return w[id] }
func (w words) EOG() []int32           { return []int32{0} }
func (w words) HasPiece(id int32) bool { return w[id] != "-" }

// Encode takes the longest piece at every place.
func (w words) Encode(text string) (ids []int32) {
	for text != "" {
		best := -1
		for id, piece := range w {
			if piece != "" && strings.HasPrefix(text, piece) && (best < 0 || len(piece) > len(w[best])) {
				best = id
			}
		}
		if best < 0 {
			return ids
		}
		ids = append(ids, int32(best))
		text = text[len(w[best]):]
	}
	return ids
}

// What is compiled for a prepared vocabulary is what is compiled without.
func TestPrepared(t *testing.T) {
	v := words{"a", "-", "b", "-", "\n"}
	p := Prepare(v)
	if Prepare(p) != p {
		t.Error("prepared twice")
	}
	for _, v := range []Vocab{v, p} {
		q, err := Compile(Config{}, v)
		if err != nil {
			t.Fatal(err)
		}
		if want := []int32{1, 3}; !slices.Equal(q.noPiece, want) || q.vocab != 5 {
			t.Errorf("ids %v of %d have no piece, want %v of 5", q.noPiece, q.vocab, want)
		}
	}
}

// BenchmarkCompile compiles what a slider changes, for a vocabulary as large
// as they come: with DRY off and on.
func BenchmarkCompile(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	v := make(words, 151936)
	for i := range v {
		piece := make([]byte, 1+r.IntN(10))
		for k := range piece {
			piece[k] = ' ' + byte(r.ExpFloat64()*8)%95
		}
		if r.IntN(50) == 0 {
			piece[len(piece)-1] = '\n'
		}
		v[i] = string(piece)
	}
	for _, dry := range []float64{0, 0.8} {
		c := Config{}.MustWith("order", "llama.cpp", FromPreset).MustWith("dry_multiplier", dry, FromPreset)
		for name, v := range map[string]Vocab{"plain": v, "prepared": Prepare(v)} {
			b.Run(fmt.Sprintf("dry=%v/%s", dry > 0, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Compile(c, v); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			Prepare(v)
		}
	})
}
