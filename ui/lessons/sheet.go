package lessons

import (
	"context"
	"strconv"
	"strings"

	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/ui/handout"
	"logitscope/ui/tui"
	"logitscope/ui/tui/course"
)

// Sheet returns a lesson as text alone: it plays the lesson in the lab and puts
// what its expressions come to in their places, those of what is to be seen
// after the solution.
func (c *Checker) Sheet(ctx context.Context, l *lesson.Lesson) (*handout.Sheet, error) {
	lab, err := c.lab(ctx, l)
	if err != nil {
		return nil, err
	}
	defer lab.Close()
	s := &handout.Sheet{ID: l.ID, Title: l.Title, Section: l.Section, Minutes: l.Minutes}
	for i := range l.Tasks {
		if i > 0 {
			if err := lab.Task(i); err != nil {
				return nil, err
			}
		}
		_, sc, broken := lab.Lesson()
		if broken != nil {
			return nil, broken
		}
		if i == 0 {
			s.Intro = blocks(l.Intro, sc)
		}
		task := sheetTask(&l.Tasks[i], sc)
		if err := perform(lab, &l.Tasks[i]); err != nil {
			return nil, err
		}
		_, sc, _ = lab.Lesson()
		task.Reveal = blocksWith(l.Tasks[i].Reveal, func(s lesson.Span) string {
			if s.Expr != nil && sc != nil && !s.Expr.Eval(sc).Defined {
				return blank // nobody has answered yet
			}
			return course.Text(s, sc, false)
		})
		s.Tasks = append(s.Tasks, task)
	}
	return s, nil
}

// blank stands on a sheet for what is not known before a reader was there.
const blank = "…"

// perform plays the solution of a task.
func perform(lab *tui.Offscreen, t *lesson.Task) error {
	for _, cmd := range t.Solution {
		if err := lab.Play(cmd); err != nil {
			return &PlayError{Command: cmd, Err: err}
		}
	}
	return nil
}

// A PlayError reports a line of a solution that cannot be done.
type PlayError struct {
	Command lesson.Command
	Err     error
}

func (e *PlayError) Error() string {
	return "the solution: " + goal.Shown(e.Command.Text) + ": " + e.Err.Error()
}

func (e *PlayError) Unwrap() error { return e.Err }

// sheetTask returns what stands in a task before it is solved.
func sheetTask(t *lesson.Task, sc *goal.Scene) handout.SheetTask {
	out := handout.SheetTask{Title: t.Title, Text: blocks(t.Text, sc)}
	for _, g := range t.Goals {
		out.Goals = append(out.Goals, g.Words)
	}
	for _, h := range t.Hints {
		out.Hints = append(out.Hints, blocks(h, sc))
	}
	for _, n := range t.Notes {
		out.Notes = append(out.Notes, blocks(n, sc))
	}
	for _, cmd := range t.Solution {
		out.Solution = append(out.Solution, cmd.Text)
	}
	p := t.Predict
	if p == nil {
		return out
	}
	out.Ask, out.Form, out.Because, out.Within = Plain(p.Ask, sc), string(p.Form), Plain(p.Because, sc), within(p)
	for _, c := range p.Choices {
		out.Choices = append(out.Choices, handout.SheetChoice{Text: Plain(c.Text, sc), Why: Plain(c.Why, sc), Right: c.Right})
	}
	if sc != nil {
		_, right := p.Right(goal.Value{}, sc)
		out.Answer = course.Words(right, false)
	}
	return out
}

// within words how far off an answer may be; empty for not at all.
func within(p *lesson.Predict) string {
	if p.Within == 0 {
		return ""
	}
	switch p.Form {
	case lesson.Percent:
		return number(p.Within*100) + " points"
	case lesson.Bits:
		return number(p.Within) + " bits"
	}
	return number(p.Within)
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// Plain is a prose as one line, with what its expressions come to.
func Plain(p lesson.Prose, sc *goal.Scene) string {
	var b strings.Builder
	for i, x := range p {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(line(x, shown(sc)))
	}
	return b.String()
}

// line is the text of a block.
func line(b lesson.Block, text func(lesson.Span) string) string {
	var s strings.Builder
	for _, span := range b.Spans {
		s.WriteString(text(span))
	}
	return s.String()
}

// shown is a span as it is shown in a scene.
func shown(sc *goal.Scene) func(lesson.Span) string {
	return func(s lesson.Span) string { return course.Text(s, sc, false) }
}

var blockKinds = map[lesson.BlockKind]string{
	lesson.Paragraph: handout.SheetParagraph, lesson.Item: handout.SheetItem, lesson.Heading: handout.SheetHeading, lesson.Code: handout.SheetCode,
}

func blocks(p lesson.Prose, sc *goal.Scene) []handout.SheetBlock { return blocksWith(p, shown(sc)) }

func blocksWith(p lesson.Prose, text func(lesson.Span) string) []handout.SheetBlock {
	var list []handout.SheetBlock
	for _, b := range p {
		x := handout.SheetBlock{Kind: blockKinds[b.Kind], Text: line(b, text)}
		if b.Kind == lesson.Code {
			x.Text = strings.Join(b.Lines, "\n")
		}
		list = append(list, x)
	}
	return list
}
