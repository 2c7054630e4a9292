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

// An operand is what a kernel takes of the vectors from v on.
type operand func(f *form, v int) (q unsafe.Pointer, d *float32, sums *int16)

// A tile is how rows of a type are multiplied by four vectors at a time.
type tile struct {
	unpack  func(dst, w *byte, blocks int) // nil if the kernels take rows as stored
	operand operand

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

func (f *form) raisedOperand(v int) (unsafe.Pointer, *float32, *int16) {
	return unsafe.Pointer(&f.raised[v*f.cols]), &f.d4[v*f.cols/block], nil
}

func (f *form) operand32(v int) (unsafe.Pointer, *float32, *int16) {
	return unsafe.Pointer(&f.q[v*f.cols]), &f.d4[v*f.cols/blockK], &f.sums32[v*f.cols/block]
}

func (f *form) operand16(v int) (unsafe.Pointer, *float32, *int16) {
	return unsafe.Pointer(&f.q[v*f.cols]), &f.d4[v*f.cols/blockK], &f.sums[v*f.cols/group]
}

// operandTotals has sums of two words.
func (f *form) operandTotals(v int) (unsafe.Pointer, *float32, *int16) {
	return unsafe.Pointer(&f.q[v*f.cols]), &f.d4[v*f.cols/block], (*int16)(unsafe.Pointer(&f.totals[v*f.cols/block]))
}

// A tileScratch is what a product by tiles needs.
type tileScratch struct {
	panel []byte    // rows taken apart
	sums  []float32 // of floats, between columns
}

var tileScratches = sync.Pool{New: func() any { return new(tileScratch) }}

// mulTiles multiplies the rows by as many vectors as make tiles, and returns
// their number.
func (s *span) mulTiles() int {
	if !useAVX2 || s.a.n < 2 || s.a.cols == 0 {
		return 0
	}
	if _, ok := floatTiles[s.typ]; ok {
		return s.mulFloats()
	}
	t := tileScratches.Get().(*tileScratch)
	defer tileScratches.Put(t)
	fours := s.a.n &^ 3
	if !s.mulSixteens(t, fours) && !s.mulFours(t, fours) {
		return 0
	}
	return fours
}

// panelBytes are the most rows taken apart at a time.
const panelBytes = 96 << 10

// mulFours multiplies the rows by some vectors, four at a time, and reports
// whether there is a kernel for it.
func (s *span) mulFours(t *tileScratch, n int) bool {
	k := tiles[s.typ]
	if s.wide {
		k = wideTiles[s.typ]
	}
	mul := k.vnni
	if !useVNNI {
		mul = k.avx2
	}
	if mul == nil {
		return false
	}
	f := &s.a.forms[s.kind]
	blocks, step := s.a.cols/s.typ.BlockSize(), max(1, nearBytes/s.size)
	if k.unpack != nil {
		step = max(1, panelBytes/(blocks*apartBytes))
		t.panel = grow(t.panel, step*blocks*apartBytes)
	}
	for lo := s.lo; lo < s.hi; lo += step {
		part := s.rows(lo, min(lo+step, s.hi))
		w := &part.w[0]
		if k.unpack != nil {
			k.unpack(&t.panel[0], w, (part.hi-lo)*blocks)
			w = &t.panel[0]
		}
		for v := 0; v < n; v += 4 {
			q, d, sums := k.operand(f, v)
			mul(&part.result(v)[0], s.stride*4, w, part.hi-lo, q, d, sums, blocks)
		}
	}
	return true
}
