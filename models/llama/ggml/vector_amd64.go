package ggml

// The assembly takes lengths that are a multiple of eight, and not 0.

//go:noescape
func expSumAVX2(x *float32, n int, top float32) float64

//go:noescape
func siluMulAVX2(gate, up *float32, n int)

//go:noescape
func expSumAVX512(x *float32, n int, top float32) float64

//go:noescape
func siluMulAVX512(gate, up *float32, n int)

//go:noescape
func quantise32AVX2(q *int8, raised *uint8, d *float32, sums *int16, x *float32, blocks int)

//go:noescape
func quantise256AVX2(q *int8, d *float32, sums *int16, x *float32, blocks int)

//go:noescape
func fusedAddAVX2(dst, x *float32, f float32, n int)

//go:noescape
func fusedAddHalfAVX2(dst, x *float32, f float32, n int)

//go:noescape
func roundHalfAVX2(dst, x *float32, n int)

//go:noescape
func mixTotalAVX2(dst, sums *float32, n int)

// mixTotal reports whether it could add up 32 sums for each element of dst.
func mixTotal(dst, sums []float32) bool {
	if !useAVX2 || len(dst)%Width != 0 || len(dst) == 0 {
		return false
	}
	mixTotalAVX2(&dst[0], &sums[0], len(dst))
	return true
}

func quantise32(f *form, x []float32) {
	if !useAVX2 || len(f.d) == 0 {
		quantise32Plain(f, x)
		return
	}
	quantise32AVX2(&f.q[0], &f.raised[0], &f.d[0], &f.sums[0], &x[0], len(f.d))
}

func quantise256(f *form, x []float32) {
	if !useAVX2 || len(f.d) == 0 {
		quantise256Plain(f, x)
		return
	}
	quantise256AVX2(&f.q[0], &f.d[0], &f.sums[0], &x[0], len(f.d))
}

func expSum(x []float32, top float32) float64 {
	switch {
	case !useAVX2 || len(x) == 0:
		return expSumPlain(x, top)
	case useVNNI:
		return expSumAVX512(&x[0], len(x), top)
	}
	return expSumAVX2(&x[0], len(x), top)
}

func siluMul(gate, up []float32) {
	switch {
	case !useAVX2 || len(gate) == 0:
		siluMulPlain(gate, up)
		return
	case useVNNI:
		siluMulAVX512(&gate[0], &up[0], len(gate))
		return
	}
	siluMulAVX2(&gate[0], &up[0], len(gate))
}

func fusedAdd(dst, x []float32, f float32) {
	if !useAVX2 || len(dst)%Width != 0 || len(dst) == 0 {
		fusedAddPlain(dst, x, f)
		return
	}
	fusedAddAVX2(&dst[0], &x[0], f, len(dst))
}

func fusedAddHalf(dst, x []float32, f float32) {
	if !useAVX2 || len(dst)%Width != 0 || len(dst) == 0 {
		fusedAddPlain(dst, x, f)
		RoundHalf(dst, dst)
		return
	}
	fusedAddHalfAVX2(&dst[0], &x[0], f, len(dst))
}

// roundHalf rounds as many elements as it can, and returns their number.
func roundHalf(dst, x []float32) int {
	n := len(x) / Width * Width
	if !useAVX2 || n == 0 {
		return 0
	}
	roundHalfAVX2(&dst[0], &x[0], n)
	return n
}
