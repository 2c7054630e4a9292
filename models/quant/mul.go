package quant

import (
	"fmt"
	"sync"
)

const (
	// decodeFrom is the number of vectors from which on it pays to decode
	// weights to memory rather than again for every few vectors.
	decodeFrom = 8

	// wideLen is the number of decoded weights that stay in a near cache
	// while one vector after another is multiplied by them.
	wideLen = 32 << 10

	// batchRows is the most rows that are multiplied in one go.
	batchRows = 128
)

// scratch is the memory of one product under way.
type scratch struct {
	chunk chunk
	panel panelScratch
	wide  []float32              // decoded rows, each padded with zeros to a multiple of 32
	out   [batchRows * 4]float32 // results of rows times a group of up to four vectors
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// Mul multiplies rows rowLo to rowHi-1 of m by each vector of a, and stores
// row r of vector t in dst[t*m.Rows+r]. It touches no other element of dst,
// so several goroutines may share the rows among them. It panics if the
// lengths disagree.
func (m Matrix) Mul(dst []float32, a *Activations, rowLo, rowHi int) {
	if a.cols != m.Cols || len(dst) < a.n*m.Rows || rowLo < 0 || rowHi > m.Rows {
		panic(fmt.Sprintf("quant: rows %d to %d of a %d×%d matrix times %d vectors of %d into %d values",
			rowLo, rowHi, m.Rows, m.Cols, a.n, a.cols, len(dst)))
	}
	if rowLo >= rowHi || a.n == 0 {
		return
	}
	f := formatOf(m.Type)
	size := m.rowBytes(f)
	p := product{format: f, dst: dst, stride: m.Rows, data: m.Data[:m.Rows*size], rowBytes: size, a: a}
	if a.n == 1 && p.mulRows(rowLo, rowHi) {
		return
	}
	s := scratches.Get().(*scratch)
	if !p.mulPanels(s, rowLo, rowHi) && !p.mulFours(s, rowLo, rowHi) {
		p.mulDecoded(s, rowLo, rowHi)
	}
	scratches.Put(s)
}

// A product is the work of one Mul.
type product struct {
	format   *format
	dst      []float32
	stride   int // elements between the vectors of dst
	data     []byte
	rowBytes int
	a        *Activations
}

// rows returns the bytes of rows lo to hi-1.
func (p *product) rows(lo, hi int) []byte { return p.data[lo*p.rowBytes : hi*p.rowBytes] }

// result returns the part of dst for rows lo to hi-1 times vector t.
func (p *product) result(lo, hi, t int) []float32 { return p.dst[t*p.stride+lo : t*p.stride+hi] }

// mulDecoded multiplies rows lo to hi-1 by all vectors, decoding some rows at
// a time.
func (p *product) mulDecoded(s *scratch, lo, hi int) {
	cols := p.a.cols
	padded := roundUp(cols, lanes)
	step := min(max(wideLen/padded, 1), batchRows)
	if len(s.wide) < step*padded {
		s.wide = aligned(make([]float32, step*padded+cacheLine/4))
	}
	for r := lo; r < hi; r += step {
		n := min(step, hi-r)
		for i := range n {
			w := s.wide[i*padded:][:padded]
			p.format.decode(w[:cols], p.rows(r+i, r+i+1), &s.chunk)
			clear(w[cols:])
		}
		p.mulWide(s, r, n, padded)
	}
}

// mulWidePortable multiplies n decoded rows of length cols, which are rows r
// and on, by all vectors.
func (p *product) mulWidePortable(s *scratch, r, n, cols int) {
	for t := range p.a.n {
		out, x := p.result(r, r+n, t), p.a.vector(t)
		for i := range out {
			var lanes sums
			addPortable(&lanes, s.wide[i*cols:][:cols], x)
			out[i] = lanes.total()
		}
	}
}

// spreadOut distributes the results of n rows from r on, which lie side by
// side for width vectors from t on.
func (p *product) spreadOut(s *scratch, r, n, t, width int) {
	for j := range min(width, p.a.n-t) {
		for i, out := 0, p.result(r, r+n, t+j); i < n; i++ {
			out[i] = s.out[i*width+j]
		}
	}
}
