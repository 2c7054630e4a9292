package ggml

// Turns fills cos and sin, one value for each pair, for a position. Each
// pair's angle is that of the pair before times step, in float32, and then
// divided by its divisor, if there are any, and multiplied by scale. cos and
// sin are multiplied by mag.
func Turns(cos, sin []float32, pos int, step, scale, mag float32, divisors []float32) {
	angle := float32(pos)
	for i := range cos {
		a := angle
		if divisors != nil {
			a /= divisors[i]
		}
		s, c := sincos(float32(scale * a))
		cos[i], sin[i] = c*mag, s*mag
		angle *= step
	}
}

// Turn turns the pair (x, y) by an angle.
func Turn(x, y, cos, sin float32) (float32, float32) {
	return fma(x, cos, -float32(y*sin)), fma(x, sin, float32(y*cos))
}
