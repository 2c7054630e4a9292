package ggml

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"logitscope/models/gguf"
)

// useAVX2 says whether the assembly can run. Tests turn it off to reach the
// twins.
var useAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C

// A rowsKernel multiplies rows, stored one after the other, by one vector: its
// 8-bit values, or float32 in blocks of 32, the scales of blocks and the sums
// of each 16.
type rowsKernel func(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rowsF32(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rowsF16(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rowsBF16(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rowsQ8_0(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rowsQ4_0Wide(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rows4Q4_0Wide(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rowsQ4_K(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rowsQ4_KWide(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rowsQ5_K(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rowsQ6_K(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rows16Q4_0WideVNNI(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rows16Q4_KWideVNNI(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)

// rowsKernels are the kernels of a type: of rows by themselves, of those that
// are interleaved, and of a multiple of four or, with AVX-512, sixteen of them.
var rowsKernels = map[gguf.Type]struct{ one, wide, wide4, wide16 rowsKernel }{
	gguf.F32:  {one: rowsF32},
	gguf.F16:  {one: rowsF16},
	gguf.BF16: {one: rowsBF16},
	gguf.Q8_0: {one: rowsQ8_0},
	gguf.Q4_0: {wide: rowsQ4_0Wide, wide4: rows4Q4_0Wide, wide16: rows16Q4_0WideVNNI},
	gguf.Q4_K: {one: rowsQ4_K, wide: rowsQ4_KWide, wide16: rows16Q4_KWideVNNI},
	gguf.Q5_K: {one: rowsQ5_K},
	gguf.Q6_K: {one: rowsQ6_K},
}

// mulRows multiplies the rows by a vector, and reports whether there is a
// kernel for it.
func (s *span) mulRows(v *vector, dst []float32) bool {
	k, w := rowsKernels[s.typ], s.w
	if s.wide {
		k.one = k.wide
	}
	if !useAVX2 || k.one == nil || len(v.f)%turn != 0 || len(v.f)+len(v.q) == 0 {
		return false
	}
	if n := len(dst) &^ 15; s.wide && useVNNI && k.wide16 != nil && n > 0 {
		k.wide16.run(dst[:n], w, v)
		w, dst = w[n*s.size:], dst[n:]
	}
	if n := len(dst) &^ 3; s.wide && k.wide4 != nil && n > 0 {
		k.wide4.run(dst[:n], w, v)
		w, dst = w[n*s.size:], dst[n:]
	}
	if len(dst) > 0 {
		k.one.run(dst, w, v)
	}
	return true
}

func (k rowsKernel) run(dst []float32, w []byte, v *vector) {
	if v.f != nil {
		k(&dst[0], &w[0], len(dst), unsafe.Pointer(&v.f[0]), nil, nil, len(v.f)/turn)
		return
	}
	k(&dst[0], &w[0], len(dst), unsafe.Pointer(&v.q[0]), &v.d[0], &v.sums[0], len(v.d))
}
