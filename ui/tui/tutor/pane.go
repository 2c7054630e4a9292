package tutor

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/ui/tui/course"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A Pane is the open lesson on the screen. It belongs to the screen's
// goroutine.
type Pane struct {
	course *course.Course
	Rect   func() viz.Rect // where it stands while it is shown
	Over   func() bool     // it lies over other panes there

	Shown   bool // unfolded
	Focused bool // keys act in it
	Alone   bool // on the whole screen

	yielded bool // the keys went to a view that was opened over the lab
	of      place
	intro   bool // the page before the first task
	pick    int  // of the lines to choose from
	field   kit.Field
	passed  bool // the question was left out
	verdict verdict
	top     int  // first row that is shown
	follow  bool // the end of the rows is to be shown next

	// Scenes that texts speak of, whatever the lab shows now: as the task began,
	// as the question was answered, as the task was done.
	begun, answered, seen *goal.Scene
}

// A place is the task that a pane's state is about.
type place struct {
	lesson *lesson.Lesson
	at     int
	tries  int
	done   bool
	met    int
}

// A verdict is what an answer was worth when it was given.
type verdict struct {
	ok    bool
	right goal.Value
}

// New returns the pane of a course; it shows itself when a lesson is opened.
// rect says where it stands then, and over whether that is on other panes.
func New(c *course.Course, rect func() viz.Rect, over func() bool) *Pane {
	return &Pane{course: c, Rect: rect, Over: over, field: kit.NewField("")}
}

// Open opens a lesson at task i, from 0.
func (p *Pane) Open(l *lesson.Lesson, i int) tea.Cmd {
	cmd := p.course.Open(l, i)
	p.Shown, p.Focused = true, true
	p.intro = i == 0 && len(l.Intro) > 0
	p.Sync()
	return cmd
}

// OpenNext opens a lesson at its first open task.
func (p *Pane) OpenNext(l *lesson.Lesson) tea.Cmd {
	_, next, _ := p.count(l)
	return p.Open(l, next)
}

// Name is a lesson in one line.
func (p *Pane) Name(l *lesson.Lesson) string {
	name := "lesson: " + l.Title
	if l.Order > 0 {
		name = "lesson " + strconv.Itoa(l.Order) + ": " + l.Title
	}
	return viz.Printable(name, false)
}

// Reading returns the reading, and whether a lesson is open.
func (p *Pane) Reading() (lesson.Reading, bool) { return p.course.Reading() }

// Sync takes up what became of the lesson: another task, goals that were met.
// It reports whether a task has begun, and whether its setup has come to an end.
func (p *Pane) Sync() (begun, stands bool) {
	r, open := p.course.Reading()
	if !open {
		p.Shown, p.Focused, p.Alone, p.of = false, false, false, place{}
		return false, false
	}
	now := place{lesson: r.Lesson, at: r.At, tries: r.Tries, done: r.Done}
	for _, met := range r.Met {
		if met {
			now.met++
		}
	}
	was := p.of
	p.of = now
	switch {
	case was.lesson != now.lesson || was.at != now.at || was.tries != now.tries:
		intro := p.intro && now.at == 0
		p.intro, p.pick, p.field, p.passed, p.verdict, p.top, p.follow = intro, 0, kit.NewField(""), false, verdict{}, 0, false
		p.begun, p.answered, p.seen = nil, nil, nil
		if p.yielded { // the reader went on from beside a view
			p.Focused, p.yielded = p.Shown, false
		}
		return true, false
	case now.done && !was.done, now.met > was.met:
		p.follow = true
	}
	if p.begun == nil {
		p.begun = p.course.Scene()
		stands = p.begun != nil
	}
	if now.done && p.seen == nil {
		p.seen = p.course.Scene()
	}
	return false, stands
}

// asks reports whether the task's question is open.
func (p *Pane) asks(r lesson.Reading) bool {
	return r.Task().Predict != nil && !r.Answered && !p.passed && !r.Done && !r.Skipped && !p.intro
}

// Yield gives the keys to a view that was opened over the lab, and takes them
// back when the lab is on the screen again. A view that a setup opens has the
// lesson with the keys beside it.
func (p *Pane) Yield(over bool) {
	switch {
	case over && p.Shown && p.Focused && p.begun != nil:
		p.Focused, p.yielded = false, true
	case !over && p.yielded:
		p.Focused, p.yielded = p.Shown, false
	}
}

// Fold folds the pane away, or brings it back with the keys in it.
func (p *Pane) Fold() {
	p.Shown = !p.Shown
	p.Focused, p.Alone = p.Shown, false
}

// At is the same pane elsewhere, for drawing alone; see [New].
func (p *Pane) At(rect func() viz.Rect, over func() bool) *Pane {
	n := *p
	n.Rect, n.Over = rect, over
	return &n
}

// Drawn reports whether the pane is on the screen: where it lies over other
// panes it gives way to them while they have the keys.
func (p *Pane) Drawn() bool { return p.Shown && (p.Focused || !p.Over()) }

// Leave closes the lesson; the lab stays as it is.
func (p *Pane) Leave(host kit.Host) {
	if _, open := p.course.Reading(); !open {
		host.Say("x: no lesson is open")
		return
	}
	p.course.Leave()
	p.Sync()
	host.Say("the lesson is closed; L has the list")
}

// Mouse takes the keys into the pane, scrolls, and chooses.
func (p *Pane) Mouse(host kit.Host, e tea.MouseMsg) {
	if d := kit.Wheel(e); d != 0 {
		p.scroll(host, d)
		return
	}
	if e.Button != tea.MouseButtonLeft {
		return
	}
	p.Focused = true
}

// Point is the knob that the task speaks of, empty for none.
func (p *Pane) Point() string {
	r, open := p.course.Reading()
	if !open || p.intro || r.Task().Setup == nil {
		return ""
	}
	return r.Task().Setup.Point
}

// Settle shows the rows that what happened is about, once that is known: the
// line chosen while a question is open, else the end.
func (p *Pane) Settle(host kit.Host) {
	if !p.follow || !p.Shown {
		return
	}
	p.follow = false
	pg, h := p.page(host)
	most := max(len(pg.rows)-h, 0)
	if r, open := p.course.Reading(); open && p.asks(r) {
		p.top = min(max(min(p.top, pg.pick), pg.pickEnd-h), most)
		return
	}
	p.top = most
}

// page sets the pane's text for the place it has, and says how many rows that
// shows.
func (p *Pane) page(host kit.Host) (page, int) {
	r := p.Rect()
	return p.set(r.W-2*border-2*margin, host.Screen().ASCII()), max(r.H-2*border, 1)
}

// High is how many lines the pane has to show in w columns, its box included.
func (p *Pane) High(w int, ascii bool) int {
	if _, open := p.course.Reading(); !open {
		return 0
	}
	return len(p.set(w-2*border-2*margin, ascii).rows) + 2*border
}
