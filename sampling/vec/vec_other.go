//go:build !amd64

package vec

// detect leaves the portable implementation in place.
func detect() {}
