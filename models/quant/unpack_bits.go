package quant

// The formats here spend two bits or less on an element: ternary (TQ1_0,
// TQ2_0), one bit (Q1_0) and two bits (Q2_0).

// unpackTQ1_0 unpacks values of -1, 0 and 1, five to a byte. A byte holds a
// number below 3^5 as a fraction of 256, so that its digits come out at the
// top one after the other as it is multiplied by 3.
func unpackTQ1_0(c *chunk, src []byte) {
	at := 0
	digits := func(bytes []byte, n int) {
		pow := uint8(1)
		for range n {
			for _, v := range bytes {
				c.q[at] = int8(uint16(v*pow)*3>>8) - 1
				at++
			}
			pow *= 3
		}
	}
	digits(src[:32], 5)
	digits(src[32:48], 5)
	digits(src[48:52], 4)
	c.setScales(0, chunkBlocks, halfAt(src[52:]))
}

func unpackTQ2_0(c *chunk, src []byte) {
	for b := range chunkBlocks {
		q := c.q[b*blockLen:][:blockLen]
		for i, v := range src[b/4*32:][:blockLen] {
			q[i] = int8(v>>(b%4*2)&3) - 1
		}
	}
	c.setScales(0, chunkBlocks, halfAt(src[64:]))
}

// unpackQ1_0 unpacks blocks of 128 signs.
func unpackQ1_0(c *chunk, src []byte) {
	const (
		size = 18
		n    = 128
	)
	for at := 0; len(src) >= size; at, src = at+n, src[size:] {
		q, bits := c.q[at:][:n], src[2:size]
		for i := range q {
			q[i] = int8(bits[i/8]>>(i%8)&1)*2 - 1
		}
		c.setScales(at/blockLen, n/blockLen, halfAt(src))
	}
}

// unpackQ2_0 unpacks blocks of 64 values from -1 to 2.
func unpackQ2_0(c *chunk, src []byte) {
	const (
		size = 18
		n    = 64
	)
	for at := 0; len(src) >= size; at, src = at+n, src[size:] {
		q, bits := c.q[at:][:n], src[2:size]
		for i := range q {
			q[i] = int8(bits[i/4]>>(i%4*2)&3) - 1
		}
		c.setScales(at/blockLen, n/blockLen, halfAt(src))
	}
}

// setScales sets the scales of n blocks of 32.
func (c *chunk) setScales(block, n int, scale float32) {
	for b := range c.scale[block:][:n] {
		c.scale[block+b] = scale
	}
}
