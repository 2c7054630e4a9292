package ggml

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/cpu"

	"logitscope/models/gguf"
)

// useVNNI says whether the tiles of AVX-512 can run.
var useVNNI = useAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VNNI

// A tileKernel multiplies rows, stored one after the other, by four vectors,
// which follow one another as well: their 8-bit values, the scales of blocks
// and the sums that the type takes. Results of a vector are stride bytes after
// those of the one before.
type tileKernel func(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func rows4Q8_0VNNI(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func tileQ5_KVNNI(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func tileQ6_KVNNI(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func tileQ4_KWideAVX2(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func tileQ5_KAVX2(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

//go:noescape
func tileQ6_KAVX2(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)

// These take blocks of 256 apart, for tiles.

//go:noescape
func unpackQ4_K(dst, w *byte, blocks int)

//go:noescape
func unpackQ5_K(dst, w *byte, blocks int)

//go:noescape
func unpackQ6_K(dst, w *byte, blocks int)

// apartBytes is the length of a block of 256 taken apart.
const apartBytes = 576

// A tile is how rows of a type are multiplied by four vectors at a time.
type tile struct {
	unpack  func(dst, w *byte, blocks int) // nil if the kernels take rows as stored
	operand func(f *form, v int) (q unsafe.Pointer, d *float32, sums *int16)

	vnni, avx2 tileKernel // either may be nil
}

// tiles are the types that have one, of rows by themselves and of those that
// are interleaved.
var (
	tiles = map[gguf.Type]tile{
		gguf.Q8_0: {operand: (*form).raisedOperand, vnni: rows4Q8_0VNNI},
		gguf.Q5_K: {operand: (*form).operand32, unpack: unpackQ5_K, vnni: tileQ5_KVNNI, avx2: tileQ5_KAVX2},
		gguf.Q6_K: {operand: (*form).operand16, unpack: unpackQ6_K, vnni: tileQ6_KVNNI, avx2: tileQ6_KAVX2},
	}
	wideTiles = map[gguf.Type]tile{
		gguf.Q4_K: {operand: (*form).operand32, unpack: unpackQ4_K, avx2: tileQ4_KWideAVX2},
	}
)

// What a tile takes of the vectors from v on.

func (f *form) raisedOperand(v int) (unsafe.Pointer, *float32, *int16) {
	return unsafe.Pointer(&f.raised[v*f.cols]), &f.d4[v*f.cols/block], nil
}

func (f *form) operand32(v int) (unsafe.Pointer, *float32, *int16) {
	return unsafe.Pointer(&f.q[v*f.cols]), &f.d4[v*f.cols/blockK], &f.sums32[v*f.cols/block]
}

func (f *form) operand16(v int) (unsafe.Pointer, *float32, *int16) {
	return unsafe.Pointer(&f.q[v*f.cols]), &f.d4[v*f.cols/blockK], &f.sums[v*f.cols/group]
}

// panels hold rows taken apart while they serve all vectors.
var panels = sync.Pool{New: func() any { return new([]byte) }}

// mulFours multiplies rows lo to hi-1 of a matrix of some rows, stored in w, by
// as many vectors as make fours, and returns their number.
func (a *Activations) mulFours(dst []float32, t gguf.Type, wide bool, rows, lo, hi int, w []byte) int {
	if !useAVX2 || a.n < 4 || lo == hi || a.cols == 0 {
		return 0
	}
	panel := panels.Get().(*[]byte)
	defer panels.Put(panel)
	if wide && (hi-lo)%interleaved == 0 && a.mulSixteens(dst, t, rows, lo, hi, w, panel) {
		return a.n &^ 3
	}
	k := tiles[t]
	if wide {
		k = wideTiles[t]
	}
	mul := k.vnni
	if !useVNNI {
		mul = k.avx2
	}
	if mul == nil {
		return 0
	}
	f := &a.forms[products[t].kind]
	blocks := a.cols / t.BlockSize()
	if k.unpack != nil {
		*panel = grow(*panel, (hi-lo)*blocks*apartBytes)
		k.unpack(&(*panel)[0], &w[0], (hi-lo)*blocks)
		w = *panel
	}
	n := a.n &^ 3
	for v := 0; v < n; v += 4 {
		q, d, sums := k.operand(f, v)
		mul(&dst[v*rows+lo], rows*4, &w[0], hi-lo, q, d, sums, blocks)
	}
	return n
}
