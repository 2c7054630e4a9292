package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine/bench/prompts"
	"logitscope/engine/record"
	"logitscope/engine/stats"
	"logitscope/sampling"
)

// A Grid is a grid of settings over one prompt, and what was measured at each
// of its points.
type Grid struct {
	Model  record.Model
	Text   string  // the prompt
	Prompt []int32 // and its tokens
	Base   sampling.Config
	Axes   []Axis
	Seeds  []uint64 // of the texts of every cell
	Cells  []Point  // a point of the grid each; the last axis varies fastest
}

// index returns the place in Cells of the point that has value at[i] of axis
// i. It panics if at has another length than Axes or is out of range.
func (r *Grid) index(at ...int) int {
	if len(at) != len(r.Axes) {
		panic("bench: a point needs one index for each axis")
	}
	n := 0
	for i, a := range r.Axes {
		if at[i] < 0 || at[i] >= len(a.Values) {
			panic("bench: no such value of " + a.Key)
		}
		n = n*len(a.Values) + at[i]
	}
	return n
}

// At returns the cell of a point; see Grid.index.
func (r *Grid) At(at ...int) *Point { return &r.Cells[r.index(at...)] }

// Whole reports whether a point has a text for each seed.
func (r *Grid) Whole(c *Point) bool { return len(c.Runs) >= len(r.Seeds) }

// Done returns how many cells have texts.
func (r *Grid) Done() int {
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

// A Point is one point of a grid.
type Point struct {
	At     []int // the index of its value on each axis
	Config sampling.Config
	Runs   []Text           // a text for each seed; nil until there is one
	Values []stats.Estimate // of the texts, in the order of [GridMetrics]

	backend *Backend
}

// Done reports whether the point has texts; while a grid fills, it may have
// fewer than there are seeds.
func (c *Point) Done() bool { return c.Runs != nil }

// Value returns the estimate of the metric of that key, [stats.None] if there
// is none.
func (c *Point) Value(key string) stats.Estimate {
	for k := range c.Values {
		if gridMetrics[k].Key == key {
			return c.Values[k]
		}
	}
	return stats.None
}

// Reasons returns how many texts ended for each reason, in the words of the
// records: "eos", "length", "stop", "constraint", "error".
func (c *Point) Reasons() map[string]int {
	n := map[string]int{}
	for _, t := range c.Runs {
		n[t.Reason]++
	}
	return n
}

// A SweepPlan is a grid to decode.
type SweepPlan struct {
	Base    sampling.Config // what the axes do not set
	Axes    []Axis
	Settle  Settle // for axes that name models and presets; nil if there are none
	Backend *Backend
	Text    string // the prompt
	Prompt  []int32
	Seeds   []uint64
}

// plan returns the grid without its texts, and the plan that decodes them.
func (p *SweepPlan) plan() (*Grid, *Plan, error) {
	if len(p.Prompt) == 0 {
		return nil, nil, errors.New("a sweep needs a prompt")
	}
	points, err := points(p.Backend, p.Base, p.Axes, p.Settle)
	if err != nil {
		return nil, nil, err
	}
	info := p.Backend.Model.Info()
	g := &Grid{
		Model: record.Model{Name: info.Name, Arch: info.Arch, Vocab: info.VocabSize, Context: info.ContextLen},
		Text:  p.Text, Prompt: p.Prompt, Base: p.Base, Axes: append([]Axis(nil), p.Axes...), Seeds: p.Seeds, Cells: points,
	}
	plan := &Plan{Prompts: prompts.OfTokens(p.Text, p.Prompt), Count: 1, Seeds: p.Seeds, Plain: true}
	for i := range points {
		plan.Configs = append(plan.Configs, Config{g.point(i), points[i].backend, points[i].Config})
	}
	return g, plan, plan.Check()
}

// Check returns the error [Sweep] would return for the grid of p, which names
// the point and the parameter.
func (p *SweepPlan) Check() error {
	_, _, err := p.plan()
	return err
}

// NewGrid returns the grid of p, whose points have no texts yet.
func NewGrid(p *SweepPlan) (*Grid, error) {
	g, _, err := p.plan()
	return g, err
}

// With returns point e.Config of the grid with the text of e, which a sweep of
// the grid has written, beside those that the point has, and the estimates of
// all of them. What resamples texts takes a while: it is [stats.None] until the
// point has a text for each seed. The grid keeps the point that it has.
func (r *Grid) With(e Event) Point {
	c := r.Cells[e.Config]
	order := func(t Text) int { return slices.Index(r.Seeds, t.Seed) }
	at, _ := slices.BinarySearchFunc(c.Runs, *e.Text, func(a, b Text) int { return cmp.Compare(order(a), order(b)) })
	c.Runs = slices.Insert(slices.Clone(c.Runs), at, *e.Text)
	r.measure(&c)
	return c
}

// measure estimates what is measured of the texts of c.
func (r *Grid) measure(c *Point) {
	in := &cell{}
	for i := range c.Runs {
		in.texts = append(in.texts, &c.Runs[i])
	}
	c.Values = make([]stats.Estimate, len(gridMetrics))
	for k := range gridMetrics {
		m := &gridMetrics[k]
		if c.Values[k] = stats.None; m.together == nil || r.Whole(c) {
			c.Values[k] = ofTexts(len(r.Seeds), m, &Config{Backend: c.backend, Config: c.Config}, in)
		}
	}
}

// point names a cell by its values: "temperature=0.10, top_p=0.90".
func (r *Grid) point(i int) string {
	text := ""
	for k := range r.Axes {
		if k > 0 {
			text += ", "
		}
		text += r.Axes[k].Key + "=" + r.Axes[k].Label(r.Cells[i].At[k])
	}
	if text == "" {
		return "the settings"
	}
	return text
}

// Sweep decodes every point of a grid, as [Run] does. A text whose decoding
// fails is recorded as such.
func Sweep(ctx context.Context, p *SweepPlan, opt Options) (*Grid, error) {
	g, plan, err := p.plan()
	if err != nil {
		return nil, err
	}
	failed := map[[2]int]*Text{}
	tell := opt.Progress
	opt.Progress = func(now Progress) {
		if e := now.Newest; e.Text.Error != "" {
			failed[[2]int{e.Config, e.Seed}] = e.Text
		}
		if tell != nil {
			tell(now)
		}
	}
	opt.Name = fmt.Sprint("sweep ", p.Prompt)
	r, err := Run(ctx, plan, opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	err = r.Each(func(_ int, q *prompts.Prompt, c int, texts []*Text) error {
		runs := make([]Text, 0, len(texts))
		for k, t := range texts {
			if t == nil {
				t = failed[[2]int{c, k}]
			}
			if t != nil {
				runs = append(runs, *t)
			}
		}
		cell := &g.Cells[c]
		if len(runs) < len(texts) {
			return nil // the budget ended before it
		}
		cell.Runs = runs
		g.measure(cell)
		return nil
	})
	for i := range g.Axes {
		g.Axes[i].Inert = g.inert(i).String()
	}
	return g, err
}
