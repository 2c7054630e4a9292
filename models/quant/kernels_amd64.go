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
	levelKernels{types: kernelsAVX2, evaluate: evaluateAVX2, wide: wideKernels{mulF32AVX2, mul4F32AVX2, 4},
		tiles: &tiling{2, 5, 8, 2 * nearCols, []tileKernel{nil, tile1AVX2, tile2AVX2, tile3AVX2, tile4AVX2, tile5AVX2}}},
	levelKernels{types: kernelsAVX512, evaluate: evaluateAVX2, wide: wideKernels{mulF32AVX2, mul4F32AVX512, 4},
		tiles: &tiling{4, 6, 16, 0, []tileKernel{nil, tile1AVX512, tile2AVX512, tile3AVX512, tile4AVX512, tile5AVX512, tile6AVX512}}},
)

var kernelsAVX2 = map[gguf.Type]kernels{
	gguf.F32:  {mul: mulF32AVX2, decode: decodeF32AVX2, mul4: mul4F32AVX2},
	gguf.F16:  {mul: mulF16AVX2, decode: decodeF16AVX2, mul4: mul4F16AVX2},
	gguf.BF16: {mul: mulBF16AVX2, decode: decodeBF16AVX2, mul4: mul4BF16AVX2},
	gguf.Q8_0: {mul: mulQ8_0AVX2, decode: decodeQ8_0AVX2, mul4: mul4Q8_0AVX2},
	gguf.Q4_0: {mul: mulQ4_0AVX2, decode: decodeQ4_0AVX2, mul4: mul4Q4_0AVX2},
	gguf.Q4_K: {mul: mulQ4_KAVX2, decode: decodeQ4_KAVX2},
	gguf.Q5_K: {mul: mulQ5_KAVX2, decode: decodeQ5_KAVX2},
	gguf.Q6_K: {mul: mulQ6_KAVX2, decode: decodeQ6_KAVX2},
}

var kernelsAVX512 = map[gguf.Type]kernels{
	gguf.F32:    {mul: mulF32AVX2, panel: panelF32AVX512, mul4: mul4F32AVX512},
	gguf.F16:    {mul: mulF16AVX512, panel: panelF16AVX512, mul4: mul4F16AVX512},
	gguf.BF16:   {mul: mulBF16AVX512, panel: panelBF16AVX512, mul4: mul4BF16AVX512},
	gguf.Q8_0:   {mul: mulQ8_0AVX512, panel: panelQ8_0AVX512, mul4: mul4Q8_0AVX512},
	gguf.Q4_0:   {mul: mulQ4_0AVX512, panel: panelQ4_0AVX512, mul4: mul4Q4_0AVX512},
	gguf.Q4_1:   {mul: mulQ4_1AVX512, panel: panelQ4_1AVX512, mul4: mul4Q4_1AVX512},
	gguf.Q5_0:   {mul: mulQ5_0AVX512, panel: panelQ5_0AVX512, mul4: mul4Q5_0AVX512},
	gguf.Q5_1:   {mul: mulQ5_1AVX512, panel: panelQ5_1AVX512, mul4: mul4Q5_1AVX512},
	gguf.IQ4_NL: {mul: mulIQ4_NLAVX512, panel: panelIQ4_NLAVX512, mul4: mul4IQ4_NLAVX512},
	gguf.MXFP4:  {mul: mulMXFP4AVX512, panel: panelMXFP4AVX512, mul4: mul4MXFP4AVX512},
	gguf.Q3_K:   {mul: mulQ3_KAVX512, panel: panelQ3_KAVX512, mul4: mul4Q3_KAVX512},
	gguf.Q2_K:   {mul: mulQ2_KAVX512, panel: panelQ2_KAVX512, mul4: mul4Q2_KAVX512},
	gguf.IQ4_XS: {mul: mulIQ4_XSAVX512, panel: panelIQ4_XSAVX512, mul4: mul4IQ4_XSAVX512},
	gguf.Q4_K:   {mul: mulQ4_KAVX512, panel: panelQ4_KAVX512, mul4: mul4Q4_KAVX512, fours: mul4RowsQ4_KAVX512},
	gguf.Q5_K:   {mul: mulQ5_KAVX512, panel: panelQ5_KAVX512, mul4: mul4Q5_KAVX512},
	gguf.Q6_K:   {mul: mulQ6_KAVX512, panel: panelQ6_KAVX512, mul4: mul4Q6_KAVX512},
}
