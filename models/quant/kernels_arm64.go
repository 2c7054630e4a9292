package quant

import "logitscope/models/gguf"

// neon is the level of the vector instructions that every arm64 has.
const neon = portable + 1

// best is the highest level that the processor has. Tests lower it to reach
// the portable twins.
var best = neon

// levels are the kernels of each level.
var levels = stack(levelKernels{}, levelKernels{
	types: map[gguf.Type]kernels{
		gguf.F32:  {mul: mulF32NEON},
		gguf.F16:  {mul: mulF16NEON, decode: decodeF16NEON},
		gguf.BF16: {mul: mulBF16NEON},
		gguf.Q8_0: {mul: mulQ8_0NEON, decode: decodeQ8_0NEON},
		gguf.Q4_0: {mul: mulQ4_0NEON, decode: decodeQ4_0NEON},
	},
	evaluate: evaluateNEON,
	wide:     wideKernels{mulF32NEON, mul2F32NEON, 2},
})

//go:noescape
func mulF32NEON(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mul2F32NEON(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mulF16NEON(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulBF16NEON(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ8_0NEON(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ4_0NEON(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func decodeF16NEON(dst *float32, src *byte, n int)

//go:noescape
func decodeQ8_0NEON(dst *float32, src *byte, n int)

//go:noescape
func decodeQ4_0NEON(dst *float32, src *byte, n int)

//go:noescape
func evaluateNEON(dst *float32, q *int8, scale, off *float32, n int)
