package ggml

import (
	"math"
	"unsafe"

	"logitscope/models/llama/vec"
)

// Rows are vectors of one length, one after the other, in single or in half
// precision.
type Rows struct {
	F32 []float32
	F16 []uint16
}

// from returns the rows from row i on, of length n.
func (r Rows) from(i, n int) Rows {
	if r.F16 != nil {
		return Rows{F16: r.F16[i*n:]}
	}
	return Rows{F32: r.F32[i*n:]}
}

// widened returns the first count rows of length n as float32, by way of
// scratch where they are stored otherwise.
func (r Rows) widened(count, n int, scratch *[]float32) []float32 {
	if r.F16 == nil {
		return r.F32[:count*n]
	}
	*scratch = grow(*scratch, count*n)
	vec.FromHalf(*scratch, r.F16[:count*n])
	return *scratch
}

// Queries are heads on their way through keys. The zero value is ready for
// Set.
type Queries struct {
	a    Activations
	half bool
	wide []float32
}

// Set takes n queries of some elements, which it rounds to half precision if
// keys are stored so.
func (q *Queries) Set(x []float32, n, cols int, half bool) {
	q.a.n, q.a.cols, q.half = n, cols, half
	f := &q.a.forms[f32]
	f.f = append(f.f[:0], x[:n*cols]...)
	if half {
		RoundHalf(f.f, f.f)
	}
}

// Dots sets dst[i*stride+k] to the inner product of query i and key k, of the
// first count keys, which are stored in pages of per keys each.
func (q *Queries) Dots(dst []float32, stride int, keys []Rows, per, count int) {
	if q.dots(dst, stride, keys, per, count) {
		return
	}
	n := q.a.cols
	for pos := 0; pos < count; pos += per {
		rows := keys[pos/per].widened(min(per, count-pos), n, &q.wide)
		for i := range q.a.n {
			x := q.a.forms[f32].f[i*n:][:n]
			for k := range min(per, count-pos) {
				dst[i*stride+pos+k] = inner(x, rows[k*n:(k+1)*n])
			}
		}
	}
}

// fusedAddPlain adds x times f to dst, each product and sum rounded once.
func fusedAddPlain(dst, x []float32, f float32) {
	for j, v := range x {
		dst[j] = fma(v, f, dst[j])
	}
}

// A Mix adds up values by the weights of some queries: for each element the
// product of the weights with a row of the transposed values, so that position
// p goes to sum p%32. The zero value is ready for Reset.
type Mix struct {
	n, queries int
	sums       []float32 // (32, queries, n)
	wide       []float32
	pages      []unsafe.Pointer // of the kernels
}

// Reset begins anew, for values of n elements.
func (m *Mix) Reset(queries, n int) {
	m.n, m.queries = n, queries
	m.sums = grow(m.sums, turn*queries*n)
}

// AddPages adds the values of the first positions, which are stored in pages of
// per positions each. Query i has the weights w[i*stride:]. It must be the
// first to add.
func (m *Mix) AddPages(w []float32, stride int, pages []Rows, per, positions int) {
	if m.addPages(w, stride, pages, per, positions) {
		return
	}
	clear(m.sums)
	for pos := 0; pos < positions; pos += per {
		count := min(per, positions-pos)
		rows := pages[pos/per].widened(count, m.n, &m.wide)
		for q := range m.queries {
			m.add(q, w[q*stride+pos:][:count], rows, pos)
		}
	}
}

// Add adds for one query positions from on, up to as many as it has weights.
func (m *Mix) Add(query int, w []float32, pages []Rows, per, from int) {
	for pos := from; pos < len(w); pos++ {
		row := pages[pos/per].from(pos%per, m.n).widened(1, m.n, &m.wide)
		m.add(query, w[pos:pos+1], row, pos)
	}
}

// add adds rows times w, one weight for each; the first is of position pos.
func (m *Mix) add(query int, w, rows []float32, pos int) {
	for i, f := range w {
		sums := m.sums[((pos+i)%turn*m.queries+query)*m.n:][:m.n]
		fusedAdd(sums, rows[i*m.n:][:m.n], f)
	}
}

// Total stores the sums in dst, (queries, n).
func (m *Mix) Total(dst []float32) {
	if mixTotal(dst, m.sums) {
		return
	}
	var s floats
	size := m.queries * m.n
	for j := range dst {
		for i := range s {
			s[i] = m.sums[i*size+j]
		}
		l := s.folded()
		dst[j] = l.pairwise()
	}
}

// A Flash is the flash attention of one query, position by position, with
// its output kept in half precision. The zero value is ready for Reset.
type Flash struct {
	out      []float32
	top, sum float32
	wide     []float32

	scales, weights []float32 // of a page
}

// Reset begins anew; the output will be in out.
func (f *Flash) Reset(out []float32) {
	clear(out)
	f.out, f.top, f.sum = out, float32(math.Inf(-1)), 0
}

// Add takes as many positions as there are scores, with their values, which
// are stored in pages of per positions each.
func (f *Flash) Add(scores []float32, pages []Rows, per int) {
	n := len(f.out)
	f.scales, f.weights = grow(f.scales, per), grow(f.weights, per)
	for pos := 0; pos < len(scores); pos += per {
		count := min(per, len(scores)-pos)
		scales, weights := f.scales[:count], f.weights[:count]
		for k, score := range scores[pos : pos+count] {
			scales[k], weights[k] = f.weigh(score)
		}
		if f.addRows(scales, weights, pages[pos/per]) {
			continue
		}
		rows := pages[pos/per].widened(count, n, &f.wide)
		for k, scale := range scales {
			if scale != 1 {
				for j := range f.out {
					f.out[j] *= scale
				}
				RoundHalf(f.out, f.out)
			}
			fusedAddHalf(f.out, rows[k*n:(k+1)*n], weights[k])
		}
	}
}

// weigh takes the score of one more position, and returns by what the output
// is to be multiplied before the value, times the weight, is added.
func (f *Flash) weigh(score float32) (scale, weight float32) {
	scale, weight = 1, 1
	if score > f.top {
		scale = exp(f.top - score)
		f.top = score
	} else {
		weight = exp(score - f.top)
	}
	f.sum = fma(f.sum, scale, weight)
	return scale, weight
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
