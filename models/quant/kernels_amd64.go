package quant

import (
	"golang.org/x/sys/cpu"

	"logitscope/models/gguf"
)

// A rowKernel multiplies rows of a type, stored one after the other, by one
// vector. cols is a multiple of 32 and of the type's block.
type rowKernel func(dst *float32, w *byte, rows int, x *float32, cols int)

// A decodeKernel decodes n elements, under the same condition.
type decodeKernel func(dst *float32, src *byte, n int)

// kernels are the kernels of a type; nil where there is none.
type kernels struct {
	mul    rowKernel
	decode decodeKernel
}

var kernelsAVX2 = map[gguf.Type]kernels{
	gguf.F32:  {mulF32AVX2, decodeF32AVX2},
	gguf.F16:  {mulF16AVX2, decodeF16AVX2},
	gguf.BF16: {mulBF16AVX2, decodeBF16AVX2},
	gguf.Q8_0: {mulQ8_0AVX2, decodeQ8_0AVX2},
	gguf.Q4_0: {mulQ4_0AVX2, decodeQ4_0AVX2},
	gguf.Q4_K: {mulQ4_KAVX2, decodeQ4_KAVX2},
	gguf.Q5_K: {mulQ5_KAVX2, decodeQ5_KAVX2},
	gguf.Q6_K: {mulQ6_KAVX2, decodeQ6_KAVX2},
}

var kernelsAVX512 = map[gguf.Type]kernels{
	gguf.F16:    {mulF16AVX512, decodeF16AVX512},
	gguf.BF16:   {mulBF16AVX512, nil},
	gguf.Q8_0:   {mulQ8_0AVX512, decodeQ8_0AVX512},
	gguf.Q4_0:   {mulQ4_0AVX512, decodeQ4_0AVX512},
	gguf.Q4_1:   {mulQ4_1AVX512, decodeQ4_1AVX512},
	gguf.Q5_0:   {mulQ5_0AVX512, decodeQ5_0AVX512},
	gguf.Q5_1:   {mulQ5_1AVX512, decodeQ5_1AVX512},
	gguf.IQ4_NL: {mulIQ4_NLAVX512, decodeIQ4_NLAVX512},
	gguf.MXFP4:  {mulMXFP4AVX512, decodeMXFP4AVX512},
	gguf.Q4_K:   {mulQ4_KAVX512, decodeQ4_KAVX512},
	gguf.Q5_K:   {mulQ5_KAVX512, decodeQ5_KAVX512},
	gguf.Q6_K:   {mulQ6_KAVX512, decodeQ6_KAVX512},
}

// A level is a set of instructions; each includes those below it.
type level int

const (
	portable level = iota
	avx2           // with F16C
	avx512         // F, BW, DQ and VL
	levels
)

// best is the highest level that the processor and the system have. Tests
// lower it to reach the twins.
var best = func() level {
	x := cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasF16C:
		return portable
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL:
		return avx512
	default:
		return avx2
	}
}()

// kernelTable holds the kernels by level and type number. Where a level has
// none of its own, the one below serves.
var kernelTable = func() (table [levels][len(formatTable)]kernels) {
	for t, k := range kernelsAVX2 {
		table[avx2][t], table[avx512][t] = k, k
	}
	for t, k := range kernelsAVX512 {
		if k.decode == nil {
			k.decode = table[avx2][t].decode
		}
		table[avx512][t] = k
	}
	return table
}()

// nearBytes is the size of a few rows of weights that stay in the nearest
// cache while one vector after another is multiplied by them.
const nearBytes = 16 << 10

// mulRows multiplies rows lo to hi-1 by each vector, if there is a kernel for
// it: decoding a weight again for each vector costs less than storing it.
func (p *product) mulRows(lo, hi int) bool {
	k := kernelTable[best][p.format.typ].mul
	if k == nil || p.a.cols%lanes != 0 {
		return false
	}
	step := hi - lo
	if p.a.n > 1 {
		step = max(nearBytes/p.rowBytes, 1)
	}
	for r := lo; r < hi; r += step {
		end := min(r+step, hi)
		w := p.data[r*p.rowBytes : end*p.rowBytes]
		for t := range p.a.n {
			dst, x := p.dst[t*p.stride+r:t*p.stride+end], p.a.values[t*p.a.stride:]
			k(&dst[0], &w[0], end-r, &x[0], p.a.cols)
		}
	}
	return true
}

// decodeFast decodes len(dst) elements, if there is a kernel for it.
func decodeFast(f *format, dst []float32, src []byte) bool {
	k := kernelTable[best][f.typ].decode
	if k == nil || len(dst)%lanes != 0 || len(dst) == 0 {
		return false
	}
	src = src[:len(dst)/f.block*f.bytes]
	k(&dst[0], &src[0], len(dst))
	return true
}

// evaluate evaluates the first len(dst) elements of a chunk.
func (f *format) evaluate(dst []float32, c *chunk) {
	n := len(dst)
	if best < avx2 || n%lanes != 0 || n == 0 {
		f.evaluatePortable(dst, c)
		return
	}
	var scale [chunkGroups]float32
	for g := range n / groupLen {
		scale[g] = c.scale[g/2]
		if f.hasSub {
			scale[g] *= float32(c.sub[g])
		}
	}
	if f.hasOff {
		evaluateOffAVX2(&dst[0], &c.q[0], &scale[0], &c.off[0], n)
	} else {
		evaluateAVX2(&dst[0], &c.q[0], &scale[0], n)
	}
}

// addTile adds the products of length decoded weights of some rows with n
// vectors that lie stride elements apart.
func addTile(s *scratch, rows, n, length int, x []float32, stride int) {
	if best < avx2 {
		addTilePortable(s, rows, n, length, x, stride)
		return
	}
	_ = x[(n-1)*stride+length-1]
	wide := 0 // vectors done four at a time, in pairs of rows
	if best >= avx512 {
		wide = n / 4 * 4
		for i := 0; i+2 <= rows; i += 2 {
			for j := 0; j < wide; j += 4 {
				add2x4AVX512(&s.sums[i][j], &s.sums[i+1][j], &s.wide[i][0], &s.wide[i+1][0], &x[j*stride], stride*4, length)
			}
		}
	}
	for i := range rows {
		w, j := s.wide[i][:length], wide
		if i == rows-1 && rows%2 == 1 {
			j = 0
		}
		for ; j+2 <= n; j += 2 {
			add2AVX2(&s.sums[i][j], &w[0], &x[j*stride], stride*4, length)
		}
		if j < n {
			addAVX2(&s.sums[i][j], &w[0], &x[j*stride], length)
		}
	}
}
