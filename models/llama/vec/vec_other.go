//go:build !amd64 && !arm64

package vec

func dotRows(dst, q, rows []float32)          { dotRowsGeneric(dst, q, rows) }
func addScaledRows(dst, w, rows []float32)    { addScaledRowsGeneric(dst, w, rows) }
func expSub(a []float32, top float32) float32 { return expSubGeneric(a, top) }
func siluMul(gate, a []float32)               { siluMulGeneric(gate, a) }
func maxOf(a []float32) float32               { return maxGeneric(a) }
func fromHalf(dst []float32, h []uint16)      { fromHalfGeneric(dst, h) }
