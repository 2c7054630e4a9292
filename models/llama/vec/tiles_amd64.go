package vec

import "golang.org/x/sys/cpu"

// useTiles says whether there are tiles: they need the 32 registers of
// AVX-512.
var useTiles = cpu.X86.HasAVX2 && cpu.X86.HasAVX512F

// Tiles of up to tileVectors vectors at a time, by their number.
const tileVectors = 6

// A dotTile multiplies its vectors by eights times eight rows of n elements, a
// multiple of 8, and then as many vectors more, tiles times. Results of a vector are stride bytes after those of the
// one before.
type dotTile func(dst *float32, stride int, q, rows *float32, n, eights, tiles int)

// A mixTile adds count rows of n elements, a multiple of 16, times their
// weights to its vectors, and then to as many vectors more, tiles times. Weights of a vector are stride bytes after those of the
// one before.
type mixTile func(dst, w *float32, stride int, rows *float32, n, count, tiles int)

var dotTileOf = [tileVectors + 1]dotTile{nil, dotTile1, dotTile2, dotTile3, dotTile4, dotTile5, dotTile6}

var mixTileOf = [tileVectors + 1]mixTile{nil, mixTile1, mixTile2, mixTile3, mixTile4, mixTile5, mixTile6}

//go:noescape
func dotTile1(dst *float32, stride int, q, rows *float32, n, eights, tiles int)

//go:noescape
func dotTile2(dst *float32, stride int, q, rows *float32, n, eights, tiles int)

//go:noescape
func dotTile3(dst *float32, stride int, q, rows *float32, n, eights, tiles int)

//go:noescape
func dotTile4(dst *float32, stride int, q, rows *float32, n, eights, tiles int)

//go:noescape
func dotTile5(dst *float32, stride int, q, rows *float32, n, eights, tiles int)

//go:noescape
func dotTile6(dst *float32, stride int, q, rows *float32, n, eights, tiles int)

//go:noescape
func mixTile1(dst, w *float32, stride int, rows *float32, n, count, tiles int)

//go:noescape
func mixTile2(dst, w *float32, stride int, rows *float32, n, count, tiles int)

//go:noescape
func mixTile3(dst, w *float32, stride int, rows *float32, n, count, tiles int)

//go:noescape
func mixTile4(dst, w *float32, stride int, rows *float32, n, count, tiles int)

//go:noescape
func mixTile5(dst, w *float32, stride int, rows *float32, n, count, tiles int)

//go:noescape
func mixTile6(dst, w *float32, stride int, rows *float32, n, count, tiles int)

// eachTile calls f for tiles of m vectors: full ones, and one of what is left.
func eachTile(m int, f func(first, size, tiles int)) {
	full := m / tileVectors
	if full > 0 {
		f(0, tileVectors, full)
	}
	if left := m % tileVectors; left > 0 {
		f(full*tileVectors, left, 1)
	}
}

// dotTiles returns for how many of the first rows it has all results.
func dotTiles(dst []float32, stride int, q []float32, m int, rows []float32, count, n int) int {
	eights := count / 8
	if !useTiles || n%lanes != 0 || n == 0 || eights == 0 {
		return 0
	}
	eachTile(m, func(i, size, tiles int) {
		dotTileOf[size](&dst[i*stride], stride*4, &q[i*n], &rows[0], n, eights, tiles)
	})
	return eights * 8
}

// addScaledTiles reports whether it could do it.
func addScaledTiles(dst []float32, w []float32, stride, m int, rows []float32, count, n int) bool {
	if !useTiles || n%16 != 0 || n == 0 {
		return false
	}
	eachTile(m, func(i, size, tiles int) {
		mixTileOf[size](&dst[i*n], &w[i*stride], stride*4, &rows[0], n, count, tiles)
	})
	return true
}
