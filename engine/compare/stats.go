// Package compare answers: where do lanes part, and why? It measures how lanes
// differ: where their texts part and why, how far their distributions are from
// each other at each step, and what kind of text each wrote.
package compare

import (
	"math"
	"slices"

	"logitscope/engine"
	"logitscope/engine/loops"
	"logitscope/engine/stats"
)

// Stats describe the text one lane wrote.
type Stats struct {
	Tokens        int     `json:"tokens"`
	MeanEntropy   float64 `json:"mean_entropy_bits"` // of the raw distributions
	MeanLogprob   float64 `json:"mean_logprob"`      // of the tokens written, under the raw model
	Perplexity    float64 `json:"perplexity"`        // exp of minus that
	Distinct1     float64 `json:"distinct_1"`        // different tokens per token
	Distinct2     float64 `json:"distinct_2"`        // different pairs per pair
	Distinct3     float64 `json:"distinct_3"`
	Repeated4     float64 `json:"repeated_4gram_share"` // share of 4-grams that occurred before
	LongestRepeat int     `json:"longest_repeat"`       // tokens of the longest run that occurred before

	Loop *loops.Loop `json:"loop"` // that the text ends in; nil for none
}

// Measure returns the statistics of steps.
func Measure(steps []*engine.Step) Stats {
	s := Stats{Tokens: len(steps)}
	ids := make([]int32, len(steps))
	for i, st := range steps {
		ids[i] = st.Token
		s.MeanEntropy += float64(st.Summary.RawBits)
		s.MeanLogprob += float64(st.Summary.RawLogprob)
	}
	if n := float64(len(steps)); n > 0 {
		s.MeanEntropy /= n
		s.MeanLogprob /= n
		s.Perplexity = math.Exp(-s.MeanLogprob)
	}
	s.Distinct1, _ = stats.Distinct(ids, 1)
	s.Distinct2, _ = stats.Distinct(ids, 2)
	s.Distinct3, _ = stats.Distinct(ids, 3)
	if d, n := stats.Distinct(ids, 4); n > 0 {
		s.Repeated4 = 1 - d
	}
	s.LongestRepeat = longestRepeat(ids)
	if l, ok := loops.Find(written(ids, steps)); ok {
		s.Loop = &l
	}
	return s
}

// written is a text without the token that ended it.
func written(ids []int32, steps []*engine.Step) []int32 {
	if n := len(steps); n > 0 && steps[n-1].Settings != nil && slices.Contains(steps[n-1].Settings.Pipeline.EOS(), ids[n-1]) {
		return ids[:n-1]
	}
	return ids
}

// longestRepeat returns the length of the longest run of tokens that occurs
// twice in ids, overlaps allowed. It builds a suffix automaton (Blumer et al.
// 1985), in time that grows with len(ids) alone.
func longestRepeat(ids []int32) int {
	type state struct {
		next map[int32]int
		link int
		len  int
	}
	states := []state{{next: map[int32]int{}, link: -1}}
	last, longest := 0, 0
	for _, c := range ids {
		cur := len(states)
		states = append(states, state{next: map[int32]int{}, len: states[last].len + 1})
		p := last
		for ; p >= 0; p = states[p].link {
			if _, ok := states[p].next[c]; ok {
				break
			}
			states[p].next[c] = cur
		}
		if p >= 0 {
			q := states[p].next[c]
			if states[p].len+1 != states[q].len {
				clone := len(states)
				next := make(map[int32]int, len(states[q].next))
				for k, v := range states[q].next {
					next[k] = v
				}
				states = append(states, state{next: next, link: states[q].link, len: states[p].len + 1})
				for ; p >= 0 && states[p].next[c] == q; p = states[p].link {
					states[p].next[c] = clone
				}
				states[q].link = clone
				q = clone
			}
			states[cur].link = q
		}
		last = cur
		// What links to a state occurs at least once more, ending earlier.
		longest = max(longest, states[max(states[cur].link, 0)].len)
	}
	return longest
}
