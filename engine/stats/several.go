package stats

import "math"

// PassAtK returns the probability that at least one of k texts drawn from n
// passes, where correct of them do: 1 − C(n−correct, k)/C(n, k) (Chen et al.
// 2021). It panics unless 0 ≤ correct ≤ n and 1 ≤ k ≤ n.
func PassAtK(n, correct, k int) float64 {
	if correct < 0 || correct > n || k < 1 || k > n {
		panic("stats: pass@k needs 0 ≤ correct ≤ n and 1 ≤ k ≤ n")
	}
	// The chance that none passes is the product of the chances that k texts
	// in turn miss the correct ones; it is the same with the two exchanged.
	few, many := min(k, correct), max(k, correct)
	if few == 0 {
		return 0
	}
	if many > n-few {
		return 1
	}
	sum := 0.0
	for i := range few {
		sum += math.Log1p(-float64(many) / float64(n-i))
	}
	return -math.Expm1(sum)
}

// Majority returns the most frequent of the answers, the one seen first where
// several are, and how often it stands; 0 if there are none.
func Majority(answers []string) (answer string, votes int) {
	counts := map[string]int{}
	for _, a := range answers {
		counts[a]++
	}
	for _, a := range answers {
		if counts[a] > votes {
			answer, votes = a, counts[a]
		}
	}
	return answer, votes
}

// BestOf returns the index of the text with the highest score, the first of
// several, as best-of-n takes the text of the highest mean log-probability. NaN
// is below all others. It is -1 if there are no scores.
func BestOf(scores []float64) int {
	best := -1
	for i, s := range scores {
		if best < 0 || s > scores[best] || math.IsNaN(scores[best]) && !math.IsNaN(s) {
			best = i
		}
	}
	return best
}
