package sweep

import (
	"strconv"
	"strings"

	"logitscope/engine/record"
	"logitscope/sampling"
)

// A Report is a grid of settings and what was measured at each of its points.
type Report struct {
	Model  record.Model
	Text   string  // the prompt
	Prompt []int32 // and its tokens
	Base   sampling.Config
	Axes   []Axis
	Seeds  []uint64 // of the texts of every cell
	Cells  []Cell   // a point of the grid each; the last axis varies fastest
}

// Index returns the place in Cells of the point that has value at[i] of axis
// i. It panics if at has another length than Axes or is out of range.
func (r *Report) Index(at ...int) int {
	if len(at) != len(r.Axes) {
		panic("sweep: a point needs one index for each axis")
	}
	n := 0
	for i, a := range r.Axes {
		if at[i] < 0 || at[i] >= len(a.Values) {
			panic("sweep: no such value of " + a.Key)
		}
		n = n*len(a.Values) + at[i]
	}
	return n
}

// At returns the cell of a point; see [Report.Index].
func (r *Report) At(at ...int) *Cell { return &r.Cells[r.Index(at...)] }

// Done returns how many cells are finished.
func (r *Report) Done() int {
	n := 0
	for i := range r.Cells {
		if r.Cells[i].Done() {
			n++
		}
	}
	return n
}

// An Axis is a parameter and the values it takes.
type Axis struct {
	Key    string
	Values []any // each of the type of the parameter's kind

	// Inert says why the axis has no effect: a reason that holds at every
	// point, or that all texts came out the same. It is empty if the axis
	// has an effect, and for an axis of one value without such a reason.
	Inert string
}

// Label returns value i as a table shows it: a number even where it means
// off, with the same decimals at every value.
func (a *Axis) Label(i int) string {
	f, ok := a.Values[i].(float64)
	if !ok {
		return plain(a.Values[i])
	}
	decimals := 0
	for _, v := range a.Values {
		_, after, _ := strings.Cut(strconv.FormatFloat(v.(float64), 'f', -1, 64), ".")
		decimals = max(decimals, len(after))
	}
	return strconv.FormatFloat(f, 'f', decimals, 64)
}

// A Cell is one point of the grid.
type Cell struct {
	At     []int // the index of its value on each axis
	Config sampling.Config
	Runs   []Text     // a text for each seed; nil until the cell is finished
	Values []Estimate // of the texts, in the order of [Metrics]
}

// Done reports whether the cell is finished.
func (c *Cell) Done() bool { return c.Runs != nil }

// Value returns the estimate of the metric of that key, an empty one if there
// is none.
func (c *Cell) Value(key string) Estimate {
	for i, m := range metrics {
		if m.Key == key && i < len(c.Values) {
			return c.Values[i]
		}
	}
	return noEstimate
}

// Reasons returns how many texts ended for each reason, in the words of the
// records: "eos", "length", "stop", "constraint", "error".
func (c *Cell) Reasons() map[string]int {
	n := map[string]int{}
	for _, t := range c.Runs {
		n[t.Reason]++
	}
	return n
}

// A Text is what one seed wrote.
type Text struct {
	Seed   uint64  `json:"seed"`
	Reason string  `json:"reason"` // why it ended, in the words of the records
	Tokens []int32 `json:"tokens"` // the token that ended it included
	Text   string  `json:"text"`   // valid UTF-8

	// Logprob is the natural logarithm of the text's probability under the
	// raw model: before all settings, given the prompt. -Inf is kept as nil.
	Logprob *float64 `json:"logprob"`

	Unfit bool   `json:"unfit,omitempty"` // the whole text is not what the constraint asks for
	Error string `json:"error,omitempty"` // why decoding failed, with the step; empty if it did not
}

// An Estimate is a mean over the texts of a cell with the interval in which
// it lies with 95 % confidence: the percentile bootstrap of Efron (1979) over
// the seeds.
type Estimate struct {
	Mean   float64 // NaN if nothing could be measured
	Lo, Hi float64 // equal to Mean for a single text
	N      int     // texts it was taken from
}
