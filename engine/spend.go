package engine

import (
	"context"

	"logitscope/models"
)

// A Spending is what a constraint cost a text.
type Spending struct {
	Tokens int
	Bits   float64 // of all tokens, each -log2 of the mass that its mask kept
	Least  float64 // mass that a mask kept, of all tokens; 1 without any
}

// Spend writes a text under s after prompt, which text was, and returns what the
// constraint of s cost it. It takes a session of its own and returns early with
// the error of ctx.
func Spend(ctx context.Context, m models.Model, s *Settings, text string, prompt []int32) (Spending, error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	lane := NewLane(0, m, Options{})
	lane.Post(Start{Text: text, Prompt: prompt, Settings: s})
	lane.Post(Advance{N: -1})
	done := make(chan error, 1)
	go func() { done <- lane.Run(inner) }()
	var last View
	for v := range lane.Views() {
		if last = v; v.Phase == Done || v.Phase == Failed {
			cancel()
		}
	}
	if err := <-done; err != nil {
		return Spending{}, err
	}
	if ctx.Err() != nil {
		return Spending{}, ctx.Err()
	}
	out := Spending{Tokens: len(last.Steps), Least: 1}
	for _, x := range last.Steps {
		if c := x.Constraint; c != nil && !c.Broken {
			out.Bits += float64(c.Bits)
			out.Least = min(out.Least, float64(c.Mass))
		}
	}
	return out, last.Err
}
