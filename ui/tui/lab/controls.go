package lab

import (
	"fmt"
	"strconv"

	"logitscope/sampling"
	"logitscope/sampling/inert"
	"logitscope/sampling/param"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// controlColumns are the columns of the list of knobs.
type controlColumns struct {
	track, trackW int
	value         int // right edge
	origin        bool
}

func controlColumnsOf(k kit.Class) controlColumns {
	switch k {
	case kit.Class160:
		return controlColumns{track: 24, trackW: 13, value: 44, origin: true}
	case kit.Class100:
		return controlColumns{track: 22, trackW: 5, value: 34}
	}
	return controlColumns{track: 22, trackW: 13, value: 42}
}

// Lines of the controls around the list: presets and a blank above; how many
// more, a rule and two lines of effect below.
const (
	aboveKnobs = 2
	belowKnobs = 4
)

// knobRows returns how many knobs the list shows at once.
func (lb *View) knobRows() int {
	l := lb.layout()
	switch {
	case lb.Zoom && lb.Focus == PaneControls:
		return max(lb.h-3-2-aboveKnobs-belowKnobs, 3)
	case l.side.Empty():
		return lb.listRect(l).H - 3
	}
	return max(l.side.H-2-aboveKnobs-belowKnobs, 3)
}

// knobsShown returns the indices of the knobs in view.
func (lb *View) knobsShown() []int {
	n := lb.knobRows()
	moving := len(run.Knobs) - run.FixedKnobs
	var out []int
	for i := lb.topKnob(); i < moving && len(out) < n-run.FixedKnobs; i++ {
		out = append(out, i)
	}
	for i := moving; i < len(run.Knobs) && len(out) < n; i++ {
		out = append(out, i)
	}
	return out
}

// drawKnobList draws the knobs alone, where the controls have no pane of
// their own.
func (lb *View) drawKnobList(c *viz.Canvas, l *run.Lane) {
	shown := lb.knobsShown()
	for y, i := range shown {
		lb.drawKnob(c, l, y, i, controlColumnsOf(listClass(c.W)))
	}
	c.Put(3, len(shown), viz.CutTitle(lb.restOfKnobs(l, shown), c.W-4), viz.Ink{Role: viz.Muted})
}

// drawControls draws the presets, the knobs and what the selected one does.
func (lb *View) drawControls(c *viz.Canvas, l *run.Lane, k kit.Class) {
	lb.drawPresets(c, l)
	col := controlColumnsOf(k)
	y := aboveKnobs
	shown := lb.knobsShown()
	for _, i := range shown {
		lb.drawKnob(c, l, y, i, col)
		y++
	}
	c.Put(3, y, viz.CutTitle(lb.restOfKnobs(l, shown), c.W-4), viz.Ink{Role: viz.Muted})
	c.Fill(viz.Rect{X: 1, Y: y + 1, W: c.W - 2, H: 1}, "─", viz.Ink{Role: viz.Muted})
	a, b := lb.effectLines()
	ink := viz.Ink{}
	if lb.Idle().Reason != inert.Acts {
		ink.Role = viz.Inert
	}
	lines := []string{a, b}
	if b == "" {
		lines = viz.Fold(a, c.W-2, 2)
	}
	for i, s := range lines {
		c.Put(1, y+2+i, viz.CutTitle(s, c.W-2), ink)
	}
}

// restOfKnobs says how many knobs are out of view.
func (lb *View) restOfKnobs(l *run.Lane, shown []int) string {
	inView := make(map[int]bool)
	for _, i := range shown {
		inView[i] = true
	}
	set, rest := 0, 0
	cfg := l.ShownConfig()
	for i, p := range run.Knobs {
		if inView[i] {
			continue
		}
		rest++
		if _, ok := cfg.Lookup(p.Key); ok && p.Format(cfg.Value(p.Key)) != p.Format(cfg.Order().Default(p)) {
			set++
		}
	}
	switch {
	case rest == 0:
		return "all knobs shown"
	case set > 0:
		return fmt.Sprintf("%d more, %d of them set · ↓ scrolls", rest, set)
	}
	return fmt.Sprintf("%d more at defaults · ↓ scrolls", rest)
}

// presetNames returns the presets as the controls list them, in at most w
// cells: whole names, else cut to equal length, the one in force whole.
func presetNames(presets []run.Preset, now, w int) (items []string, gap string) {
	for cut := 99; cut > 0; cut-- {
		gap = " "
		if cut == 99 {
			gap = "  "
		}
		if cut > 4 && cut < 99 {
			continue
		}
		items = items[:0]
		total := 0
		for i, p := range presets[:min(len(presets), 9)] {
			name := viz.Printable(p.Name, false)
			if i != now {
				name = viz.Cut(name, cut)
			}
			s := strconv.Itoa(i+1) + " " + name
			if i == now {
				s = "[" + s + "]"
			}
			if i > 0 {
				total += len(gap)
			}
			items = append(items, s)
			total += viz.Width(s)
		}
		if total <= w {
			break
		}
	}
	return items, gap
}

// presetSpans returns where each preset of the controls stands, for drawing
// and for the mouse.
func (lb *View) presetSpans(l *run.Lane, w int) (items []string, at []int) {
	items, gap := presetNames(lb.lanes.Book.List(), l.ShownPreset(), w-2)
	x := 1
	for i, s := range items {
		if i > 0 {
			x += len(gap)
		}
		at = append(at, x)
		x += viz.Width(s)
	}
	return items, at
}

func (lb *View) drawPresets(c *viz.Canvas, l *run.Lane) {
	items, at := lb.presetSpans(l, c.W)
	now := l.ShownPreset()
	for i, s := range items {
		ink := viz.Ink{Role: viz.Muted}
		if i == now {
			ink = run.LabelInk(lb.lanes.Book.List()[i].Name).With(viz.Bold)
		}
		c.Put(at[i], 0, s, ink)
	}
}

// drawKnob draws knob i in line y.
func (lb *View) drawKnob(c *viz.Canvas, l *run.Lane, y, i int, col controlColumns) {
	p := run.Knobs[i]
	cfg := l.ShownConfig()
	v := cfg.Value(p.Key)
	off := p.IsOff(v)
	ink := viz.Ink{}
	if i == lb.sel.Knob {
		c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
		ink = viz.Ink{Role: viz.Focus}
		if lb.has(PaneControls) {
			ink = ink.With(viz.Bold)
		}
	} else if off {
		ink.Role = viz.Inert
	}
	c.Fit(3, y, col.track-4, p.Key, ink)
	if p.Key == lb.Point {
		c.Put(col.track-1, y, "◂", viz.Ink{Role: viz.Focus}.With(viz.Bold))
	}
	if run.HasSlider(p) {
		viz.Slider(c.Sub(viz.Rect{X: col.track, Y: y, W: col.trackW, H: 1}), knobFrac(p, v), off, ink)
	}
	room := col.value - col.track
	if run.HasSlider(p) {
		room -= col.trackW + 1
	}
	text := run.ValueFit(p, v, room, c.ASCII)
	if p.Key == "max_new_tokens" && l.Settings != nil && l.Limit() < l.Settings.Limit() {
		text = "→ " + strconv.Itoa(l.Limit()) // what the context leaves
	}
	c.Right(col.value, y, text, ink)
	s, set := cfg.Lookup(p.Key)
	switch {
	case !set:
		if col.origin && !off && p.Kind <= param.Float {
			c.Put(col.value+1, y, "default", viz.Ink{Role: viz.Muted})
		}
	case col.origin:
		c.Put(col.value+1, y, originWord(s.Origin), viz.Ink{Role: viz.Muted})
	case s.Origin == sampling.FromYou:
		c.Put(col.value, y, "*", viz.Ink{Role: viz.Muted})
	}
}

// knobFrac is where a knob stands on its track; one that is off stands at its
// beginning, unless off is a value among others.
func knobFrac(p *param.Param, v any) float64 {
	if p.IsOff(v) && !p.OffShown {
		return 0
	}
	return run.Frac(p, v)
}

func originWord(o sampling.Origin) string { return o.String() }

// Idle is why the selected knob does nothing at the shown step; the zero value
// if it does something, or nothing is known.
func (lb *View) Idle() inert.Inert {
	l := lb.lanes.Lane()
	p, s, e := lb.sel.Selected(), l.Step(), lb.lanes.Effect
	switch {
	case s == nil || s.Trace == nil:
		if set := l.ShownSettings(); set != nil {
			return set.Pipeline.Inert(p.Key, nil)
		}
	case e.Key.Step != s || e.Key.Key != p.Key:
	case e.Why.Reason != inert.Acts:
		return e.Why
	case e.Words == "" && e.Err == nil && e.Effect.TV == 0:
		return e.Effect.Why
	}
	return inert.Inert{}
}

// effectLines say what the selected knob does at the shown step: two lines,
// or one that says why it does nothing.
func (lb *View) effectLines() (a, b string) {
	l := lb.lanes.Lane()
	p := lb.sel.Selected()
	s := l.Step()
	e := lb.lanes.Effect
	if why := lb.Idle(); why.Reason != inert.Acts {
		return "○ " + why.String(), ""
	}
	if p.Key == "max_new_tokens" && l.Settings != nil && l.Limit() < l.Settings.Limit() {
		return fmt.Sprintf("here: %s asked for, the context of %s leaves %s", viz.Count(l.Settings.Limit()), viz.Count(l.View.KV.Context), viz.Count(l.Limit())), ""
	}
	if s == nil || s.Trace == nil {
		return "here: nothing yet", ""
	}
	if e.Key.Step != s || e.Key.Key != p.Key {
		return "here: …", ""
	}
	if e.Words != "" && e.Err == nil {
		return fmt.Sprintf("here: %s of %s named survive;", viz.Count(e.Effect.Kept), viz.Count(s.Trace.Vocab-s.Trace.NoPiece)),
			e.Words + "; off differs by " + viz.Percent(e.Effect.TV)
	}
	if e.Err != nil {
		return fmt.Sprintf("here: %s of %s survive", viz.Count(s.Trace.Survived), viz.Count(s.Trace.Vocab-s.Trace.NoPiece)), ""
	}
	a = fmt.Sprintf("here: %s of %s survive;", viz.Count(e.Effect.Kept), viz.Count(s.Trace.Vocab-s.Trace.NoPiece))
	b = fmt.Sprintf("off would keep %s; differ by %s", viz.Count(e.Effect.KeptOff), viz.Percent(e.Effect.TV))
	if e.Effect.Token != e.Effect.TokenOff {
		b += " · draw " + l.Piece(e.Effect.TokenOff, lb.pal.ASCII)
	}
	return a, b
}

// ControlsHeight is how many lines a box of controls takes.
func (lb *View) ControlsHeight() int { return lb.knobRows() + aboveKnobs + belowKnobs + 2 }

// DrawControlBox draws the controls where they have a box of their own; c is
// its inside.
func (lb *View) DrawControlBox(c *viz.Canvas, l *run.Lane) {
	lb.drawControls(c, l, listClass(c.W+2))
}
