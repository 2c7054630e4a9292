package class

import (
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/quiz"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A panel is what a student has open over the lab.
type panel uint8

const (
	noPanel panel = iota
	helpPanel
	rowsPanel
	namePanel
)

// A student looks on, and votes.
type student struct {
	s    *session
	hub  *Hub
	pal  *viz.Palette
	view *View
	you  You
	open panel
	away bool // the question is folded, to look at the lab

	pick  int        // row of the question
	guess quiz.Guess // as it is being put down
	at    int        // number of the question that it is for

	name kit.Field
	say  string

	ticking bool // a secondMsg is on its way
}

// A changedMsg brings a view of the class.
type changedMsg struct{ view *View }

// A secondMsg comes while a question with a clock is open.
type secondMsg struct{}

func newStudent(h *Hub) func(*session) (screen, func()) {
	return func(s *session) (screen, func()) {
		m := &student{s: s, hub: h, pal: viz.NewPalette(s.look.Dark, s.look.Depth, s.look.ASCII)}
		m.view, _ = h.Now()
		m.you = s.seat.you()
		m.begin()
		return m, func() {}
	}
}

// Init waits for the class.
func (m *student) Init() tea.Cmd { return tea.Batch(m.wait(m.view), m.tick()) }

// wait brings the next view after one, not sooner than the screen can show it.
func (m *student) wait(after *View) tea.Cmd {
	pause := time.Second / time.Duration(max(m.s.fps, 1))
	return func() tea.Msg {
		for {
			view, next := m.hub.Now()
			if view != after {
				return changedMsg{view}
			}
			select {
			case <-next:
			case <-m.s.ctx.Done():
				return nil
			}
			select {
			case <-time.After(pause):
			case <-m.s.ctx.Done():
				return nil
			}
		}
	}
}

// tick comes back in a second, while a clock is on the screen.
func (m *student) tick() tea.Cmd {
	if p := m.asked(); m.ticking || p == nil || p.Ends.IsZero() {
		return nil
	}
	m.ticking = true
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return secondMsg{} })
}

// Update takes keys and news.
func (m *student) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.s.look.W, m.s.look.H = msg.Width, msg.Height
		if w := m.s.look.window(); w != nil {
			m.s.seat.Look(*w)
		}
	case changedMsg:
		m.view = msg.view
		if m.view.Ended != "" {
			m.s.fail(ErrEnded)
			return nil
		}
		m.you = m.s.seat.you()
		m.begin()
		return tea.Batch(m.wait(m.view), m.tick())
	case secondMsg:
		m.ticking = false
		return m.tick()
	case quietMsg:
		m.say = "nothing was typed for 29 minutes: any key keeps you here, else this ends in a minute"
	case tea.KeyMsg:
		m.say = ""
		return m.key(msg)
	}
	return nil
}

// begin takes up a question that is new.
func (m *student) begin() {
	p := m.view.Poll
	if p == nil || !p.Open || p.N == m.at {
		return
	}
	m.at, m.pick, m.away = p.N, 0, false
	m.guess = make(quiz.Guess, len(p.Options))
	if m.you.Guess.Check(len(p.Options)) == nil { // voted from another window
		copy(m.guess, m.you.Guess)
	}
}

// asked is the question that is open; nil for none.
func (m *student) asked() *Poll {
	if p := m.view.Poll; p != nil && p.Open {
		return p
	}
	return nil
}

// key takes a key.
func (m *student) key(k tea.KeyMsg) tea.Cmd {
	if k.Type == tea.KeyCtrlC {
		return tea.Quit
	}
	if m.open == namePanel {
		m.typeName(k)
		return nil
	}
	// What is pasted is not a key.
	if do, ok := studentKeys[k.String()]; ok {
		return do(m)
	}
	return nil
}

// studentKeys is what the keys do.
var studentKeys = studentKeysTable()

func studentKeysTable() map[string]func(*student) tea.Cmd {
	open := func(p panel) func(*student) tea.Cmd {
		return func(m *student) tea.Cmd {
			if m.open == p {
				m.open = noPanel
			} else {
				m.open = p
			}
			return nil
		}
	}
	vote := func(f func(*student, *Poll)) func(*student) tea.Cmd {
		return func(m *student) tea.Cmd {
			if p := m.asked(); p != nil && m.open == noPanel && !m.away {
				f(m, p)
			}
			return nil
		}
	}
	move := func(n int) func(*student) tea.Cmd {
		return vote(func(m *student, p *Poll) { m.pick = min(max(m.pick+n, 0), len(p.Options)-1) })
	}
	chip := func(n int) func(*student) tea.Cmd {
		return vote(func(m *student, p *Poll) { m.chip(n) })
	}
	return map[string]func(*student) tea.Cmd{
		"?": open(helpPanel), "r": open(rowsPanel),
		"q":  func(*student) tea.Cmd { return tea.Quit },
		"up": move(-1), "k": move(-1), "down": move(1), "j": move(1), "home": move(-quiz.Chips * 10), "end": move(quiz.Chips * 10),
		"+": chip(1), "=": chip(1), "right": chip(1), "-": chip(-1), "left": chip(-1),
		"enter": vote((*student).vote),
		"v":     func(m *student) tea.Cmd { m.away, m.open = !m.away, noPanel; return nil },
		"esc": func(m *student) tea.Cmd {
			switch {
			case m.open != noPanel:
				m.open = noPanel
			case m.asked() != nil:
				m.away = true
			default:
				m.say = "esc: nothing to close; q leaves the class"
			}
			return nil
		},
		"N": func(m *student) tea.Cmd {
			if !m.hub.opt.FreeNames {
				m.say = "N: " + errGiven.Error()
				return nil
			}
			m.open, m.name = namePanel, kit.NewField("")
			return nil
		},
	}
}

// chip gives the row a chip, or takes one.
func (m *student) chip(n int) {
	switch {
	case n > 0 && m.guess.Placed() == quiz.Chips:
		m.say = "all ten chips lie; - takes one from a row first"
	case n < 0 && m.guess[m.pick] == 0:
		m.say = "no chip lies on this row"
	default:
		m.guess[m.pick] += n
	}
}

// vote puts the chips that are left on the row, and hands the guess in.
func (m *student) vote(p *Poll) {
	g := append(quiz.Guess(nil), m.guess...)
	if m.guess.Placed() == quiz.Chips && g[m.pick] == 0 && m.you.Guess.Check(len(g)) == nil && m.same() {
		g = quiz.AllOn(len(g), m.pick) // handed in already, and another row chosen
	}
	g[m.pick] += quiz.Chips - g.Placed()
	if err := m.s.seat.vote(p.N, g); err != nil {
		m.say = "vote: " + err.Error()
		return
	}
	m.guess, m.you = g, m.s.seat.you()
}

// same reports whether the chips lie as they were handed in.
func (m *student) same() bool {
	if len(m.you.Guess) != len(m.guess) {
		return false
	}
	for i, c := range m.guess {
		if m.you.Guess[i] != c {
			return false
		}
	}
	return true
}

// typeName takes a key of the name.
func (m *student) typeName(k tea.KeyMsg) {
	switch k.Type {
	case tea.KeyEsc:
		m.open = noPanel
	case tea.KeyEnter:
		if err := m.s.seat.rename(strings.TrimSpace(m.name.Text())); err != nil {
			m.say = viz.Printable(err.Error(), m.pal.ASCII)
			return
		}
		m.open, m.you = noPanel, m.s.seat.you()
	default:
		m.name.Key(k)
	}
}

// Draw draws the student's screen: the lab as the teacher has it, with a line
// of the student's own in the place of the last; or a question.
func (m *student) Draw() sheet {
	w, h := m.s.look.W, m.s.look.H
	small := m.s.look.window() == nil
	if !small && m.open == noPanel && (m.asked() == nil || m.away) {
		if s, ok := m.mirror(); ok {
			return s
		}
	}
	c := viz.NewCanvas(w, h, m.pal.ASCII)
	switch {
	case small:
		c.Put(0, 0, viz.Cut(fmt.Sprintf("%d×%d is too small. Make it 40×12 or more.", w, h), w), viz.Ink{})
		return sheetOf(c.Render(m.pal), w, h)
	case m.open == helpPanel:
		m.drawHelp(c)
	case m.open == rowsPanel:
		m.drawRows(c)
	case m.open == namePanel:
		in := viz.Box(c.Sub(viz.Rect{X: 0, Y: 0, W: w, H: 4}), viz.Frame{Title: "your name in this class", Focused: true})
		m.name.Draw(in, 1, 0)
	case m.asked() != nil && !m.away:
		m.drawQuestion(c, m.asked())
	default:
		c.Put(1, 0, viz.CutTitle("The lab comes in a moment.", w-2), viz.Ink{Role: viz.Muted})
	}
	m.drawLast(c.Sub(viz.Rect{X: 0, Y: h - 1, W: w, H: 1}))
	return sheetOf(c.Render(m.pal), w, h)
}

// mirror is the lab's frame in the middle of the window, with the last line
// the student's own; ok is false before there is one.
func (m *student) mirror() (s sheet, ok bool) {
	frame, of, ok := frameFor(&m.view.Scene, *m.s.look.window())
	if !ok {
		return s, false
	}
	s = sheetOf(frame, m.s.look.W, m.s.look.H)
	s.left, s.top = (s.w-of.W)/2, (s.h-of.H)/2
	last := viz.NewCanvas(of.W, 1, m.pal.ASCII)
	m.drawLast(last)
	s.lines[len(s.lines)-1] = last.Render(m.pal)
	return s, true
}

// drawLast draws the line that is the student's own.
func (m *student) drawLast(c *viz.Canvas) {
	muted := viz.Ink{Role: viz.Muted}
	if m.say != "" {
		c.Put(1, 0, viz.CutTitle(m.say, c.W-2), viz.Ink{})
		return
	}
	x := c.Right(c.W-1, 0, viz.Cut(viz.Printable(m.you.Name, c.ASCII), maxName), viz.Ink{})
	c.Put(1, 0, viz.CutTitle(m.lastWords(), x-3), muted)
}

// lastWords are what that line says while nothing else was said.
func (m *student) lastWords() string {
	p := m.view.Poll
	switch {
	case m.open == namePanel:
		return "enter takes it · esc leaves it"
	case m.open != noPanel:
		return "esc back"
	case p != nil && p.Open && m.away:
		return "a question is open: v answers it · " + viz.Plural(p.Voted, "vote") + " so far"
	case p != nil && p.Open:
		return "↑↓ choose · enter puts all on it · -/+ one chip · esc looks at the lab · ? help"
	case p != nil && p.Result != nil && m.you.Guess != nil && len(m.you.Guess) == len(p.Options):
		return fmt.Sprintf("drawn %s · you had %s on it: %s bits · mean %s · ? help", p.Options[p.Result.Drawn],
			viz.Plural(m.you.Guess[p.Result.Drawn], "chip"), viz.Two(m.you.Bits), viz.Two(m.you.Mean))
	case p != nil && p.Result != nil:
		return fmt.Sprintf("drawn %s · you did not vote · ? help", p.Options[p.Result.Drawn])
	}
	return fmt.Sprintf("you look on · %d here · r numbers · ? help · q leave", m.view.Here)
}
