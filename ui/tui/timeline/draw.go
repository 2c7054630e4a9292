package timeline

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A track is one row of the timeline's map.
type track uint8

const (
	trackToken track = iota
	trackRank
	trackTop1
	trackTop2
	trackTop3
	trackTop4
	trackTop5
	trackEntropy
	trackSurprisal
	trackCumulative
	trackPointer
	nTracks
)

var trackNames = [nTracks]string{"token", "drawn rank", "rank 1", "rank 2", "rank 3", "rank 4", "rank 5", "entropy", "surprisal", "cumulative", ""}

// narrowNames are the names that do not fit a narrow window, in fewer cells.
var narrowNames = map[track]string{trackRank: "drawn", trackCumulative: "sum"}

// trackOrder is the order in which tracks are given room, in a window too low
// for all.
var trackOrder = [nTracks]track{trackToken, trackPointer, trackTop1, trackEntropy, trackRank, trackTop2, trackTop3, trackSurprisal, trackTop4, trackTop5, trackCumulative}

// A layout is where the parts of the timeline stand inside its box.
type layout struct {
	tracks   []track
	x, cols  int // first column of the map, and how many steps it shows
	end      int // where the numbers right of the map begin
	curves   [2]viz.Rect
	branches int  // line of the branches' head
	rows     int  // branches that fit
	narrow   bool // short names, and no numbers right of the map
}

// layoutOf lays the timeline out in w×h cells. It depends on nothing
// else.
func layoutOf(w, h int) layout {
	l := layout{x: 13, end: w - 12}
	if w < 76 {
		l.x, l.end, l.narrow = 11, w-1, true
	}
	l.cols = max((l.end-l.x)/2, 1)
	n := min(int(nTracks), max(h-4, 3))
	take := make(map[track]bool)
	for _, t := range trackOrder[:n] {
		take[t] = true
	}
	curve := min((h-22)/2, 10)
	if curve >= 5 { // lines instead of columns
		take[trackEntropy], take[trackSurprisal] = false, false
	}
	for t := range nTracks {
		if take[t] {
			l.tracks = append(l.tracks, t)
		}
	}
	y := len(l.tracks)
	if curve >= 5 {
		for i := range l.curves {
			l.curves[i] = viz.Rect{X: 0, Y: y, W: w, H: curve}
			y += curve
		}
	}
	if h-y > 4 {
		y++
	}
	l.branches = y
	l.rows = max(h-y-1, 0)
	return l
}

// window returns the first of the steps, from 0, that n columns show around
// step at of total.
func (l layout) window(at, total int) int {
	if total <= l.cols {
		return 0
	}
	return min(max(at-1-l.cols/2, 0), total-l.cols)
}

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, host kit.Host) {
	list, i := v.selected(host)
	s, at := v.steps(host)
	name := v.lanes.LimbName(host.Lane(), list, i)
	title := "timeline"
	if len(v.lanes.All) > 1 {
		title = fmt.Sprintf("timeline of lane %d", v.lanes.Cur+1)
	}
	title += fmt.Sprintf(" · %s · step %s of %s", name, viz.Count(at), viz.Count(len(s)))
	f := viz.Frame{Title: title, Right: "T · esc", Focused: true}
	in := viz.Box(c, f)
	lay := layoutOf(in.W, in.H)
	d := mapDrawer{host: host, c: in, lay: lay, steps: s, at: at, from: lay.window(at, len(s))}
	for y, t := range lay.tracks {
		d.track(y, t)
	}
	d.curve(lay.curves[0], "entropy", func(s *engine.Step) float64 { return float64(s.Summary.RawBits) })
	d.curve(lay.curves[1], "surprisal", surprisal)
	v.drawBranches(in, host, lay)
}

// A mapDrawer draws the steps as columns.
type mapDrawer struct {
	host  kit.Host
	c     *viz.Canvas
	lay   layout
	steps []*engine.Step
	at    int
	from  int
}

func surprisal(s *engine.Step) float64 { return -float64(s.Summary.RawLogprob) / math.Ln2 }

// shown are the steps that have a column.
func (d *mapDrawer) shown() []*engine.Step {
	return d.steps[d.from:min(d.from+d.lay.cols, len(d.steps))]
}

func (d *mapDrawer) track(y int, t track) {
	muted := viz.Ink{Role: viz.Muted}
	name := trackNames[t]
	if short, ok := narrowNames[t]; ok && d.lay.narrow {
		name = short
	}
	d.c.Put(1, y, name, muted)
	shown := d.shown()
	switch t {
	case trackToken, trackRank:
		for i, s := range shown {
			x := d.lay.x + 2*i
			ink := viz.Ink{}
			if s.Index == d.at {
				ink = ink.With(viz.Reverse)
			}
			if t == trackToken {
				d.c.Put(x, y, firstCluster(d.host.Lane().Vocab().Piece(s.Token), d.c.ASCII), ink.With(0))
				continue
			}
			glyph, role := rankGlyph(s)
			ink.Role = role
			d.c.Put(x, y, glyph, ink)
		}
	case trackTop1, trackTop2, trackTop3, trackTop4, trackTop5:
		row := int(t - trackTop1)
		in := d.c.Sub(viz.Rect{X: d.lay.x, Y: y, W: 2 * d.lay.cols, H: 1})
		viz.Heat(in, len(shown), 1, 2, func(col, _ int) float64 { return float64(shown[col].Summary.Top[row]) }, viz.Ink{Role: viz.Kept})
	case trackEntropy:
		d.columns(y, func(s *engine.Step) float64 { return float64(s.Summary.RawBits) }, "max ")
	case trackSurprisal:
		d.columns(y, surprisal, "max ")
	case trackCumulative:
		d.cumulative(y)
	case trackPointer:
		d.pointer(y)
	}
}

// rankGlyph is the raw rank of the token written, as one cell.
func rankGlyph(s *engine.Step) (string, viz.Role) {
	switch r := s.Summary.Rank; {
	case s.Forced:
		return "◆", viz.Chosen
	case r <= 1:
		return "·", viz.Muted
	case r < 10:
		return strconv.Itoa(int(r)), viz.Plain
	}
	return "+", viz.Penalised
}

// firstCluster returns what stands for a token in one column of two cells.
func firstCluster(piece string, ascii bool) string {
	if t := strings.TrimLeft(piece, " "); t != "" {
		piece = t
	}
	list := viz.Clusters(nil, piece, ascii)
	switch {
	case len(list) == 0:
		return "‹"
	case list[0].Text == " ":
		return "␣"
	}
	return cmp.Or(viz.Cut(list[0].Text, 2), "‹")
}

// columns draws one value a step, two cells wide, and the largest of all.
func (d *mapDrawer) columns(y int, of func(*engine.Step) float64, word string) {
	most := 0.0
	for _, s := range d.steps {
		if x := of(s); !math.IsInf(x, 0) {
			most = max(most, x)
		}
	}
	var values []float64
	for _, s := range d.shown() {
		x := of(s)
		if math.IsInf(x, 1) {
			x = most
		}
		values = append(values, x, x)
	}
	viz.Spark(d.c.Sub(viz.Rect{X: d.lay.x, Y: y, W: 2 * d.lay.cols, H: 1}), values, most, viz.Ink{Role: viz.Kept})
	d.number(y, word+viz.Two(most)+" b")
}

func (d *mapDrawer) number(y int, s string) {
	if !d.lay.narrow {
		d.c.Right(d.c.W-1, y, s, viz.Ink{Role: viz.Muted})
	}
}

// cumulative draws the surprisal of the text up to each step.
func (d *mapDrawer) cumulative(y int) {
	sums, sum := make([]float64, len(d.steps)), 0.0
	for i, s := range d.steps {
		if x := surprisal(s); !math.IsInf(x, 0) {
			sum += x
		}
		sums[i] = sum
	}
	var values []float64
	for _, s := range d.shown() {
		values = append(values, sums[s.Index-1], sums[s.Index-1])
	}
	viz.Spark(d.c.Sub(viz.Rect{X: d.lay.x, Y: y, W: 2 * d.lay.cols, H: 1}), values, sum, viz.Ink{Role: viz.Kept})
	d.number(y, viz.Two(sum)+" b")
}

// pointer names the step selected below its column.
func (d *mapDrawer) pointer(y int) {
	if len(d.steps) == 0 {
		d.c.Put(d.lay.x, y, "no token is written yet", viz.Ink{Role: viz.Muted})
		return
	}
	for i, s := range d.shown() {
		if d.host.Lane().Cue(s.Index) != "" {
			d.c.Put(d.lay.x+2*i, y, "▲", viz.Ink{Role: viz.Muted})
		}
	}
	x := d.lay.x + 2*(d.at-1-d.from)
	words := stepWords(d.host, d.steps[d.at-1])
	d.c.Put(x, y, "▲", viz.Ink{Role: viz.Focus})
	if room := d.c.W - x - 3; viz.Width(words) <= room || room >= x {
		d.c.Put(x+2, y, viz.CutTitle(words, room), viz.Ink{})
		return
	}
	d.c.Right(x-1, y, viz.CutTitle(words, x-2), viz.Ink{})
}

// curve draws one value a step as a line, with its scale at the left.
func (d *mapDrawer) curve(r viz.Rect, name string, of func(*engine.Step) float64) {
	if r.Empty() {
		return
	}
	muted := viz.Ink{Role: viz.Muted}
	most, values := 1.0, []float64(nil)
	for _, s := range d.shown() {
		x := of(s)
		values = append(values, x)
		if !math.IsInf(x, 0) {
			most = max(most, math.Ceil(x))
		}
	}
	in := d.c.Sub(viz.Rect{X: 0, Y: r.Y, W: r.W, H: r.H - 1})
	in.Put(1, 0, name, muted)
	in.Put(1, 1, "bits", muted)
	for y := range in.H {
		in.Put(d.lay.x-1, y, "│", muted)
	}
	in.Right(d.lay.x-1, 0, strconv.Itoa(int(most)), muted)
	in.Right(d.lay.x-1, in.H-1, "0", muted)
	n := len(values)
	if n > 0 {
		viz.Lines(in.Sub(viz.Rect{X: d.lay.x, Y: 0, W: 2 * n, H: in.H}), []viz.Series{{Values: values, Ink: viz.Ink{Role: viz.Kept}}}, n, most)
	}
	x := d.lay.x + 2*(d.at-1-d.from)
	if n > 0 {
		d.c.Put(x, r.Y+r.H-1, "▲ "+viz.Two(of(d.steps[d.at-1])), viz.Ink{Role: viz.Focus})
	}
}

// logPercent is the probability whose natural logarithm is lp.
func logPercent(lp float32) string { return viz.Percent(math.Exp(float64(lp))) }

// edge is how far the box's inside stands from the view's own edge.
const edge = 1

// layout returns where the parts stand inside the box on the screen as it is.
func (v *View) layout(host kit.Host) layout {
	r := host.Screen().Body()
	return layoutOf(r.W-2*edge, r.H-2*edge)
}

// Mouse selects the step or the branch under the pointer.
func (v *View) Mouse(host kit.Host, x, y int, e tea.MouseMsg) (tea.Cmd, bool) {
	lay := v.layout(host)
	x, y = x-edge, y-edge
	if d := kit.Wheel(e); d != 0 {
		if y < lay.branches {
			v.step(host, 10*d)
		} else {
			v.choose(host, d)
		}
		return nil, true
	}
	if e.Button != tea.MouseButtonLeft {
		return nil, false
	}
	if y < lay.branches {
		v.pick(host, lay, x, y)
		return nil, true
	}
	list, sel := v.selected(host)
	n := len(list)
	first := min(max(sel-lay.rows+1, 0), max(n-lay.rows, 0))
	if k := first + y - lay.branches - 1; y > lay.branches && k >= 0 && k < n {
		if k == sel && !v.try {
			return v.enter(host), true
		}
		v.try, v.born, v.lane = false, list[k].Born, host.Lane().ID
	}
	return nil, true
}

// Scrub selects the step in the column under the pointer, held or not.
func (v *View) Scrub(host kit.Host, x, y int) {
	v.pick(host, v.layout(host), x-edge, y-edge)
}

// pick selects the step whose column stands at x, y inside the box.
func (v *View) pick(host kit.Host, lay layout, x, y int) {
	s, at := v.steps(host)
	if x < lay.x || y >= lay.branches || len(s) == 0 {
		return
	}
	v.to(host, min(lay.window(at, len(s))+(x-lay.x)/2+1, len(s)))
}
