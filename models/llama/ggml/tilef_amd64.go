package ggml

import (
	"unsafe"

	"logitscope/models/gguf"
)

// A floatKernel multiplies rows of floats, rowBytes apart, by vectors that are
// cols apart, over as many turns of 32 columns. Results of a vector are stride
// bytes after those of the one before.
type floatKernel func(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

// What a floatKernel does with the sums of columns before and after its own.
const (
	takeSums = 1 << iota // begin with sums, not zeros
	keepSums             // store the sums, not results
)

//go:noescape
func tile2F32AVX512(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

//go:noescape
func tile4F32AVX512(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

//go:noescape
func tile6F32AVX512(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

//go:noescape
func tile2F16AVX512(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

//go:noescape
func tile4F16AVX512(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

//go:noescape
func tile6F16AVX512(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

//go:noescape
func tile2BF16AVX512(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

//go:noescape
func tile4BF16AVX512(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

//go:noescape
func tile6BF16AVX512(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

//go:noescape
func tile3F32AVX2(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

//go:noescape
func tile3F16AVX2(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

//go:noescape
func tile3BF16AVX2(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)

// A floatTile is a kernel with the rows and vectors that it takes.
type floatTile struct {
	rows, vectors int
	mul           floatKernel
}

// floatTiles are those of a type, the largest first.
var floatTiles = map[gguf.Type]struct{ avx512, avx2 []floatTile }{
	gguf.F32: {
		avx512: []floatTile{{2, 6, tile6F32AVX512}, {2, 4, tile4F32AVX512}, {2, 2, tile2F32AVX512}},
		avx2:   []floatTile{{1, 3, tile3F32AVX2}},
	},
	gguf.F16: {
		avx512: []floatTile{{2, 6, tile6F16AVX512}, {2, 4, tile4F16AVX512}, {2, 2, tile2F16AVX512}},
		avx2:   []floatTile{{1, 3, tile3F16AVX2}},
	},
	gguf.BF16: {
		avx512: []floatTile{{2, 6, tile6BF16AVX512}, {2, 4, tile4BF16AVX512}, {2, 2, tile2BF16AVX512}},
		avx2:   []floatTile{{1, 3, tile3BF16AVX2}},
	},
}

// nearTurns are the turns of which the near cache holds the vectors of a tile.
const nearTurns = 32

// mulFloats multiplies the rows by as many vectors as make tiles, and returns
// their number.
func (s *span) mulFloats() int {
	tiles := floatTiles[s.typ].avx2
	if useVNNI {
		tiles = floatTiles[s.typ].avx512
	}
	if s.a.cols%turn != 0 {
		return 0
	}
	v := 0
	for _, k := range tiles {
		mid := s.hi - (s.hi-s.lo)%k.rows
		for ; v+k.vectors <= s.a.n; v += k.vectors {
			if mid > s.lo {
				part := s.rows(s.lo, mid)
				part.mulFloatTile(k, v)
			}
			part := s.rows(mid, s.hi)
			part.mulEach(v, v+k.vectors)
		}
	}
	return v
}

// mulFloatTile multiplies the rows by the vectors of a tile from v on, some
// columns after others if they are many.
func (s *span) mulFloatTile(k floatTile, v int) {
	turns := s.a.cols / turn
	parts := (turns + nearTurns - 1) / nearTurns
	step := (turns + parts - 1) / parts
	x, dst := s.a.forms[s.kind].f[v*s.a.cols:], s.result(v)
	var sums *float32
	if parts > 1 {
		t := tileScratches.Get().(*tileScratch)
		defer tileScratches.Put(t)
		t.sums = grow(t.sums, len(dst)*k.vectors*turn)
		sums = &t.sums[0]
	}
	for at := 0; at < turns; at += step {
		end := 0
		if at > 0 {
			end |= takeSums
		}
		if at+step < turns {
			end |= keepSums
		}
		k.mul(&dst[0], s.stride*4, &s.w[at*(s.size/turns)], s.size, len(dst), &x[at*turn], s.a.cols, min(step, turns-at), sums, end)
	}
}

//go:noescape
func ahead(p unsafe.Pointer, n int)

// pagesAhead is how many pages before its turn a page is asked for. Pages lie
// anywhere, so that the processor cannot tell which is next.
const pagesAhead = 3

// dots does what Dots does, and reports whether it could.
func (q *Queries) dots(dst []float32, stride int, keys []Rows, per, count int) bool {
	n := q.a.cols
	if !useAVX2 || count == 0 || n == 0 || n%turn != 0 {
		return false
	}
	typ, rowBytes := gguf.F32, n*4
	if keys[0].F16 != nil {
		typ, rowBytes = gguf.F16, n*2
	}
	tiles, one := floatTiles[typ].avx2, rowsKernels[typ].one
	if useVNNI {
		tiles = floatTiles[typ].avx512
	}
	x := q.a.forms[f32].f
	each := func(from, to, pos, rows int, w unsafe.Pointer) {
		for i := from; i < to; i++ {
			one(&dst[i*stride+pos], (*byte)(w), rows, unsafe.Pointer(&x[i*n]), nil, nil, n/turn)
		}
	}
	v := 0
	for _, k := range tiles {
		for ; v+k.vectors <= q.a.n; v += k.vectors {
			for pos := 0; pos < count; pos += per {
				rows, page := min(per, count-pos), keys[pos/per].at()
				body := rows - rows%k.rows
				if next := pos/per + pagesAhead; v == 0 && next < len(keys) {
					ahead(keys[next].at(), per*rowBytes)
				}
				if body > 0 {
					k.mul(&dst[v*stride+pos], stride*4, (*byte)(page), rowBytes, body, &x[v*n], n, n/turn, nil, 0)
				}
				if body < rows {
					each(v, v+k.vectors, pos+body, rows-body, unsafe.Add(page, body*rowBytes))
				}
			}
		}
	}
	for pos := 0; v < q.a.n && pos < count; pos += per {
		each(v, q.a.n, pos, min(per, count-pos), keys[pos/per].at())
	}
	return true
}
