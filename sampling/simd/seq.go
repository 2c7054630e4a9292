package simd

import "math"

// Sums as a loop in float32 makes them, every addition rounded. Where the
// running sum stays between two powers of two, adding e to it adds e rounded
// to the sum's own unit, whatever the sum is; so a chunk can be rounded and
// added up at once, as long as no value falls midway between two units (then
// the sum decides which way to round) and the next power of two is not
// reached. The chunks where that fails are added one by one.

// SumFloat32 returns the sum of e, which must not be negative, added up one
// by one in float32.
func SumFloat32(e []float32) float32 { return sumFloat32(e) }

// SquaresFloat32 returns the sum of (x-mean)² over the elements of x above
// negative infinity, added up one by one: each square in float64, each sum
// rounded to float32.
func SquaresFloat32(x []float32, mean float32) float32 { return squaresFloat32(x, mean) }

func sumFloat32Go(e []float32) float32 { return addFloat32(0, e) }

func addFloat32(sum float32, e []float32) float32 {
	for _, v := range e {
		sum += v
	}
	return sum
}

func squaresFloat32Go(x []float32, mean float32) float32 { return addSquares(0, x, mean) }

func addSquares(sum float32, x []float32, mean float32) float32 {
	for _, v := range x {
		if v > float32(math.Inf(-1)) {
			d := float64(v - mean)
			sum = float32(float64(sum) + float64(d*d))
		}
	}
	return sum
}

// chunk is the number of values that are rounded at once.
const chunk = 64

// unitScale returns the reciprocal of the last place of s, a power of two, or
// 0 if it has no float32.
func unitScale(s float32) float32 {
	e := int(math.Float32bits(s)>>23&0xff) - 127
	if e < -100 || e > 100 {
		return 0
	}
	return math.Float32frombits(uint32(127+23-e) << 23)
}

// sumInChunks adds up x with round, which returns the sum of a chunk in units
// of 1/scale and whether a rounding is in doubt, and slow, which adds one by
// one.
func sumInChunks(x []float32, round func(c []float32, scale float32) (float32, bool), slow func(sum float32, c []float32) float32) float32 {
	var sum float32
	for len(x) > 0 {
		n := min(len(x), chunk)
		c := x[:n]
		x = x[n:]
		if n == chunk {
			if scale := unitScale(sum); scale != 0 {
				units, doubt := round(c, scale)
				if total := float32(sum*scale) + units; !doubt && total < 1<<24 {
					sum = total / scale
					continue
				}
			}
		}
		sum = slow(sum, c)
	}
	return sum
}
