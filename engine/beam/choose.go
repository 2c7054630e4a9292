package beam

import (
	"math"

	"logitscope/sampling/luck"
)

// A pick is a continuation before it is a node.
type pick struct {
	parent  int
	token   int32
	order   int // parent*V+token: what ties go by
	logprob float64
	sum     float64
}

func (a pick) better(b pick) bool {
	return a.sum > b.sum || a.sum == b.sum && a.order < b.order
}

// best keeps the k best picks it is offered, as a heap with the worst on top.
type best struct {
	k    int
	heap []pick
}

// floor returns the sum that a pick must reach to be worth offering.
func (b *best) floor() float64 {
	if len(b.heap) < b.k {
		return math.Inf(-1)
	}
	return b.heap[0].sum
}

// offer takes p if it is among the k best, and reports whether it is.
func (b *best) offer(p pick) bool {
	if len(b.heap) < b.k {
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

func (b *best) sift() {
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

// sorted empties the heap, best first.
func (b *best) sorted() []pick {
	out := make([]pick, len(b.heap))
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = b.heap[0]
		n := len(b.heap) - 1
		b.heap[0] = b.heap[n]
		b.heap = b.heap[:n]
		b.sift()
	}
	return out
}

// Streams of the coin that beam sampling draws from, one for each draw of a
// step.
const streamBeam uint32 = 0x6265_0000

// draw draws k of the picks without replacement, each time in proportion to
// exp(sum) among those left, and returns them in the order drawn: fewer where
// fewer have any probability.
func draw(all []pick, k int, seed uint64, pos int) []pick {
	top := math.Inf(-1)
	for i := range all {
		top = max(top, all[i].sum)
	}
	w := make([]float64, len(all))
	var total float64
	for i := range all {
		w[i] = math.Exp(all[i].sum - top)
		total += w[i]
	}
	var out []pick
	for j := 0; j < k; j++ {
		u := luck.Coin(seed, pos, streamBeam+uint32(j)) * total
		at, last := -1, -1
		for i := range w {
			if w[i] <= 0 {
				continue
			}
			last = i
			if u -= w[i]; u < 0 {
				at = i
				break
			}
		}
		if at < 0 {
			at = last // rounding ran past the end
		}
		if at < 0 {
			break
		}
		out = append(out, all[at])
		w[at] = 0
		// Summed again so that the total does not drift as it shrinks.
		total = 0
		for _, x := range w {
			total += x
		}
	}
	return out
}
