package tutor

import (
	"fmt"
	"math"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/lesson"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// count returns how many tasks of a lesson are done, and the first that is
// open, from 0; all is true where none is.
func (p *Pane) count(l *lesson.Lesson) (done, next int, all bool) {
	next = -1
	tasks := p.course.Progress[l.ID].Tasks
	for i := range l.Tasks {
		switch {
		case i < len(tasks) && tasks[i].Done != nil:
			done++
		case next < 0 && (i >= len(tasks) || tasks[i].Open()):
			next = i
		}
	}
	return done, max(next, 0), done == len(l.Tasks)
}

// counts returns how many lessons are done, and how many tasks, of how many.
func (p *Pane) counts() (lessons, tasks, of int) {
	for _, l := range p.course.Lessons {
		done, _, all := p.count(l)
		tasks, of = tasks+done, of+len(l.Tasks)
		if all {
			lessons++
		}
	}
	return lessons, tasks, of
}

// A List is the overlay of all lessons.
type List struct {
	pane *Pane
	list kit.List
}

// NewList returns the list, at the lesson that is open or to go on with.
func NewList(p *Pane) *List {
	v := &List{pane: p}
	at := 0
	if r, open := p.Reading(); open {
		at = v.index(r.Lesson)
		if r.Done && r.At == len(r.Lesson.Tasks)-1 {
			at++ // what comes after it
		}
	} else if l, _, ok := p.course.NextOpen(); ok {
		at = v.index(l)
	}
	v.list.Move(at, len(p.course.Lessons), len(p.course.Lessons))
	return v
}

func (v *List) index(l *lesson.Lesson) int {
	for i, x := range v.pane.course.Lessons {
		if x.ID == l.ID {
			return i
		}
	}
	return 0
}

// Frame titles the box; see [kit.Overlay].
func (v *List) Frame(kit.Host) viz.Frame { return viz.Frame{Title: "lessons", Right: "L · esc"} }

// Size is how large the box wants to be; see [kit.Overlay].
func (v *List) Size(kit.Host) (int, int) { return 80, len(v.pane.course.Lessons) + 6 }

// Hints are what the footer offers; see [kit.View].
func (v *List) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActDown, kit.ActOpen, kit.ActClose, kit.ActHelp}
}

// top is the first lesson shown of h, so that the selected one is.
func (v *List) top(h int) int { return min(max(v.list.Top, v.list.At-h+1), v.list.At) }

func (v *List) height(host kit.Host) int { return max(host.Screen().Box(v.Size(host)).H-6, 1) }

// Act takes the actions it names; see [kit.View].
func (v *List) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	list := v.pane.course.Lessons
	switch a.ID {
	case kit.ActOpen:
		if v.list.At < len(list) {
			host.Close()
			return v.pane.OpenNext(list[v.list.At]), true
		}
		return nil, true
	case kit.ActLessons:
		host.Close()
		return nil, true
	case kit.ActTake:
		host.Close()
		v.pane.Leave(host)
		return nil, true
	}
	return nil, v.list.Act(a, len(list), v.height(host))
}

// Mouse opens the lesson under the pointer.
func (v *List) Mouse(host kit.Host, _, y int, e tea.MouseMsg) (tea.Cmd, bool) {
	i := v.top(v.height(host)) + y - 1
	if e.Button != tea.MouseButtonLeft || y < 1 || y > v.height(host) || i >= len(v.pane.course.Lessons) {
		return nil, false
	}
	v.list.At = i
	return v.Act(host, &kit.Action{ID: kit.ActOpen})
}

// Draw draws the view; see [kit.View].
func (v *List) Draw(c *viz.Canvas, host kit.Host) {
	muted := viz.Ink{Role: viz.Muted}
	list := v.pane.course.Lessons
	if len(list) == 0 {
		c.Put(1, 1, "there are no lessons here", viz.Ink{})
		return
	}
	h := v.height(host)
	top := v.top(h)
	for y := 0; y < h && top+y < len(list); y++ {
		v.drawLesson(c, list[top+y], 1+y, top+y == v.list.At)
	}
	if more := len(list) - top - h; more > 0 {
		c.Put(3, h+1, fmt.Sprintf("⋮ %d more", more), muted)
	}
	lessons, tasks, of := v.pane.counts()
	c.Put(1, c.H-2, viz.FirstFit(c.W-2,
		fmt.Sprintf("%s, %d done (%.0f%%), %d tasks of %d", viz.Plural(len(list), "lesson"), lessons, math.Floor(100*float64(lessons)/float64(len(list))), tasks, of),
		fmt.Sprintf("%d of %d done", lessons, len(list))), viz.Ink{})
	c.Put(1, c.H-1, viz.CutTitle("enter opens, at the first open task · nothing is locked · x leaves the lesson that is open", c.W-2), muted)
}

func (v *List) drawLesson(c *viz.Canvas, l *lesson.Lesson, y int, at bool) {
	done, _, all := v.pane.count(l)
	ink, glyph, role := viz.Ink{}, openMark, viz.Plain
	if all {
		glyph, role = metMark, viz.Chosen
	}
	if at {
		c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
		ink = ink.With(viz.Bold)
	}
	c.Put(3, y, glyph, viz.Ink{Role: role})
	x := 5
	if l.Order > 0 {
		c.Right(7, y, fmt.Sprint(l.Order), ink)
		x = 8
	}
	right := fmt.Sprintf("%d of %d", done, len(l.Tasks))
	if l.Minutes > 0 && done == 0 {
		right = fmt.Sprintf("%d min · ", l.Minutes) + right
	}
	if v.pane.course.Changed(l) && done > 0 {
		right = "changed since · " + right
	}
	end := c.Right(c.W-1, y, right, viz.Ink{Role: viz.Muted})
	title := viz.Printable(l.Title, c.ASCII)
	c.Fit(x, y, max(end-x-1, 1), title, ink)
}
