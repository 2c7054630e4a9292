package class

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/viz"
)

// A lectern shows the teacher's notes in a terminal of their own.
type lectern struct {
	student // for what waits and draws alike; it has no seat
	top     int
}

func newNotes(h *Hub) func(*session) (screen, func()) {
	return func(s *session) (screen, func()) {
		m := &lectern{}
		m.s, m.hub, m.pal = s, h, viz.NewPalette(s.look.Dark, s.look.Depth, s.look.ASCII)
		m.view, _ = h.Now()
		return m, func() {}
	}
}

// Init waits for the class.
func (m *lectern) Init() tea.Cmd { return m.wait(m.view) }

// Update takes keys and news.
func (m *lectern) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.s.look.W, m.s.look.H = msg.Width, msg.Height
	case changedMsg:
		m.view = msg.view
		if m.view.Ended != "" {
			m.s.fail(ErrEnded)
			return nil
		}
		return m.wait(m.view)
	case tea.KeyMsg:
		switch msg.String() {
		case "q", "ctrl+c":
			return tea.Quit
		case "down", "j":
			m.top++
		case "up", "k":
			m.top = max(m.top-1, 0)
		}
	}
	return nil
}

// marks show whether a task is done.
var marks = map[bool]string{true: " ✓", false: " ○"}

// Draw draws the notes, and below them the class.
func (m *lectern) Draw() sheet {
	c := viz.NewCanvas(m.s.look.W, m.s.look.H, m.pal.ASCII)
	n := m.view.Scene.Notes
	if n.Title == "" {
		n.Lines = []string{"No lesson is open: L in the lab opens one."}
	}
	in := viz.Box(c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: max(c.H-1, 0)}), viz.Frame{Title: "notes", Right: n.Title, Focused: true})
	var lines []string
	for _, p := range n.Lines {
		lines = append(lines, viz.Fold(viz.Printable(p, c.ASCII), max(in.W-2, 1), len(p)+1)...)
		lines = append(lines, "")
	}
	for _, l := range m.hub.Labs() {
		line := fmt.Sprintf("%-*s", maxName+1, l.Name)
		for _, done := range l.Tasks {
			line += marks[done]
		}
		lines = append(lines, line)
	}
	top := min(m.top, max(len(lines)-in.H, 0))
	for y := 0; y < in.H && top+y < len(lines); y++ {
		in.Put(1, y, viz.Cut(lines[top+y], in.W-2), viz.Ink{})
	}
	c.Put(1, c.H-1, viz.CutTitle(fmt.Sprintf("%d here · ↑↓ scroll · q leave", m.view.Here), c.W-2), viz.Ink{Role: viz.Muted})
	return sheetOf(c.Render(m.pal), c.W, c.H)
}
