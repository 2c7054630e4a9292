//go:build !amd64

package simd

func available() []string { return []string{"portable"} }

func restore(string) { usePortable() }
