package ggml

import "encoding/binary"

// Products with blocks of 32. Lane l of a block is the sum over elements 4l
// to 4l+3, and blocks follow one another.

// unpack32 takes the values of a block apart.
type unpack32 func(q *[block]int8, w []byte)

func packedQ8_0(q *[block]int8, w []byte) {
	for i := range q {
		q[i] = int8(w[2+i])
	}
}

func packedQ4_0(q *[block]int8, w []byte) { nibbles(q, w[2:], -8) }
func packedQ4_1(q *[block]int8, w []byte) { nibbles(q, w[4:], 0) }

func packedQ5_0(q *[block]int8, w []byte) {
	nibbles(q, w[6:], -16)
	fifthBits(q, w[2:])
}

func packedQ5_1(q *[block]int8, w []byte) {
	nibbles(q, w[8:], 0)
	fifthBits(q, w[4:])
}

// packedIQ4_NL looks 16 bytes' halves up.
func packedIQ4_NL(q *[block]int8, w []byte) { lookup(q[:], w[2:]) }

// lookup sets the 32 elements of q to the levels that 16 bytes name.
func lookup(q []int8, w []byte) {
	for i, b := range w[:block/2] {
		q[i], q[i+block/2] = levelsIQ4[b&15], levelsIQ4[b>>4]
	}
}

// levelsIQ4 are the values of IQ4_NL and IQ4_XS.
var levelsIQ4 = [16]int8{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}

// nibbles takes 16 bytes apart: element i is the low half of byte i, element
// i+16 its high half, and base is added to each.
func nibbles(q *[block]int8, w []byte, base int8) {
	for i, b := range w[:block/2] {
		q[i] = int8(b&15) + base
		q[i+block/2] = int8(b>>4) + base
	}
}

// fifthBits adds 16 to the elements whose bit is set.
func fifthBits(q *[block]int8, w []byte) {
	bits := binary.LittleEndian.Uint32(w)
	for i := range q {
		q[i] += int8(bits>>i&1) << 4
	}
}

// products4 returns the sums of four products each.
func products4(q *[block]int8, x []int8) (sums [8]int32) {
	x = x[:block]
	for l := range sums {
		sums[l] = int32(q[4*l])*int32(x[4*l]) + int32(q[4*l+1])*int32(x[4*l+1]) +
			int32(q[4*l+2])*int32(x[4*l+2]) + int32(q[4*l+3])*int32(x[4*l+3])
	}
	return sums
}

// blocks32 adds up all blocks of a row, of size bytes each, in lanes.
func blocks32(w []byte, v *vector, size int, unpack unpack32) float32 {
	var l lanes
	var q [block]int8
	for b, d := range v.d {
		part := w[b*size:][:size]
		unpack(&q, part)
		sums := products4(&q, v.q[b*block:])
		l.fused(&sums, half(part)*d)
	}
	return l.total()
}

func dotQ8_0(w []byte, v *vector) float32 { return blocks32(w, v, 34, packedQ8_0) }
func dotQ4_0(w []byte, v *vector) float32 { return blocks32(w, v, 18, packedQ4_0) }
func dotQ5_0(w []byte, v *vector) float32 { return blocks32(w, v, 22, packedQ5_0) }

func dotQ4_1(w []byte, v *vector) float32 {
	return blocks32(w, v, 20, packedQ4_1) + offsets(w, v, 20)
}

func dotQ5_1(w []byte, v *vector) float32 {
	return blocks32(w, v, 24, packedQ5_1) + offsets(w, v, 24)
}

// offsets adds up what the smallest value of each block contributes.
func offsets(w []byte, v *vector, size int) float32 {
	var sum float32
	for b, s := range v.s {
		sum = fma(half(w[b*size+2:]), s, sum)
	}
	return sum
}

// dotIQ4_NL has even blocks in lanes of their own, and odd ones in others.
func dotIQ4_NL(w []byte, v *vector) float32 {
	const size = 18
	var l [2]lanes
	var q [block]int8
	for b, d := range v.d {
		part := w[b*size:][:size]
		packedIQ4_NL(&q, part)
		sums := products4(&q, v.q[b*block:])
		l[b%2].fused(&sums, d*half(part))
	}
	for i, x := range l[1] {
		l[0][i] += x
	}
	return l[0].total()
}

// wide32 is a product with one sum for each row in the place of lanes.
func wide32(w []byte, v *vector, unpack unpack32) float32 {
	const size = 18
	var sum float32
	var q [block]int8
	for b, d := range v.d {
		part := w[b*size:][:size]
		unpack(&q, part)
		sums := products4(&q, v.q[b*block:])
		sum = fma(float32(total32(&sums)), half(part)*d, sum)
	}
	return sum
}

func wideQ4_0(w []byte, v *vector) float32   { return wide32(w, v, packedQ4_0) }
func wideIQ4_NL(w []byte, v *vector) float32 { return wide32(w, v, packedIQ4_NL) }

func total32(x *[8]int32) (sum int32) {
	for _, v := range x {
		sum += v
	}
	return sum
}
