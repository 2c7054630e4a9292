package lessons

import (
	"testing"

	"logitscope/engine/lesson"
	"logitscope/sampling"
	"logitscope/ui/tui"
)

// labOfAll returns a lab with all built-in lessons, and the lessons.
func labOfAll(t *testing.T) (*tui.Offscreen, []*lesson.Lesson) {
	t.Helper()
	c := checker(t)
	list, _ := lesson.Builtin(Names())
	opt := c.Lab
	opt.Prompt, opt.Sealed, opt.Lessons.List = "Once upon a time", true, list
	lab, err := tui.NewOffscreen(t.Context(), opt, wide, high)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	return lab, list
}

// toTask opens l at its first task, or goes on to task i of it.
func toTask(lab *tui.Offscreen, l *lesson.Lesson, i int) error {
	if i == 0 {
		return lab.Read(l, 0)
	}
	return lab.Task(i)
}

// One lab reads all lessons one after the other, in the order of the list and
// back: each finds its own model, draft and lanes, whatever was there before.
func TestOneLabReadsAllLessons(t *testing.T) {
	lab, list := labOfAll(t)
	read := func(l *lesson.Lesson) {
		for i := range l.Tasks {
			if err := toTask(lab, l, i); err != nil {
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

// Whatever a reader did with the settings, a task begins as its lesson says:
// the numbers in its words hold then.
func TestSetupsForgetWhatWasThere(t *testing.T) {
	lab, list := labOfAll(t)
	base := func(l *lesson.Lesson, i int) sampling.Config {
		t.Helper()
		err := toTask(lab, l, i)
		r, _, lerr := lab.Lesson()
		if err != nil || lerr != nil || !r.Standing {
			t.Fatalf("%s task %d: %v, %v", l.ID, i+1, err, lerr)
		}
		return r.Base
	}
	messy, faults := lesson.Parse([]byte("# T\n```lesson\nid: t\n```\n## A\n```setup\nprompt: a\n```\n```goal\nstep = 1 : a\n```\n"+
		"```solution\nset temperature=1.7, top_k=3, top_p=0.4, repetition_penalty=1.3, seed=99, order=ollama\n```\n"), "t", Names())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, l := range list {
		var clean []sampling.Config
		for i := range l.Tasks {
			clean = append(clean, base(l, i))
		}
		for i := range l.Tasks {
			if l.Tasks[i].Setup == nil {
				continue
			}
			for _, c := range messy.Tasks[0].Solution {
				if err := lab.Play(c); err != nil {
					t.Fatal(err)
				}
			}
			if d := clean[i].Differences(base(l, i)); len(d) > 0 {
				t.Errorf("%s task %d begins with other %v after a reader who turned knobs", l.ID, i+1, d)
			}
		}
	}
}
