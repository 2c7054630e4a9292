package rows

import (
	"math"
)

// A Pick is a continuation before it is a node.
type Pick struct {
	Parent  int
	Token   int32
	Order   int // parent*V+token: what ties go by
	Logprob float64
	Sum     float64
}

func (a Pick) better(b Pick) bool {
	return a.Sum > b.Sum || a.Sum == b.Sum && a.Order < b.Order
}

// Best keeps the k best picks it is offered, as a heap with the worst on top.
type Best struct {
	K    int
	heap []Pick
}

// Floor returns the sum that a pick must reach to be worth offering.
func (b *Best) Floor() float64 {
	if len(b.heap) < b.K {
		return math.Inf(-1)
	}
	return b.heap[0].Sum
}

// Offer takes p if it is among the k best, and reports whether it is.
func (b *Best) Offer(p Pick) bool {
	if len(b.heap) < b.K {
		b.heap = append(b.heap, p)
		for i := len(b.heap) - 1; i > 0; {
			up := (i - 1) / 2
			if !b.heap[up].better(b.heap[i]) {
				break
			}
			b.heap[up], b.heap[i] = b.heap[i], b.heap[up]
			i = up
		}
		return true
	}
	if !p.better(b.heap[0]) {
		return false
	}
	b.heap[0] = p
	b.sift()
	return true
}

func (b *Best) sift() {
	h := b.heap
	for i := 0; ; {
		worst := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < len(h) && h[worst].better(h[c]) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}

// Sorted empties the heap, best first.
func (b *Best) Sorted() []Pick {
	out := make([]Pick, len(b.heap))
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = b.heap[0]
		n := len(b.heap) - 1
		b.heap[0] = b.heap[n]
		b.heap = b.heap[:n]
		b.sift()
	}
	return out
}
