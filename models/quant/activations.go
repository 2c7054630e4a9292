package quant

import (
	"fmt"
	"unsafe"
)

// Activations are vectors prepared for products with matrices: n vectors of
// cols values. One may be used for many products, by several goroutines at
// once; its memory is reused by the next Set. The zero value holds none.
type Activations struct {
	n, cols int

	// Each vector begins at a multiple of stride and is padded with zeros.
	// Both the start and the stride are whole cache lines. Vectors of zeros
	// make their number a multiple of four.
	values []float32 // (n rounded up, stride)
	stride int

	// Many vectors are packed for tiles instead, in groups as equal as there
	// can be. Vectors of zeros fill the last group.
	group  int       // vectors of a group; 0 if they are not packed
	padded []float32 // a vector on its way, if it needs padding
}

// Len returns the number of vectors.
func (a *Activations) Len() int { return a.n }

// Cols returns the length of a vector.
func (a *Activations) Cols() int { return a.cols }

// Set prepares n vectors of cols values each, stored one after the other in
// x. It copies x. It panics if x is shorter than n*cols.
func (a *Activations) Set(x []float32, n, cols int) {
	if n < 0 || cols < 0 || len(x) < n*cols {
		panic(fmt.Sprintf("quant: %d values for %d vectors of %d", len(x), n, cols))
	}
	a.n, a.cols, a.group = n, cols, groupFor(n, cols)
	if a.group > 0 {
		a.pack(x)
		return
	}
	a.stride = spread(cols)
	a.resize(roundUp(n, 4) * a.stride)
	for t := range n {
		row := a.vector(t)
		clear(row[copy(row, x[t*cols:][:cols]):])
	}
	clear(a.values[n*a.stride:])
}

// resize makes room for a number of values.
func (a *Activations) resize(size int) {
	if cap(a.values) < size {
		a.values = aligned(make([]float32, size+cacheLine/4))
	}
	a.values = a.values[:size]
}

// vector returns vector t with its padding. The vectors must not be packed.
func (a *Activations) vector(t int) []float32 { return a.values[t*a.stride:][:a.stride] }

const cacheLine = 64 // bytes

// aligned returns the part of b that begins at a cache line.
func aligned(b []float32) []float32 {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return b[(cacheLine-at%cacheLine)%cacheLine/4:]
}

// spread returns the distance between vectors of a length. Where it would be
// whole pages, four vectors that are read side by side would compete for the
// same places in the cache.
func spread(cols int) int {
	const page = 4096 / 4
	stride := roundUp(cols, lanes)
	if stride%page == 0 {
		stride += page / 4
	}
	return stride
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
