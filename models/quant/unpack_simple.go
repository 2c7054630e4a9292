package quant

import (
	"encoding/binary"
	"math"
)

// The formats here have blocks of 32 elements with a scale each, and some an
// offset. A block of 4-bit values keeps element i in the low half of byte i
// and element i+16 in its high half.

func unpackQ8_0(c *chunk, src []byte) {
	const size = 34
	for b := 0; len(src) >= size; b, src = b+1, src[size:] {
		c.scale[b] = halfAt(src)
		q := c.q[b*blockLen:][:blockLen]
		for i, v := range src[2:size] {
			q[i] = int8(v)
		}
	}
}

func unpackQ4_0(c *chunk, src []byte) {
	const size = 18
	for b := 0; len(src) >= size; b, src = b+1, src[size:] {
		c.scale[b] = halfAt(src)
		nibbles(c.q[b*blockLen:], src[2:size], -8)
	}
}

func unpackQ4_1(c *chunk, src []byte) {
	const size = 20
	for b := 0; len(src) >= size; b, src = b+1, src[size:] {
		c.scale[b] = halfAt(src)
		c.setOff(b, -halfAt(src[2:]))
		nibbles(c.q[b*blockLen:], src[4:size], 0)
	}
}

func unpackQ5_0(c *chunk, src []byte) {
	const size = 22
	for b := 0; len(src) >= size; b, src = b+1, src[size:] {
		c.scale[b] = halfAt(src)
		q := c.q[b*blockLen:]
		nibbles(q, src[6:size], -16)
		fifthBits(q, binary.LittleEndian.Uint32(src[2:]))
	}
}

func unpackQ5_1(c *chunk, src []byte) {
	const size = 24
	for b := 0; len(src) >= size; b, src = b+1, src[size:] {
		c.scale[b] = halfAt(src)
		c.setOff(b, -halfAt(src[2:]))
		q := c.q[b*blockLen:]
		nibbles(q, src[8:size], 0)
		fifthBits(q, binary.LittleEndian.Uint32(src[4:]))
	}
}

func unpackIQ4_NL(c *chunk, src []byte) {
	const size = 18
	for b := 0; len(src) >= size; b, src = b+1, src[size:] {
		c.scale[b] = halfAt(src)
		lookup(c.q[b*blockLen:], src[2:size], &levelsIQ4)
	}
}

func unpackMXFP4(c *chunk, src []byte) {
	const size = 17
	for b := 0; len(src) >= size; b, src = b+1, src[size:] {
		c.scale[b] = exponent(src[0])
		lookup(c.q[b*blockLen:], src[1:size], &levelsFP4)
	}
}

// setOff sets the offset of a block of 32.
func (c *chunk) setOff(block int, off float32) {
	c.off[2*block], c.off[2*block+1] = off, off
}

// nibbles unpacks 32 4-bit values from 16 bytes and adds base to each.
func nibbles(q []int8, src []byte, base int8) {
	q = q[:blockLen]
	for i, v := range src[:16] {
		q[i] = int8(v&15) + base
		q[i+16] = int8(v>>4) + base
	}
}

// fifthBits adds 16 to element i if bit i is set.
func fifthBits(q []int8, bits uint32) {
	q = q[:blockLen]
	for i := range q {
		q[i] += int8(bits>>i&1) << 4
	}
}

// lookup unpacks 32 levels from 16 bytes.
func lookup(q []int8, src []byte, levels *[16]int8) {
	q = q[:blockLen]
	for i, v := range src[:16] {
		q[i] = levels[v&15]
		q[i+16] = levels[v>>4]
	}
}

// levelsIQ4 are the values of IQ4_NL and IQ4_XS.
var levelsIQ4 = [16]int8{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

// levelsFP4 are the values of a 4-bit float (2 exponent bits, 1 of fraction;
// OCP Microscaling Formats 1.0), doubled to be integers.
var levelsFP4 = [16]int8{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}

// exponent returns half the power of two that a scale of MXFP4 stands for,
// 2^(e-128): the halving undoes the doubling of the levels.
func exponent(e uint8) float32 {
	if e < 2 { // subnormal
		return math.Float32frombits(1 << 21 << e)
	}
	return math.Float32frombits(uint32(e-1) << 23)
}

// widenNVFP4 widens blocks of 64 4-bit floats with a scale for each 16, an
// unsigned 8-bit float of 4 exponent bits. The scales differ too much for
// integer sums over 32.
func widenNVFP4(dst []float32, src []byte) {
	const (
		size   = 36
		scales = 4
	)
	for ; len(src) >= size; dst, src = dst[scales*groupLen:], src[size:] {
		for g, e := range src[:scales] {
			d := scaleNVFP4(e)
			out := dst[g*groupLen:][:groupLen]
			for i, v := range src[scales+g*groupLen/2:][:groupLen/2] {
				out[i] = d * float32(levelsFP4[v&15])
				out[i+groupLen/2] = d * float32(levelsFP4[v>>4])
			}
		}
	}
}

// scaleNVFP4 returns half the value of a scale, in units of 2^-10. Its
// largest code, which would be NaN, counts as zero.
func scaleNVFP4(e uint8) float32 {
	man, exp := uint32(e&7), e>>3&15
	switch {
	case e == 0x7f:
		man = 0
	case exp > 0:
		man = (8 + man) << (exp - 1)
	}
	return float32(man) * (1.0 / (1 << 10))
}
