package quant

import "fmt"

// tileVectors is how many vectors share one unpacking of the weights.
const tileVectors = 16

// Mul multiplies rows rowLo to rowHi-1 of m by each vector of a, and stores
// row r of vector t in dst[t*m.Rows+r]. It touches no other element of dst,
// so several goroutines may share the rows among them. It allocates nothing.
// It panics if the lengths disagree.
func (m Matrix) Mul(dst []float32, a *Activations, rowLo, rowHi int) {
	if a.cols != m.Cols || len(dst) < a.n*m.Rows || rowLo < 0 || rowHi > m.Rows {
		panic(fmt.Sprintf("quant: rows %d to %d of a %d×%d matrix times %d vectors of %d into %d values",
			rowLo, rowHi, m.Rows, m.Cols, a.n, a.cols, len(dst)))
	}
	f := formatOf(m.Type)
	size := m.rowBytes(f)
	for r := rowLo; r < rowHi; r++ {
		row := m.Data[r*size : (r+1)*size]
		for t := 0; t < a.n; t += tileVectors {
			n := min(tileVectors, a.n-t)
			out := dst[t*m.Rows+r:]
			if f.widen != nil {
				f.mulFloats(out, m.Rows, row, a, t, n)
			} else {
				f.mulInts(out, m.Rows, row, a, t, n)
			}
		}
	}
}

// mulInts multiplies a quantised row by n vectors from vector t on, storing
// the results stride apart.
func (f *format) mulInts(dst []float32, stride int, row []byte, a *Activations, t, n int) {
	var s [tileVectors]intSums
	var p tile
	var c chunk
	step := chunkLen / f.block * f.bytes
	for col := 0; col < a.cols; col += chunkLen {
		part := row[:min(step, len(row))]
		row = row[len(part):]
		f.unpack(&c, part)
		p.fill(f, &c, min(chunkLen, a.cols-col))
		for i := range n {
			at := (t+i)*a.intStride + col
			addTile(&s[i], &p, a.ints[at:], a.scales[at/blockLen:])
			if f.hasOff {
				addOffsets(&s[i], &p, a.sums[at/groupLen:])
			}
		}
	}
	for i := range n {
		dst[i*stride] = s[i].total(f.hasOff)
	}
}

// mulFloats is mulInts for rows of floats.
func (f *format) mulFloats(dst []float32, stride int, row []byte, a *Activations, t, n int) {
	var s [tileVectors]floatSums
	var w [chunkLen]float32
	step := chunkLen * f.bytes
	for col := 0; col < a.cols; col += chunkLen {
		part := row[:min(step, len(row))]
		row = row[len(part):]
		elems := min(chunkLen, a.cols-col)
		padded := roundUp(elems, floatLanes)
		f.widen(w[:elems], part)
		clear(w[elems:padded])
		for i := range n {
			addFloats(&s[i], w[:padded], a.floats[(t+i)*a.floatStride+col:])
		}
	}
	for i := range n {
		dst[i*stride] = s[i].total()
	}
}
