package llama

import (
	"fmt"
	"strings"

	"logitscope/models/gguf"
	"logitscope/models/quant"
)

// A binder takes tensors out of a file by name, checks their shapes, and
// keeps the first error and what was taken.
type binder struct {
	f    *gguf.File
	used map[string]bool
	err  error
}

func (b *binder) fail(t *gguf.Tensor, name, format string, args ...any) {
	if b.err != nil {
		return
	}
	e := &gguf.Error{File: b.f.Name, Field: fmt.Sprintf("tensor %q", name), Offset: -1, Reason: fmt.Sprintf(format, args...)}
	if t != nil {
		e.File, e.Offset = t.File, int64(t.Offset)
	}
	b.err = e
}

// tensor returns a tensor of a shape, in file order, and nil if it is absent.
func (b *binder) tensor(name string, n need, dims ...int) *gguf.Tensor {
	if b.err != nil || n == absent {
		return nil
	}
	t, ok := b.f.Tensor(name)
	if !ok {
		if n == required {
			b.fail(nil, name, "is missing")
		}
		return nil
	}
	if !sameShape(t.Dims, dims) {
		b.fail(t, name, "has the shape %s, not %s", shape(t.Dims), shape(dims))
		return nil
	}
	b.used[name] = true
	return t
}

// sameShape compares dimensions; dimensions of 1 at the end do not count.
func sameShape(have []uint64, want []int) bool {
	for i := range max(len(have), len(want)) {
		h, w := uint64(1), 1
		if i < len(have) {
			h = have[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if h != uint64(w) {
			return false
		}
	}
	return true
}

func shape[T int | uint64](dims []T) string {
	s := make([]string, len(dims))
	for i, d := range dims {
		s[i] = fmt.Sprint(d)
	}
	return strings.Join(s, "×")
}

// matrix returns a (rows, cols) matrix, empty if it is absent.
func (b *binder) matrix(name string, n need, rows, cols int) quant.Matrix {
	t := b.tensor(name, n, cols, rows)
	if t == nil {
		return quant.Matrix{}
	}
	m, err := quant.New(t)
	if err != nil {
		b.err = err // names file and tensor
	}
	return m
}

// matrices returns n (rows, cols) matrices that share a tensor.
func (b *binder) matrices(name string, n, rows, cols int) []quant.Matrix {
	t := b.tensor(name, required, cols, rows, n)
	if t == nil {
		return make([]quant.Matrix, n)
	}
	ms, err := quant.Slices(t)
	if err != nil {
		b.err = err
		return make([]quant.Matrix, n)
	}
	return ms
}

// vector returns a copy of n numbers, nil if it is absent. The file must
// have them in a float type.
func (b *binder) vector(name string, n need, size int) []float32 {
	all := b.vectors(name, n, 1, size)
	if all == nil {
		return nil
	}
	return all[0]
}

// vectors returns count vectors of a size that share a tensor.
func (b *binder) vectors(name string, n need, count, size int) [][]float32 {
	dims := []int{size, count}
	if count == 1 {
		dims = dims[:1]
	}
	t := b.tensor(name, n, dims...)
	if t == nil {
		return nil
	}
	if t.Type != gguf.F32 && t.Type != gguf.F16 && t.Type != gguf.BF16 {
		b.fail(t, name, "is of type %v, not F32, F16 or BF16", t.Type)
		return nil
	}
	m := quant.Matrix{Type: t.Type, Rows: count, Cols: size, Data: t.Data}
	out := make([][]float32, count)
	for i := range out {
		out[i] = make([]float32, size)
		m.Row(out[i], i)
	}
	return out
}

// rowsOf returns rows lo to hi-1 of m, which share its memory.
func rowsOf(m quant.Matrix, lo, hi int) quant.Matrix {
	size := len(m.Data) / m.Rows
	m.Data = m.Data[lo*size : hi*size : hi*size]
	m.Rows = hi - lo
	return m
}
