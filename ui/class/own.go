package class

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui"
	"logitscope/ui/tui/join"
	"logitscope/viz"
)

// An Own is what a member's own lab is made for.
type Own struct {
	Terminal
	Output io.Writer // the terminal, for what is copied to its clipboard
}

// A Lab is a lab of a student's own. Like any model of Bubble Tea it belongs
// to one goroutine.
type Lab interface {
	tea.Model
	Close() // stops its lanes

	// Tasks are those of the lesson, and whether each is done.
	Tasks() []bool

	// Picture is the lab in w by h cells.
	Picture(w, h int) *viz.Canvas
}

// keyOfQuestion opens a question that was folded, over a member's own lab, which has
// all other keys.
const keyOfQuestion = "ctrl+v"

// newOwner makes students that have a lab of their own: questions come over
// it.
func newOwner(h *Hub, open func(context.Context, Own) (Lab, error)) func(*session) (screen, func()) {
	look := newStudent(h)
	return func(s *session) (screen, func()) {
		base, _ := look(s)
		m := &owner{student: base.(*student)}
		lab, err := open(s.ctx, Own{Terminal: s.look, Output: s})
		if err != nil {
			s.fail(err)
			return m, func() {}
		}
		m.lab, m.done = lab, lab.Tasks()
		s.seat.Done(m.done)
		return m, lab.Close
	}
}

// An owner is a student with a lab.
type owner struct {
	*student
	lab     Lab
	brought *tui.Push
	done    []bool    // tasks, as the hub was told
	posed   time.Time // when the last picture was taken
}

// Init starts the lab and waits for the class.
func (m *owner) Init() tea.Cmd { return tea.Batch(m.lab.Init(), m.student.Init()) }

// asks reports whether a question is open on the screen.
func (m *owner) asks() bool { return m.asked() != nil && !m.away || m.open != noPanel }

// Update gives keys to the question that is open, else to the lab, and all
// that is the lab's to it.
func (m *owner) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		switch {
		case msg.String() == keyOfQuestion:
			m.away = false
			return nil
		case m.asks():
			cmd := m.student.Update(msg)
			if p := m.asked(); p != nil && m.you.Guess != nil && m.same() && msg.Type == tea.KeyEnter {
				m.away = true // handed in: the lab again
			}
			return cmd
		}
		m.say = ""
		return m.give(msg)
	case changedMsg, secondMsg, quietMsg:
		cmd := m.student.Update(msg)
		m.pose()
		if b := m.view.Bring; b != nil && b != m.brought {
			m.brought = b
			return tea.Batch(cmd, m.give(tui.BringMsg{Push: *b}))
		}
		return cmd
	case tea.WindowSizeMsg:
		m.student.Update(msg)
		return m.give(tea.WindowSizeMsg{Width: msg.Width, Height: max(msg.Height-1, 1)})
	}
	return m.give(msg)
}

// give gives the lab a message.
func (m *owner) give(msg tea.Msg) tea.Cmd {
	next, cmd := m.lab.Update(msg)
	m.lab = next.(Lab)
	m.pose()
	if done := m.lab.Tasks(); !slices.Equal(done, m.done) {
		m.done = done
		m.s.seat.Done(done)
	}
	return cmd
}

// pose hands a picture to the teacher who looks on.
func (m *owner) pose() {
	if w, h, ok := m.s.seat.watched(); ok && time.Since(m.posed) >= posePause {
		m.posed = time.Now()
		m.s.seat.pose(m.lab.Picture(w, h))
	}
}

// posePause is the least time between two pictures.
const posePause = 250 * time.Millisecond

// Draw draws the lab above a line of the class, or a question.
func (m *owner) Draw() sheet {
	if m.asks() || m.s.look.window() == nil {
		return m.student.Draw()
	}
	last := viz.NewCanvas(m.s.look.W, 1, m.pal.ASCII)
	words := fmt.Sprintf("your own lab · %d here", m.view.Here)
	switch {
	case m.view.Poll != nil && m.asked() == nil:
		words = m.lastWords()
	case m.asked() != nil:
		words = "a question is open: " + keyOfQuestion + " answers it"
	}
	if m.say != "" {
		words = m.say
	}
	x := last.Right(last.W-1, 0, viz.Printable(m.you.Name, last.ASCII), viz.Ink{})
	last.Put(1, 0, viz.CutTitle(words, x-3), viz.Ink{Role: viz.Muted})
	return sheetOf(m.lab.View()+"\n"+last.Render(m.pal), m.s.look.W, m.s.look.H)
}

// Labs are the own labs, by the names of their owners.
func (h *Hub) Labs() []join.Lab {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []join.Lab
	for _, m := range h.seats {
		if m.gone != nil && m.tasks != nil {
			out = append(out, join.Lab{Name: m.name, Tasks: slices.Clone(m.tasks)})
		}
	}
	slices.SortFunc(out, func(a, b join.Lab) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Watch asks for pictures of the lab of that name, w by h cells; empty for
// none.
func (h *Hub) Watch(name string, w, height int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watched, h.seen = watch{name: name, w: w, h: height}, nil
	h.flush() // so that it looks whether it is meant
}

// Seen is the newest picture of the lab that is watched.
func (h *Hub) Seen() *viz.Canvas {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seen
}

// A watch is which lab the teacher looks into.
type watch struct {
	name string
	w, h int
}

// watched reports whether pictures of the member's lab are asked for, and how
// large.
func (s *Seat) watched() (w, h int, ok bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	x := s.hub.watched
	return x.w, x.h, x.name != "" && x.name == s.of.name
}

// pose hands a picture over.
func (s *Seat) pose(c *viz.Canvas) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.hub.watched.name == s.of.name {
		s.hub.seen = c
		s.hub.desks++
	}
}
