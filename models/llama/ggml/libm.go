package ggml

import "math"

// ggml takes exp, sine and cosine of single numbers from the C library. These
// are glibc's for processors with FMA (after Arm's optimised routines): sums
// in double precision, rounded once at the end, so nearly always the float32
// nearest to the true value, and here the same one where it is not.

// exp2Table holds 2^(i/32), less i<<47 in its bits so that adding the whole
// exponent makes up for it.
var exp2Table = func() (t [32]uint64) {
	for i := range t {
		t[i] = math.Float64bits(root32[i]) - uint64(i)<<47
	}
	return t
}()

// root32 are the doubles nearest to 2^(i/32).
var root32 = [32]float64{
	0x1.0000000000000p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0,
	0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0,
	0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
	0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0,
	0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0,
	0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0,
	0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0,
	0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0, 0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0,
}

// exp is expf.
func exp(x float32) float32 {
	const (
		perOctave = 32
		log2e     = 0x1.71547652b82fep+0 * perOctave
		c0        = 0x1.c6af84b912394p-5 / perOctave / perOctave / perOctave
		c1        = 0x1.ebfce50fac4f3p-3 / perOctave / perOctave
		c2        = 0x1.62e42ff0c52d6p-1 / perOctave
		shift     = 0x1.8p52
	)
	switch {
	case x != x:
		return x
	case x > 0x1.62e42ep6:
		return float32(math.Inf(1))
	case x < -0x1.9fe368p6:
		return 0
	}
	d := float64(x)
	kd := math.FMA(log2e, d, shift)
	k := math.Float64bits(kd)
	kd -= shift
	r := math.FMA(log2e, d, -kd)
	s := math.Float64frombits(exp2Table[k%perOctave] + k<<47)
	y := math.FMA(math.FMA(c0, r, c1), r*r, math.FMA(c2, r, 1))
	return float32(y * s)
}

// sincos returns sinf and cosf of a finite number.
func sincos(y float32) (sin, cos float32) {
	x, n, sign := float64(y), uint32(0), uint32(0)
	abs := math.Float32bits(y) &^ (1 << 31)
	switch {
	case abs < math.Float32bits(0x1p-12):
		return y, 1
	case abs < math.Float32bits(0x1.921FB6p-1): // pi/4
		return sinPoly(x, x*x), cosPoly(x * x)
	case abs < math.Float32bits(120):
		x, n = reduce(x)
	default:
		x, n = reduceFar(abs)
		sign = math.Float32bits(y) >> 31
	}
	return quadrant(x, n, n+sign), quadrant(x, n^1, n+sign)
}

// quadrant returns the sine of x, or its cosine where n is odd, with the sign
// that turn, in quarters, gives it.
func quadrant(x float64, n, turn uint32) float32 {
	signs := [4]float64{1, -1, -1, 1}
	if n&1 == 0 {
		return sinPoly(x*signs[turn&3], x*x)
	}
	c := cosPoly(x * x)
	if turn&2 != 0 {
		return -c
	}
	return c
}

// reduce returns x less a multiple n of pi/2, for moderate x.
func reduce(x float64) (float64, uint32) {
	const perQuarter, quarter = 0x1.45F306DC9C883p+23, 0x1.921FB54442D18p0
	n := (int32(x*perQuarter) + 0x800000) >> 24
	return math.FMA(-float64(n), quarter, x), uint32(n)
}

// reduceFar does so for the absolute value of any x, given by its bits, with
// the bits of 4/pi that matter.
func reduceFar(bits uint32) (float64, uint32) {
	arr := inversePi[bits>>26&15:]
	shift := bits >> 23 & 7
	m := (bits&0xffffff | 0x800000) << shift
	low := uint64(m) * uint64(arr[8])
	v := uint64(m*arr[0])<<32 | low>>32
	v += uint64(m) * uint64(arr[4])
	n := (v + 1<<61) >> 62
	v -= n << 62
	return float64(int64(v)) * 0x1.921FB54442D18p-62, uint32(n)
}

// inversePi is 4/pi in words that begin 8 bits after one another.
var inversePi = [24]uint32{
	0xa2, 0xa2f9, 0xa2f983, 0xa2f9836e, 0xf9836e4e, 0x836e4e44, 0x6e4e4415, 0x4e441529,
	0x441529fc, 0x1529fc27, 0x29fc2757, 0xfc2757d1, 0x2757d1f5, 0x57d1f534, 0xd1f534dd, 0xf534ddc0,
	0x34ddc0db, 0xddc0db62, 0xc0db6295, 0xdb629599, 0x6295993c, 0x95993c43, 0x993c4390, 0x3c439041,
}

func sinPoly(x, z float64) float32 {
	const s1, s2, s3 = -0x1.555545995a603p-3, 0x1.1107605230bc4p-7, -0x1.994eb3774cf24p-13
	cube := x * z
	return float32(math.FMA(cube*z, math.FMA(z, s3, s2), math.FMA(cube, s1, x)))
}

func cosPoly(z float64) float32 {
	const (
		c0, c1 = 0x1p0, -0x1.ffffffd0c621cp-2
		c2, c3 = 0x1.55553e1068f19p-5, -0x1.6c087e89a359dp-10
		c4     = 0x1.99343027bf8c3p-16
	)
	fourth := z * z
	return float32(math.FMA(fourth*z, math.FMA(z, c4, c3), math.FMA(fourth, c2, math.FMA(z, c1, c0))))
}
