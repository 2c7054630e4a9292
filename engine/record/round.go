package record

import "logitscope/engine/speculative"

// A Round is one speculative round, before the lines of its tokens.
type Round struct {
	Type       string           `json:"type"` // "speculative"
	Drafted    []int32          `json:"drafted"`
	Rule       string           `json:"rule,omitempty"` // that judged it; empty for exact
	Branches   [][]int32        `json:"branches,omitempty"`
	Tested     [][]int32        `json:"tested,omitempty"` // of several drafts, those judged at each place
	Passes     int              `json:"passes,omitempty"` // of the target, where there was more than one
	AcceptProb []float64        `json:"accept_prob"`      // of the tokens judged
	U          []float64        `json:"u"`                // one for each of them
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
	if r.Algorithm != speculative.Exact {
		out.Rule = string(r.Algorithm)
	}
	if r.Passes > 1 {
		out.Passes = r.Passes
	}
	out.Branches = r.Branches
	judged := func(places []speculative.Position) (tested []int32) {
		for i := range places {
			if p := &places[i]; p.Verdict != speculative.Dropped {
				tested = append(tested, p.Token)
				out.AcceptProb = append(out.AcceptProb, p.Accept)
				out.U = append(out.U, p.U)
			}
		}
		return tested
	}
	if r.Branches == nil {
		judged(r.Positions)
	}
	for _, trials := range r.Trials {
		out.Tested = append(out.Tested, judged(trials))
	}
	return out
}
