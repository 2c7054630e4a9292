package record

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"

	"logitscope/engine"
	"logitscope/engine/speculative"
)

// A Round is one speculative round, before the lines of its tokens.
type Round struct {
	Type       string           `json:"type"` // "speculative"
	Drafted    []int32          `json:"drafted"`
	Rule       string           `json:"rule,omitempty"` // that judged it; empty for exact
	Branches   [][]int32        `json:"branches,omitempty"`
	Tested     [][]int32        `json:"tested,omitempty"` // of several drafts, those judged at each place
	Drafts     []int            `json:"drafts,omitempty"` // of these places, how many there were, tested or not
	Drawn      []Law            `json:"q,omitempty"`      // that the drafts of each place judged were drawn from
	Passes     int              `json:"passes,omitempty"` // of the target, where there was more than one
	AcceptProb []float64        `json:"accept_prob"`      // of the tokens judged
	U          []float64        `json:"u"`                // one for each of them
	Accepted   int              `json:"accepted"`
	Emitted    []int32          `json:"emitted"`
	Kind       speculative.Kind `json:"kind"`
}

// newRound returns the line of r.
func newRound(r *speculative.Round) Round {
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
		out.Drafts = append(out.Drafts, len(trials))
	}
	return out
}

// A Law is a distribution over tokens, in the order of its draw. In a file the
// numbers are the base64 of little-endian uint32 and float64.
type Law struct{ speculative.Law }

type lawJSON struct {
	IDs   []byte `json:"ids"`
	Probs []byte `json:"p"`
}

// MarshalJSON writes the law.
func (l Law) MarshalJSON() ([]byte, error) {
	var out lawJSON
	for i, id := range l.IDs {
		out.IDs = binary.LittleEndian.AppendUint32(out.IDs, uint32(id))
		out.Probs = binary.LittleEndian.AppendUint64(out.Probs, math.Float64bits(l.Probs[i]))
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (l *Law) UnmarshalJSON(b []byte) error {
	var in lawJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	if len(in.IDs)%4 != 0 || len(in.Probs) != 2*len(in.IDs) {
		return errors.New("q: ids and p must be of the same tokens")
	}
	l.Law = speculative.Law{}
	for i := 0; i < len(in.IDs); i += 4 {
		l.IDs = append(l.IDs, int32(binary.LittleEndian.Uint32(in.IDs[i:])))
		l.Probs = append(l.Probs, math.Float64frombits(binary.LittleEndian.Uint64(in.Probs[2*i:])))
	}
	return nil
}

// keep adds what a round can be judged again by.
func (r *Round) keep(of *speculative.Round) {
	if !of.Algorithm.JudgesAgain() {
		return
	}
	for _, l := range of.Laws() {
		r.Drawn = append(r.Drawn, Law{l})
	}
}

// A judging is a round of a file that is judged again, as far as its steps have
// come.
type judging struct {
	round  *Round
	rule   speculative.Algorithm
	line   int
	branch int
	laws   []speculative.Law // the target's before each of its tokens
}

// judge begins with the round of e, if the file has what it takes.
func (v *verifier) judge(e *Event) {
	v.judging = nil
	rule, err := speculative.ParseAlgorithm(e.Round.Rule)
	if err != nil || !rule.JudgesAgain() {
		return
	}
	r, n := e.Round, v.take.Model.Info().VocabSize
	if v.take.Run.Hidden || len(r.Drawn) == 0 && len(r.AcceptProb) > 0 || len(r.Emitted) == 0 || len(r.Drafts) > len(r.Tested) {
		return
	}
	const most = 64 // more drafts of one place than any round has
	for i := range r.Drawn {
		if !r.Drawn[i].Usable(n) {
			return
		}
	}
	if slices.ContainsFunc(r.Drafts, func(k int) bool { return k < 0 || k > most }) {
		return
	}
	for _, ids := range append(r.Tested[:len(r.Tested):len(r.Tested)], r.Drafted) {
		if slices.ContainsFunc(ids, func(id int32) bool { return id < 0 || int(id) >= n }) {
			return
		}
	}
	v.judging = &judging{round: r, rule: rule, line: e.Line}
}

// judgeStep takes the law of the next of the round's tokens, and after the last
// holds the round against what follows from all of them.
func (v *verifier) judgeStep(at *branchState, s *Step, set *engine.Settings) *Difference {
	j := v.judging
	if j == nil {
		return nil
	}
	v.judging = nil
	i := len(j.laws)
	if set.Pipeline.Carries() {
		return nil // a stage draws by itself, and a round's draws are not a step's
	}
	if s.Round == 0 || s.Forced || s.Kept == nil || !s.Kept.Whole() || s.Token != j.round.Emitted[i] || i > 0 && s.Branch != j.branch {
		return nil
	}
	d, err := at.telling.Distribution(set, v.row(at, s))
	if err != nil {
		return nil
	}
	j.branch = s.Branch
	j.laws = append(j.laws, speculative.Law{IDs: d.IDs, Probs: d.Probs})
	if len(j.laws) < len(j.round.Emitted) {
		v.judging = j
		return nil
	}
	final := 0.0
	if s.U != nil {
		final = *s.U
	}
	v.report.Rounds++
	return j.compare(final)
}

// compare judges the round and returns the first thing that differs.
func (j *judging) compare(final float64) *Difference {
	r := j.round
	in := speculative.Judged{Algorithm: j.rule, Tested: r.Tested, Drafts: r.Drafts, Target: j.laws, U: r.U, Final: final}
	for _, l := range r.Drawn {
		in.Draft = append(in.Draft, l.Law)
	}
	if r.Branches == nil {
		in.Tested, in.Drafts = nil, nil
		for i := range min(len(r.AcceptProb), len(r.Drafted)) {
			in.Tested, in.Drafts = append(in.Tested, r.Drafted[i:i+1]), append(in.Drafts, 1)
		}
	}
	accept, emitted := in.Again()
	switch {
	case !slices.Equal(accept, r.AcceptProb):
		return &Difference{Line: j.line, Field: "accept_prob", Recorded: text(reflect.ValueOf(r.AcceptProb)), Derived: text(reflect.ValueOf(accept))}
	case !slices.Equal(emitted, r.Emitted):
		return &Difference{Line: j.line, Field: "emitted", Recorded: text(reflect.ValueOf(r.Emitted)), Derived: text(reflect.ValueOf(emitted))}
	}
	return nil
}
