package ggml

import (
	"encoding/binary"
	"math"

	"logitscope/models/llama/vec"
)

// A turn is what a product of floats takes at a time: four registers.
const turn = 32

// floats are the sums of a product of floats: element i goes to sum i%32.
type floats [turn]float32

// add adds the products of x and y, of at most 32 elements.
func (s *floats) add(x, y []float32) {
	for i, v := range x {
		s[i] = fma(v, y[i], s[i])
	}
}

// folded adds the four registers up.
func (s *floats) folded() (l lanes) {
	for i := range l {
		l[i] = (s[i] + s[16+i]) + (s[8+i] + s[24+i])
	}
	return l
}

// inner returns the inner product of x and y, which have the same length.
func inner(x, y []float32) float32 { return dotFloats(x, y, (*lanes).pairwise) }

func dotFloats(x, y []float32, total func(*lanes) float32) float32 {
	var s floats
	body := len(x) / turn * turn
	for i := 0; i < body; i += turn {
		s.add(x[i:i+turn], y[i:i+turn])
	}
	l := s.folded()
	sum := total(&l)
	for i := body; i < len(x); i++ {
		sum = fma(x[i], y[i], sum)
	}
	return sum
}

// dotWidened multiplies a row that is not stored as float32, a few turns at a
// time.
func dotWidened(w []byte, v *vector, widen func(dst []float32, w []byte), total func(*lanes) float32) float32 {
	row := make([]float32, len(v.f))
	widen(row, w)
	return dotFloats(row, v.f, total)
}

func dotF32(w []byte, v *vector) float32  { return dotWidened(w, v, widenF32, (*lanes).pairwise) }
func dotF16(w []byte, v *vector) float32  { return dotWidened(w, v, widenF16, (*lanes).pairwise) }
func dotBF16(w []byte, v *vector) float32 { return dotWidened(w, v, widenBF16, (*lanes).total) }

func widenF32(dst []float32, w []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(w[4*i:]))
	}
}

func widenF16(dst []float32, w []byte) {
	for i := range dst {
		dst[i] = half(w[2*i:])
	}
}

func widenBF16(dst []float32, w []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(w[2*i:])) << 16)
	}
}

// half widens the half at w.
func half(w []byte) float32 {
	var f [1]float32
	vec.FromHalf(f[:], []uint16{binary.LittleEndian.Uint16(w)})
	return f[0]
}
