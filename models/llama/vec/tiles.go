package vec

import "fmt"

// DotTiles sets dst[i*stride+k] to the inner product of vector i of q and row
// k of rows, each of n elements, for m vectors and count rows. The bits are
// those of [DotRows]. It panics if anything is too short.
func DotTiles(dst []float32, stride int, q []float32, m int, rows []float32, count, n int) {
	if m == 0 || count == 0 {
		return
	}
	if len(dst) < (m-1)*stride+count || len(q) < m*n || len(rows) < count*n {
		panic(fmt.Sprintf("vec: %d vectors and %d rows of %d: %d results, %d and %d values", m, count, n, len(dst), len(q), len(rows)))
	}
	body := dotTiles(dst, stride, q, m, rows, count, n)
	for i := range m {
		DotRows(dst[i*stride+body:i*stride+count], q[i*n:(i+1)*n], rows[body*n:count*n])
	}
}

// AddScaledTiles adds w[i*stride+k] times row k of rows to vector i of dst, for
// ascending k; sizes are as in [DotTiles], and the bits are those of
// [AddScaledRows]. It panics if anything is too short.
func AddScaledTiles(dst []float32, w []float32, stride, m int, rows []float32, count, n int) {
	if m == 0 || count == 0 {
		return
	}
	if len(w) < (m-1)*stride+count || len(dst) < m*n || len(rows) < count*n {
		panic(fmt.Sprintf("vec: %d vectors and %d rows of %d: %d weights, %d and %d values", m, count, n, len(w), len(dst), len(rows)))
	}
	if addScaledTiles(dst, w, stride, m, rows, count, n) {
		return
	}
	for i := range m {
		AddScaledRows(dst[i*n:(i+1)*n], w[i*stride:i*stride+count], rows[:count*n])
	}
}
