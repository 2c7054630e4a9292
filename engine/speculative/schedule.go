package speculative

import "math"

// A Schedule says how many tokens to draft.
type Schedule string

const (
	Constant  Schedule = "constant"  // always num_assistant_tokens
	Heuristic Schedule = "heuristic" // two more after a full success, one fewer otherwise, as transformers does
	Adaptive  Schedule = "adaptive"  // what the acceptance so far makes pay most
)

// maxDraft is the most tokens drafted in one round.
const maxDraft = 16

// A schedule is the number of tokens to draft next and what it rests on. It
// depends on earlier rounds alone, never on the tokens about to be drafted,
// so it cannot bend the law of the text.
type schedule struct {
	k     int
	alpha float64 // running acceptance, Adaptive only
	seen  float64 // weight of alpha
}

// next returns the schedule after a round in which accepted of judged tokens
// stood, full if the whole draft did. The cost is that of a draft step in
// target passes.
func (s schedule) next(kind Schedule, accepted, judged int, full bool, cost float64) schedule {
	switch kind {
	case Heuristic:
		if full {
			s.k = min(s.k+2, maxDraft)
		} else {
			s.k = max(s.k-1, 1)
		}
	case Adaptive:
		if judged == 0 {
			return s
		}
		const memory = 64 // tokens
		keep := math.Pow(0.5, float64(judged)/memory)
		s.alpha = (s.alpha*s.seen*keep + float64(accepted)) / (s.seen*keep + float64(judged))
		s.seen = s.seen*keep + float64(judged)
		s.k = max(BestK(s.alpha, cost, maxDraft), 1) // with no draft it would learn nothing more
	}
	return s
}

// expectedTokens returns the tokens a target pass yields when each of k
// drafted tokens stands with probability alpha: (1-alpha^(k+1))/(1-alpha).
func expectedTokens(alpha float64, k int) float64 {
	sum, term := 0.0, 1.0
	for i := 0; i <= k; i++ {
		sum += term
		term *= alpha
	}
	return sum
}

// ExpectedSpeedup returns how many times as fast as plain decoding a round of k
// drafted tokens is, each of which stands with probability alpha, when a draft
// step takes cost times as long as a pass of the target. Below 1 it is slower.
func ExpectedSpeedup(alpha float64, k int, cost float64) float64 {
	return expectedTokens(alpha, k) / (cost*float64(k) + 1)
}

// BestK returns the k from 0 to most with the largest expected speed-up; of
// equals the smallest. It is 0 if drafting does not pay.
func BestK(alpha, cost float64, most int) int {
	best := 0
	for k := 1; k <= most; k++ {
		if ExpectedSpeedup(alpha, k, cost) > ExpectedSpeedup(alpha, best, cost) {
			best = k
		}
	}
	return best
}
