//go:build !amd64

package simd

// detect leaves the portable implementation in place.
func detect() {}
