package quant

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
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
			signed(c.q[b*blockLen+8*l:], grid[code], evenSigns(rest>>(7*l)))
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
		signed(c.q[8*l:], grid[code&511], evenSigns(uint32(code>>9)))
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
		signed(c.q[8*l:], grid[int(code)|top], signs[l])
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
			entry := grid[codes[2*l]] | grid[codes[2*l+1]]<<32
			signed(c.q[b*blockLen+8*l:], entry, evenSigns(rest>>(7*l)))
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
	for l, s := range signs {
		h := int(high[l/4] >> (l % 4 * 2))
		entry := grid[int(codes[2*l])|h&1<<8] | grid[int(codes[2*l+1])|h>>1&1<<8]<<32
		signed(c.q[8*l:], entry, s)
	}
}

// In IQ1_S and IQ1_M an element is -1, 0 or 1, plus or minus an eighth.

func unpackIQ1_S(c *chunk, src []byte) {
	grids := [2][]uint64{gridIQ1Up(), gridIQ1Down()}
	d := halfAt(src)
	for b := range chunkBlocks {
		codes := src[2+4*b:][:4]
		rest := binary.LittleEndian.Uint16(src[34+2*b:])
		c.scale[b] = d * 0.125 * float32(2*(rest>>12&7)+1)
		for l, code := range codes {
			top := int(rest>>(3*l)&7) << 8
			store8(c.q[b*blockLen+8*l:], grids[rest>>15][int(code)|top])
		}
	}
}

func unpackIQ1_M(c *chunk, src []byte) {
	grids := [2][]uint64{gridIQ1Up(), gridIQ1Down()}
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
		store8(c.q[8*l:], grids[h>>3&1][int(code)|int(h&7)<<8])
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

// signMasks has a byte of ones for each bit of its index that is set.
var signMasks = func() (masks [256]uint64) {
	for signs := range masks {
		for i := range 8 {
			masks[signs] |= uint64(signs>>i&1) * 0xff << (8 * i)
		}
	}
	return masks
}()

// signed stores an entry of a codebook, its elements negated where a bit of
// signs is set. No element is zero, so that adding 1 after the inversion never
// carries into the next.
func signed(q []int8, entry uint64, signs uint8) {
	const ones = 0x0101010101010101
	m := signMasks[signs]
	store8(q, (entry^m)+(m&ones))
}

// store8 stores eight elements, the first lowest.
func store8(q []int8, v uint64) {
	q = q[:8]
	binary.LittleEndian.PutUint64(unsafe.Slice((*byte)(unsafe.Pointer(&q[0])), 8), v)
}
