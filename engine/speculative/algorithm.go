package speculative

import (
	"fmt"
	"strings"

	"logitscope/engine/several"
)

// An Algorithm is a way to judge drafted tokens, by name.
type Algorithm string

const (
	Exact Algorithm = "exact" // one token after another
	Block Algorithm = "block" // the draft as a whole; never accepts fewer

	// Of several drafts side by side.

	SpecInfer Algorithm = "specinfer" // each against what those before it left
	SpecTr    Algorithm = "spectr"    // k-sequential selection

	// The others do not keep the target's law.

	NoResidual         Algorithm = "no_residual"
	HardThreshold      Algorithm = "hard_threshold"
	UntruncatedQ       Algorithm = "untruncated_q_in_ratio"
	DropLowConfidence  Algorithm = "drop_low_confidence_after_sampling"
	MisalignedResidual Algorithm = "residual_aligned_by_position"
	UntruncatedTarget  Algorithm = "target_not_truncated"
	AgainstTarget      Algorithm = "several_against_target" // of several drafts
)

// confidence is the probability below which [DropLowConfidence] drops a
// token.
const confidence = 0.25

// An Info describes an algorithm.
type Info struct {
	Algorithm Algorithm
	Exact     bool   // the text has the target's own law
	Help      string // what it does, in one line
}

// Algorithms returns all of them: those of one draft, then those of several, of
// each the exact ones first.
func Algorithms() []Info {
	out := make([]Info, len(algorithms))
	for i, a := range algorithms {
		out[i] = a.Info
	}
	return out
}

// ParseAlgorithm returns the algorithm of a name; an empty name is [Exact].
func ParseAlgorithm(name string) (Algorithm, error) {
	if name == "" {
		return Exact, nil
	}
	names := make([]string, len(algorithms))
	for i, a := range algorithms {
		if string(a.Algorithm) == name {
			return a.Algorithm, nil
		}
		names[i] = string(a.Algorithm)
	}
	return "", fmt.Errorf("%q is not an acceptance rule; want one of %s", name, strings.Join(names, ", "))
}

// A method is how an algorithm judges one token. Its zero fields are the
// exact way.
type method struct {
	Info
	accept   func(p, q float64) float64 // probability that the token stands
	residual func(p, q *Law) Law        // what a refusal draws from, not normalised
	uncutQ   bool                       // p is compared with q before its cuts
	uncutP   bool                       // p before its cuts is taken for the target's law
	drop     float64                    // a drafted token less likely than this is thrown away
	block    bool
	several  several.Rule // tests several drafts; 0 for one draft after another
}

var algorithms = []method{
	{Info: Info{Exact, true, "accept with min(1, p/q); on refusal draw from max(p − q, 0)"}},
	{Info: Info{Block, true, "judge the draft as a whole: accept the longest part that stands"}, block: true},
	{Info: Info{NoResidual, false, "wrong: after a refusal draw from p, not from what the draft gave too little of"},
		residual: func(p, _ *Law) Law { return *p }},
	{Info: Info{HardThreshold, false, "wrong: accept if p ≥ q, refuse if not, with no chance in it"},
		accept: func(p, q float64) float64 {
			if p >= q {
				return 1
			}
			return 0
		}},
	{Info: Info{UntruncatedQ, false, "wrong: the draft is drawn after its cuts but judged by q before them"}, uncutQ: true},
	{Info: Info{DropLowConfidence, false, "wrong: throw a drafted token away because the draft was unsure of it"}, drop: confidence},
	{Info: Info{MisalignedResidual, false, "wrong: subtract q from p by place in the list, not by token"}, residual: misaligned},
	{Info: Info{UntruncatedTarget, false, "wrong: the target's own cuts are left out"}, uncutP: true},
	{Info: Info{SpecInfer, true, "several drafts: test each against what those before it left of p"}, several: several.SpecInfer},
	{Info: Info{SpecTr, true, "several drafts: accept each in turn with min(1, p/(ρq))"}, several: several.SpecTr},
	{Info: Info{AgainstTarget, false, "wrong: test each of several drafts against p, as if none had been refused"}, several: several.AgainstTarget},
}

func (a Algorithm) method() *method {
	for i := range algorithms {
		if algorithms[i].Algorithm == a {
			return &algorithms[i]
		}
	}
	return &algorithms[0]
}

// A Source is a kind of drafter.
type Source uint8

const (
	ByModel     Source = iota // a second model, or layers of the first
	ByText                    // look-ups in the text so far
	ByLookahead               // n-grams of the target's own guesses
)

// String returns the source as a word.
func (s Source) String() string { return [...]string{"a draft model", "ngram", "lookahead"}[s] }

// Judges reports whether the algorithm can judge what a source drafts. SpecTr
// needs drafts that are drawn from one law, and lookahead decoding drafts
// several.
func (a Algorithm) Judges(by Source) bool {
	switch m := a.method(); by {
	case ByText:
		return m.several != several.SpecTr
	case ByLookahead:
		return a == Exact || m.several != 0 && m.several != several.SpecTr
	}
	return true
}

// IsExact reports whether the algorithm keeps the target's law.
func (a Algorithm) IsExact() bool { return a.method().Exact }
