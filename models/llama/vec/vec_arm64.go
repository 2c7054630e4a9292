package vec

//go:noescape
func dotRowsNEON(dst, q, rows *float32, n, count int)

//go:noescape
func addScaledRowsNEON(dst, w, rows *float32, n, count int)

func dotRows(dst, q, rows []float32) {
	if len(q)%lanes != 0 || len(q) == 0 || len(dst) == 0 {
		dotRowsGeneric(dst, q, rows)
		return
	}
	dotRowsNEON(&dst[0], &q[0], &rows[0], len(q), len(dst))
}

func addScaledRows(dst, w, rows []float32) {
	if len(dst)%lanes != 0 || len(dst) == 0 || len(w) == 0 {
		addScaledRowsGeneric(dst, w, rows)
		return
	}
	addScaledRowsNEON(&dst[0], &w[0], &rows[0], len(dst), len(w))
}

func expSub(a []float32, top float32) float32 { return expSubGeneric(a, top) }
func siluMul(gate, a []float32)               { siluMulGeneric(gate, a) }
func maxOf(a []float32) float32               { return maxGeneric(a) }
func fromHalf(dst []float32, h []uint16)      { fromHalfGeneric(dst, h) }
