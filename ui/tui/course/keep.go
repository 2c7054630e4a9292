package course

import (
	"slices"
	"time"

	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/ui/store"
)

// keep changes what is known of the task that is open.
func (c *Course) keep(change func(*store.TaskProgress)) {
	l, i := c.reading.Lesson, c.reading.At
	p := c.Progress[l.ID]
	p.SHA, p.Tasks = l.Sum, slices.Clone(p.Tasks)
	for len(p.Tasks) <= i {
		p.Tasks = append(p.Tasks, store.TaskProgress{})
	}
	change(&p.Tasks[i])
	c.Progress[l.ID] = p
	if c.Kept != nil {
		c.Kept(l.ID, l.Sum, i, change)
	}
}

// keepChange keeps what became of the task since before, which was seen in
// scene sc.
func (c *Course) keepChange(before lesson.Reading, sc *goal.Scene) {
	r := c.reading
	if r.Lesson == nil {
		return
	}
	if r.Done && !before.Done {
		now := time.Now().UTC().Truncate(time.Second)
		c.keep(func(t *store.TaskProgress) {
			if t.Skipped = false; t.Done == nil {
				t.Done = &now
			}
		})
	}
	if r.Skipped && !before.Skipped {
		c.keep(func(t *store.TaskProgress) { t.Skipped = t.Done == nil })
	}
	if r.Hints > before.Hints {
		c.keep(func(t *store.TaskProgress) { t.Hints = max(t.Hints, r.Hints) })
	}
	if p := r.Task().Predict; p != nil && sc != nil && r.Answered && (!before.Answered || before.Answer != r.Answer) {
		ok, right := p.Right(r.Answer, sc)
		c.keep(func(t *store.TaskProgress) {
			t.Right, t.Predicted, t.Answer = &ok, number(r.Answer), number(right)
		})
	}
}

// number returns a value that is a number, else nil.
func number(v goal.Value) *float64 {
	if !v.Defined || !v.Kind.IsNumber() {
		return nil
	}
	return &v.Num
}

// Changed reports whether a lesson is another than the one that was read last.
func (c *Course) Changed(l *lesson.Lesson) bool {
	p, ok := c.Progress[l.ID]
	return ok && p.SHA != l.Sum
}

// NextOpen returns the first task that is open, from the lesson read last on:
// what to offer to whoever comes back. ok is false where nothing was done yet,
// or nothing is left.
func (c *Course) NextOpen() (l *lesson.Lesson, task int, ok bool) {
	if len(c.Progress) == 0 {
		return nil, 0, false
	}
	last := 0
	for i, l := range c.Lessons {
		if p, ok := c.Progress[l.ID]; ok && len(p.Tasks) > 0 {
			last = i
		}
	}
	for _, l := range append(slices.Clone(c.Lessons[last:]), c.Lessons[:last]...) {
		tasks := c.Progress[l.ID].Tasks
		for i := range l.Tasks {
			if i >= len(tasks) || tasks[i].Open() {
				return l, i, true
			}
		}
	}
	return nil, 0, false
}
