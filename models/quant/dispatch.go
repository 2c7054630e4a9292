//go:build amd64 || arm64

package quant

import (
	"unsafe"

	"logitscope/models/gguf"
)

// A rowKernel multiplies rows of a type, stored one after the other, by one
// vector. cols is a multiple of 32 and of the type's block.
type rowKernel func(dst *float32, w *byte, rows int, x *float32, cols int)

// A rowKernelN multiplies rows by several vectors, stride bytes apart. The
// results of a row are dstVec bytes apart, those of a vector dstRow.
type rowKernelN func(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)

// A decodeKernel decodes n elements, a multiple of 32 and of the block.
type decodeKernel func(dst *float32, src *byte, n int)

// A panelKernel decodes n elements, a multiple of 32 and of the block, to
// where a panel has them: of every 32 the first 16 go to dst and the others
// half bytes further, and the next 32 begin step bytes further.
type panelKernel func(dst *float32, src *byte, n, step, half int)

// A tileKernel multiplies the rows of a tile by some vectors, in a panel each,
// and takes one register of each for every one of steps. It goes on from acc
// if more is set, which holds a register for each result, vector by vector.
// stride is the bytes between the results of two vectors in dst. Of acc, fold
// and dst those are nil that end has no use for.
type tileKernel func(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)

// A tileEnd is what becomes of the sums of a tile.
type tileEnd int

const (
	tileKeep    tileEnd = iota // they stay in acc: more columns follow
	tileFold                   // they go to fold, eight lanes of each result
	tileAdd                    // they are added to those in fold
	tileResults                // with what is in fold they become results, in dst
)

// A tiling is how tiles are made up. A part of the lanes is one register.
type tiling struct {
	rows, vectors int
	lanes         int          // of a register
	beyond        int          // columns from which on, this number not included, tiles pay
	kernels       []tileKernel // by the number of vectors
}

// parts is how many times a tile passes over its columns.
func (t *tiling) parts() int { return lanes / t.lanes }

// sums is the room of a register for each result.
func (t *tiling) sums() int { return t.rows * t.vectors * t.lanes }

// folds is the room of fold: eight lanes of each result, for each two parts
// but one where there are four.
func (t *tiling) folds() int { return t.rows * t.vectors * 8 * max(1, t.parts()/2) }

// An evaluateKernel evaluates n elements of a chunk, a multiple of 32:
// q[i]*scale[i/16] - off[i/16].
type evaluateKernel func(dst *float32, q *int8, scale, off *float32, n int)

// kernels are the kernels of a type; nil where there is none.
type kernels struct {
	mul    rowKernel
	decode decodeKernel
	panel  panelKernel // takes the place of decode
	mul4   rowKernelN  // four vectors
	fours  rowKernel   // like mul, for a multiple of four rows
}

// wideKernels multiply decoded rows by one vector and by several.
type wideKernels struct {
	one     rowKernel
	several rowKernelN
	width   int // how many several is; it divides 4
}

// levelKernels are the kernels of a level. The zero value, of the portable
// level, has none.
type levelKernels struct {
	types    map[gguf.Type]kernels
	evaluate evaluateKernel
	wide     wideKernels
	tiles    *tiling                   // nil if there are none
	table    [len(formatTable)]kernels // types by number, for speed
}

// A level is a set of instructions; each includes those below it. The
// others are the architecture's.
type level int

const portable level = 0

// stack fills the tables of levels. Where a level has no kernel of its own,
// the one below serves.
func stack(all ...levelKernels) []levelKernels {
	for i := 1; i < len(all); i++ {
		all[i].table = all[i-1].table
		for t, k := range all[i].types {
			if k.decode == nil && k.panel == nil {
				k.decode = all[i-1].table[t].decode
			}
			all[i].table[t] = k
		}
	}
	return all
}

// kernels returns the kernels of the product's type.
func (p *product) kernels() *kernels { return &levels[best].table[p.format.typ] }

// mulRows multiplies rows lo to hi-1 by the only vector, if there is a kernel
// for it.
func (p *product) mulRows(lo, hi int) bool {
	k := p.kernels()
	if k.mul == nil || p.a.cols%lanes != 0 {
		return false
	}
	x := &p.a.vector(0)[0]
	if n := (hi - lo) &^ 3; k.fours != nil && n > 0 {
		k.fours(&p.result(lo, lo+n, 0)[0], &p.rows(lo, lo+n)[0], n, x, p.a.cols)
		lo += n
	}
	if lo < hi {
		k.mul(&p.result(lo, hi, 0)[0], &p.rows(lo, hi)[0], hi-lo, x, p.a.cols)
	}
	return true
}

// mulFours multiplies rows lo to hi-1 by all vectors, four at a time, if
// there are kernels for it and decoding does not pay.
func (p *product) mulFours(s *scratch, lo, hi int) bool {
	k := p.kernels()
	if k.mul4 == nil || p.a.cols%lanes != 0 || p.a.n >= decodeFrom && p.format.typ != gguf.F32 {
		return false
	}
	step := min(max(4*wideLen/p.rowBytes, 1), batchRows)
	for r := lo; r < hi; r += step {
		n := min(step, hi-r)
		p.mulGroups(s, wideKernels{k.mul, k.mul4, 4}, &p.rows(r, r+n)[0], r, n)
	}
	return true
}

// mulWide multiplies n decoded rows of length cols, which are rows r and on,
// by all vectors.
func (p *product) mulWide(s *scratch, r, n, cols int) {
	if k := levels[best].wide; k.one != nil {
		p.mulGroups(s, k, (*byte)(unsafe.Pointer(&s.wide[0])), r, n)
		return
	}
	p.mulWidePortable(s, r, n, cols)
}

// mulGroups multiplies n rows from r on, stored at w, by all vectors: several
// at a time, the last by itself if it is alone. What is left of a group goes
// by way of the scratch, together with the zeros that follow it.
func (p *product) mulGroups(s *scratch, k wideKernels, w *byte, r, n int) {
	a := p.a
	padded := roundUp(a.cols, lanes)
	for t := 0; t < a.n; t += k.width {
		if t == a.n-1 {
			k.one(&p.result(r, r+n, t)[0], w, n, &a.vector(t)[0], padded)
			break
		}
		x := a.values[t*a.stride : (t+k.width)*a.stride]
		if t+k.width <= a.n {
			_ = p.result(r, r+n, t+k.width-1)
			k.several(&p.result(r, r+n, t)[0], w, n, &x[0], a.stride*4, padded, 4, p.stride*4)
			continue
		}
		k.several(&s.out[0], w, n, &x[0], a.stride*4, padded, k.width*4, 4)
		p.spreadOut(s, r, n, t, k.width)
	}
}

// decodeFast decodes len(dst) elements, if there is a kernel for it.
func decodeFast(f *format, dst []float32, src []byte) bool {
	k := &levels[best].table[f.typ]
	if k.decode == nil && k.panel == nil || len(dst)%lanes != 0 || len(dst) == 0 {
		return false
	}
	src = src[:len(dst)/f.block*f.bytes]
	if k.panel != nil {
		k.panel(&dst[0], &src[0], len(dst), lanes*4, lanes/2*4)
	} else {
		k.decode(&dst[0], &src[0], len(dst))
	}
	return true
}

// evaluateFast evaluates len(dst) elements of a chunk, if there is a kernel
// for it.
func evaluateFast(dst []float32, c *chunk) bool {
	k := levels[best].evaluate
	if k == nil || len(dst)%lanes != 0 || len(dst) == 0 {
		return false
	}
	k(&dst[0], &c.q[0], &c.group[0], &c.off[0], len(dst))
	return true
}
