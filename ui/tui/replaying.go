package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/record"
	"logitscope/viz"
)

// A Replay is a recording to play in the lab. The lab's model must be the
// take's own.
type Replay struct {
	Name string // of the file
	Take *record.Take
}

// startReplay shows the beginning of the recording.
func (m *Model) startReplay() {
	if err := m.player.Start(m); err != nil {
		m.Complain(err.Error())
	}
}

// barRect is where the bar of a replay stands: in the lower border of the
// text. It is empty where there is none.
func (m *Model) barRect() viz.Rect {
	if m.player == nil {
		return viz.Rect{}
	}
	return m.lab.TextBorder()
}

// drawBar draws the bar of a replay into the whole window.
func (m *Model) drawBar(c *viz.Canvas) {
	if r := m.barRect(); !r.Empty() {
		m.player.Bar(c, m.Lane().Cues, r.X, r.Y, r.W)
	}
}

// scrub moves a replay to where the pointer is, if that is on its bar. While
// it is dragged the row of the pointer does not count.
func (m *Model) scrub(e tea.MouseMsg, dragged bool) bool {
	r := m.barRect()
	if r.Empty() || e.Button != tea.MouseButtonLeft || !dragged && !r.Contains(e.X, e.Y) {
		return false
	}
	return m.player.Scrub(m, e.X-r.X, r.W)
}
