package quant

import (
	"fmt"
	"sync"
)

// Products with several vectors go in tiles: the weights of tileRows rows are
// decoded chunk by chunk, and each chunk is used for tileVectors vectors,
// whose parts under the chunk then stay in the nearest cache.
const (
	tileRows    = 4
	tileVectors = 24
)

// scratch is the memory of one product under way.
type scratch struct {
	chunk chunk
	sums  [tileRows][tileVectors]sums
	wide  [tileRows][]float32 // chunkLen each, on a cache line
}

var scratches = sync.Pool{New: func() any {
	s := new(scratch)
	buffer := aligned(make([]float32, tileRows*chunkLen+cacheLine/4))
	for i := range s.wide {
		s.wide[i] = buffer[i*chunkLen:][:chunkLen]
	}
	return s
}}

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
	if p.mulRows(rowLo, rowHi) {
		return
	}
	s := scratches.Get().(*scratch)
	for t := 0; t < a.n; t += tileVectors {
		for r := rowLo; r < rowHi; r += tileRows {
			p.mulTile(s, r, min(tileRows, rowHi-r), t, min(tileVectors, a.n-t))
		}
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

// part returns the bytes of row r under the chunk that begins at col.
func (p *product) part(r, col int) []byte {
	row := p.data[r*p.rowBytes:][:p.rowBytes]
	lo := col / p.format.block * p.format.bytes
	return row[lo:min(lo+p.format.step(), len(row))]
}

// mulTile multiplies some rows from r on by n vectors from t on.
func (p *product) mulTile(s *scratch, r, rows, t, n int) {
	a := p.a
	for i := range rows {
		clear(s.sums[i][:n])
	}
	for col := 0; col < a.cols; col += chunkLen {
		elems := min(chunkLen, a.cols-col)
		padded := roundUp(elems, lanes)
		for i := range rows {
			w := s.wide[i]
			p.format.decode(w[:elems], p.part(r+i, col), &s.chunk)
			clear(w[elems:padded])
		}
		addTile(s, rows, n, padded, a.values[t*a.stride+col:], a.stride)
	}
	for i := range rows {
		for j := range n {
			p.dst[(t+j)*p.stride+r+i] = s.sums[i][j].total()
		}
	}
}

// addTilePortable adds the products of length decoded weights of some rows
// with n vectors that lie stride elements apart.
func addTilePortable(s *scratch, rows, n, length int, x []float32, stride int) {
	for i := range rows {
		for j := range n {
			addPortable(&s.sums[i][j], s.wide[i][:length], x[j*stride:])
		}
	}
}
