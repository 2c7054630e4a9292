package quant

import "logitscope/models/gguf"

// chunkLen is the number of elements that are unpacked at a time: the longest
// block of any type.
const (
	chunkLen    = 256
	chunkBlocks = chunkLen / blockLen
	chunkGroups = chunkLen / groupLen

	blockLen = 32 // elements that share a scale in a chunk
	groupLen = 16 // elements that share a sub-scale and an offset
)

// A chunk is up to 256 elements of a quantised row in the form that all
// types share: element i is
//
//	scale[i/32] * sub[i/16] * q[i] - off[i/16]
//
// evaluated from the left. Formats without sub-scales or offsets leave sub or
// off alone, and the factor or term is left out.
type chunk struct {
	q     [chunkLen]int8
	sub   [chunkGroups]int16
	scale [chunkBlocks]float32
	off   [chunkGroups]float32

	group [chunkGroups]float32 // scale times sub; set by evaluate
}

// A format is how one tensor type is stored.
type format struct {
	typ   gguf.Type
	block int // elements of a block
	bytes int // bytes of a block

	// Exactly one of unpack and widen is set. unpack fills c from the blocks
	// in src, at most 256 elements of them, with sub and off as the flags
	// say. widen stores src, at most 256 elements, as float32.
	unpack func(c *chunk, src []byte)
	hasSub bool
	hasOff bool

	widen func(dst []float32, src []byte)
}

var formats = map[gguf.Type]format{
	gguf.F32:     {widen: widenF32},
	gguf.F16:     {widen: widenF16},
	gguf.BF16:    {widen: widenBF16},
	gguf.NVFP4:   {widen: widenNVFP4},
	gguf.Q8_0:    {unpack: unpackQ8_0},
	gguf.Q4_0:    {unpack: unpackQ4_0},
	gguf.Q4_1:    {unpack: unpackQ4_1, hasOff: true},
	gguf.Q5_0:    {unpack: unpackQ5_0},
	gguf.Q5_1:    {unpack: unpackQ5_1, hasOff: true},
	gguf.Q2_K:    {unpack: unpackQ2_K, hasSub: true, hasOff: true},
	gguf.Q3_K:    {unpack: unpackQ3_K, hasSub: true},
	gguf.Q4_K:    {unpack: unpackQ4_K, hasOff: true},
	gguf.Q5_K:    {unpack: unpackQ5_K, hasOff: true},
	gguf.Q6_K:    {unpack: unpackQ6_K, hasSub: true},
	gguf.IQ4_NL:  {unpack: unpackIQ4_NL},
	gguf.IQ4_XS:  {unpack: unpackIQ4_XS},
	gguf.IQ3_XXS: {unpack: unpackIQ3_XXS},
	gguf.IQ3_S:   {unpack: unpackIQ3_S},
	gguf.IQ2_XXS: {unpack: unpackIQ2_XXS},
	gguf.IQ2_XS:  {unpack: unpackIQ2_XS, hasSub: true},
	gguf.IQ2_S:   {unpack: unpackIQ2_S, hasSub: true},
	gguf.IQ1_S:   {unpack: unpackIQ1_S},
	gguf.IQ1_M:   {unpack: unpackIQ1_M, hasSub: true},
	gguf.TQ1_0:   {unpack: unpackTQ1_0},
	gguf.TQ2_0:   {unpack: unpackTQ2_0},
	gguf.Q1_0:    {unpack: unpackQ1_0},
	gguf.Q2_0:    {unpack: unpackQ2_0},
	gguf.MXFP4:   {unpack: unpackMXFP4},
}

// formatTable holds formats by type number, so that finding one costs
// nothing beside a row.
var formatTable = func() (table [64]*format) {
	for t, f := range formats {
		f.typ, f.block, f.bytes = t, t.BlockSize(), t.BlockBytes()
		table[t] = &f
	}
	return table
}()

func formatOf(t gguf.Type) *format {
	if uint64(t) < uint64(len(formatTable)) {
		return formatTable[t]
	}
	return nil
}

// decodeRow decodes a whole row.
func (f *format) decodeRow(dst []float32, src []byte) {
	s := scratches.Get().(*scratch)
	f.decode(dst, src, &s.chunk)
	scratches.Put(s)
}

// decode decodes all blocks in src.
func (f *format) decode(dst []float32, src []byte, c *chunk) {
	if decodeFast(f, dst, src) {
		return
	}
	step := chunkLen / f.block * f.bytes
	for len(dst) > 0 {
		n := min(chunkLen, len(dst))
		part := src[:min(step, len(src))]
		if f.widen != nil {
			f.widen(dst[:n], part)
		} else {
			f.unpack(c, part)
			f.evaluate(dst[:n], c)
		}
		dst, src = dst[n:], src[len(part):]
	}
}

// evaluate evaluates the first len(dst) elements of a chunk, each product and
// difference rounded to float32 as ggml rounds it.
func (f *format) evaluate(dst []float32, c *chunk) {
	for g := range c.group {
		c.group[g] = c.scale[g/2]
		if f.hasSub {
			c.group[g] *= float32(c.sub[g])
		}
	}
	if !f.hasOff {
		clear(c.off[:]) // x - 0 is x, also for -0
	}
	if evaluateFast(dst, c) {
		return
	}
	for g := 0; g*groupLen < len(dst); g++ {
		d, off, q := c.group[g], c.off[g], c.q[g*groupLen:][:groupLen]
		for i := range dst[g*groupLen:][:groupLen] {
			dst[g*groupLen+i] = float32(d*float32(q[i])) - off
		}
	}
}
