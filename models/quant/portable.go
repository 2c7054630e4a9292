package quant

// The portable kernels define the arithmetic; the assembly repeats it.

// lanes is the number of sums that a product is spread over: element i goes
// to lane i%32.
const lanes = 32

// sums are the lanes of one product.
type sums [lanes]float32

// addPortable adds the product of w and x. The length of w is a multiple of
// 32; x is at least as long.
func addPortable(s *sums, w, x []float32) {
	x = x[:len(w)]
	for len(w) >= lanes && len(x) >= lanes {
		for i := range s {
			s[i] += float32(w[i] * x[i])
		}
		w, x = w[lanes:], x[lanes:]
	}
}

// total adds the lanes up.
func (s *sums) total() float32 {
	var v [8]float32
	for i := range v {
		v[i] = (s[i] + s[8+i]) + (s[16+i] + s[24+i])
	}
	a, b, c, d := v[0]+v[4], v[1]+v[5], v[2]+v[6], v[3]+v[7]
	return (a + c) + (b + d)
}
