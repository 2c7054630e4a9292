package row

import (
	"math"
	"slices"
)

// GoTopK keeps exactly k entries, sorted: with a heap if k is smaller than
// the row, else with the standard library's sort, which is not stable.
type GoTopK int

func (k GoTopK) Apply(r *Row) {
	if int(k) <= 0 || int(k) >= r.N {
		items := grow(&r.sortBuf, r.N)
		for i, v := range r.X[:r.N] {
			items[i] = Item{v, int32(i)}
		}
		slices.SortFunc(items, byLogit)
		r.permute(items)
	} else {
		r.permute(r.goHeap(int(k)))
	}
	r.Sorted = true
}

// Sole reports whether k is 1.
func (k GoTopK) Sole() bool { return k == 1 }

func byLogit(a, b Item) int {
	switch {
	case a.x < b.x:
		return 1
	case a.x > b.x:
		return -1
	}
	return 0
}

// goHeap returns the k best entries in the order that container/heap leaves
// them.
func (r *Row) goHeap(k int) []Item {
	heap := grow(&r.sortBuf, k)
	for i := range heap {
		heap[i] = Item{r.X[i], int32(i)}
	}
	for i := k/2 - 1; i >= 0; i-- {
		goDown(heap, i)
	}
	for i, v := range r.X[k:r.N] {
		if v > heap[0].x {
			heap[0] = heap[k-1]
			goDown(heap[:k-1], 0)
			heap[k-1] = Item{v, int32(k + i)}
			goUp(heap)
		}
	}
	for n := k - 1; n > 0; n-- {
		heap[0], heap[n] = heap[n], heap[0]
		goDown(heap[:n], 0)
	}
	return heap
}

func goDown(h []Item, i int) {
	for {
		j := 2*i + 1
		if j >= len(h) {
			return
		}
		if j+1 < len(h) && h[j+1].x < h[j].x {
			j++
		}
		if !(h[j].x < h[i].x) {
			return
		}
		h[i], h[j] = h[j], h[i]
		i = j
	}
}

func goUp(h []Item) {
	for j := len(h) - 1; j > 0; {
		i := (j - 1) / 2
		if !(h[j].x < h[i].x) {
			return
		}
		h[i], h[j] = h[j], h[i]
		j = i
	}
}

// GoTemperature divides by at least 1e-7.
type GoTemperature float32

func (t GoTemperature) Apply(r *Row) {
	if v := max(float32(t), 1e-7); v != 1 {
		r.scaleBy(v)
	}
}

// GoProbs returns the probabilities of the entries: exponentials rounded to
// float32, divided by their float32 sum over the row as it was when they were
// first computed.
func (r *Row) GoProbs() []float32 {
	if !r.goOK || len(r.probBuf) != r.N {
		p := grow(&r.probBuf, r.N)
		hi := r.X[0]
		for _, v := range r.X[:r.N] {
			hi = max(hi, v)
		}
		var sum float32
		for i, v := range r.X[:r.N] {
			p[i] = float32(math.Exp(float64(v - hi)))
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		r.goOK = true
	}
	return r.probBuf
}

// GoTopP keeps entries until their sum exceeds p.
type GoTopP float32

func (s GoTopP) Apply(r *Row) {
	probs := r.GoProbs()
	p := r.OfNamed(float32(s))
	var sum float32
	for i, v := range probs {
		if sum += v; sum > p {
			r.goTruncate(i + 1)
			return
		}
	}
}

func (r *Row) goTruncate(n int) {
	r.Truncate(n)
	r.probBuf = r.probBuf[:n]
}

// GoMinP cuts at the first entry below the share p of the best.
type GoMinP float32

func (s GoMinP) Apply(r *Row) {
	probs := r.GoProbs()
	hi := float32(0)
	for _, v := range probs {
		hi = max(hi, v)
	}
	for i, v := range probs {
		if v < float32(hi*float32(s)) {
			r.goTruncate(i)
			return
		}
	}
}
