package compare

import (
	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/sampling/luck"
)

// A Check holds two settings against each other, step by step on the logits of
// a run: what an export promises, tried on the text at hand.
type Check struct {
	Steps     int     `json:"steps"`   // compared; fewer than asked for where the run is shorter or rows are no longer kept
	MeanTV    float64 `json:"mean_tv"` // between the final distributions
	LargestTV float64 `json:"largest_tv"`
	LargestAt int     `json:"largest_at"`       // step, from 1; 0 if there is none
	Same      int     `json:"same_token"`       // steps where the same u chooses the same token
	FirstDiff int     `json:"first_difference"` // step, from 1, where it does not; 0 if everywhere
}

// Against puts the last n steps of v through two settings, their constraints
// among them, whatever they were written under. Each step keeps its own text
// before it and its own draw: the settings alone differ.
func Against(v engine.View, mine, other *engine.Settings, n int) (Check, error) {
	var c Check
	var scratch sampling.Scratch
	var a, b dist.Dist
	for k := max(0, len(v.Steps)-n); k < len(v.Steps); k++ {
		if v.Steps[k].Row == nil {
			continue
		}
		here, err := v.InputUnder(k, mine)
		if err != nil {
			return c, err
		}
		there, err := v.InputUnder(k, other)
		if err != nil {
			return c, err
		}
		if err := mine.Pipeline.Distribution(&a, &scratch, here); err != nil {
			return c, err
		}
		if err := other.Pipeline.Distribution(&b, &scratch, there); err != nil {
			return c, err
		}
		tv := dist.TotalVariation(&a, &b)
		c.Steps++
		c.MeanTV += tv
		if tv > c.LargestTV {
			c.LargestTV, c.LargestAt = tv, k+1
		}
		u := luck.Coin(v.Steps[k].Settings.Config().Uint("seed"), here.Pos(), 0)
		if chosen(&a, u) == chosen(&b, u) {
			c.Same++
		} else if c.FirstDiff == 0 {
			c.FirstDiff = k + 1
		}
	}
	if c.Steps > 0 {
		c.MeanTV /= float64(c.Steps)
	}
	return c, nil
}

func chosen(d *dist.Dist, u float64) int32 {
	i, _, _ := d.Draw(u)
	return d.IDs[i]
}
