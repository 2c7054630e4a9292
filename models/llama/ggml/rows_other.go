//go:build !amd64

package ggml

// These are for tests.
var useAVX2, useVNNI = false, false

func (*span) mulRows(*vector, []float32) bool { return false }
func (*span) mulTiles() int                   { return 0 }

func mixTotal(dst, sums []float32) bool { return false }

func quantise32(f *form, x []float32)          { quantise32Plain(f, x) }
func quantise256(f *form, x []float32)         { quantise256Plain(f, x) }
func expSum(x []float32, top float32) float64  { return expSumPlain(x, top) }
func siluMul(gate, up []float32)               { siluMulPlain(gate, up) }
func fusedAdd(dst, x []float32, f float32)     { fusedAddPlain(dst, x, f) }
func fusedAddHalf(dst, x []float32, f float32) { fusedAddPlain(dst, x, f); RoundHalf(dst, dst) }
func roundHalf(dst, x []float32) int           { return 0 }

func (*Queries) dots([]float32, int, []Rows, int, int) bool { return false }
func (*Mix) addPages([]float32, int, []Rows, int, int) bool { return false }

func (f *Flash) addRows(scales, weights []float32, rows Rows) bool { return false }
