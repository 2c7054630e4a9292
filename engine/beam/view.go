package beam

import (
	"fmt"
	"slices"
	"time"

	"logitscope/engine/rows"
)

// A Node is one token of one hypothesis, with the path that leads to it. It
// does not change.
type Node struct {
	Parent  *Node // nil for a first token's parent
	Token   int32
	Logprob float64 // what the token added to Sum, after the processors
	Sum     float64 // of the path down to and with this token
	Depth   int     // tokens on the path, from 1
	Ended   bool    // an end token, or the end of a stop string: nothing follows
}

// Tokens returns the path, oldest first.
func (n *Node) Tokens() []int32 {
	if n == nil {
		return nil
	}
	out := make([]int32, n.Depth)
	for ; n != nil; n = n.Parent {
		out[n.Depth-1] = n.Token
	}
	return out
}

func (n *Node) depth() int {
	if n == nil {
		return 0
	}
	return n.Depth
}

func (n *Node) sum() float64 {
	if n == nil {
		return 0
	}
	return n.Sum
}

// A Fate is what became of a candidate.
type Fate uint8

const (
	Cut        Fate = iota // below the line: nothing more is heard of it
	Runs                   // goes on as a running beam
	Kept                   // finished, and among the best finished so far
	Beaten                 // finished, but the finished ones kept are better
	DroppedEnd             // ends the text, but ranks below the line: not counted
)

// String returns the fate in a few words.
func (f Fate) String() string {
	return [...]string{"cut", "goes on", "finished", "finished, not kept", "end below the line: dropped"}[f]
}

// A Candidate is a continuation that reached the best K of a step.
type Candidate struct {
	Parent int // index among the group's running beams before the step
	Node   *Node
	Score  float64 // Sum over the length to the length penalty, as if it ended here
	Fate   Fate
}

// A Hypothesis is a finished text, or one that may be returned.
type Hypothesis struct {
	Node     *Node
	Score    float64 // normalised
	Length   int     // tokens that Score counts
	Finished bool    // by an end token, not by the length
	Parent   int     // index of the running beam it grew from
	Kept     bool    // among the best after its step
}

// Tokens returns the text's tokens, the end token included.
func (h Hypothesis) Tokens() []int32 { return h.Node.Tokens() }

// A GroupStep is what one beam group did in one step. Without groups there is
// one.
type GroupStep struct {
	Group      int
	Candidates []Candidate  // the best K, in the rule's order; nil if Skipped
	Line       int          // candidates before this index may run or finish
	Running    []*Node      // beams after the step, best first
	Finished   []Hypothesis // offered to the finished list at this step
	Best       []Hypothesis // the finished list after the step, best first
	Done       bool         // the group needs no more steps
	Skipped    bool         // it was done before this step

	// Bound is the best score a running beam could still reach by the rule's
	// reckoning, and Worst the lowest score in Best once Best is full. A beam
	// can still win while Bound > Worst.
	Bound, Worst float64
	Full         bool // Best holds as many as the group has beams
}

// A Step is one token of beam search. It does not change.
type Step struct {
	Index    int // from 0
	Settings Settings
	Groups   []GroupStep
	Greedy   *Node         // the greedy text after this step, nil if it is not followed
	Took     time.Duration // forward pass that scored the beams
	Rows     int           // beams the pass ran

	rows  []rows.Row // what the step chose from; nil once forgotten
	nodes []*Node    // rows[i] follows nodes[i]
}

// A Reason says why a search ended.
type Reason string

const (
	Going     Reason = ""          // it has not
	Enough    Reason = "enough"    // early_stopping: num_beams texts are finished
	Unbeaten  Reason = "unbeaten"  // no running beam can beat the worst one kept
	Length    Reason = "length"    // max_new_tokens
	Context   Reason = "context"   // the model's context is full
	Exhausted Reason = "exhausted" // no running beam is left
)

// A View is the state of a beam search after one step. It is immutable and
// may be kept.
type View struct {
	Settings Settings
	Prompt   []int32 // read-only
	Steps    []*Step // read-only
	Reason   Reason  // Going unless the search is done
	Restarts int     // times a change of settings made it search again from the prompt

	results []Hypothesis
}

// Done reports whether the search is over.
func (v *View) Done() bool { return v.Reason != Going }

// Last returns the latest step, or nil.
func (v *View) Last() *Step {
	if len(v.Steps) == 0 {
		return nil
	}
	return v.Steps[len(v.Steps)-1]
}

// Result returns the texts to return, best first, at most
// num_return_sequences. Before the search is done they are what would be
// returned if it ended here.
func (v *View) Result() []Hypothesis { return v.results }

// Running returns the beams that are running, all groups together.
func (v *View) Running() []*Node {
	last := v.Last()
	if last == nil {
		return nil
	}
	var out []*Node
	for i := range last.Groups {
		out = append(out, last.Groups[i].Running...)
	}
	return out
}

// Finished returns the finished list, best first, all groups together.
func (v *View) Finished() []Hypothesis {
	last := v.Last()
	if last == nil {
		return nil
	}
	var out []Hypothesis
	for i := range last.Groups {
		out = append(out, last.Groups[i].Best...)
	}
	sortHypotheses(out)
	return out
}

// Summary says in one line where the search stands.
func (v *View) Summary() string {
	last := v.Last()
	if last == nil {
		return "not started"
	}
	s := fmt.Sprintf("step %d · %d running · %d finished", last.Index+1, len(v.Running()), len(v.Finished()))
	if v.Done() {
		s += " · done: " + v.Reason.Explain(&v.Settings)
	}
	return s
}

// Explain returns the reason in words.
func (r Reason) Explain(s *Settings) string {
	switch r {
	case Enough:
		return fmt.Sprintf("%d texts are finished (early_stopping true)", s.Beams)
	case Unbeaten:
		return "no running beam can beat the worst one kept"
	case Length:
		return fmt.Sprintf("max_new_tokens %d", s.MaxNew)
	case Context:
		return "the model's context is full"
	case Exhausted:
		return "no beam is left to go on"
	}
	return "searching"
}

// sortHypotheses sorts best first; equal scores keep their order.
func sortHypotheses(h []Hypothesis) {
	slices.SortStableFunc(h, func(a, b Hypothesis) int { return descending(a.Score, b.Score) })
}

func descending(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}
