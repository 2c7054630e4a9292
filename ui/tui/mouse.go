package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// onMouse routes a mouse event by the rectangles of the layout.
func (m *Model) onMouse(e tea.MouseMsg) tea.Cmd {
	if kit.ClassOf(m.w, m.h) == kit.TooSmall {
		return nil
	}
	if e.Action == tea.MouseActionRelease {
		m.lab.Release()
		m.dragsBar = false
		return nil
	}
	if e.Action == tea.MouseActionMotion {
		if s, ok := m.screen.View.(kit.Scrubber); ok && len(m.overlays) == 0 && e.Button == tea.MouseButtonLeft {
			body := m.Screen().Body()
			s.Scrub(m, e.X-body.X, e.Y-body.Y)
			return nil
		}
		if m.dragsBar && m.scrub(e, true) {
			return m.WantEffect()
		}
		return m.lab.OnDrag(e)
	}
	m.Notice.Text, m.Warn, m.fresh = "", false, false
	if n := len(m.overlays); n > 0 {
		return m.overlayMouse(m.overlays[n-1].View.(kit.Overlay), e)
	}
	if m.tutor.Drawn() && m.lessonRect().Contains(e.X, e.Y) {
		m.tutor.Mouse(m, e)
		return nil
	}
	m.tutor.Focused = m.tutor.Focused && e.Button != tea.MouseButtonLeft
	if m.screen.id != kit.ViewLab {
		return m.screenMouse(e)
	}
	if m.lab.Around().Footer.Contains(e.X, e.Y) && e.Button == tea.MouseButtonLeft {
		return tea.Batch(m.footerClick(e.X), m.WantEffect())
	}
	if m.scrub(e, false) {
		m.dragsBar = true
		return m.WantEffect()
	}
	return tea.Batch(m.lab.Mouse(e), m.WantEffect())
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
