package compare

import (
	"logitscope/engine"
	"logitscope/sampling/dist"
)

// A Check holds two settings against each other, step by step on the logits of
// a run: what an export promises, tried on the text at hand.
type Check struct {
	dist.Distances     // fewer steps than asked for where the run is shorter or rows are no longer kept
	Same           int // steps where the same luck chooses the same token
	FirstDiff      int // step, from 1, where it does not; 0 if everywhere
}

// Against puts the last n steps of v through two settings, their constraints
// among them, whatever they were written under. Each step keeps its own text
// before it and its own draw: the settings alone differ. The luck is that of
// mine in both.
func Against(v engine.View, mine, other *engine.Settings, n int) (Check, error) {
	var c Check
	var m Meter
	for k := max(0, len(v.Steps)-n); k < len(v.Steps); k++ {
		if v.Steps[k].Row == nil {
			continue
		}
		r, err := m.Read(v, k, Law{Settings: mine}, Law{Settings: other})
		if err != nil {
			return c, err
		}
		c.Distances.Add(k+1, r.Distances[1])
		pos := v.Steps[k].Pos
		a, b := &m.laws[0], &m.laws[1]
		if a.IDs[mine.Pipeline.Pick(a, pos)] == b.IDs[mine.Pipeline.Pick(b, pos)] {
			c.Same++
		} else if c.FirstDiff == 0 {
			c.FirstDiff = k + 1
		}
	}
	return c, nil
}
