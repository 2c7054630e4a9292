package tui

import (
	"fmt"
	"maps"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/lesson"
	"logitscope/ui/tui/course"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/tutor"
	"logitscope/viz"
)

// newCourse returns the course of lessons, with no lesson open yet.
func (m *Model) newCourse(opt Lessons) *course.Course {
	c := course.New(m.Lanes, course.Doors{ToLab: m.toLab, Shown: m.shown, Names: m.shownNames, OpenModel: m.opt.OpenModel}, opt.List)
	c.Start, c.Preset, c.Fixed, c.Kept = opt.Start, opt.Preset, opt.Fixed, opt.Kept
	maps.Copy(c.Progress, opt.Progress)
	return c
}

// toLab closes everything over the lab.
func (m *Model) toLab() {
	m.dropOverlays(0)
	if m.screen.id != kit.ViewLab {
		m.Close()
	}
}

// shown returns the views on the screen, and shownNames their ids.
func (m *Model) shown() []kit.View {
	list := []kit.View{m.screen.View}
	for _, o := range m.overlays {
		list = append(list, o.View)
	}
	return list
}

func (m *Model) shownNames() []kit.ViewID {
	list := []kit.ViewID{m.screen.id}
	for _, o := range m.overlays {
		list = append(list, o.id)
	}
	return list
}

// openLessons opens the list of lessons.
func openLessons(m *Model) (kit.View, tea.Cmd) {
	if len(m.opt.Lessons.List) == 0 {
		m.Say("L: there are no lessons here")
		return nil, nil
	}
	if m.player != nil {
		m.Say("L: a recording plays here; logitscope lesson opens the lessons")
		return nil, nil
	}
	return tutor.NewList(m.tutor), nil
}

// lessonKey opens the list of lessons, or folds the lesson that is open away
// and brings it back.
func (m *Model) lessonKey() tea.Cmd {
	if _, open := m.tutor.Reading(); !open {
		return m.Open(kit.ViewLessons)
	}
	beside := m.tutor.Drawn() && !m.tutor.Focused && m.screen.id != kit.ViewLab // whose tab is its own
	switch {
	case len(m.overlays) > 0:
		m.overlays, m.tutor.Shown, m.tutor.Focused = nil, true, true
	case m.tutor.Shown && !m.tutor.Drawn(), beside:
		m.tutor.Focused = true
	default:
		m.tutor.Fold()
	}
	return nil
}

// openLesson opens a lesson at its first open task, over the lab.
func (m *Model) openLesson(l *lesson.Lesson) tea.Cmd {
	if m.player != nil {
		return m.Open(kit.ViewLessons) // it says why not
	}
	m.toLab()
	return m.tutor.OpenNext(l)
}

// tutorActs reports whether keys act in the lesson.
func (m *Model) tutorActs() bool {
	return m.tutor.Shown && m.tutor.Focused && len(m.overlays) == 0
}

// tutorAct gives an action to the lesson while keys act there, and reports
// whether it took it.
func (m *Model) tutorAct(a *kit.Action) (tea.Cmd, bool) {
	if !m.tutorActs() {
		return nil, false
	}
	if m.screen.id != kit.ViewLab {
		switch {
		case a.ID == kit.ActPane || a.ID == kit.ActPaneBack:
			m.tutor.Focused = false
			m.Say(a.First() + ": keys act in the view; L brings them back to the lesson")
			return nil, true
		case a.ID == kit.ActClose && (m.tutor.Alone || m.lessonOver()): // it lies on top
			return m.closeLesson(), true
		}
	}
	return m.tutor.Act(m, a)
}

// closeLesson takes off what of the lesson lies on top.
func (m *Model) closeLesson() tea.Cmd {
	if m.tutor.Alone {
		m.tutor.Alone = false
		return nil
	}
	m.tutor.Fold()
	return nil
}

// lessonAbove is how many lines below the header the lesson has.
func (m *Model) lessonAbove() int {
	if !m.tutor.Shown {
		return 0
	}
	return lab.RoomAbove(m.w, m.h)
}

// lessonOver reports whether the lesson lies over other panes.
func (m *Model) lessonOver() bool {
	if m.screen.id == kit.ViewLab {
		return m.lab.Around().Above.Empty()
	}
	return m.lessonAbove() == 0
}

// lessonRect is where the lesson stands while it is shown: above the panes, or
// over the lower part of them where the window is low.
func (m *Model) lessonRect() viz.Rect {
	body := viz.Rect{X: 0, Y: 1, W: m.w, H: max(m.h-3, 1)}
	inLab := m.screen.id == kit.ViewLab
	switch {
	case m.tutor.Alone || kit.ClassOf(m.w, m.h) <= kit.Class60 || inLab && m.lab.Zoomed():
		return body
	case !m.lessonOver():
		return viz.Rect{X: 0, Y: 1, W: m.w, H: m.lessonAbove()}
	}
	y := body.Y + body.H/3
	if inLab {
		chart := m.lab.Around().Chart
		y = chart.Y + chart.H/3
	}
	y = max(y, body.Y+body.H-m.tutor.High(m.w, m.pal.ASCII))
	return viz.Rect{X: 0, Y: y, W: m.w, H: body.Y + body.H - y}
}

// seatLesson judges the goals by what the screen shows now, and gives the
// lesson its place.
func (m *Model) seatLesson() {
	m.course.Watch()
	if m.seated != m.screen.id {
		m.seated = m.screen.id
		m.tutor.Yield(m.screen.id != kit.ViewLab)
	}
	begun, stands := m.tutor.Sync()
	if begun {
		m.score.BeginTask()
	}
	if stands && !m.Warn { // what the setup did is not what the reader did
		m.Notice.Text = ""
	}
	m.lab.LeaveAbove(m.lessonAbove())
	m.lab.Away = m.tutor.Shown && m.tutor.Focused
	m.lab.Point = m.tutor.Point()
	m.tutor.Settle(m)
}

// lessonLine is what the help line says of the lesson: what its keys do where
// it has them, and the goal that is open where it is folded.
func (m *Model) lessonLine() (string, viz.Ink) {
	switch r, open := m.tutor.Reading(); {
	case m.tutorActs():
		return m.tutor.Help(m.w - 2), viz.Ink{}
	case !open || m.tutor.Drawn():
		return "", viz.Ink{}
	case r.Done: // a view may speak again
		if h, ok := m.screen.View.(kit.Helper); ok {
			if s, _ := h.Help(m); s != "" {
				return "", viz.Ink{}
			}
		}
	}
	return m.tutor.Line(m.w-2, m.pal.ASCII)
}

// goOnLine offers who comes back the task to go on with, in w cells; it is
// empty where nothing was begun.
func (m *Model) goOnLine(w int) string {
	l, task, ok := m.course.NextOpen()
	if !ok || m.player != nil {
		return ""
	}
	title := viz.Printable(l.Title, m.pal.ASCII)
	return viz.FirstFit(w, fmt.Sprintf("You were in the lessons: %s, task %d of %d is open. L goes on, space starts the lab.", title, task+1, len(l.Tasks)),
		fmt.Sprintf("L goes on with %s, task %d. space starts the lab.", title, task+1), fmt.Sprintf("L goes on with the lessons, task %d.", task+1))
}

// lessonHint is the lesson in the footer, where the help line has no room for
// it.
func (m *Model) lessonHint(k kit.Class) string {
	if k > kit.Class40 || m.tutor.Drawn() {
		return ""
	}
	s, _ := m.tutor.Line(27, m.pal.ASCII)
	return s
}

// focusNext moves the keys by d panes, the lesson among them.
func (m *Model) focusNext(d int) {
	m.tutor.Alone = false
	switch {
	case !m.tutor.Shown:
		m.lab.FocusNext(d)
	case m.tutor.Focused:
		m.tutor.Focused = false
		m.lab.FocusEdge(d)
	case m.lab.AtEdge(d):
		m.tutor.Focused = true
	default:
		m.lab.FocusNext(d)
	}
}
