package quant

// The portable kernels define the arithmetic; the assembly repeats it.
//
// Sums are kept in lanes that are added up at the end. For quantised weights
// a lane of a block is the exact sum of four products of integers: lane i
// takes elements 2i, 2i+1, 16+2i and 17+2i. Even and odd blocks have 8 lanes
// each. Offsets have 8 lanes of their own, group g of 16 in lane g%8.

const (
	intLanes   = 16
	offLanes   = 8
	floatLanes = 32
)

// intSums are the lanes of one product of quantised weights.
type intSums struct {
	lanes [intLanes]float32 // even blocks, then odd blocks
	off   [offLanes]float32
}

// floatSums are the lanes of one product of float weights.
type floatSums [floatLanes]float32

// A tile is a chunk made ready for products: sub-scales multiplied in,
// blocks interleaved in pairs as in [Activations]. |w| is at most 4096, so
// four products with 16-bit integers fit in 32 bits.
type tile struct {
	w     [chunkLen]int16
	scale [chunkBlocks]float32
	off   [chunkGroups]float32
}

// fill makes the tile from a chunk whose first n elements are set; n is a
// multiple of 32. Elements after it count as zero.
func (p *tile) fill(f *format, c *chunk, n int) {
	clear(p.w[n:])
	for b := range n / blockLen {
		pair := p.w[b/2*2*blockLen:][:2*blockLen]
		for h := range 2 {
			g := 2*b + h
			sub := int16(1)
			if f.hasSub {
				sub = c.sub[g]
			}
			out := pair[b%2*groupLen+h*blockLen:][:groupLen]
			for i, q := range c.q[g*groupLen:][:groupLen] {
				out[i] = int16(q) * sub
			}
		}
	}
	if n < chunkLen && n/blockLen%2 == 1 {
		pair := p.w[n/blockLen/2*2*blockLen:]
		clear(pair[groupLen:][:groupLen])
		clear(pair[3*groupLen:][:groupLen])
	}
	p.scale = c.scale
	clear(p.scale[n/blockLen:])
	if f.hasOff {
		p.off = c.off
		clear(p.off[n/groupLen:])
	}
}

// addTilePortable adds the product of a tile with 256 activations.
func addTilePortable(s *intSums, p *tile, a []int16, scales []float32) {
	a, scales = a[:chunkLen], scales[:chunkBlocks]
	for b := range chunkBlocks {
		at := b/2*2*blockLen + b%2*groupLen
		w, x := p.w[at:][:blockLen+groupLen], a[at:][:blockLen+groupLen]
		d := float32(p.scale[b] * scales[b])
		lanes := s.lanes[b%2*8:][:8]
		for i := range lanes {
			v := int32(w[2*i])*int32(x[2*i]) + int32(w[2*i+1])*int32(x[2*i+1]) +
				int32(w[32+2*i])*int32(x[32+2*i]) + int32(w[33+2*i])*int32(x[33+2*i])
			lanes[i] += float32(float32(v) * d)
		}
	}
}

// addOffsetsPortable adds the offsets of a tile, times the sums of the
// activations.
func addOffsetsPortable(s *intSums, p *tile, sums []float32) {
	for g, v := range sums[:chunkGroups] {
		s.off[g%offLanes] += float32(p.off[g] * v)
	}
}

// addFloatsPortable adds the product of w and x, whose lengths are equal and
// a multiple of 32.
func addFloatsPortable(s *floatSums, w, x []float32) {
	x = x[:len(w)]
	for len(w) >= floatLanes && len(x) >= floatLanes {
		for i := range s {
			s[i] += float32(w[i] * x[i])
		}
		w, x = w[floatLanes:], x[floatLanes:]
	}
}

// total adds the lanes up.
func (s *intSums) total(hasOff bool) float32 {
	var v [8]float32
	for i := range v {
		v[i] = s.lanes[i] + s.lanes[8+i]
	}
	if !hasOff {
		return sum8(&v)
	}
	return sum8(&v) - sum8(&s.off)
}

// total adds the lanes up.
func (s *floatSums) total() float32 {
	var v [8]float32
	for i := range v {
		v[i] = (s[i] + s[8+i]) + (s[16+i] + s[24+i])
	}
	return sum8(&v)
}

func sum8(v *[8]float32) float32 {
	a, b, c, d := v[0]+v[4], v[1]+v[5], v[2]+v[6], v[3]+v[7]
	return (a + c) + (b + d)
}

func addTilesPortable(s []intSums, p *tile, a []int16, scales []float32, stride int) {
	for i := range s {
		addTilePortable(&s[i], p, a[i*stride:], scales[i*stride/blockLen:])
	}
}

func addFloatRowsPortable(s []floatSums, w, x []float32, stride int) {
	for i := range s {
		addFloatsPortable(&s[i], w, x[i*stride:])
	}
}
