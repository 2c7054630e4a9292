package quant

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"logitscope/models/gguf"
)

// A rowKernel multiplies rows of a type, stored one after the other, by one
// vector. cols is a multiple of 32 and of the type's block.
type rowKernel func(dst *float32, w *byte, rows int, x *float32, cols int)

// A rowKernelN multiplies rows by several vectors, stride bytes apart. The
// results of a row are dstVec bytes apart, those of a vector dstRow.
type rowKernelN func(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

// A decodeKernel decodes n elements, under the same condition.
type decodeKernel func(dst *float32, src *byte, n int)

// kernels are the kernels of a type; nil where there is none.
type kernels struct {
	mul    rowKernel
	decode decodeKernel
	mul4   rowKernelN
}

var kernelsAVX2 = map[gguf.Type]kernels{
	gguf.F32:  {mulF32AVX2, decodeF32AVX2, nil},
	gguf.F16:  {mulF16AVX2, decodeF16AVX2, nil},
	gguf.BF16: {mulBF16AVX2, decodeBF16AVX2, nil},
	gguf.Q8_0: {mulQ8_0AVX2, decodeQ8_0AVX2, nil},
	gguf.Q4_0: {mulQ4_0AVX2, decodeQ4_0AVX2, nil},
	gguf.Q4_K: {mulQ4_KAVX2, decodeQ4_KAVX2, nil},
	gguf.Q5_K: {mulQ5_KAVX2, decodeQ5_KAVX2, nil},
	gguf.Q6_K: {mulQ6_KAVX2, decodeQ6_KAVX2, nil},
}

var kernelsAVX512 = map[gguf.Type]kernels{
	gguf.F32:    {mulF32AVX2, decodeF32AVX2, mul4F32AVX512},
	gguf.F16:    {mulF16AVX512, decodeF16AVX512, mul4F16AVX512},
	gguf.BF16:   {mulBF16AVX512, nil, mul4BF16AVX512},
	gguf.Q8_0:   {mulQ8_0AVX512, decodeQ8_0AVX512, mul4Q8_0AVX512},
	gguf.Q4_0:   {mulQ4_0AVX512, decodeQ4_0AVX512, mul4Q4_0AVX512},
	gguf.Q4_1:   {mulQ4_1AVX512, decodeQ4_1AVX512, mul4Q4_1AVX512},
	gguf.Q5_0:   {mulQ5_0AVX512, decodeQ5_0AVX512, mul4Q5_0AVX512},
	gguf.Q5_1:   {mulQ5_1AVX512, decodeQ5_1AVX512, mul4Q5_1AVX512},
	gguf.IQ4_NL: {mulIQ4_NLAVX512, decodeIQ4_NLAVX512, mul4IQ4_NLAVX512},
	gguf.MXFP4:  {mulMXFP4AVX512, decodeMXFP4AVX512, mul4MXFP4AVX512},
	gguf.Q3_K:   {mulQ3_KAVX512, decodeQ3_KAVX512, mul4Q3_KAVX512},
	gguf.Q2_K:   {mulQ2_KAVX512, decodeQ2_KAVX512, mul4Q2_KAVX512},
	gguf.IQ4_XS: {mulIQ4_XSAVX512, decodeIQ4_XSAVX512, mul4IQ4_XSAVX512},
	gguf.Q4_K:   {mulQ4_KAVX512, decodeQ4_KAVX512, mul4Q4_KAVX512},
	gguf.Q5_K:   {mulQ5_KAVX512, decodeQ5_KAVX512, mul4Q5_KAVX512},
	gguf.Q6_K:   {mulQ6_KAVX512, decodeQ6_KAVX512, mul4Q6_KAVX512},
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

// mulRows multiplies rows lo to hi-1 by the only vector, if there is a kernel
// for it.
func (p *product) mulRows(lo, hi int) bool {
	k := kernelTable[best][p.format.typ].mul
	if k == nil || p.a.cols%lanes != 0 {
		return false
	}
	k(&p.result(lo, hi, 0)[0], &p.rows(lo, hi)[0], hi-lo, &p.a.vector(0)[0], p.a.cols)
	return true
}

// mulFours multiplies rows lo to hi-1 by all vectors, four at a time, if
// there are kernels for it and decoding does not pay.
func (p *product) mulFours(s *scratch, lo, hi int) bool {
	k := &kernelTable[best][p.format.typ]
	if k.mul4 == nil || p.a.cols%lanes != 0 || p.a.n >= decodeFrom && p.format.typ != gguf.F32 {
		return false
	}
	step := min(max(4*wideLen/p.rowBytes, 1), batchRows)
	for r := lo; r < hi; r += step {
		n := min(step, hi-r)
		p.mulGroups(s, k.mul, k.mul4, 4, &p.rows(r, r+n)[0], r, n)
	}
	return true
}

// mulWide multiplies n decoded rows of length cols, which are rows r and on,
// by all vectors.
func (p *product) mulWide(s *scratch, r, n, cols int) {
	w := (*byte)(unsafe.Pointer(&s.wide[0]))
	switch {
	case best >= avx512:
		p.mulGroups(s, mulF32AVX2, mul4F32AVX512, 4, w, r, n)
	case best >= avx2:
		p.mulGroups(s, mulF32AVX2, mul2F32AVX2, 2, w, r, n)
	default:
		p.mulWidePortable(s, r, n, cols)
	}
}

// mulGroups multiplies n rows from r on, stored at w, by all vectors: width
// at a time with several, the last with one if it is alone. What is left of a
// group goes by way of the scratch, together with the zeros that follow it.
func (p *product) mulGroups(s *scratch, one rowKernel, several rowKernelN, width int, w *byte, r, n int) {
	a := p.a
	padded := roundUp(a.cols, lanes)
	for t := 0; t < a.n; t += width {
		if t == a.n-1 {
			one(&p.result(r, r+n, t)[0], w, n, &a.vector(t)[0], padded)
			break
		}
		x := a.values[t*a.stride : (t+width)*a.stride]
		if t+width <= a.n {
			_ = p.result(r, r+n, t+width-1)
			several(&p.result(r, r+n, t)[0], w, n, &x[0], a.stride*4, padded, 4, p.stride*4)
			continue
		}
		several(&s.out[0], w, n, &x[0], a.stride*4, padded, width*4, 4)
		p.spreadOut(s, r, n, t, width)
	}
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
