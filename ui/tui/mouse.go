package tui

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

// onMouse routes a mouse event by the rectangles of the layout.
func (m *Model) onMouse(e tea.MouseMsg) tea.Cmd {
	if kit.ClassOf(m.w, m.h) == kit.TooSmall {
		return nil
	}
	if e.Action == tea.MouseActionRelease {
		m.drag = nil
		return nil
	}
	if e.Action == tea.MouseActionMotion {
		if s, ok := m.screen.View.(kit.Scrubber); ok && len(m.overlays) == 0 && e.Button == tea.MouseButtonLeft {
			body := m.Screen().Body()
			s.Scrub(m, e.X-body.X, e.Y-body.Y)
			return nil
		}
		return m.onDrag(e)
	}
	m.Notice.Text, m.Warn, m.fresh = "", false, false
	if n := len(m.overlays); n > 0 {
		return m.overlayMouse(m.overlays[n-1].View.(kit.Overlay), e)
	}
	if m.screen.id != kit.ViewLab {
		return m.screenMouse(e)
	}
	if m.zoom {
		return nil
	}
	return tea.Batch(m.labMouse(e), m.WantEffect())
}

// screenMouse is a mouse event in a view other than the lab.
func (m *Model) screenMouse(e tea.MouseMsg) tea.Cmd {
	if e.Y == m.h-1 && e.Button == tea.MouseButtonLeft {
		return m.footerClick(e.X)
	}
	body := m.Screen().Body()
	cl, ok := m.screen.View.(kit.Clicker)
	if !body.Contains(e.X, e.Y) {
		return nil
	}
	if ok {
		if cmd, done := cl.Mouse(m, e.X-body.X, e.Y-body.Y, e); done {
			return tea.Batch(cmd, m.WantEffect())
		}
	}
	return m.turn(e)
}

// turn moves as the wheel was turned, where a view has no use of its own for
// it.
func (m *Model) turn(e tea.MouseMsg) tea.Cmd {
	switch e.Button {
	case tea.MouseButtonWheelUp:
		return m.act(kit.ActUp)
	case tea.MouseButtonWheelDown:
		return m.act(kit.ActDown)
	}
	return nil
}

// footerClick does what the hint under column x says.
func (m *Model) footerClick(x int) tea.Cmd {
	for _, s := range m.footerSpans(m.w, kit.ClassOf(m.w, m.h)) {
		if x >= s.x && x < s.x+viz.Width(s.text) && s.id != "" {
			return m.act(s.id)
		}
	}
	return nil
}

func (m *Model) overlayMouse(o kit.Overlay, e tea.MouseMsg) tea.Cmd {
	r := m.Screen().Box(o.Size(m))
	if !r.Contains(e.X, e.Y) {
		if e.Button == tea.MouseButtonLeft {
			return m.onKey(tea.KeyMsg{Type: tea.KeyEsc})
		}
		return nil
	}
	if cl, ok := o.(kit.Clicker); ok {
		if cmd, done := cl.Mouse(m, e.X-r.X-1, e.Y-r.Y-1, e); done {
			return cmd
		}
	}
	return m.turn(e)
}

// labMouse is a press or a turn of the wheel in the lab.
func (m *Model) labMouse(e tea.MouseMsg) tea.Cmd {
	lay := layoutOf(m.w, m.h)
	if lay.side.Empty() && m.focus == paneControls {
		lay.side = m.listRect(lay)
	}
	for _, p := range []struct {
		r    viz.Rect
		pane pane
		on   func(lay layout, x, y int, e tea.MouseMsg) tea.Cmd
	}{
		{lay.side, paneControls, m.controlsMouse}, {lay.text, paneText, m.textMouse}, {lay.chart, paneChart, m.chartMouse},
		{lay.pipeline, panePipeline, m.pipelineMouse}, {lay.entropy, paneEntropy, m.entropyMouse},
	} {
		if p.r.Empty() || !p.r.Contains(e.X, e.Y) {
			continue
		}
		boxed := lay.class >= kit.Class100 || lay.class == kit.Class80 && (p.pane == paneText || p.pane == paneChart) || p.pane == paneControls
		if e.Button == tea.MouseButtonLeft && e.Y == p.r.Y && boxed { // the title
			if m.focus == p.pane {
				m.toggleZoom()
			}
			m.focus = p.pane
			return nil
		}
		x, y := e.X-p.r.X, e.Y-p.r.Y
		if boxed {
			x, y = x-1, y-1
		}
		if e.Button == tea.MouseButtonLeft {
			m.focus = p.pane
		}
		return p.on(lay, x, y, e)
	}
	switch {
	case lay.footer.Contains(e.X, e.Y) && e.Button == tea.MouseButtonLeft:
		return m.footerClick(e.X)
	case lay.knob.Contains(e.X, e.Y):
		m.oneKnobMouse(lay, e)
	}
	return nil
}

func (m *Model) textMouse(lay layout, x, y int, e tea.MouseMsg) tea.Cmd {
	l := m.Lane()
	if d := kit.Wheel(e); d != 0 {
		m.along(d)
		return nil
	}
	r := lay.text
	if lay.class >= kit.Class80 {
		r = r.Inset(1)
	}
	if k := m.stepAt(l, r, x, y); k > 0 && e.Button == tea.MouseButtonLeft {
		l.LookAt(k)
	}
	return nil
}

func (m *Model) chartMouse(lay layout, x, y int, e tea.MouseMsg) tea.Cmd {
	l := m.Lane()
	if d := kit.Wheel(e); d != 0 {
		m.moveRow(d)
		return nil
	}
	t, ref := run.Traces(l)
	if t == nil || e.Button != tea.MouseButtonLeft {
		return nil
	}
	h := lay.chart.H - 2
	if lay.class == kit.Class60 || lay.class == kit.Class40 {
		h++
		y--
	}
	y -= chartTop(l, h)
	if lay.class != kit.Class40 {
		y--
	}
	lines := chartLines(t, ref, chartPlanFor(l, lay.class, m.chartHeight()))
	if y < 0 || y >= len(lines) || lines[y].row == nil {
		return nil
	}
	if id := lines[y].row.ID; id != l.Row {
		l.Row = id
		return nil
	}
	return m.inspect()
}

func (m *Model) controlsMouse(lay layout, x, y int, e tea.MouseMsg) tea.Cmd {
	l := m.Lane()
	k, above := lay.class, aboveKnobs
	if lay.class < kit.Class100 {
		k, above = listClass(lay.side.W-2), 0
	}
	col := controlColumnsOf(k)
	shown := m.knobsShown()
	i := y - above
	if d := kit.Wheel(e); d != 0 {
		if i >= 0 && i < len(shown) && shown[i] == m.Knob && x >= col.track {
			m.Nudge(-d)
			return nil
		}
		m.moveKnob(d)
		return nil
	}
	if e.Button != tea.MouseButtonLeft {
		return nil
	}
	if y == 0 && above > 0 {
		items, at := m.presetSpans(l, lay.side.W-2)
		for i := range items {
			if x >= at[i] && x < at[i]+viz.Width(items[i]) {
				m.TakePreset(i)
			}
		}
		return nil
	}
	if i < 0 || i >= len(shown) {
		return nil
	}
	m.Knob = shown[i]
	if run.HasSlider(m.Selected()) && x >= col.track && x < col.track+col.trackW {
		from := lay.side.X + 1 + col.track
		m.drag = &drag{m.Knob, from, from + col.trackW - 1}
		m.dragTo(e.X)
	}
	return nil
}

// oneKnobMouse takes the selected knob's slider in the classes of one column.
func (m *Model) oneKnobMouse(lay layout, e tea.MouseMsg) {
	if d := kit.Wheel(e); d != 0 {
		m.Nudge(-d)
		return
	}
	p := m.Selected()
	from := 3 + viz.Width(p.Key) + 1
	w := map[kit.Class]int{kit.Class80: 24, kit.Class60: 20, kit.Class40: 6}[lay.class]
	w = min(w, max(m.w-from-12, 3))
	if e.Button == tea.MouseButtonLeft && run.HasSlider(p) && e.X >= from && e.X < from+w {
		m.drag = &drag{m.Knob, from, from + w - 1}
		m.dragTo(e.X)
	}
}

// onDrag moves the slider that is held.
func (m *Model) onDrag(e tea.MouseMsg) tea.Cmd {
	if m.drag == nil {
		return nil
	}
	m.Notice.Text, m.Warn = "", false
	m.dragTo(e.X)
	return m.WantEffect()
}

// dragTo gives the held knob the value under column x.
func (m *Model) dragTo(x int) {
	d := m.drag
	p := run.Knobs[d.knob]
	f := viz.SliderFrac(min(max(x, d.from), d.to)-d.from, d.to-d.from+1)
	v := run.AtFrac(p, f)
	if _, isInt := p.Default.(int64); isInt {
		m.Set(p.Key, int64(math.Round(v)))
		return
	}
	m.Set(p.Key, v)
}

func (m *Model) pipelineMouse(lay layout, x, y int, e tea.MouseMsg) tea.Cmd {
	t, _ := run.Traces(m.Lane())
	if t == nil {
		return nil
	}
	n := len(t.Stages())
	if d := kit.Wheel(e); d != 0 {
		m.Stage = min(max(m.Stage+d, 0), n-1)
		return nil
	}
	if e.Button != tea.MouseButtonLeft {
		return nil
	}
	if lay.class == kit.Class160 {
		if y >= 1 && y <= n {
			m.Stage = y - 1
		}
		return nil
	}
	room := lay.pipeline.W - 2
	switch {
	case lay.class >= kit.Class100:
		room -= 2 // its box
	case lay.class == kit.Class80:
		left, _, _ := entropyBeside(m.Lane(), m.Lane().Step(), lay.pipeline.W)
		room = left - 3
	}
	at := 1
	for _, p := range oneLiner(t, room) {
		w := viz.Width(p.text)
		if x >= at && x < at+w && p.stage >= 0 {
			m.Stage = min(p.stage, n-1)
		}
		at += w + viz.Width(stageGap)
	}
	return nil
}

func (m *Model) entropyMouse(lay layout, x, y int, e tea.MouseMsg) tea.Cmd {
	l := m.Lane()
	if d := kit.Wheel(e); d != 0 {
		m.far(d)
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
