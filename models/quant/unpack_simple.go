package quant

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
		q := c.q[b*blockLen:][:blockLen]
		for i, v := range src[2:size] {
			q[i] = int8(v&15) - 8
			q[i+16] = int8(v>>4) - 8
		}
	}
}
