package quant

// The K formats (Kawrakow 2023, llama.cpp) have blocks of 256 elements with
// one scale, and integer sub-scales for each 32 or 16.

// scaleMin returns the 6-bit sub-scale and the 6-bit offset of block b of 32
// in Q4_K and Q5_K, whose 12 bytes hold eight of each.
func scaleMin(packed []byte, b int) (scale, off uint8) {
	if b < 4 {
		return packed[b] & 63, packed[b+4] & 63
	}
	return packed[b+4]&15 | packed[b-4]>>6<<4, packed[b+4]>>4 | packed[b]>>6<<4
}

func unpackQ4_K(c *chunk, src []byte) {
	d, dmin := halfAt(src), halfAt(src[2:])
	for b := range chunkBlocks {
		scale, off := scaleMin(src[4:16], b)
		c.scale[b] = d * float32(scale)
		c.setOff(b, dmin*float32(off))
		q, shift := c.q[b*blockLen:][:blockLen], b%2*4
		for i, v := range src[16+b/2*32:][:blockLen] {
			q[i] = int8(v >> shift & 15)
		}
	}
}

func unpackQ5_K(c *chunk, src []byte) {
	d, dmin := halfAt(src), halfAt(src[2:])
	high := src[16:48]
	for b := range chunkBlocks {
		scale, off := scaleMin(src[4:16], b)
		c.scale[b] = d * float32(scale)
		c.setOff(b, dmin*float32(off))
		q, shift := c.q[b*blockLen:][:blockLen], b%2*4
		for i, v := range src[48+b/2*32:][:blockLen] {
			q[i] = int8(v>>shift&15 | high[i]>>b&1<<4)
		}
	}
}

func unpackQ6_K(c *chunk, src []byte) {
	low, high, subs, d := src[:128], src[128:192], src[192:208], halfAt(src[208:])
	for g := range c.sub {
		c.sub[g] = int16(int8(subs[g]))
	}
	for b := range chunkBlocks {
		c.scale[b] = d
		q, part := c.q[b*blockLen:][:blockLen], b%4
		h := high[b/4*32:][:blockLen]
		for i, v := range low[b/4*64+part%2*32:][:blockLen] {
			q[i] = int8(v>>(part/2*4)&15|h[i]>>(part*2)&3<<4) - 32
		}
	}
}

func unpackQ3_K(c *chunk, src []byte) {
	high, low, packed, d := src[:32], src[32:96], src[96:108], halfAt(src[108:])
	for g := range c.sub {
		// Eight bytes hold the low 4 bits of two sub-scales, four bytes the
		// high 2 bits of four.
		c.sub[g] = int16(packed[g%8]>>(g/8*4)&15|packed[8+g%4]>>(g/4*2)&3<<4) - 32
	}
	for b := range chunkBlocks {
		c.scale[b] = d
		q := c.q[b*blockLen:][:blockLen]
		for i, v := range low[b/4*32:][:blockLen] {
			q[i] = int8(v>>(b%4*2)&3|high[i]>>b&1<<2) - 4
		}
	}
}

func unpackQ2_K(c *chunk, src []byte) {
	packed, low, d, dmin := src[:16], src[16:80], halfAt(src[80:]), halfAt(src[82:])
	for g, v := range packed {
		c.sub[g] = int16(v & 15)
		c.off[g] = dmin * float32(v>>4)
	}
	for b := range chunkBlocks {
		c.scale[b] = d
		q := c.q[b*blockLen:][:blockLen]
		for i, v := range low[b/4*32:][:blockLen] {
			q[i] = int8(v >> (b % 4 * 2) & 3)
		}
	}
}
