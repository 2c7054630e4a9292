package beam

import "encoding/json"

// A StepRecord is one step of one group as a line of jsonl.
type StepRecord struct {
	Type       string            `json:"type"` // "beam_step"
	Step       int               `json:"step"` // from 0
	Group      *int              `json:"group,omitempty"`
	Candidates []CandidateRecord `json:"candidates"`
	Beams      []BeamState       `json:"beams"`
	Finished   []FinishedRecord  `json:"finished"`
	Done       bool              `json:"done"`
}

// A CandidateRecord is written as [parent, token, cumulative].
type CandidateRecord struct {
	Parent     int
	Token      int32
	Cumulative float64
}

// MarshalJSON writes the three as an array.
func (c CandidateRecord) MarshalJSON() ([]byte, error) {
	return json.Marshal([3]any{c.Parent, c.Token, c.Cumulative})
}

// A BeamState is a running beam after a step.
type BeamState struct {
	Parent     int     `json:"parent"` // index among the group's beams before the step
	Token      int32   `json:"token"`
	SumLogprob float64 `json:"sum_logprob"`
	Tokens     []int32 `json:"tokens"`
}

// A FinishedRecord is a text that finished at a step.
type FinishedRecord struct {
	Parent     int     `json:"parent"`
	Tokens     []int32 `json:"tokens"`
	SumLogprob float64 `json:"sum_logprob"`
	Score      float64 `json:"score"`
	Kept       bool    `json:"kept"`
}

// A ResultRecord is one returned text as a line of jsonl.
type ResultRecord struct {
	Type       string  `json:"type"` // "beam"
	Rank       int     `json:"rank"` // from 1
	Tokens     []int32 `json:"tokens"`
	Text       string  `json:"text"`
	Score      float64 `json:"score"`
	SumLogprob float64 `json:"sum_logprob"`
	Length     int     `json:"length"` // tokens generated, an end token included
	Finished   bool    `json:"finished"`
}

// A ContrastiveRecord is one step of a contrastive search as a line of jsonl,
// beside the step line of its token.
type ContrastiveRecord struct {
	Type       string                       `json:"type"` // "contrastive"
	Step       int                          `json:"step"` // from 0
	Candidates []ContrastiveCandidateRecord `json:"candidates"`
	Chosen     int32                        `json:"chosen"` // token id
}

// A ContrastiveCandidateRecord is a [ContrastiveCandidate] as jsonl.
type ContrastiveCandidateRecord struct {
	Token int32   `json:"token"`
	Prob  float64 `json:"prob"`
	Cos   float64 `json:"max_cos"`
	At    int     `json:"argmax_pos"`
	Score float64 `json:"score"`
}

// Record returns s as a line of jsonl.
func (s *ContrastiveStep) Record() ContrastiveRecord {
	r := ContrastiveRecord{Type: "contrastive", Step: s.Index, Chosen: s.Token()}
	for _, c := range s.Candidates {
		r.Candidates = append(r.Candidates, ContrastiveCandidateRecord(c))
	}
	return r
}

// Records returns a step as lines of jsonl: one for each group that was not
// done before it, with its number if there are several.
func (s *Step) Records() []StepRecord {
	var out []StepRecord
	for i := range s.Groups {
		gs := &s.Groups[i]
		if gs.Skipped {
			continue
		}
		r := gs.record(s.Index)
		if len(s.Groups) > 1 {
			g := gs.Group
			r.Group = &g
		}
		out = append(out, r)
	}
	return out
}

func (gs *GroupStep) record(step int) StepRecord {
	r := StepRecord{
		Type: "beam_step", Step: step, Done: gs.Done,
		Candidates: make([]CandidateRecord, len(gs.Candidates)),
		Beams:      make([]BeamState, len(gs.Running)),
		Finished:   make([]FinishedRecord, len(gs.Finished)),
	}
	parent := make(map[*Node]int, len(gs.Candidates))
	for i, c := range gs.Candidates {
		r.Candidates[i] = CandidateRecord{c.Parent, c.Node.Token, c.Node.Sum}
		parent[c.Node] = c.Parent
	}
	for i, n := range gs.Running {
		r.Beams[i] = BeamState{parent[n], n.Token, n.Sum, n.Tokens()}
	}
	for i, h := range gs.Finished {
		r.Finished[i] = FinishedRecord{h.Parent, h.Tokens(), h.Node.Sum, h.Score, h.Kept}
	}
	return r
}

// ResultRecords returns the texts of v as lines of jsonl, best first. The
// function text turns generated tokens into what is shown.
func (v *View) ResultRecords(text func(tokens []int32) string) []ResultRecord {
	out := make([]ResultRecord, len(v.results))
	for i, h := range v.results {
		tokens := h.Tokens()
		out[i] = ResultRecord{
			Type: "beam", Rank: i + 1, Tokens: tokens, Text: text(tokens), Score: h.Score,
			SumLogprob: h.Node.Sum, Length: h.Node.Depth, Finished: h.Finished,
		}
	}
	return out
}
