package sweep

import "math"

// bleuOrder is the longest n-gram that BLEU compares.
const bleuOrder = 4

// selfBLEU is BLEU of text i with all other texts as references.
func selfBLEU(t []Text, i int) (float64, float64) {
	var others [][]int32
	for k := range t {
		if k != i {
			others = append(others, t[k].Tokens)
		}
	}
	if len(others) == 0 || len(t[i].Tokens) == 0 {
		return 0, 0
	}
	return BLEU(t[i].Tokens, others), 1
}

// BLEU returns how much of text is found in the references, 0 to 1 (Papineni
// et al. 2002): the geometric mean of the clipped precisions of 1- to 4-grams,
// as far as text is long enough to have them, times the penalty for being
// shorter than the reference nearest in length. A precision of zero counts as
// a tenth of one match (method 1 of Chen and Cherry 2014).
func BLEU(text []int32, refs [][]int32) float64 {
	orders := min(bleuOrder, len(text))
	if orders == 0 || len(refs) == 0 {
		return 0
	}
	sum := 0.0
	for n := 1; n <= orders; n++ {
		counts, total := ngrams(text, n)
		most := make(map[[bleuOrder]int32]int, len(counts))
		for _, r := range refs {
			theirs, _ := ngrams(r, n)
			for g := range counts {
				most[g] = max(most[g], theirs[g])
			}
		}
		matches := 0
		for g, c := range counts {
			matches += min(c, most[g])
		}
		hits := float64(matches)
		if matches == 0 {
			hits = 0.1
		}
		sum += math.Log(hits / float64(total))
	}
	nearest := len(refs[0])
	for _, r := range refs[1:] {
		d, best := abs(len(r)-len(text)), abs(nearest-len(text))
		if d < best || d == best && len(r) < nearest {
			nearest = len(r)
		}
	}
	brevity := 0.0
	if len(text) < nearest {
		brevity = 1 - float64(nearest)/float64(len(text))
	}
	return math.Exp(sum/float64(orders) + brevity)
}

func ngrams(ids []int32, n int) (counts map[[bleuOrder]int32]int, total int) {
	total = max(0, len(ids)-n+1)
	counts = make(map[[bleuOrder]int32]int, total)
	for i := range total {
		var g [bleuOrder]int32
		copy(g[:], ids[i:i+n])
		counts[g]++
	}
	return counts, total
}

func abs(n int) int { return max(n, -n) }
