// Package quant answers: what is a row of numbers times a matrix as a file
// stores it? It multiplies by the matrices of GGUF files as they are stored:
// every tensor type of ggml is decoded, and products read the weights in place,
// block by block.
//
// # Numbers
//
// A product gives the same bits on every machine, for every number of
// workers, and for one vector at a time as for many. A weight is the float32
// that ggml decodes it to; it is multiplied by the activation and the product
// added to one of 32 sums, each rounded to float32; the sums are added up in
// a fixed order. So a product with a stored matrix equals, bit for bit, the
// product with its decoded rows stored as F32. The assembly keeps to this by
// doing without fused multiply-add; tests hold it to its portable twin.
package quant

import (
	"fmt"

	"logitscope/models/gguf"
)

// A Matrix is a stored matrix: Rows rows of Cols elements. It shares the
// memory of the tensor it was made from.
type Matrix struct {
	Type gguf.Type
	Rows int
	Cols int
	Data []byte // rows of equal size, one after the other
}

// New returns a tensor of one or two dimensions as a matrix; one dimension
// makes a single row. It refuses types it cannot decode.
func New(t *gguf.Tensor) (Matrix, error) {
	if len(t.Dims) > 2 {
		return Matrix{}, tensorError(t, "has %d dimensions, not 1 or 2", len(t.Dims))
	}
	all, err := slices(t)
	if err != nil {
		return Matrix{}, err
	}
	return all[0], nil
}

// Slices returns a tensor of three dimensions, such as the weights of all
// experts, as its matrices, which are as many as its last dimension.
func Slices(t *gguf.Tensor) ([]Matrix, error) {
	if len(t.Dims) != 3 {
		return nil, tensorError(t, "has %d dimensions, not 3", len(t.Dims))
	}
	return slices(t)
}

func slices(t *gguf.Tensor) ([]Matrix, error) {
	f := formatOf(t.Type)
	if f == nil {
		return nil, tensorError(t, "is of type %s, which has no decoder", t.Type)
	}
	dims := [3]uint64{1, 1, 1}
	copy(dims[:], t.Dims)
	if dims[0] == 0 || dims[0]%uint64(f.block) != 0 {
		return nil, tensorError(t, "has rows of %d elements, not a multiple of %d", dims[0], f.block)
	}
	rowBytes := dims[0] / uint64(f.block) * uint64(f.bytes)
	if uint64(len(t.Data)) != rowBytes*dims[1]*dims[2] {
		return nil, tensorError(t, "has %d bytes, which do not fit %v", len(t.Data), t.Dims)
	}
	size := int(rowBytes * dims[1])
	all := make([]Matrix, dims[2])
	for i := range all {
		all[i] = Matrix{Type: t.Type, Rows: int(dims[1]), Cols: int(dims[0]), Data: t.Data[i*size : (i+1)*size : (i+1)*size]}
	}
	return all, nil
}

func tensorError(t *gguf.Tensor, format string, args ...any) error {
	return &gguf.Error{File: t.File, Field: fmt.Sprintf("tensor %q", t.Name), Offset: int64(t.Offset), Reason: fmt.Sprintf(format, args...)}
}

// rowBytes returns the size of a row.
func (m Matrix) rowBytes(f *format) int { return m.Cols / f.block * f.bytes }

// Row decodes one row into dst, which must hold Cols values. The values are
// ggml's, bit for bit. It panics if row is out of range.
func (m Matrix) Row(dst []float32, row int) {
	if uint(row) >= uint(m.Rows) {
		panic(fmt.Sprintf("quant: row %d of %d", row, m.Rows))
	}
	f := formatOf(m.Type)
	size := m.rowBytes(f)
	f.decodeRow(dst[:m.Cols], m.Data[row*size:(row+1)*size])
}

// slice returns rows lo to hi-1 as a matrix of their own, which shares the
// memory. It panics if they are out of range.
func (m Matrix) slice(lo, hi int) Matrix {
	if lo < 0 || lo > hi || hi > m.Rows {
		panic(fmt.Sprintf("quant: rows %d to %d of %d", lo, hi, m.Rows))
	}
	size := m.rowBytes(formatOf(m.Type))
	m.Rows, m.Data = hi-lo, m.Data[lo*size:hi*size:hi*size]
	return m
}
