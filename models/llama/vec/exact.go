package vec

import "math"

// The functions below are for tables made once or once a token. The standard
// library's may differ in the last bit from one machine to the next, since
// it has them in assembly for some, and since the compiler fuses products
// with sums where the machine can. Here every product is rounded by itself.

// Sincos returns the sine and cosine of a finite x, for |x| up to 1e9 to
// within about 1e-15. Beyond it they are those of a nearby number.
func Sincos(x float64) (sin, cos float64) {
	if math.Abs(x) > 1e9 {
		x = math.Mod(x, 2*math.Pi)
	}
	// Pi/2 in three parts; n times each of the first two is exact.
	const p1, p2, p3 = 1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21
	n := math.Floor(float64(x*(2/math.Pi)) + 0.5)
	r := x - float64(n*p1)
	r -= float64(n * p2)
	r -= float64(n * p3)
	z := float64(r * r)
	s, c := 0.0, 0.0
	for i := len(sinTaylor) - 1; i >= 0; i-- {
		s = float64(s*z) + sinTaylor[i]
		c = float64(c*z) + cosTaylor[i]
	}
	s = float64(s * r)
	switch int64(n) & 3 {
	case 0:
		return s, c
	case 1:
		return c, -s
	case 2:
		return -s, -c
	default:
		return -c, s
	}
}

var sinTaylor, cosTaylor = [...]float64{
	1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880, -1. / 39916800, 1. / 6227020800, -1. / 1307674368000, 1. / 355687428096000,
}, [...]float64{
	1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320, -1. / 3628800, 1. / 479001600, -1. / 87178291200, 1. / 20922789888000,
}

// Log returns the natural logarithm of a positive, finite x.
func Log(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	f := (m - 1) / (m + 1)
	z := float64(f * f)
	s := 0.0
	for i := 25; i >= 1; i -= 2 {
		s = float64(s*z) + 1/float64(i)
	}
	return float64(2*float64(f*s)) + float64(float64(e)*math.Ln2)
}

// Pow returns x to the y, for a positive, finite x and a result that is
// neither too large nor too small for a normal number.
func Pow(x, y float64) float64 {
	const hi, lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	t := float64(y * Log(x))
	n := math.Floor(float64(t*math.Log2E) + 0.5)
	r := t - float64(n*hi)
	r -= float64(n * lo)
	s := 1.0
	for i := 18; i >= 1; i-- {
		s = float64(s*r)/float64(i) + 1
	}
	return math.Ldexp(s, int(n))
}
