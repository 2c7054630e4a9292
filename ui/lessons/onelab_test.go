package lessons

import (
	"testing"

	"logitscope/engine/lesson"
	"logitscope/ui/tui"
)

// One lab reads all lessons one after the other, in the order of the list and
// back: each finds its own model, draft and lanes, whatever was there before.
func TestOneLabReadsAllLessons(t *testing.T) {
	c := checker(t)
	list, _ := lesson.Builtin(Names())
	opt := c.Lab
	opt.Prompt, opt.Sealed, opt.Lessons.List = "Once upon a time", true, list
	lab, err := tui.NewOffscreen(t.Context(), opt, wide, high)
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	read := func(l *lesson.Lesson) {
		for i := range l.Tasks {
			if i == 0 {
				err = lab.Read(l, 0)
			} else {
				err = lab.Task(i)
			}
			if err != nil {
				t.Fatalf("%s task %d: %v", l.ID, i+1, err)
			}
			r, sc, err := lab.Lesson()
			if err != nil || sc == nil || !r.Standing || r.Done {
				t.Fatalf("%s task %d: standing %v, done %v, %v", l.ID, i+1, r.Standing, r.Done, err)
			}
			if err := perform(lab, &l.Tasks[i]); err != nil {
				t.Fatalf("%s task %d: %v", l.ID, i+1, err)
			}
			if r, _, _ := lab.Lesson(); !r.Done && len(l.Tasks[i].Goals) > 0 {
				t.Errorf("%s task %d is not done: %v", l.ID, i+1, r.Met)
			}
		}
	}
	for _, l := range list {
		read(l)
	}
	for i := range list {
		read(list[len(list)-1-i])
	}
	// Any task can be opened by itself.
	for _, l := range list {
		for i := range l.Tasks {
			if err := lab.Read(l, i); err != nil {
				t.Fatal(err)
			}
			if r, sc, err := lab.Lesson(); err != nil || sc == nil || r.At != i {
				t.Errorf("%s task %d opened by itself: %+v, %v", l.ID, i+1, r.At, err)
			}
			if err := lab.Again(); err != nil {
				t.Fatal(err)
			}
			if r, _, err := lab.Lesson(); err != nil || !r.Standing || r.Done {
				t.Errorf("%s task %d set up again: standing %v, done %v, %v", l.ID, i+1, r.Standing, r.Done, err)
			}
		}
	}
}
