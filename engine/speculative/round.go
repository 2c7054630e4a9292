package speculative

import (
	"slices"
	"sync/atomic"
	"time"
)

// A Kind says where the last token of a round came from.
type Kind string

const (
	Residual Kind = "residual" // a drafted token was refused and drawn again
	Bonus    Kind = "bonus"    // all stood: the target's own next token
	None     Kind = "none"     // the last drafted token stood and ended the text
)

// A Verdict is what became of a drafted token.
type Verdict uint8

const (
	Dropped  Verdict = iota // not judged: one before it was refused
	Accepted                // it stands
	Refused
)

// String returns the verdict as a word.
func (v Verdict) String() string { return [...]string{"dropped", "accepted", "refused"}[v] }

// A Position is one drafted token and how it was judged.
type Position struct {
	Token   int32
	P, Q    float64 // its probability under target and draft, after all processors; P is 0 if Dropped; of several drafts P is what the test compared with
	Accept  float64 // chance to stand
	U       float64 // stands if below Accept
	DraftU  float64 // the draw that chose the token; 0 for a look-up
	Verdict Verdict
	Alpha   float64 // sum of min(p, q): chance that any token drawn here stands; of several drafts, that one of them does
	Top     []Bar   // the likeliest tokens under p or q, best p first; nil if Dropped
}

// A Bar is one token under both laws.
type Bar struct {
	Token int32
	P, Q  float64
	Final float64 // what the round's last draw gave it; 0 but in [Draw.Top]
}

// Over returns max(P-Q, 0), what the draft gave the token too little of.
func (b Bar) Over() float64 { return max(b.P-b.Q, 0) }

// A Draw is the draw of a round's last token.
type Draw struct {
	Top    []Bar   // the likeliest tokens, for a residual with Q; best P first
	Mass   float64 // of max(p-q, 0) for a residual, 1 for a bonus
	U      float64
	Lo, Hi float64 // the interval of the cumulative distribution that U fell in
	Token  int32
	Prob   float64 // of Token in what it was drawn from
}

// A Row is the target's own logits before one emitted token.
type Row struct {
	IDs    []int32 // nil: Values[i] scores token i
	Values []float32
	Rest   float32
}

// A Round is one draft and its verification. It does not change.
type Round struct {
	Index     int // from 1
	Start     int // tokens generated before it
	K         int // tokens asked of the drafter
	Algorithm Algorithm
	Drafter   string // name of the draft model, "ngram" or "lookahead"

	// Drafted is the draft that was judged. Of several drafts side by side it
	// is the branch that was gone along: the tokens that stand, and where none
	// stood the last one tested with what followed it.
	Drafted   []int32
	Positions []Position // one for each drafted token

	// Of several drafts: all branches, and at every place of Drafted that was
	// judged the drafts of that place in the order of their tests, those not
	// tested Dropped. Both are nil for one draft.
	Branches [][]int32
	Trials   [][]Position

	Accepted int // drafted tokens that stand
	Kind     Kind
	Final    *Draw   // nil if Kind is None
	Emitted  []int32 // the accepted tokens and the last one
	Kept     int     // the first tokens of Emitted that were there already: the round was cut short by a rewind and is done again
	Cut      bool    // a rewind took back part of it; Emitted is what stays

	Target, Draft time.Duration // verifying, drafting
	DraftSteps    int           // passes of the draft model
	Passes        int           // of the target: 1, but where it cannot check branches in one
	Fed           int           // tokens they ran
	Guessed       int           // of these, places that lookahead decoding guessed

	rows          *rowStore
	before, after schedule
	under         *settings // that it was made under
	guesses       guesses
	tried         int  // tokens of the branches
	late          bool // the target read more than the text's newest tokens
}

// A rowStore holds the rows of one round, and the laws its drafts were drawn
// from, until there is no room for them.
type rowStore struct {
	rows atomic.Pointer[[]Row]
	laws atomic.Pointer[[]Law]
}

// Laws returns what was drafted from at each place that was judged, after all
// processors; an empty law where drafts were chosen, not drawn. It is nil when
// [Round.Rows] is.
func (r *Round) Laws() []Law {
	if r.rows == nil || r.Cut {
		return nil
	}
	if p := r.rows.laws.Load(); p != nil {
		return *p
	}
	return nil
}

// Rows returns what the emitted tokens were chosen from: row i is the target's
// logits before token i. It is nil if rows were not asked for, or once they
// are forgotten to stay within [Options.RowBudget].
func (r *Round) Rows() []Row {
	if r.rows == nil {
		return nil
	}
	if p := r.rows.rows.Load(); p != nil {
		return (*p)[:min(len(*p), len(r.Emitted))]
	}
	return nil
}

// bytes returns the size of the rows held.
func (s *rowStore) bytes() (n int64) {
	if p := s.rows.Load(); p != nil {
		for _, r := range *p {
			n += int64(4 * (len(r.IDs) + len(r.Values)))
		}
	}
	if p := s.laws.Load(); p != nil {
		for _, l := range *p {
			n += int64(12 * len(l.IDs))
		}
	}
	return n
}

// Tried returns how many tokens were drafted, in all branches.
func (r *Round) Tried() int {
	if r.Branches == nil {
		return len(r.Drafted)
	}
	return r.tried
}

// judged returns how many drafted tokens were judged.
func (r *Round) judged() int {
	n := 0
	for i := range r.Positions {
		if r.Positions[i].Verdict != Dropped {
			n++
		}
	}
	return n
}

// cut returns the round with only its first n tokens.
func (r *Round) cut(n int) *Round {
	c := *r
	c.Cut = true
	c.Emitted = slices.Clip(r.Emitted[:n])
	c.Accepted = min(r.Accepted, n)
	c.Kind, c.Final = None, nil
	c.after = r.before
	c.guesses = guesses{before: r.guesses.before, after: r.guesses.before}
	return &c
}
