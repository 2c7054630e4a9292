package stats

import (
	"math"
	"slices"
)

// longestGram is the longest n-gram that is counted.
const longestGram = 4

type gram [longestGram]int32

// Distinct returns the number of different n-grams of ids divided by the
// number of n-grams (Li et al. 2016), and that number. Without any it is 0. n
// is at most 4.
func Distinct(ids []int32, n int) (share float64, count int) {
	counts, total := grams(ids, n)
	if total == 0 {
		return 0, 0
	}
	return float64(len(counts)) / float64(total), total
}

// A Measure is something measured of several texts together. pick names the
// texts by their index, repeated ones as a resample has them; nil names each
// once. It is NaN where there is nothing to measure. A Measure keeps memory of
// its own: it serves one goroutine at a time.
type Measure func(pick []int) float64

// all returns pick, or all n indices if it is nil.
func all(pick []int, n int) []int {
	if pick != nil {
		return pick
	}
	pick = make([]int, n)
	for i := range pick {
		pick[i] = i
	}
	return pick
}

// Pooled measures the different n-grams of the texts together per n-gram of
// theirs. n-grams do not cross from one text into the next.
func Pooled(texts [][]int32, n int) Measure {
	p := newPool(texts, n)
	return func(pick []int) float64 {
		different, count := p.count(pick)
		if count == 0 {
			return math.NaN()
		}
		return float64(different) / float64(count)
	}
}

// EAD measures the expectation-adjusted distinct-1 of Liu et al. (2022): the
// different tokens, divided by how many as many tokens drawn evenly from a
// vocabulary of that size would have. Unlike distinct-1 it does not fall with
// the length of the texts.
func EAD(texts [][]int32, vocab int) Measure {
	p := newPool(texts, 1)
	return func(pick []int) float64 {
		different, count := p.count(pick)
		if count == 0 || vocab < 1 {
			return math.NaN()
		}
		v := float64(vocab)
		return float64(different) / (-v * math.Expm1(float64(count)*math.Log1p(-1/v)))
	}
}

// PerText measures the mean of [Distinct] over the texts that have n-grams.
func PerText(texts [][]int32, n int) Measure {
	shares := make([]float64, len(texts))
	for i, t := range texts {
		shares[i] = math.NaN()
		if d, count := Distinct(t, n); count > 0 {
			shares[i] = d
		}
	}
	return func(pick []int) float64 {
		sum, m := 0.0, 0
		for _, i := range all(pick, len(texts)) {
			if !math.IsNaN(shares[i]) {
				sum += shares[i]
				m++
			}
		}
		return sum / float64(m)
	}
}

// A pool numbers the n-grams of texts, so that those of a resample are
// counted without looking at them again.
type pool struct {
	different [][]int32 // of each text, the numbers of its n-grams, each once
	counts    []int     // and how many n-grams it has
	seen      []uint32  // by number, the last count that met it
	turn      uint32
}

func newPool(texts [][]int32, n int) *pool {
	p := &pool{different: make([][]int32, len(texts)), counts: make([]int, len(texts))}
	numbers := map[gram]int32{}
	for i, t := range texts {
		counts, total := grams(t, n)
		p.counts[i] = total
		for g := range counts {
			k, ok := numbers[g]
			if !ok {
				k = int32(len(numbers))
				numbers[g] = k
			}
			p.different[i] = append(p.different[i], k)
		}
	}
	p.seen = make([]uint32, len(numbers))
	return p
}

func (p *pool) count(pick []int) (different, total int) {
	p.turn++
	for _, i := range all(pick, len(p.counts)) {
		total += p.counts[i]
		for _, k := range p.different[i] {
			if p.seen[k] != p.turn {
				p.seen[k] = p.turn
				different++
			}
		}
	}
	return different, total
}

// SelfBLEU measures how alike the texts are: the mean of the BLEU-4 of each
// against the others (Zhu et al. 2018; Papineni et al. 2002), 0 to 1. BLEU is
// the geometric mean of the clipped precisions of 1- to 4-grams, as far as the
// text is long enough to have them, times the penalty for being shorter than
// the reference nearest in length; a precision of zero counts as a tenth of
// one match (method 1 of Chen and Cherry 2014). Copies of one text are no
// references of each other; texts without tokens or without others are left
// out.
func SelfBLEU(texts [][]int32) Measure {
	var orders [longestGram]*index
	for n := range orders {
		orders[n] = newIndex(texts, n+1)
	}
	times := make([]int, len(texts))
	return func(pick []int) float64 {
		clear(times)
		picked := 0
		for _, i := range all(pick, len(texts)) {
			if times[i]++; times[i] == 1 {
				picked++
			}
		}
		sum, n := 0.0, 0
		for i, t := range texts {
			if times[i] == 0 || len(t) == 0 || picked < 2 {
				continue
			}
			log := brevity(texts, i, times)
			longest := min(longestGram, len(t))
			for _, x := range orders[:longest] {
				log += math.Log(x.precision(i, times)) / float64(longest)
			}
			sum += float64(times[i]) * math.Exp(log)
			n += times[i]
		}
		return sum / float64(n)
	}
}

// brevity returns the logarithm of the penalty of text i, which is shorter
// than the reference nearest in length; of two as near the shorter counts.
func brevity(texts [][]int32, i int, times []int) float64 {
	length, nearest := len(texts[i]), -1
	for k, t := range texts {
		if k == i || times[k] == 0 {
			continue
		}
		d, best := abs(len(t)-length), abs(nearest-length)
		if nearest < 0 || d < best || d == best && len(t) < nearest {
			nearest = len(t)
		}
	}
	if length < nearest {
		return 1 - float64(nearest)/float64(length)
	}
	return 0
}

// An index says in which texts an n-gram stands how often.
type index struct {
	texts [][]posting // of each text, its n-grams
	total []int
	holds [][]holder // by the number of the n-gram, most first
}

type (
	posting struct{ gram, count int32 }
	holder  struct{ text, count int32 }
)

func newIndex(texts [][]int32, n int) *index {
	x := &index{texts: make([][]posting, len(texts)), total: make([]int, len(texts))}
	numbers := map[gram]int32{}
	for i, t := range texts {
		counts, total := grams(t, n)
		x.total[i] = total
		for g, c := range counts {
			k, ok := numbers[g]
			if !ok {
				k = int32(len(numbers))
				numbers[g] = k
				x.holds = append(x.holds, nil)
			}
			x.texts[i] = append(x.texts[i], posting{k, int32(c)})
			x.holds[k] = append(x.holds[k], holder{int32(i), int32(c)})
		}
	}
	for _, h := range x.holds {
		slices.SortStableFunc(h, func(a, b holder) int { return int(b.count - a.count) })
	}
	return x
}

// precision returns the share of the n-grams of text i that others have, no
// n-gram more often than the text that has it most often.
func (x *index) precision(i int, times []int) float64 {
	matches := 0
	for _, p := range x.texts[i] {
		for _, h := range x.holds[p.gram] {
			if int(h.text) != i && times[h.text] > 0 {
				matches += int(min(p.count, h.count))
				break
			}
		}
	}
	if matches == 0 {
		return 0.1 / float64(x.total[i])
	}
	return float64(matches) / float64(x.total[i])
}

// grams counts the n-grams of ids.
func grams(ids []int32, n int) (counts map[gram]int, total int) {
	if n < 1 || n > longestGram || len(ids) < n {
		return nil, 0
	}
	total = len(ids) - n + 1
	counts = make(map[gram]int, total)
	for i := range total {
		var g gram
		copy(g[:], ids[i:i+n])
		counts[g]++
	}
	return counts, total
}

func abs(n int) int { return max(n, -n) }
