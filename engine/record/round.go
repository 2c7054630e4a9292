package record

import "logitscope/engine/speculative"

// A Round is one speculative round, before the lines of its tokens.
type Round struct {
	Type       string           `json:"type"` // "speculative"
	Drafted    []int32          `json:"drafted"`
	AcceptProb []float64        `json:"accept_prob"` // of the tokens judged
	U          []float64        `json:"u"`           // one for each of them
	Accepted   int              `json:"accepted"`
	Emitted    []int32          `json:"emitted"`
	Kind       speculative.Kind `json:"kind"`
}

// NewRound returns the line of r.
func NewRound(r *speculative.Round) Round {
	out := Round{
		Type: "speculative", Accepted: r.Accepted, Kind: r.Kind,
		Drafted: append([]int32{}, r.Drafted...), Emitted: append([]int32{}, r.Emitted...),
		AcceptProb: []float64{}, U: []float64{},
	}
	for i := range r.Positions {
		if p := &r.Positions[i]; p.Verdict != speculative.Dropped {
			out.AcceptProb = append(out.AcceptProb, p.Accept)
			out.U = append(out.U, p.U)
		}
	}
	return out
}
