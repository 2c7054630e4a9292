package vec

import "math"

// ToHalf rounds x to half precision, to nearest and half to even. What is too
// large becomes infinite.
func ToHalf(dst []uint16, x []float32) {
	for i, v := range x {
		dst[i] = toHalf(v)
	}
}

func toHalf(v float32) uint16 {
	b := math.Float32bits(v)
	sign := uint16(b >> 16 & 0x8000)
	b &^= 1 << 31
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00
	case b >= 0x477ff000: // rounds to 65536 or more
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: subnormal; adding 1/2 rounds it
		f := math.Float32frombits(b) + 0.5
		return sign | uint16(math.Float32bits(f)-0x3f000000)
	}
	b += 0xfff + b>>13&1
	return sign | uint16((b-0x38000000)>>13)
}

// FromHalf widens half precision, which is exact.
func FromHalf(dst []float32, h []uint16) { fromHalf(dst[:len(h)], h) }

func fromHalfGeneric(dst []float32, h []uint16) {
	// Shifted into place, a half is 2^112 times too small as a float32.
	const scale = 0x1p112
	for i, v := range h {
		b := uint32(v&0x7fff) << 13
		f := math.Float32frombits(b) * scale
		if v&0x7c00 == 0x7c00 { // infinite or NaN
			f = math.Float32frombits(b | 0x7f800000)
		}
		dst[i] = math.Float32frombits(math.Float32bits(f) | uint32(v&0x8000)<<16)
	}
}
