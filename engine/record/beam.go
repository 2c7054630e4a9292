package record

import (
	"encoding/json"

	"logitscope/engine/beam"
	"logitscope/engine/contrastive"
)

// A BeamStep is one step of one group of beams.
type BeamStep struct {
	Type       string          `json:"type"` // "beam_step"
	Step       int             `json:"step"` // from 0
	Group      *int            `json:"group,omitempty"`
	Candidates []BeamCandidate `json:"candidates"`
	Beams      []BeamState     `json:"beams"`
	Finished   []BeamFinished  `json:"finished"`
	Done       bool            `json:"done"`
}

// Searched says which step of a search a line is.
type Searched struct {
	Step  int `json:"step"`
	Group int `json:"group"`
}

// A BeamCandidate is written as [parent, token, cumulative].
type BeamCandidate struct {
	Parent     int
	Token      int32
	Cumulative float64
}

// MarshalJSON writes the three as an array.
func (c BeamCandidate) MarshalJSON() ([]byte, error) {
	return json.Marshal([3]any{c.Parent, c.Token, c.Cumulative})
}

// A BeamState is a running beam after a step.
type BeamState struct {
	Parent     int     `json:"parent"` // index among the group's beams before the step
	Token      int32   `json:"token"`
	SumLogprob float64 `json:"sum_logprob"`
	Tokens     []int32 `json:"tokens"`
}

// A BeamFinished is a text that finished at a step.
type BeamFinished struct {
	Parent     int     `json:"parent"`
	Tokens     []int32 `json:"tokens"`
	SumLogprob float64 `json:"sum_logprob"`
	Score      float64 `json:"score"`
	Kept       bool    `json:"kept"`
}

// A BeamText is one returned text.
type BeamText struct {
	Type       string  `json:"type"` // "beam"
	Rank       int     `json:"rank"` // from 1
	Tokens     []int32 `json:"tokens"`
	Text       string  `json:"text"`
	Score      float64 `json:"score"`
	SumLogprob float64 `json:"sum_logprob"`
	Length     int     `json:"length"` // tokens generated, an end token included
	Finished   bool    `json:"finished"`
}

// A Contrastive is one step of a contrastive search,
// beside the step line of its token.
type Contrastive struct {
	Type       string                 `json:"type"` // "contrastive"
	Step       int                    `json:"step"` // from 0
	Candidates []ContrastiveCandidate `json:"candidates"`
	Chosen     int32                  `json:"chosen"` // token id
}

// A ContrastiveCandidate is one of the tokens it was chosen from.
type ContrastiveCandidate struct {
	Token int32   `json:"token"`
	Prob  float64 `json:"prob"`
	Cos   float64 `json:"max_cos"`
	At    int     `json:"argmax_pos"`
	Score float64 `json:"score"`
}

// newContrastive returns the line of s.
func newContrastive(s *contrastive.Step) Contrastive {
	r := Contrastive{Type: "contrastive", Step: s.Index, Chosen: s.Token()}
	for _, c := range s.Candidates {
		r.Candidates = append(r.Candidates, ContrastiveCandidate(c))
	}
	return r
}

// newBeamSteps returns the lines of s: one for each group that was not done
// before it, with its number if there are several.
func newBeamSteps(s *beam.Step) []BeamStep {
	var out []BeamStep
	for i := range s.Groups {
		gs := &s.Groups[i]
		if gs.Skipped {
			continue
		}
		r := newBeamStep(s.Index, gs)
		if len(s.Groups) > 1 {
			g := gs.Group
			r.Group = &g
		}
		out = append(out, r)
	}
	return out
}

func newBeamStep(step int, gs *beam.GroupStep) BeamStep {
	r := BeamStep{
		Type: "beam_step", Step: step, Done: gs.Done,
		Candidates: make([]BeamCandidate, len(gs.Candidates)),
		Beams:      make([]BeamState, len(gs.Running)),
		Finished:   make([]BeamFinished, len(gs.Finished)),
	}
	parent := make(map[*beam.Node]int, len(gs.Candidates))
	for i, c := range gs.Candidates {
		r.Candidates[i] = BeamCandidate{c.Parent, c.Node.Token, c.Node.Sum}
		parent[c.Node] = c.Parent
	}
	for i, n := range gs.Running {
		r.Beams[i] = BeamState{parent[n], n.Token, n.Sum, n.Tokens()}
	}
	for i, h := range gs.Finished {
		r.Finished[i] = BeamFinished{h.Parent, h.Tokens(), h.Node.Sum, h.Score, h.Kept}
	}
	return r
}

// newBeamTexts returns the lines of the texts of v, best first. The function
// text turns generated tokens into what is shown.
func newBeamTexts(v *beam.View, text func(tokens []int32) string) []BeamText {
	results := v.Result()
	out := make([]BeamText, len(results))
	for i, h := range results {
		tokens := h.Tokens()
		out[i] = BeamText{
			Type: "beam", Rank: i + 1, Tokens: tokens, Text: text(tokens), Score: h.Score,
			SumLogprob: h.Node.Sum, Length: h.Node.Depth, Finished: h.Finished,
		}
	}
	return out
}
