package quant

import (
	"golang.org/x/sys/cpu"

	"logitscope/models/gguf"
)

const (
	avx2   level = portable + 1 + iota // with F16C
	avx512                             // F, BW, DQ and VL
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

// levels are the kernels of each level.
var levels = stack(
	levelKernels{},
	levelKernels{types: kernelsAVX2, evaluate: evaluateAVX2, wide: wideKernels{mulF32AVX2, mul4F32AVX2, 4}},
	levelKernels{types: kernelsAVX512, evaluate: evaluateAVX2, wide: wideKernels{mulF32AVX2, mul4F32AVX512, 4}},
)

var kernelsAVX2 = map[gguf.Type]kernels{
	gguf.F32:  {mulF32AVX2, decodeF32AVX2, mul4F32AVX2},
	gguf.F16:  {mulF16AVX2, decodeF16AVX2, mul4F16AVX2},
	gguf.BF16: {mulBF16AVX2, decodeBF16AVX2, mul4BF16AVX2},
	gguf.Q8_0: {mulQ8_0AVX2, decodeQ8_0AVX2, mul4Q8_0AVX2},
	gguf.Q4_0: {mulQ4_0AVX2, decodeQ4_0AVX2, mul4Q4_0AVX2},
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
