package quant

import (
	"fmt"
	"sync"
)

// Products with several vectors go in tiles: the weights of tileRows rows are
// unpacked chunk by chunk, and each chunk is used for tileVectors vectors,
// whose parts under the chunk then stay in the nearest cache.
const (
	tileRows    = 4
	tileVectors = 32
)

// scratch is the memory of one product under way.
type scratch struct {
	chunk  chunk
	tile   tile
	wide   [chunkLen]float32
	ints   [tileRows][tileVectors]intSums
	floats [tileRows][tileVectors]floatSums
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
	for t := 0; t < a.n; t += tileVectors {
		n := min(tileVectors, a.n-t)
		for r := rowLo; r < rowHi; r += tileRows {
			if rows := min(tileRows, rowHi-r); f.widen != nil {
				p.mulFloats(s, r, rows, t, n)
			} else {
				p.mulInts(s, r, rows, t, n)
			}
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
	return row[lo:min(lo+chunkLen/p.format.block*p.format.bytes, len(row))]
}

// mulInts multiplies some quantised rows from r on by n vectors from t on.
func (p *product) mulInts(s *scratch, r, rows, t, n int) {
	f, a := p.format, p.a
	for i := range rows {
		clear(s.ints[i][:n])
	}
	for col := 0; col < a.cols; col += chunkLen {
		elems := min(chunkLen, a.cols-col)
		at := t*a.intStride + col
		for i := range rows {
			s.fill(f, p.part(r+i, col), elems)
			addTiles(s.ints[i][:n], &s.tile, a.ints[at:], a.scales[at/blockLen:], a.intStride)
			if f.hasOff {
				for j := range n {
					addOffsets(&s.ints[i][j], &s.tile, a.sums[(at+j*a.intStride)/groupLen:])
				}
			}
		}
	}
	for i := range rows {
		for j := range n {
			p.dst[(t+j)*p.stride+r+i] = s.ints[i][j].total(f.hasOff)
		}
	}
}

// fill makes the tile from the first n elements stored in src.
func (s *scratch) fill(f *format, src []byte, n int) {
	if fillFast(f, &s.tile, src, n) {
		return
	}
	f.unpack(&s.chunk, src)
	s.tile.fill(f, &s.chunk, n)
}

// mulFloats is mulInts for rows of floats.
func (p *product) mulFloats(s *scratch, r, rows, t, n int) {
	f, a := p.format, p.a
	for i := range rows {
		clear(s.floats[i][:n])
	}
	for col := 0; col < a.cols; col += chunkLen {
		elems := min(chunkLen, a.cols-col)
		padded := roundUp(elems, floatLanes)
		for i := range rows {
			f.widen(s.wide[:elems], p.part(r+i, col))
			clear(s.wide[elems:padded])
			addFloatRows(s.floats[i][:n], s.wide[:padded], a.floats[t*a.floatStride+col:], a.floatStride)
		}
	}
	for i := range rows {
		for j := range n {
			p.dst[(t+j)*p.stride+r+i] = s.floats[i][j].total()
		}
	}
}
