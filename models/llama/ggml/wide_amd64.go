package ggml

import (
	"unsafe"

	"logitscope/models/gguf"
)

// sixteen is how many rows lie side by side in a register.
const sixteen = 16

// These are kernels of sixteen rows, which lie side by side. They store the
// results of those whose bit is in rows.

//go:noescape
func tileWideQ4_0VNNI(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func tileWideIQ4_NLVNNI(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func tileWideQ4_KVNNI(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

// These lay sixteen rows side by side, or eight twice.

//go:noescape
func wide16Q4_0(dst, w *byte, stride, blocks int, few bool)

//go:noescape
func wide16IQ4_NL(dst, w *byte, stride, blocks int, few bool)

//go:noescape
func wide16Q4_K(dst, w *byte, stride, blocks int, few bool)

// sixteens are the types whose interleaved rows go by sixteens.
var sixteens = map[gguf.Type]struct {
	lay     func(dst, w *byte, stride, blocks int, few bool)
	bytes   int // of a block, side by side
	mul     tileKernel
	operand operand
}{
	gguf.Q4_0:   {wide16Q4_0, 576, tileWideQ4_0VNNI, (*form).operandTotals},
	gguf.IQ4_NL: {wide16IQ4_NL, 576, tileWideIQ4_NLVNNI, (*form).operandTotals},
	gguf.Q4_K:   {wide16Q4_K, 4992, tileWideQ4_KVNNI, (*form).operand32},
}

// mulSixteens multiplies interleaved rows by some vectors, four at a time, and
// reports whether it could.
func (s *span) mulSixteens(t *tileScratch, n int) bool {
	k, ok := sixteens[s.typ]
	if !ok || !useVNNI || !s.wide || (s.hi-s.lo)%interleaved != 0 {
		return false
	}
	f := &s.a.forms[s.kind]
	blocks := s.a.cols / s.typ.BlockSize()
	t.panel = grow(t.panel, blocks*k.bytes)
	for lo := s.lo; lo < s.hi; lo += sixteen {
		part := s.rows(lo, min(lo+sixteen, s.hi))
		k.lay(&t.panel[0], &part.w[0], s.size, blocks, part.hi-lo < sixteen)
		for v := 0; v < n; v += 4 {
			q, d, sums := k.operand(f, v)
			k.mul(&part.result(v)[0], s.stride*4, &t.panel[0], 1<<(part.hi-lo)-1, q, d, sums, blocks)
		}
	}
	return true
}
