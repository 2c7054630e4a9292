package quant

import (
	"golang.org/x/sys/cpu"

	"logitscope/models/gguf"
)

//go:noescape
func mulQ8_0(dst *float32, w *byte, rows int, a *int16, scales, sums *float32, blocks int)

//go:noescape
func mulQ4_0(dst *float32, w *byte, rows int, a *int16, scales, sums *float32, blocks int)

//go:noescape
func mulQ4_K(dst *float32, w *byte, rows int, a *int16, scales, sums *float32, blocks int)

//go:noescape
func mulQ5_K(dst *float32, w *byte, rows int, a *int16, scales, sums *float32, blocks int)

//go:noescape
func mulQ6_K(dst *float32, w *byte, rows int, a *int16, scales, sums *float32, blocks int)

//go:noescape
func mulF32(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulF16(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulBF16(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func addTileAVX2(s *intSums, p *tile, a *int16, scales *float32)

//go:noescape
func addTile4AVX2(s *intSums, p *tile, a *int16, aStride int, scales *float32, scaleStride int)

//go:noescape
func addOffsetsAVX2(s *intSums, p *tile, sums *float32)

//go:noescape
func addFloatsAVX2(s *floatSums, w, x *float32, n int)

//go:noescape
func addFloats2AVX2(s *floatSums, w, x *float32, stride, n int)

//go:noescape
func widenF16AVX2(dst *float32, src *byte, n int)

//go:noescape
func widenBF16AVX2(dst *float32, src *byte, n int)

// hasAVX2 says that the processor and the system have what the kernels use.
// Tests switch it off to reach the portable twins.
var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasF16C

// rowKernels multiply whole rows of a type by one vector. A row is blocks
// times 32 elements.
var rowKernels = map[gguf.Type]func(dst *float32, w *byte, rows int, a *int16, scales, sums *float32, blocks int){
	gguf.Q8_0: mulQ8_0,
	gguf.Q4_0: mulQ4_0,
	gguf.Q4_K: mulQ4_K,
	gguf.Q5_K: mulQ5_K,
	gguf.Q6_K: mulQ6_K,
}

// floatRowKernels do the same for rows of floats, cols a multiple of 32.
var floatRowKernels = map[gguf.Type]func(dst *float32, w *byte, rows int, x *float32, cols int){
	gguf.F32:  mulF32,
	gguf.F16:  mulF16,
	gguf.BF16: mulBF16,
}

// mulRows multiplies rows lo to hi-1 by the only vector, if there is a kernel
// for it.
func (p *product) mulRows(lo, hi int) bool {
	if !hasAVX2 {
		return false
	}
	a, w := p.a, p.data[lo*p.rowBytes:]
	if k := rowKernels[p.format.typ]; k != nil {
		k(&p.dst[lo], &w[0], hi-lo, &a.ints[0], &a.scales[0], &a.sums[0], a.cols/blockLen)
		return true
	}
	if k := floatRowKernels[p.format.typ]; k != nil && a.cols%floatLanes == 0 {
		k(&p.dst[lo], &w[0], hi-lo, &a.floats[0], a.cols)
		return true
	}
	return false
}

func fillFast(f *format, p *tile, src []byte, n int) bool { return false }

// addTiles adds the products of a tile with vectors that lie stride elements
// apart.
func addTiles(s []intSums, p *tile, a []int16, scales []float32, stride int) {
	if !hasAVX2 {
		addTilesPortable(s, p, a, scales, stride)
		return
	}
	i := 0
	_, _ = a[(len(s)-1)*stride+chunkLen-1], scales[((len(s)-1)*stride+chunkLen)/blockLen-1]
	for ; i+4 <= len(s); i += 4 {
		addTile4AVX2(&s[i], p, &a[i*stride], stride*2, &scales[i*stride/blockLen], stride/blockLen*4)
	}
	for ; i < len(s); i++ {
		addTileAVX2(&s[i], p, &a[i*stride], &scales[i*stride/blockLen])
	}
}

// addOffsets adds the offsets of a tile for one vector.
func addOffsets(s *intSums, p *tile, sums []float32) {
	if !hasAVX2 {
		addOffsetsPortable(s, p, sums)
		return
	}
	_ = sums[chunkGroups-1]
	addOffsetsAVX2(s, p, &sums[0])
}

// addFloatRows adds the products of w, of a multiple of 32 floats, with
// vectors that lie stride elements apart.
func addFloatRows(s []floatSums, w, x []float32, stride int) {
	if !hasAVX2 {
		addFloatRowsPortable(s, w, x, stride)
		return
	}
	i := 0
	_ = x[(len(s)-1)*stride+len(w)-1]
	for ; i+2 <= len(s); i += 2 {
		addFloats2AVX2(&s[i], &w[0], &x[i*stride], stride*4, len(w))
	}
	if i < len(s) {
		addFloatsAVX2(&s[i], &w[0], &x[i*stride], len(w))
	}
}
