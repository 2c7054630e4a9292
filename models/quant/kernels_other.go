//go:build !amd64

package quant

func (p *product) mulRows(lo, hi int) bool { return false }

func decodeFast(f *format, dst []float32, src []byte) bool { return false }

func (f *format) evaluate(dst []float32, c *chunk) { f.evaluatePortable(dst, c) }

func addTile(s *scratch, rows, n, length int, x []float32, stride int) {
	addTilePortable(s, rows, n, length, x, stride)
}
