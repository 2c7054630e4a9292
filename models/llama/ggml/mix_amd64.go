package ggml

import "unsafe"

// A mixKernel adds up values by the weights of some queries, into sets of
// sums: those of positions that are 32 apart.
type mixKernel func(sums *float32, each int, pages *unsafe.Pointer, skip, at, rowBytes int, w *float32, stride, count, sets, next int)

//go:noescape
func mix1F32AVX512(sums *float32, each int, pages *unsafe.Pointer, skip, at, rowBytes int, w *float32, stride, count, sets, next int)

//go:noescape
func mix2F32AVX512(sums *float32, each int, pages *unsafe.Pointer, skip, at, rowBytes int, w *float32, stride, count, sets, next int)

//go:noescape
func mix4F32AVX512(sums *float32, each int, pages *unsafe.Pointer, skip, at, rowBytes int, w *float32, stride, count, sets, next int)

//go:noescape
func mix8F32AVX512(sums *float32, each int, pages *unsafe.Pointer, skip, at, rowBytes int, w *float32, stride, count, sets, next int)

//go:noescape
func mix1F16AVX512(sums *float32, each int, pages *unsafe.Pointer, skip, at, rowBytes int, w *float32, stride, count, sets, next int)

//go:noescape
func mix2F16AVX512(sums *float32, each int, pages *unsafe.Pointer, skip, at, rowBytes int, w *float32, stride, count, sets, next int)

//go:noescape
func mix4F16AVX512(sums *float32, each int, pages *unsafe.Pointer, skip, at, rowBytes int, w *float32, stride, count, sets, next int)

//go:noescape
func mix8F16AVX512(sums *float32, each int, pages *unsafe.Pointer, skip, at, rowBytes int, w *float32, stride, count, sets, next int)

// mixKernels are those for so many queries, the most first.
var mixKernels = []struct {
	queries  int
	f32, f16 mixKernel
}{
	{8, mix8F32AVX512, mix8F16AVX512},
	{4, mix4F32AVX512, mix4F16AVX512},
	{2, mix2F32AVX512, mix2F16AVX512},
	{1, mix1F32AVX512, mix1F16AVX512},
}

// addPages sets all sums to those over the first positions, and reports
// whether it could.
func (m *Mix) addPages(w []float32, stride int, pages []Rows, per, positions int) bool {
	if !useVNNI || m.n%turn != 0 || turn%per != 0 || len(pages) == 0 {
		return false
	}
	m.pages = m.pages[:0]
	rowBytes := m.n * 4
	for _, p := range pages {
		if p.F16 != nil {
			rowBytes = m.n * 2
		}
		m.pages = append(m.pages, p.at())
	}
	cycle := turn / per // pages until a position has the same sum
	used := min(positions, turn)
	clear(m.sums[used*m.queries*m.n:])
	for first := 0; first < used; first += per {
		for r := first; r < min(first+per, used); {
			count := (positions - r + turn - 1) / turn
			end := min(first+per, used) // of the sets of as many positions
			if cut := positions % turn; r < cut {
				end = min(end, cut)
			}
			for q := 0; q < m.queries; {
				k := mixKernels[0]
				for _, k = range mixKernels {
					if q+k.queries <= m.queries {
						break
					}
				}
				mul := k.f32
				if pages[0].F16 != nil {
					mul = k.f16
				}
				for j := 0; j < m.n; j += turn {
					mul(&m.sums[(r*m.queries+q)*m.n+j], m.n*4, &m.pages[first/per], cycle*8, (r-first)*rowBytes+j*(rowBytes/m.n), rowBytes,
						&w[q*stride+r], stride*4, count, end-r, m.queries*m.n*4)
				}
				q += k.queries
			}
			r = end
		}
	}
	return true
}

// at returns where the rows begin.
func (r Rows) at() unsafe.Pointer {
	if r.F16 != nil {
		return unsafe.Pointer(&r.F16[0])
	}
	return unsafe.Pointer(&r.F32[0])
}

// The kernels of flash attention add rows of size bytes to 32 or 64 elements
// of the output.

//go:noescape
func flash32F32AVX512(out *float32, size int, rows unsafe.Pointer, scales, weights *float32, count int)

//go:noescape
func flash64F32AVX512(out *float32, size int, rows unsafe.Pointer, scales, weights *float32, count int)

//go:noescape
func flash32F16AVX512(out *float32, size int, rows unsafe.Pointer, scales, weights *float32, count int)

//go:noescape
func flash64F16AVX512(out *float32, size int, rows unsafe.Pointer, scales, weights *float32, count int)

// addRows adds as many rows as there are weights, and reports whether it
// could.
func (f *Flash) addRows(scales, weights []float32, rows Rows) bool {
	n := len(f.out)
	if !useVNNI || n%turn != 0 || n == 0 || len(weights) == 0 {
		return false
	}
	size, some, more := 4, flash32F32AVX512, flash64F32AVX512
	if rows.F16 != nil {
		size, some, more = 2, flash32F16AVX512, flash64F16AVX512
	}
	for j := 0; j < n; {
		k, width := more, 2*turn
		if j+width > n {
			k, width = some, turn
		}
		k(&f.out[j], n*size, unsafe.Add(rows.at(), j*size), &scales[0], &weights[0], len(weights))
		j += width
	}
	return true
}
