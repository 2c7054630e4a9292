package vec

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// What the assembly needs.
var (
	useAVX2 = cpu.X86.HasAVX2
	useF16C = cpu.X86.HasAVX2 && cpu.X86.HasF16C
)

//go:noescape
func dotRowsAVX2(dst, q, rows *float32, n, count int)

//go:noescape
func addScaledRowsAVX2(dst, w, rows *float32, n, count int)

//go:noescape
func expSubAVX2(a *float32, n int, top float32, sums *[lanes]float32)

//go:noescape
func siluMulAVX2(gate, a *float32, n int)

//go:noescape
func maxAVX2(a *float32, n int, tops *[lanes]float32)

//go:noescape
func fromHalfF16C(dst *float32, h *uint16, n int)

func dotRows(dst, q, rows []float32) {
	if !useAVX2 || len(q)%lanes != 0 || len(q) == 0 || len(dst) == 0 {
		dotRowsGeneric(dst, q, rows)
		return
	}
	dotRowsAVX2(&dst[0], &q[0], &rows[0], len(q), len(dst))
}

func addScaledRows(dst, w, rows []float32) {
	if !useAVX2 || len(dst)%lanes != 0 || len(dst) == 0 || len(w) == 0 {
		addScaledRowsGeneric(dst, w, rows)
		return
	}
	addScaledRowsAVX2(&dst[0], &w[0], &rows[0], len(dst), len(w))
}

func expSub(a []float32, top float32) float32 {
	body := len(a) &^ (lanes - 1)
	if !useAVX2 || body == 0 {
		return expSubGeneric(a, top)
	}
	var sums [lanes]float32
	expSubAVX2(&a[0], body, top, &sums)
	sum := addLanes(&sums)
	for i, v := range a[body:] {
		e := Exp(v - top)
		a[body+i] = e
		sum += e
	}
	return sum
}

func siluMul(gate, a []float32) {
	body := len(gate) &^ (lanes - 1)
	if !useAVX2 || body == 0 {
		siluMulGeneric(gate, a)
		return
	}
	siluMulAVX2(&gate[0], &a[0], body)
	siluMulGeneric(gate[body:], a[body:])
}

func maxOf(a []float32) float32 {
	body := len(a) &^ (lanes - 1)
	if !useAVX2 || body == 0 {
		return maxGeneric(a)
	}
	var tops [lanes]float32
	maxAVX2(&a[0], body, &tops)
	return max(maxGeneric(tops[:]), maxGeneric(a[body:]))
}

func fromHalf(dst []float32, h []uint16) {
	body := len(h) &^ (lanes - 1)
	if !useF16C || body == 0 {
		fromHalfGeneric(dst, h)
		return
	}
	fromHalfF16C(&dst[0], &h[0], body)
	fromHalfGeneric(dst[body:], h[body:])
}

//go:noescape
func prefetch(at unsafe.Pointer, lines int)
