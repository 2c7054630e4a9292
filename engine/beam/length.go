package beam

import "math"

// normalise returns sum / length^length_penalty, of 0 as of 1 token: the score
// by which finished texts are ranked (Wu et al. 2016, without its constant).
func (s *Settings) normalise(sum float64, length int) float64 {
	return sum / math.Pow(float64(max(length, 1)), s.LengthPenalty)
}

// score returns the score of n as if its text ended there, its length counted
// as the rule counts it.
func (t *turn) score(n *Node) float64 {
	return t.s.normalise(n.Sum, rules[t.s.Rule].length(t.prompt, n))
}

// generated counts the tokens after the prompt, an end token included.
func generated(_ int, n *Node) int { return n.Depth }

// vllmLength counts the prompt too, and not the end token.
func vllmLength(prompt int, n *Node) int {
	if n.Ended {
		return prompt + n.Depth - 1
	}
	return prompt + n.Depth
}
