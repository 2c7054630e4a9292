package ggml

import "math"

// DotRows sets dst[i] to the inner product of q and row i of rows, which has
// len(dst) rows of len(q).
func DotRows(dst, q, rows []float32) {
	n := len(q)
	if dotRows(dst, q, rows) {
		return
	}
	for i := range dst {
		dst[i] = inner(q, rows[i*n:(i+1)*n])
	}
}

// fusedAddPlain adds x times f to dst, each product and sum rounded once.
func fusedAddPlain(dst, x []float32, f float32) {
	for j, v := range x {
		dst[j] = fma(v, f, dst[j])
	}
}

// A Mix adds up values by their weights: for each element the product of the
// weights with a row of the transposed values, so that position p goes to sum
// p%32. The zero value is ready for Reset.
type Mix struct {
	n    int
	sums []float32 // (32, n)
}

// Reset begins anew, for values of n elements.
func (m *Mix) Reset(n int) {
	m.n = n
	m.sums = grow(m.sums, turn*n)
	clear(m.sums)
}

// Add adds rows times w, one weight for each; the first is of position pos.
func (m *Mix) Add(w, rows []float32, pos int) {
	for i, f := range w {
		sums := m.sums[(pos+i)%turn*m.n:][:m.n]
		fusedAdd(sums, rows[i*m.n:][:m.n], f)
	}
}

// Total stores the sums in dst, which has n elements.
func (m *Mix) Total(dst []float32) {
	if mixTotal(dst, m.sums) {
		return
	}
	var s floats
	for j := range dst {
		for i := range s {
			s[i] = m.sums[i*m.n+j]
		}
		l := s.folded()
		dst[j] = l.pairwise()
	}
}

// A Flash is the flash attention of one query, position by position, with
// its output kept in half precision.
type Flash struct {
	out      []float32
	top, sum float32
}

// Reset begins anew; the output will be in out.
func (f *Flash) Reset(out []float32) {
	clear(out)
	*f = Flash{out: out, top: float32(math.Inf(-1))}
}

// Add takes one more position with its score and its value.
func (f *Flash) Add(score float32, value []float32) {
	scale, weight := float32(1), float32(1)
	if score > f.top {
		scale = exp(f.top - score)
		f.top = score
		for j := range f.out {
			f.out[j] *= scale
		}
		RoundHalf(f.out, f.out)
	} else {
		weight = exp(score - f.top)
	}
	fusedAddHalf(f.out, value, weight)
	f.sum = fma(f.sum, scale, weight)
}

// Finish divides the output by the sum of the weights.
func (f *Flash) Finish() {
	inv := float32(0)
	if f.sum != 0 {
		inv = 1 / f.sum
	}
	for j := range f.out {
		f.out[j] *= inv
	}
}
