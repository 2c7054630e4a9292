package quant

import (
	"encoding/binary"
	"math/bits"
)

// The IQ formats (Kawrakow 2024, llama.cpp) have blocks of 256 elements that
// are taken eight or four at a time from a codebook, with signs beside.

func unpackIQ4_XS(c *chunk, src []byte) {
	d, high, low := halfAt(src), binary.LittleEndian.Uint16(src[2:]), src[4:8]
	for b := range chunkBlocks {
		sub := int(low[b/2]>>(b%2*4)&15) | int(high>>(2*b)&3)<<4
		c.scale[b] = d * float32(sub-32)
		lookup(c.q[b*blockLen:], src[8+b*16:], &levelsIQ4)
	}
}

func unpackIQ2_XXS(c *chunk, src []byte) {
	grid := gridIQ2_XXS()
	d := halfAt(src)
	for b := range chunkBlocks {
		part := src[2+8*b:][:8]
		rest := binary.LittleEndian.Uint32(part[4:])
		c.scale[b] = d * 0.125 * float32(2*(rest>>28)+1)
		for l, code := range part[:4] {
			signed(c.q[b*blockLen+8*l:], grid[code][:], evenSigns(rest>>(7*l)))
		}
	}
}

func unpackIQ2_XS(c *chunk, src []byte) {
	grid := gridIQ2_XS()
	c.setScales(0, chunkBlocks, halfAt(src)*0.125)
	for g, sub := range nibbleSubs(src[66:74]) {
		c.sub[g] = 2*sub + 1
	}
	for l := range chunkLen / 8 {
		code := binary.LittleEndian.Uint16(src[2+2*l:])
		signed(c.q[8*l:], grid[code&511][:], evenSigns(uint32(code>>9)))
	}
}

func unpackIQ2_S(c *chunk, src []byte) {
	grid := gridIQ2_S()
	codes, signs, high := src[2:34], src[34:66], src[66:74]
	c.setScales(0, chunkBlocks, halfAt(src)*0.125)
	for g, sub := range nibbleSubs(src[74:82]) {
		c.sub[g] = 2*sub + 1
	}
	for l, code := range codes {
		top := int(high[l/4]>>(l%4*2)&3) << 8
		signed(c.q[8*l:], grid[int(code)|top][:], signs[l])
	}
}

func unpackIQ3_XXS(c *chunk, src []byte) {
	grid := gridIQ3_XXS()
	d := halfAt(src)
	for b := range chunkBlocks {
		codes := src[2+8*b:][:8]
		rest := binary.LittleEndian.Uint32(src[66+4*b:])
		c.scale[b] = d * 0.25 * float32(2*(rest>>28)+1)
		for l := range 4 {
			signs := evenSigns(rest >> (7 * l))
			q := c.q[b*blockLen+8*l:]
			signed(q, grid[codes[2*l]][:], signs)
			signed(q[4:], grid[codes[2*l+1]][:], signs>>4)
		}
	}
}

func unpackIQ3_S(c *chunk, src []byte) {
	grid := gridIQ3_S()
	d := halfAt(src)
	codes, high, signs := src[2:66], src[66:74], src[74:106]
	subs := nibbleSubs(src[106:110])
	for b := range c.scale {
		c.scale[b] = d * float32(2*subs[b]+1)
	}
	for l, code := range codes {
		top := int(high[l/8]>>(l%8)&1) << 8
		signed(c.q[4*l:], grid[int(code)|top][:], signs[l/2]>>(l%2*4))
	}
}

// In IQ1_S and IQ1_M an element is -1, 0 or 1, plus or minus an eighth.

func unpackIQ1_S(c *chunk, src []byte) {
	grid := gridIQ1()
	d := halfAt(src)
	for b := range chunkBlocks {
		codes := src[2+4*b:][:4]
		rest := binary.LittleEndian.Uint16(src[34+2*b:])
		c.scale[b] = d * 0.125 * float32(2*(rest>>12&7)+1)
		for l, code := range codes {
			top := int(rest>>(3*l)&7) << 8
			shifted(c.q[b*blockLen+8*l:], &grid[int(code)|top], rest>>15 != 0)
		}
	}
}

func unpackIQ1_M(c *chunk, src []byte) {
	grid := gridIQ1()
	codes, high := src[:32], src[32:48]
	var d uint16 // kept in the top 4 bits of each 16
	for i := range 4 {
		s := binary.LittleEndian.Uint16(src[48+2*i:])
		d |= s >> 12 << (4 * i)
		for j := range 4 {
			c.sub[4*i+j] = int16(s>>(3*j)&7)*2 + 1
		}
	}
	c.setScales(0, chunkBlocks, half(d)*0.125)
	for l, code := range codes {
		h := high[l/2] >> (l % 2 * 4)
		shifted(c.q[8*l:], &grid[int(code)|int(h&7)<<8], h&8 != 0)
	}
}

// nibbleSubs spreads 4-bit sub-scales, low half first.
func nibbleSubs(packed []byte) (subs [chunkGroups]int16) {
	for i, v := range packed {
		subs[2*i], subs[2*i+1] = int16(v&15), int16(v>>4)
	}
	return subs
}

// evenSigns returns the signs that 7 bits stand for: the eighth makes the
// number of minus signs even.
func evenSigns(code uint32) uint8 {
	s := uint8(code & 127)
	return s | uint8(bits.OnesCount8(s)&1)<<7
}

// signed copies one entry of a codebook, negated where a bit of signs is set.
func signed(q, entry []int8, signs uint8) {
	q = q[:len(entry)]
	for i, v := range entry {
		minus := -int8(signs >> i & 1)
		q[i] = (v ^ minus) - minus
	}
}

// shifted stores 8 times one entry, and 1 more or less.
func shifted(q []int8, entry *[8]int8, down bool) {
	delta := int8(1)
	if down {
		delta = -1
	}
	q = q[:len(entry)]
	for i, v := range entry {
		q[i] = 8*v + delta
	}
}
