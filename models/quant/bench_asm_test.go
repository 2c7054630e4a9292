//go:build amd64 || arm64

package quant

func portableTime(m Matrix, a *Activations, dst []float32) (took float64) {
	at(portable, func() { took = shortest(3, func() { m.Mul(dst, a, 0, m.Rows) }) })
	return took
}
