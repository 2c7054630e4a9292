package quant

//lint:file-ignore U1000 The assembly reads the tables.

// The assembly, by instruction set. All kernels of a kind have one contract:
// see rowKernel, rowKernelN, decodeKernel, panelKernel, tileKernel and evaluateKernel.

//go:noescape
func mulF32AVX2(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulF16AVX2(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulBF16AVX2(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ8_0AVX2(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ4_0AVX2(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ4_KAVX2(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ5_KAVX2(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ6_KAVX2(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func decodeF32AVX2(dst *float32, src *byte, n int)

//go:noescape
func decodeF16AVX2(dst *float32, src *byte, n int)

//go:noescape
func decodeBF16AVX2(dst *float32, src *byte, n int)

//go:noescape
func decodeQ8_0AVX2(dst *float32, src *byte, n int)

//go:noescape
func decodeQ4_0AVX2(dst *float32, src *byte, n int)

//go:noescape
func decodeQ4_KAVX2(dst *float32, src *byte, n int)

//go:noescape
func decodeQ5_KAVX2(dst *float32, src *byte, n int)

//go:noescape
func decodeQ6_KAVX2(dst *float32, src *byte, n int)

//go:noescape
func evaluateAVX2(dst *float32, q *int8, scale, off *float32, n int)

//go:noescape
func mul4F32AVX2(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4F16AVX2(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4BF16AVX2(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4Q8_0AVX2(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4Q4_0AVX2(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mulF16AVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulBF16AVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ8_0AVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ4_0AVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ4_1AVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ5_0AVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ5_1AVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulIQ4_NLAVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulMXFP4AVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ4_KAVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mul4RowsQ4_KAVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ5_KAVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mulQ6_KAVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mul4F32AVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4F16AVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4BF16AVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4Q8_0AVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4Q4_0AVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4Q4_1AVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4Q5_0AVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4Q5_1AVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4IQ4_NLAVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4MXFP4AVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4Q4_KAVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4Q5_KAVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func mul4Q6_KAVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func panelF32AVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelBF16AVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelF16AVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelQ8_0AVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelQ4_0AVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelQ4_1AVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelQ5_0AVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelQ5_1AVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelIQ4_NLAVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelMXFP4AVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelQ4_KAVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelQ5_KAVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func panelQ6_KAVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func mulQ3_KAVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mul4Q3_KAVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func panelQ3_KAVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func mulQ2_KAVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mul4Q2_KAVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func panelQ2_KAVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func mulIQ4_XSAVX512(dst *float32, w *byte, rows int, x *float32, cols int)

//go:noescape
func mul4IQ4_XSAVX512(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

//go:noescape
func panelIQ4_XSAVX512(dst *float32, src *byte, n, step, half int)

//go:noescape
func tile1AVX2(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

//go:noescape
func tile2AVX2(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

//go:noescape
func tile3AVX2(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

//go:noescape
func tile4AVX2(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

//go:noescape
func tile5AVX2(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

//go:noescape
func tile1AVX512(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

//go:noescape
func tile2AVX512(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

//go:noescape
func tile3AVX512(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

//go:noescape
func tile4AVX512(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

//go:noescape
func tile5AVX512(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

//go:noescape
func tile6AVX512(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

// Tables that the assembly reads.
var (
	levels4        = ramp[[16]float32](-8)
	levels5        = ramp[[32]float32](0)
	levels5Signed  = ramp[[32]float32](-16)
	levelsIQ4Float = floats(levelsIQ4)
	levelsFP4Float = floats(levelsFP4)

	// Levels of two and three bits, and of the upper two of the six bits of
	// Q6_K, repeated for indices with other bits above.
	levels2    = repeated(0, 1, 2, 3)
	levels3    = repeated(-4, -3, -2, -1, 0, 1, 2, 3)
	levelsHigh = repeated(-32, -16, 0, 16)

	halfTable = func() (table [1 << 16]float32) {
		for h := range table {
			table[h] = half(uint16(h))
		}
		return table
	}()

	exponents = func() (table [256]float32) {
		for e := range table {
			table[e] = exponent(uint8(e))
		}
		return table
	}()
)

// ramp returns from, from+1 and so on.
func ramp[A [16]float32 | [32]float32](from int) (a A) {
	for i := range len(a) {
		a[i] = float32(from + i)
	}
	return a
}

// repeated fills a table with a sequence over and over.
func repeated(levels ...float32) (f [16]float32) {
	for i := range f {
		f[i] = levels[i%len(levels)]
	}
	return f
}

func floats(levels [16]int8) (f [16]float32) {
	for i, v := range levels {
		f[i] = float32(v)
	}
	return f
}
