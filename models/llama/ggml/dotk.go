package ggml

import "encoding/binary"

// Products with blocks of 256. Lane l of a block is the sum over elements 4l
// to 4l+3 of each 32, each sum of four times its sub-scale; what the smallest
// values of sub-blocks contribute is apart.

// A blockOfK is a block of 256 taken apart.
type blockOfK struct {
	q      [blockK]int8
	scales [blockK / group]int32 // of each 16
	mins   [blockK / group]int32 // of each 16, or of each 32 in the first eight
}

// lanes returns the lanes of the product with x.
func (k *blockOfK) lanes(x []int8) (sums [8]int32) {
	for b := 0; b < blockK; b += block {
		four := products4((*[block]int8)(k.q[b:]), x[b:])
		for l, v := range four {
			sums[l] += k.scales[b/group+l/4] * v
		}
	}
	return sums
}

// sums32 adds neighbouring sums of 16.
func sums32(sums []int16) (out [blockK / block]int32) {
	for i := range out {
		out[i] = int32(sums[2*i]) + int32(sums[2*i+1])
	}
	return out
}

// pairs returns m[2i]·s[2i] + m[2i+1]·s[2i+1].
func pairs(m *[16]int32, sums []int16) (out [8]int32) {
	for i := range out {
		out[i] = m[2*i]*int32(sums[2*i]) + m[2*i+1]*int32(sums[2*i+1])
	}
	return out
}

const (
	bytesQ2_K   = 84
	bytesQ3_K   = 110
	bytesQ4_K   = 144
	bytesQ5_K   = 176
	bytesQ6_K   = 210
	bytesIQ4_XS = 136
)

// unpackSubs takes the twelve bytes apart that hold eight sub-scales and
// eight smallest values of six bits.
func (k *blockOfK) unpackSubs(w []byte) {
	for b := range 8 {
		var scale, off byte
		if b < 4 {
			scale, off = w[b]&63, w[b+4]&63
		} else {
			scale, off = w[b+4]&15|w[b-4]>>6<<4, w[b+4]>>4|w[b]>>6<<4
		}
		k.scales[2*b], k.scales[2*b+1] = int32(scale), int32(scale)
		k.mins[b] = int32(off)
	}
}

func (k *blockOfK) unpackQ4_K(w []byte) {
	k.unpackSubs(w[4:16])
	for i := range k.q {
		k.q[i] = int8(w[16+i/64*32+i%32] >> (i / 32 % 2 * 4) & 15)
	}
}

func (k *blockOfK) unpackQ5_K(w []byte) {
	k.unpackSubs(w[4:16])
	for i := range k.q {
		k.q[i] = int8(w[48+i/64*32+i%32]>>(i/32%2*4)&15 | w[16+i%32]>>(i/32)&1<<4)
	}
}

// minTotal is the product of smallest values and sums.
func (k *blockOfK) minTotal(sums []int16) (total int32) {
	for i, s := range sums32(sums) {
		total += k.mins[i] * s
	}
	return total
}

func dotQ4_K(w []byte, v *vector) float32 {
	var l lanes
	var offs [4]float32
	var k blockOfK
	for b, d := range v.d {
		part, sums := w[b*bytesQ4_K:][:bytesQ4_K], v.sums[b*16:][:16]
		k.unpackQ4_K(part)
		s32 := sums32(sums)
		off := -(d * half(part[2:]))
		for i := range offs {
			offs[i] = fma(float32(k.mins[2*i]*s32[2*i]+k.mins[2*i+1]*s32[2*i+1]), off, offs[i])
		}
		x := k.lanes(v.q[b*blockK:])
		l.fused(&x, d*half(part))
	}
	return l.total() + ((offs[0] + offs[2]) + (offs[1] + offs[3]))
}

// wideQ4_K is Q4_K with one sum for each row.
func wideQ4_K(w []byte, v *vector) float32 {
	var sum, off float32
	var k blockOfK
	for b, d := range v.d {
		part := w[b*bytesQ4_K:][:bytesQ4_K]
		k.unpackQ4_K(part)
		x := k.lanes(v.q[b*blockK:])
		sum = fma(float32(total32(&x)), half(part)*d, sum)
		off = fma(float32(k.minTotal(v.sums[b*16:][:16])), half(part[2:])*d, off)
	}
	return sum - off
}

func dotQ5_K(w []byte, v *vector) float32 {
	var l lanes
	var off float32
	var k blockOfK
	for b, d := range v.d {
		part := w[b*bytesQ5_K:][:bytesQ5_K]
		k.unpackQ5_K(part)
		off = fma(-(d * half(part[2:])), float32(k.minTotal(v.sums[b*16:][:16])), off)
		x := k.lanes(v.q[b*blockK:])
		l.fused(&x, d*half(part))
	}
	return l.total() + off
}

func dotQ6_K(w []byte, v *vector) float32 {
	var l lanes
	var k blockOfK
	for b, d := range v.d {
		part := w[b*bytesQ6_K:][:bytesQ6_K]
		for i := range k.q {
			low := part[i/128*64+i%64] >> (i / 64 % 2 * 4) & 15
			high := part[128+i/128*32+i%32] >> (i / 32 % 4 * 2) & 3
			k.q[i] = int8(low | high<<4)
		}
		for g := range k.scales {
			k.scales[g] = int32(int8(part[192+g]))
		}
		x := k.lanes(v.q[b*blockK:])
		for i, s := range pairs(&k.scales, v.sums[b*16:][:16]) {
			x[i] -= 32 * s
		}
		l.fused(&x, half(part[208:])*d)
	}
	return l.total()
}

func dotQ3_K(w []byte, v *vector) float32 {
	var l lanes
	var k blockOfK
	for b, d := range v.d {
		part := w[b*bytesQ3_K:][:bytesQ3_K]
		for i := range k.q {
			low := part[32+i/128*32+i%32] >> (i / 32 % 4 * 2) & 3
			k.q[i] = int8(low|part[i%32]>>(i/32)&1<<2) - 4
		}
		for g := range k.scales {
			subs := part[96:108]
			k.scales[g] = int32(subs[g%8]>>(g/8*4)&15|subs[8+g%4]>>(g/4*2)&3<<4) - 32
		}
		x := k.lanes(v.q[b*blockK:])
		l.fused(&x, d*half(part[108:]))
	}
	return l.total()
}

func dotQ2_K(w []byte, v *vector) float32 {
	var l lanes
	var k blockOfK
	for b, d := range v.d {
		part := w[b*bytesQ2_K:][:bytesQ2_K]
		for i := range k.q {
			k.q[i] = int8(part[16+i/128*32+i%32] >> (i / 32 % 4 * 2) & 3)
		}
		for g, s := range part[:16] {
			k.scales[g], k.mins[g] = int32(s&15), int32(s>>4)
		}
		off := pairs(&k.mins, v.sums[b*16:][:16])
		l.fused(&off, -d*half(part[82:]))
		x := k.lanes(v.q[b*blockK:])
		l.fused(&x, d*half(part[80:]))
	}
	return l.total()
}

func dotIQ4_XS(w []byte, v *vector) float32 {
	var l lanes
	var k blockOfK
	for b, d := range v.d {
		part := w[b*bytesIQ4_XS:][:bytesIQ4_XS]
		high := binary.LittleEndian.Uint16(part[2:])
		for s := range 8 {
			scale := int32(part[4+s/2]>>(s%2*4)&15|byte(high>>(2*s)&3)<<4) - 32
			k.scales[2*s], k.scales[2*s+1] = scale, scale
			lookup(k.q[block*s:], part[8+16*s:])
		}
		x := k.lanes(v.q[b*blockK:])
		l.fused(&x, half(part)*d)
	}
	return l.total()
}
