package lab

import (
	"math"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A drag is a slider held with the mouse.
type drag struct {
	knob     int
	from, to int // columns of its track
}

// Mouse is a press or a turn of the wheel in the lab.
func (lb *View) Mouse(e tea.MouseMsg) tea.Cmd {
	if lb.projects() {
		lb.projectorMouse(e)
	}
	if lb.Zoom {
		return nil
	}
	lay := lb.layout()
	if lay.side.Empty() && lb.has(PaneControls) {
		lay.side = lb.listRect(lay)
	}
	for _, p := range []struct {
		r    viz.Rect
		pane Pane
		on   func(lay layout, x, y int, e tea.MouseMsg) tea.Cmd
	}{
		{lay.side, PaneControls, lb.controlsMouse}, {lay.text, PaneText, lb.textMouse}, {lay.chart, PaneChart, lb.chartMouse},
		{lay.pipeline, PanePipeline, lb.pipelineMouse}, {lay.entropy, PaneEntropy, lb.entropyMouse},
	} {
		if p.r.Empty() || !p.r.Contains(e.X, e.Y) {
			continue
		}
		boxed := lay.class >= kit.Class100 || lay.class == kit.Class80 && (p.pane == PaneText || p.pane == PaneChart) || p.pane == PaneControls
		if e.Button == tea.MouseButtonLeft && e.Y == p.r.Y && boxed { // the title
			if lb.Focus == p.pane {
				lb.ToggleZoom()
			}
			lb.Focus = p.pane
			return nil
		}
		x, y := e.X-p.r.X, e.Y-p.r.Y
		if boxed {
			x, y = x-1, y-1
		}
		if e.Button == tea.MouseButtonLeft {
			lb.Focus = p.pane
		}
		return p.on(lay, x, y, e)
	}
	if lay.knob.Contains(e.X, e.Y) {
		lb.oneKnobMouse(lay, e)
	}
	return nil
}

// projectorMouse moves the cursor to the row that is pressed.
func (lb *View) projectorMouse(e tea.MouseMsg) {
	l := lb.lanes.Lane()
	if d := kit.Wheel(e); d != 0 {
		lb.moveRow(d)
		return
	}
	lines, at := lb.projectorRows(l)
	for i, r := range at {
		if e.Button == tea.MouseButtonLeft && r.Contains(e.X, e.Y) && lines[i].row != nil {
			l.Row = lines[i].row.ID
		}
	}
}

func (lb *View) textMouse(lay layout, x, y int, e tea.MouseMsg) tea.Cmd {
	l := lb.lanes.Lane()
	if d := kit.Wheel(e); d != 0 {
		lb.Along(d)
		return nil
	}
	r := lay.text
	if lay.class >= kit.Class80 {
		r = r.Inset(1)
	}
	if k := lb.stepAt(l, r, x, y); k > 0 && e.Button == tea.MouseButtonLeft {
		l.LookAt(k)
	}
	return nil
}

func (lb *View) chartMouse(lay layout, x, y int, e tea.MouseMsg) tea.Cmd {
	l := lb.lanes.Lane()
	if d := kit.Wheel(e); d != 0 {
		lb.moveRow(d)
		return nil
	}
	t, ref := run.Traces(l)
	if t == nil || e.Button != tea.MouseButtonLeft {
		return nil
	}
	h := lay.chart.H - 2
	if lay.class == kit.Class60 || lay.class == kit.Class40 { // a rule in place of a box
		h++
		y--
	}
	y -= chartTop(l, h) + chartHead(lay.class)
	lines := chartLines(t, ref, chartPlanFor(l, lay.class, lb.chartHeight()))
	if y < 0 || y >= len(lines) || lines[y].row == nil {
		return nil
	}
	if id := lines[y].row.ID; id != l.Row {
		l.Row = id
		return nil
	}
	lb.Inspect()
	return nil
}

func (lb *View) controlsMouse(lay layout, x, y int, e tea.MouseMsg) tea.Cmd {
	l := lb.lanes.Lane()
	k, above := lay.class, aboveKnobs
	if lay.class < kit.Class100 {
		k, above = listClass(lay.side.W-2), 0
	}
	col := controlColumnsOf(k)
	shown := lb.knobsShown()
	i := y - above
	if d := kit.Wheel(e); d != 0 {
		if i >= 0 && i < len(shown) && shown[i] == lb.sel.Knob && x >= col.track {
			lb.lanes.Nudge(-d)
			return nil
		}
		lb.MoveKnob(d)
		return nil
	}
	if e.Button != tea.MouseButtonLeft {
		return nil
	}
	if y == 0 && above > 0 {
		items, at := lb.presetSpans(l, lay.side.W-2)
		for i := range items {
			if x >= at[i] && x < at[i]+viz.Width(items[i]) {
				lb.lanes.TakePreset(i)
			}
		}
		return nil
	}
	if i < 0 || i >= len(shown) {
		return nil
	}
	lb.sel.Knob = shown[i]
	if run.HasSlider(lb.sel.Selected()) && x >= col.track && x < col.track+col.trackW {
		from := lay.side.X + 1 + col.track
		lb.drag = &drag{lb.sel.Knob, from, from + col.trackW - 1}
		lb.dragTo(e.X)
	}
	return nil
}

// oneKnobMouse takes the selected knob's slider in the classes of one column.
func (lb *View) oneKnobMouse(lay layout, e tea.MouseMsg) {
	if d := kit.Wheel(e); d != 0 {
		lb.lanes.Nudge(-d)
		return
	}
	p := lb.sel.Selected()
	track := knobTrack(p, lay.knob.W, lay.class)
	if e.Button == tea.MouseButtonLeft && run.HasSlider(p) && track.Contains(e.X-lay.knob.X, 0) {
		from := lay.knob.X + track.X
		lb.drag = &drag{lb.sel.Knob, from, from + track.W - 1}
		lb.dragTo(e.X)
	}
}

// OnDrag moves the slider that is held.
func (lb *View) OnDrag(e tea.MouseMsg) tea.Cmd {
	if lb.drag == nil {
		return nil
	}
	lb.notice.Text, lb.notice.Warn = "", false
	lb.dragTo(e.X)
	return lb.lanes.WantEffect()
}

// dragTo gives the held knob the value under column x.
func (lb *View) dragTo(x int) {
	d := lb.drag
	p := run.Knobs[d.knob]
	f := viz.SliderFrac(min(max(x, d.from), d.to)-d.from, d.to-d.from+1)
	v := run.AtFrac(p, f)
	if _, isInt := p.Default.(int64); isInt {
		lb.lanes.Set(p.Key, int64(math.Round(v)))
		return
	}
	lb.lanes.Set(p.Key, v)
}

func (lb *View) pipelineMouse(lay layout, x, y int, e tea.MouseMsg) tea.Cmd {
	t, _ := run.Traces(lb.lanes.Lane())
	if t == nil {
		return nil
	}
	n := len(t.Stages())
	if d := kit.Wheel(e); d != 0 {
		lb.sel.SelectStage(lb.sel.Stage+d, n)
		return nil
	}
	if e.Button != tea.MouseButtonLeft {
		return nil
	}
	if lay.class == kit.Class160 {
		if y >= 1 && y <= n {
			lb.sel.Stage = y - 1
		}
		return nil
	}
	room := lay.pipeline.W - 2
	switch {
	case lay.class >= kit.Class100:
		room -= 2 // its box
	case lay.class == kit.Class80:
		left, _, _ := entropyBeside(lb.lanes.Lane(), lb.lanes.Lane().Step(), lay.pipeline.W)
		room = left - 3
	}
	at := 1
	for _, p := range oneLiner(t, room) {
		w := viz.Width(p.text)
		if x >= at && x < at+w && p.stage >= 0 {
			lb.sel.SelectStage(p.stage, n)
		}
		at += w + viz.Width(stageGap)
	}
	return nil
}

func (lb *View) entropyMouse(lay layout, x, y int, e tea.MouseMsg) tea.Cmd {
	l := lb.lanes.Lane()
	if d := kit.Wheel(e); d != 0 {
		lb.Far(d)
		return nil
	}
	values, _, first := entropyWindow(l, lay.entropy.W-4)
	if i := x - 1; e.Button == tea.MouseButtonLeft && i >= 0 && i < len(values) {
		if k := first + i + 1; k <= len(l.View.Steps) {
			l.LookAt(k)
		} else {
			l.LookAt(0)
		}
	}
	return nil
}
