package tutor

import (
	"fmt"

	"logitscope/engine/lesson"
	"logitscope/ui/tui/course"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// openWords says what is still to do.
func openWords(r lesson.Reading) string {
	n := 0
	for _, met := range r.Met {
		if !met {
			n++
		}
	}
	if n == 1 {
		return "one goal is open"
	}
	return fmt.Sprintf("%d goals are open", n)
}

// Help is the help line of w cells while keys act in the pane.
func (p *Pane) Help(w int) string {
	r, open := p.course.Reading()
	if !open {
		return ""
	}
	t := r.Task()
	next := fmt.Sprintf("task %d", r.At+2)
	if r.At == len(r.Lesson.Tasks)-1 {
		next = "the list of lessons"
	}
	switch {
	case p.intro:
		return "enter goes on to the first task. L folds the lesson away and brings it back."
	case p.course.Err() != nil:
		return "! " + viz.FirstLine(p.course.Err().Error())
	case p.course.Scene() == nil:
		return "The task is being set up."
	case p.asks(r) && t.Predict.Form == lesson.Choice:
		return "What do you think? A number or ↑ ↓ chooses, enter answers, x leaves it out."
	case p.asks(r) && p.field.Text() != "":
		return "enter answers; esc takes out what you typed."
	case p.letters(r):
		return "Type what you think, enter answers; enter without a token leaves it out."
	case p.asks(r):
		return "What do you think? Type it, enter answers, x leaves it out."
	case r.Skipped:
		return "Skipped. enter goes on to " + next + "; backspace sets the task up again."
	case !r.Done && len(t.Goals) == 0:
		return "enter turns the page."
	case !r.Done:
		return "The lab works as always; tab goes to its panes, i shows a hint."
	case len(t.Goals) == 0:
		return "enter goes on to " + next + "."
	}
	met := fmt.Sprintf("All %d goals are met.", len(t.Goals))
	switch len(t.Goals) {
	case 1:
		met = "The goal is met."
	case 2:
		met = "Both goals are met."
	}
	return viz.FirstFit(w, met+" enter goes on to "+next+"; stay as long as you like, nothing goes on by itself.",
		met+" enter goes on to "+next+"; nothing goes on by itself.", met+" enter goes on.")
}

// Line is the lesson in one line of w cells, for where the pane is folded or
// another view has the screen; it is empty if no lesson is open.
func (p *Pane) Line(w int, ascii bool) (string, viz.Ink) {
	r, open := p.course.Reading()
	if !open {
		return "", viz.Ink{}
	}
	task := fmt.Sprintf("task %d of %d", r.At+1, len(r.Lesson.Tasks))
	more := "   L reads on"
	fit := func(forms ...string) string { return viz.FirstFit(w, forms...) }
	switch {
	case p.course.Err() != nil:
		return fit("! "+viz.FirstLine(p.course.Err().Error())+more, "! "+task), viz.Ink{Role: viz.Warning}
	case p.intro:
		return fit("lesson "+viz.Printable(r.Lesson.Title, ascii)+more, "lesson"), viz.Ink{}
	case p.asks(r):
		return fit(openMark+" "+task+" has a question"+more, openMark+" "+task), viz.Ink{}
	case r.Done:
		return fit(metMark+" "+task+" is done"+more, metMark+" "+task), viz.Ink{Role: viz.Chosen}
	case r.Skipped:
		return fit(skipMark+" "+task+" is skipped"+more, skipMark+" "+task), viz.Ink{}
	}
	for i, g := range r.Task().Goals {
		if r.Met[i] {
			continue
		}
		words, now := openMark+" "+viz.Printable(g.Words, ascii), ""
		if list := terms(p.course.Scene(), g); len(list) > 0 {
			now = "  now " + course.Words(list[0].Value, ascii)
		}
		return fit(words+now+more, words+now, openMark+" "+task+now, words, openMark+" "+task), viz.Ink{}
	}
	return fit(openMark+" "+task+more, openMark+" "+task), viz.Ink{}
}

// Footer are the keys of the pane.
func (p *Pane) Footer() []kit.Hint {
	r, open := p.course.Reading()
	if !open {
		return nil
	}
	enter := "go on"
	if p.asks(r) {
		enter = "answer"
	}
	if p.letters(r) {
		return []kit.Hint{{ID: kit.ActOpen, Word: enter}, {ID: kit.ActClose, Word: "clear"}}
	}
	hints := []kit.Hint{{ID: kit.ActPane}, {ID: kit.ActOpen, Word: enter}, {ID: kit.ActInspect, Word: "hint"}, {ID: kit.ActReset, Word: "set up again"},
		{ID: kit.ActTake, Word: "skip"}, {ID: kit.ActLessons, Word: "fold"}, {ID: kit.ActRun}, {ID: kit.ActRight}, {ID: kit.ActLower, Keys: "-/+", Word: "value"}, {ID: kit.ActHelp}}
	if p.asks(r) && r.Task().Predict.Form == lesson.Choice {
		hints = append([]kit.Hint{{ID: kit.ActDown, Keys: "↑↓", Word: "choose"}}, hints...)
	}
	return hints
}

// Header is the part of the header that says where the reader is.
func (p *Pane) Header() string {
	r, open := p.course.Reading()
	if !open {
		return ""
	}
	n := len(p.course.Lessons)
	done, _, _ := p.counts()
	for i, l := range p.course.Lessons {
		if l.ID == r.Lesson.ID {
			return fmt.Sprintf("lesson %d of %d · %d done", i+1, n, done)
		}
	}
	return "lesson " + viz.Printable(viz.Cut(r.Lesson.ID, 24), false)
}
