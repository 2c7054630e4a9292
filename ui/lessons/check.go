package lessons

import (
	"context"
	"errors"
	"fmt"
	"time"

	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/models"
	"logitscope/models/open"
	"logitscope/presets"
	"logitscope/ui/tui"
	"logitscope/ui/tui/course"
	"logitscope/ui/tui/run"
)

// A Verdict is what became of one task.
type Verdict struct {
	Lesson string `json:"lesson"`
	Task   int    `json:"task"` // from 1
	OK     bool   `json:"ok"`
	Why    string `json:"why"`
	Line   int    `json:"line"`
}

// A Checker walks through lessons.
type Checker struct {
	// Lab are the options of the labs to open: presets, what opens models, the
	// settings that lessons begin from. Model is Fable, opened.
	Lab tui.Options

	// Model is used in place of the one that a lesson names; nil for that one.
	Model models.Model

	// Limit is the longest that one lesson may take; 0 is a minute, and half an
	// hour on a model that stands in the place of the lesson's own.
	Limit time.Duration
}

// limit returns the longest that one lesson may take.
func (c *Checker) limit() time.Duration {
	switch {
	case c.Limit > 0:
		return c.Limit
	case c.Model != nil:
		return 30 * time.Minute
	}
	return time.Minute
}

// The size of the window in which a lesson is walked through.
const wide, high = 120, 40

// Check brings about every task of l and plays its solution: the goal must not
// hold before, and must hold at the end. It returns a verdict on each task, in
// order. The error says that no more could be found out.
func (c *Checker) Check(ctx context.Context, l *lesson.Lesson) ([]Verdict, error) {
	late := fmt.Errorf("it takes longer than %v", c.limit())
	inner, stop := context.WithTimeoutCause(ctx, c.limit(), late)
	defer stop()
	list, err := c.check(inner, l)
	if err != nil && ctx.Err() == nil && context.Cause(inner) == late {
		i := len(list)
		return append(list, Verdict{Lesson: l.ID, Task: i + 1, Why: late.Error(), Line: l.Tasks[i].Line}), nil
	}
	return list, err
}

// check is Check without a limit.
func (c *Checker) check(ctx context.Context, l *lesson.Lesson) ([]Verdict, error) {
	split, strays := first(lesson.Misspelled(l, c.model(l))), map[int]lesson.Fault{}
	if of := c.original(l); of != nil {
		strays = first(l.Translates(of))
	}
	lab, err := c.lab(ctx, l)
	if err != nil {
		return nil, cause(ctx, err)
	}
	defer lab.Close()
	var list []Verdict
	for i := range l.Tasks {
		if i > 0 {
			if err := lab.Task(i); err != nil {
				return list, cause(ctx, err)
			}
		}
		line, why, err := walk(lab, &l.Tasks[i])
		if err != nil {
			return list, cause(ctx, err)
		}
		if f, bad := split[i+1]; bad {
			line, why = f.Line, f.Why
		}
		if f, bad := strays[i+1]; bad && why == "" {
			line, why = f.Line, f.Why
		}
		v := Verdict{Lesson: l.ID, Task: i + 1, OK: why == "", Why: why, Line: line}
		if v.OK {
			v.Line = l.Tasks[i].Line
		}
		list = append(list, v)
	}
	return list, nil
}

// original returns the lesson that l translates: the one of its id in another
// language; nil if there is none.
func (c *Checker) original(l *lesson.Lesson) *lesson.Lesson {
	for _, of := range c.Lab.Lessons.List {
		if of.ID == l.ID && of.Lang != l.Lang {
			return of
		}
	}
	return nil
}

// first returns the first fault of each task.
func first(list []lesson.Fault) map[int]lesson.Fault {
	of := map[int]lesson.Fault{}
	for _, f := range list {
		if _, more := of[f.Task]; !more {
			of[f.Task] = f
		}
	}
	return of
}

// model returns what a lesson runs on.
func (c *Checker) model(l *lesson.Lesson) models.Model {
	switch {
	case c.Model != nil:
		return c.Model
	case l.Model.Table != "":
		return l.Tables[l.Model.Table]
	}
	return c.Lab.Model
}

// lab opens a lab at the beginning of a lesson.
func (c *Checker) lab(ctx context.Context, l *lesson.Lesson) (*tui.Offscreen, error) {
	return tui.NewOffscreen(ctx, c.options(l), wide, high)
}

// options are those of a lab that begins with a lesson.
func (c *Checker) options(l *lesson.Lesson) tui.Options {
	opt := c.Lab
	opt.Model, opt.Lessons.Fixed = c.model(l), c.Model != nil
	opt.Sealed = true // a solution presses keys as its author likes
	opt.Lessons.Open, opt.Lessons.Task, opt.Lessons.Kept = l, 0, nil
	opt.ConfigDir, opt.Record, opt.Replay, opt.Lanes, opt.Prompt = "", nil, nil, nil, ""
	return opt
}

// cause is why ctx ended, if it did, else err.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// walk plays one task. why is empty if all is as it must be, else it says what
// is wrong at line.
func walk(lab *tui.Offscreen, t *lesson.Task) (line int, why string, err error) {
	r, sc, broken := lab.Lesson()
	line = t.Line
	if t.Setup != nil {
		line = t.Setup.Line
	}
	switch {
	case broken != nil:
		return line, "the setup: " + goal.Shown(broken.Error()), nil
	case sc == nil:
		return line, "the setup did not come to an end", nil
	case len(t.Goals) == 0:
		return 0, "", nil
	case r.Done:
		return t.GoalLine, "the goal holds already after the setup", nil
	case len(t.Solution) == 0:
		return t.GoalLine, "the task has a goal but no solution", nil
	}
	var failed *PlayError
	switch err := perform(lab, t); {
	case err == nil:
	case lab.Err() == nil && errors.As(err, &failed):
		return failed.Command.Line, failed.Error(), nil
	default:
		return 0, "", err
	}
	r, sc, _ = lab.Lesson()
	for i, g := range t.Goals {
		if sc == nil || !g.Expr.Eval(sc).Holds() && !(g.Once && r.Met[i]) {
			return g.Line, "the solution ends and this does not hold: " + goal.Shown(g.Expr.String()) + now(g.Expr, sc), nil
		}
	}
	return 0, "", nil
}

// now says what the terms of an expression come to.
func now(e *goal.Expr, sc *goal.Scene) string {
	if sc == nil {
		return ""
	}
	s := ""
	for _, leaf := range e.Now(sc) {
		if leaf.Value.Kind == goal.Truth {
			continue // whether it holds is what the mark says
		}
		if s == "" {
			s = " (now "
		} else {
			s += ", "
		}
		s += goal.Shown(leaf.Source) + " is " + goal.Shown(course.Words(leaf.Value, false))
	}
	if s != "" {
		s += ")"
	}
	return s
}

// newChecker returns a checker whose labs have the built-in presets. open opens
// the built-in models by name; each is opened once.
func newChecker(open func(name string) (models.Model, error)) (*Checker, error) {
	opened := map[string]models.Model{}
	once := func(name string) (models.Model, error) {
		if name != lesson.Fable && name != lesson.FableDraft {
			return nil, fmt.Errorf("%s: a lesson runs on the built-in models and its own tables", goal.Shown(name))
		}
		if m := opened[name]; m != nil {
			return m, nil
		}
		m, err := open(name)
		if err == nil {
			opened[name] = m
		}
		return m, err
	}
	fable, err := once(lesson.Fable)
	if err != nil {
		return nil, err
	}
	start, err := presets.Named(StartPreset)
	if err != nil {
		return nil, err
	}
	builtin, _ := lesson.Builtin(Names())
	c := &Checker{Lab: tui.Options{
		Model: fable, OpenModel: once, Config: start.Config, PresetName: start.Name, Theme: "dark",
		Lessons: tui.Lessons{List: builtin, Start: start.Config, Preset: start.Name},
	}}
	for _, p := range presets.Builtin() {
		c.Lab.Presets = append(c.Lab.Presets, run.Preset{Name: p.Name, About: p.About, Config: p.Config})
	}
	return c, nil
}

// OpenChecker is newChecker with the models that the program opens by name,
// and on the model of that name in place of the lessons' own if it is not
// empty. done closes what was opened.
func OpenChecker(ctx context.Context, model string) (checker *Checker, done func(), err error) {
	var opened []models.Model
	done = func() {
		for _, m := range opened {
			m.Close()
		}
	}
	named := func(name string) (models.Model, error) {
		m, err := open.Model(ctx, name, open.Options{})
		if err == nil {
			opened = append(opened, m)
		}
		return m, err
	}
	checker, err = newChecker(named)
	if err == nil && model != "" {
		checker.Model, err = named(model) // the user's own wish
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return checker, done, nil
}
