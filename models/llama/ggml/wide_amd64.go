package ggml

import (
	"unsafe"

	"logitscope/models/gguf"
)

// sixteen is how many rows lie side by side in a register.
const sixteen = 16

// A sixteenKernel multiplies sixteen rows that lie side by side in w by four
// vectors, and stores the results of those whose bit is in mask.
type sixteenKernel func(dst *float32, stride int, w *byte, mask int, q unsafe.Pointer, d *float32, sums unsafe.Pointer, blocks int)

//go:noescape
func tileWideQ4_0VNNI(dst *float32, stride int, w *byte, mask int, q unsafe.Pointer, d *float32, sums unsafe.Pointer, blocks int)

//go:noescape
func tileWideIQ4_NLVNNI(dst *float32, stride int, w *byte, mask int, q unsafe.Pointer, d *float32, sums unsafe.Pointer, blocks int)

//go:noescape
func tileWideQ4_KVNNI(dst *float32, stride int, w *byte, mask int, q unsafe.Pointer, d *float32, sums unsafe.Pointer, blocks int)

// These lay sixteen rows side by side, or eight twice.

//go:noescape
func wide16Q4_0(dst, w *byte, stride, blocks int, few bool)

//go:noescape
func wide16IQ4_NL(dst, w *byte, stride, blocks int, few bool)

//go:noescape
func wide16Q4_K(dst, w *byte, stride, blocks int, few bool)

// sixteens are the types whose interleaved rows go by sixteens.
var sixteens = map[gguf.Type]struct {
	lay   func(dst, w *byte, stride, blocks int, few bool)
	bytes int // of a block, side by side
	mul   sixteenKernel
}{
	gguf.Q4_0:   {wide16Q4_0, 576, tileWideQ4_0VNNI},
	gguf.IQ4_NL: {wide16IQ4_NL, 576, tileWideIQ4_NLVNNI},
	gguf.Q4_K:   {wide16Q4_K, 4992, tileWideQ4_KVNNI},
}

// mulSixteens does what mulFours does with interleaved rows, whose number is
// a multiple of eight, and reports whether it could.
func (a *Activations) mulSixteens(dst []float32, t gguf.Type, rows, lo, hi int, w []byte, panel *[]byte) bool {
	k, ok := sixteens[t]
	if !ok || !useVNNI {
		return false
	}
	f := &a.forms[products[t].kind]
	blocks, size := a.cols/t.BlockSize(), len(w)/(hi-lo)
	*panel = grow(*panel, blocks*k.bytes)
	for r := lo; r < hi; r += sixteen {
		few, mask := hi-r < sixteen, 1<<sixteen-1
		if few {
			mask = 1<<interleaved - 1
		}
		k.lay(&(*panel)[0], &w[(r-lo)*size], size, blocks, few)
		for v := 0; v < a.n&^3; v += 4 {
			sums := unsafe.Pointer(nil)
			if t.BlockSize() == block {
				sums = unsafe.Pointer(&f.totals[v*blocks])
			} else {
				sums = unsafe.Pointer(&f.sums32[v*a.cols/block])
			}
			k.mul(&dst[v*rows+r], rows*4, &(*panel)[0], mask, unsafe.Pointer(&f.q[v*a.cols]), &f.d4[v*blocks], sums, blocks)
		}
	}
	return true
}
