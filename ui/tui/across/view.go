// Package across answers: where do the texts of lanes part over many seeds,
// how often, and what does each write? With intervals.
package across

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/engine/compare"
	"logitscope/engine/stats"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// counts are how many seeds can be asked for.
var counts = []int{10, 20, 50, 100, 200, 500, 1000}

// View compares the lanes over seeds. It is an overlay.
type View struct {
	lanes *run.Lanes
	n     int // index in counts
	job   kit.Job[key, compare.Seeds]
	done  *atomic.Int64 // texts written so far, of the comparison asked for last
	ctx   context.Context
	stop  context.CancelFunc
}

// A key is what a comparison is of: the settings of each lane.
type key struct {
	n     int
	lanes [run.MaxLanes]*engine.Settings
}

// New opens the view, or says why the lanes cannot be compared.
func New(host kit.Host, lanes *run.Lanes) (kit.View, tea.Cmd) {
	if why := cannot(lanes.All); why != "" {
		host.Say("X: " + why)
		return nil, nil
	}
	v := &View{lanes: lanes}
	v.ctx, v.stop = context.WithCancel(lanes.Ctx)
	return v, v.want(host)
}

// cannot says why lanes cannot be compared over seeds, empty if they can.
func cannot(lanes []*run.Lane) string {
	if len(lanes) < 2 {
		return "one lane has nothing to part from; C adds one"
	}
	for i, l := range lanes {
		switch {
		case l.Settings == nil || len(l.View.Prompt) == 0:
			return "no prompt yet"
		case !slices.Equal(l.View.Prompt, lanes[0].View.Prompt):
			return fmt.Sprintf("lane %d reads the prompt as other tokens", i+1)
		}
	}
	return ""
}

// want decodes the lanes' texts under as many seeds as are asked for.
func (v *View) want(host kit.Host) tea.Cmd {
	k := key{n: counts[v.n]}
	var lanes []bench.Config
	first := v.lanes.All[0]
	for i, l := range v.lanes.All {
		k.lanes[i] = l.Settings
		b := &bench.Backend{Name: l.Model.Info().Name, Model: l.Model, Compiler: l.Comp, Draft: v.lanes.Draft}
		lanes = append(lanes, bench.Config{Name: fmt.Sprintf("lane %d", i+1), Backend: b, Config: l.Settings.Config()})
	}
	for i := range lanes { // lanes of one model share what is computed for the prompt
		for j := range i {
			if v.lanes.All[j].Model == v.lanes.All[i].Model {
				lanes[i].Backend = lanes[j].Backend
				break
			}
		}
	}
	seeds := make([]uint64, k.n)
	for i := range seeds {
		seeds[i] = first.Settings.Config().Uint("seed") + uint64(i)
	}
	prompt := prompts.OfTokens(first.Text, first.View.Prompt)
	if v.job.Key != k { // the seeds under way are not wanted any more
		v.stop()
		v.ctx, v.stop = context.WithCancel(v.lanes.Ctx)
	}
	ctx, door, done := v.ctx, host.Files(), new(atomic.Int64)
	opt := bench.Options{Progress: func(p bench.Progress) { done.Store(int64(p.Done)) }}
	cmd := v.job.Want(k, run.Work(v.lanes.Background, func() (compare.Seeds, error) { return door.Lanes(ctx, lanes, prompt, seeds, opt) }))
	if cmd == nil {
		return nil
	}
	v.done = done
	return tea.Batch(cmd, v.tick()) // in this order for a player, which runs one after the other
}

// A tickMsg is the time to look how far a comparison is.
type tickMsg struct{ done *atomic.Int64 }

// tick asks for the progress again.
func (v *View) tick() tea.Cmd {
	msg := tickMsg{v.done}
	return tea.Tick(100*time.Millisecond, func(time.Time) tea.Msg { return msg })
}

// Leave stops what is still being decoded, and says so; see [kit.Leaver].
func (v *View) Leave(host kit.Host) {
	v.stop()
	if !v.job.Ready && v.done != nil {
		host.Say(fmt.Sprintf("X: stopped after %s of %s; X begins again", viz.Count(int(v.done.Load())), viz.Plural(v.all(), "text")))
	}
}

// all is how many texts the comparison has.
func (v *View) all() int { return counts[v.n] * len(v.lanes.All) }

// Follow takes the result; see [kit.Follower].
func (v *View) Follow(_ kit.Host, msg tea.Msg) tea.Cmd {
	if t, ok := msg.(tickMsg); ok && t.done == v.done && !v.job.Ready {
		return v.tick()
	}
	v.job.Take(msg)
	return nil
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	more := func(d int) tea.Cmd {
		to := min(max(v.n+d, 0), len(counts)-1)
		if to == v.n {
			host.Say(fmt.Sprintf("%s to %s seeds", viz.Count(counts[0]), viz.Count(counts[len(counts)-1])))
			return nil
		}
		v.n = to
		return v.want(host)
	}
	switch a.ID {
	case kit.ActRaise, kit.ActRight:
		return more(1), true
	case kit.ActLower, kit.ActLeft:
		return more(-1), true
	}
	return nil, false
}

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(kit.Host) []kit.Hint {
	esc := kit.Hint{ID: kit.ActClose}
	if !v.job.Ready {
		esc.Word = "stop"
	}
	return []kit.Hint{{ID: kit.ActLower, Keys: "-/+", Word: "fewer, more seeds"}, esc, {ID: kit.ActHelp}}
}

// Frame titles the box; see [kit.Overlay].
func (v *View) Frame(kit.Host) viz.Frame {
	return viz.Frame{Title: fmt.Sprintf("lanes over %s", viz.Plural(counts[v.n], "seed")), Right: "means with 95% intervals"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *View) Size(host kit.Host) (int, int) {
	n := len(v.lanes.All)
	return min(host.Screen().W-2, 116), 3 + n + 4*(n-1)
}

// A column of the table of lanes.
type column struct {
	head string
	w    int
	of   func(l *compare.SeedLane) string
}

var columns = []column{
	{"bits a token", 19, func(l *compare.SeedLane) string { return two(l.Bits) }},
	{"tokens", 22, func(l *compare.SeedLane) string { return whole(l.Tokens) }},
	{"loops", 21, func(l *compare.SeedLane) string { return share(l.Loops) }},
	{"dist-2", 19, func(l *compare.SeedLane) string { return two(l.Distinct2) }},
	{"entropy", 19, func(l *compare.SeedLane) string { return two(l.Entropy) }},
}

func two(e stats.Estimate) string   { return viz.Estimate(e.Value, e.Low, e.High, viz.Two) }
func whole(e stats.Estimate) string { return viz.Estimate(e.Value, e.Low, e.High, viz.Rate) }
func share(e stats.Estimate) string { return viz.Estimate(e.Value, e.Low, e.High, viz.Percent) }

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	muted := viz.Ink{Role: viz.Muted}
	switch {
	case !v.job.Ready:
		v.drawProgress(c)
		return
	case v.job.Err != nil && !errors.Is(v.job.Err, context.Canceled):
		c.Put(1, 0, viz.CutTitle("! "+viz.Printable(viz.FirstLine(v.job.Err.Error()), c.ASCII), c.W-2), viz.Ink{Role: viz.Warning})
		return
	}
	s := &v.job.Result
	shown := 0
	name := c.W - 2
	for shown < len(columns) && name-columns[shown].w >= 14 {
		name -= columns[shown].w
		shown++
	}
	x := 1 + name
	for _, col := range columns[:shown] {
		x += col.w
		c.Right(x, 0, col.head, muted)
	}
	y := 1
	for i := range s.Lanes {
		c.Fit(1, y, name, fmt.Sprintf("%d %s", i+1, viz.Printable(v.label(i), c.ASCII)), viz.Ink{})
		x := 1 + name
		for _, col := range columns[:shown] {
			x += col.w
			c.Right(x, y, col.of(&s.Lanes[i]), viz.Ink{})
		}
		y++
	}
	for i := range s.Parts {
		y++
		y = v.drawPart(c, y, &s.Parts[i], s.N)
	}
}

// drawProgress says how far a comparison is.
func (v *View) drawProgress(c *viz.Canvas) {
	muted := viz.Ink{Role: viz.Muted}
	done, all := int(v.done.Load()), v.all()
	c.Put(1, 0, viz.CutTitle(fmt.Sprintf("%s of %s written · esc stops", viz.Count(done), viz.Plural(all, "text")), c.W-2), muted)
	if c.H > 1 {
		viz.Bars(c.Sub(viz.Rect{X: 1, Y: 1, W: max(c.W-2, 1), H: 1}), []viz.Bar{{Raw: float64(done), Final: float64(done)}}, float64(all))
	}
}

func (v *View) label(i int) string {
	if i < len(v.lanes.All) {
		return v.lanes.All[i].ShownLabel()
	}
	return ""
}

// drawPart says where a lane parts from the first, and returns the line below.
func (v *View) drawPart(c *viz.Canvas, y int, p *compare.SeedParting, n int) int {
	parted, last := 0, 1
	for _, k := range p.Steps {
		if k > 0 {
			parted++
			last = max(last, k)
		}
	}
	words := fmt.Sprintf("lane %d parts from lane 1 in %s of %s, %s", p.Lane+1, viz.Count(parted), viz.Count(n), share(p.Parted))
	if p.Median > 0 {
		words += fmt.Sprintf(" · half by token %s", viz.Count(p.Median))
	}
	c.Put(1, y, viz.CutTitle(words, c.W-2), viz.Ink{})
	c.Put(1, y+1, viz.CutTitle(fmt.Sprintf("  at each token with a chance of %s · bits a token %s, seed by seed", share(p.Rate), two(p.Bits)), c.W-2), viz.Ink{})
	x := c.Put(1, y+2, "  by token ", viz.Ink{Role: viz.Muted})
	cells := max(min(last, c.W-x-14), 1)
	counts := make([]float64, cells)
	most := 0.0
	for _, k := range p.Steps {
		if k > 0 {
			at := (k - 1) * cells / last
			counts[at]++
			most = max(most, counts[at])
		}
	}
	if parted > 0 {
		viz.Spark(c.Sub(viz.Rect{X: x, Y: y + 2, W: cells, H: 1}), counts, most, viz.Ink{Role: viz.Draw})
		c.Put(x+cells+1, y+2, "1 to "+viz.Count(last), viz.Ink{Role: viz.Muted})
	}
	return y + 3
}
