package sampling

import (
	"math"
	"slices"
)

// goTopK keeps exactly k entries, sorted: with a heap if k is smaller than
// the row, else with the standard library's sort, which is not stable.
type goTopK int

func (k goTopK) apply(r *row) {
	if int(k) <= 0 || int(k) >= r.n {
		items := grow(&r.sortBuf, r.n)
		for i, v := range r.x[:r.n] {
			items[i] = item{v, int32(i)}
		}
		slices.SortFunc(items, byLogit)
		r.permute(items)
	} else {
		r.permute(r.goHeap(int(k)))
	}
	r.sorted = true
}

func byLogit(a, b item) int {
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
func (r *row) goHeap(k int) []item {
	heap := grow(&r.sortBuf, k)
	for i := range heap {
		heap[i] = item{r.x[i], int32(i)}
	}
	for i := k/2 - 1; i >= 0; i-- {
		goDown(heap, i)
	}
	for i, v := range r.x[k:r.n] {
		if v > heap[0].x {
			heap[0] = heap[k-1]
			goDown(heap[:k-1], 0)
			heap[k-1] = item{v, int32(k + i)}
			goUp(heap)
		}
	}
	for n := k - 1; n > 0; n-- {
		heap[0], heap[n] = heap[n], heap[0]
		goDown(heap[:n], 0)
	}
	return heap
}

func goDown(h []item, i int) {
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

func goUp(h []item) {
	for j := len(h) - 1; j > 0; {
		i := (j - 1) / 2
		if !(h[j].x < h[i].x) {
			return
		}
		h[i], h[j] = h[j], h[i]
		j = i
	}
}

// goTemperature divides by at least 1e-7.
type goTemperature float32

func (t goTemperature) apply(r *row) {
	if v := max(float32(t), 1e-7); v != 1 {
		r.scaleBy(v)
	}
}

// goProbs returns the probabilities of the entries: exponentials rounded to
// float32, divided by their float32 sum over the row as it was when they were
// first computed.
func (r *row) goProbs() []float32 {
	if !r.goOK || len(r.probBuf) != r.n {
		p := grow(&r.probBuf, r.n)
		hi := r.x[0]
		for _, v := range r.x[:r.n] {
			hi = max(hi, v)
		}
		var sum float32
		for i, v := range r.x[:r.n] {
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

// goTopP keeps entries until their sum exceeds p.
type goTopP float32

func (s goTopP) apply(r *row) {
	probs := r.goProbs()
	p := r.ofNamed(float32(s))
	var sum float32
	for i, v := range probs {
		if sum += v; sum > p {
			r.goTruncate(i + 1)
			return
		}
	}
}

func (r *row) goTruncate(n int) {
	r.truncate(n)
	r.probBuf = r.probBuf[:n]
}

// goMinP cuts at the first entry below the share p of the best.
type goMinP float32

func (s goMinP) apply(r *row) {
	probs := r.goProbs()
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
