package quant

import (
	"encoding/binary"
	"math"
)

// half returns the value of an IEEE 754 half, exactly.
func half(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	abs := uint32(h & 0x7fff)
	switch {
	case abs >= 0x7c00: // infinity, or NaN made quiet as the hardware does
		bits := 0x7f800000 | (abs&0x3ff)<<13
		if abs > 0x7c00 {
			bits |= 0x400000
		}
		return math.Float32frombits(sign | bits)
	case abs >= 0x400:
		return math.Float32frombits(sign | (abs<<13 + 112<<23))
	default: // zero or subnormal: abs units of 2^-24
		v := float32(abs) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(v))
	}
}

// halfAt returns the half stored at b.
func halfAt(b []byte) float32 { return half(binary.LittleEndian.Uint16(b)) }

func widenF32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

func widenF16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = half(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

// widenBF16 widens the upper halves of float32.
func widenBF16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16)
	}
}
