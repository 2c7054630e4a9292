//go:build !amd64

package vec

import "unsafe"

func dotTiles(dst []float32, stride int, q []float32, m int, rows []float32, count, n int) int {
	return 0
}

func addScaledTiles(dst []float32, w []float32, stride, m int, rows []float32, count, n int) bool {
	return false
}

// prefetch does nothing: results do not depend on it.
func prefetch(unsafe.Pointer, int) {}
