//go:build !amd64

package quant

func (p *product) mulRows(lo, hi int) bool { return false }

func fillFast(f *format, p *tile, src []byte, n int) bool { return false }

func addTiles(s []intSums, p *tile, a []int16, scales []float32, stride int) {
	addTilesPortable(s, p, a, scales, stride)
}

func addOffsets(s *intSums, p *tile, sums []float32) { addOffsetsPortable(s, p, sums) }

func addFloatRows(s []floatSums, w, x []float32, stride int) { addFloatRowsPortable(s, w, x, stride) }
