package ggml

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"logitscope/models/gguf"
)

// useVNNI says whether there are kernels for four vectors at a time.
var useVNNI = useAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VNNI

// The kernels multiply rows, stored one after the other, by four vectors, which
// follow one another as well: their 8-bit values, the scales of blocks and the
// sums of each 32. Results of a vector are stride bytes after those of the one
// before.

//go:noescape
func rows4Q8_0VNNI(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rows4Q4_KVNNI(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

// mulFours multiplies rows lo to hi-1 of a matrix of some rows, stored in w, by
// as many vectors as make fours, and returns their number.
func (a *Activations) mulFours(dst []float32, t gguf.Type, wide bool, rows, lo, hi int, w []byte) int {
	if !useVNNI || a.n < 4 || lo == hi || a.cols == 0 {
		return 0
	}
	n := a.n &^ 3
	switch {
	case t == gguf.Q8_0:
		f := &a.forms[q8_0]
		blocks := a.cols / block
		for v := 0; v < n; v += 4 {
			rows4Q8_0VNNI(&dst[v*rows+lo], rows*4, &w[0], hi-lo, unsafe.Pointer(&f.raised[v*a.cols]), &f.d4[v*blocks], nil, blocks)
		}
	case t == gguf.Q4_K && wide:
		f := &a.forms[q8_K]
		blocks := a.cols / blockK
		for v := 0; v < n; v += 4 {
			rows4Q4_KVNNI(&dst[v*rows+lo], rows*4, &w[0], hi-lo, unsafe.Pointer(&f.q[v*a.cols]), &f.d[v*blocks], &f.sums32[v*a.cols/block], blocks)
		}
	default:
		return 0
	}
	return n
}
