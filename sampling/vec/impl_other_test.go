//go:build !amd64

package vec

func available() []string { return []string{"portable"} }

func restore(string) { usePortable() }
