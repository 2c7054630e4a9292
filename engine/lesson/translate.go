package lesson

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"logitscope/engine/goal"
)

var langForm = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// Translation returns the text of l with another language named in it: what to
// translate word by word. Setups, goals and solutions stay as they are.
func (l *Lesson) Translation(lang string) (string, error) {
	if !langForm.MatchString(lang) {
		return "", fmt.Errorf("%s: want a language as in de or pt-BR", goal.Shown(lang))
	}
	lines := strings.Split(l.Source, "\n")
	line := "lang: " + lang
	if l.langLine > 0 {
		lines[l.langLine-1] = line
	} else {
		lines = slices.Insert(lines, l.IDLine, line)
	}
	return strings.Join(lines, "\n"), nil
}

// Translates compares a translation with the lesson it is of: only words may
// differ. What else does is returned, with lines of the translation.
func (l *Lesson) Translates(of *Lesson) []Fault {
	var list []Fault
	differs := func(task, line int, what string) {
		list = append(list, Fault{Lesson: l.ID, Task: task, Line: line, Why: what + " is not as in the lesson that this translates: only words may differ"})
	}
	if l.Model != of.Model || l.Draft != of.Draft {
		differs(1, l.IDLine, "the model")
	}
	if !maps.Equal(l.Files, of.Files) || !maps.Equal(l.tables, of.tables) {
		differs(1, l.IDLine, "a file or table block")
	}
	if !sameExprs(l.Intro, of.Intro) {
		differs(1, l.IDLine, "an expression before the first task")
	}
	if len(l.Tasks) != len(of.Tasks) {
		differs(1, l.Tasks[0].Line, fmt.Sprintf("the number of tasks, %d and there %d,", len(l.Tasks), len(of.Tasks)))
		return list
	}
	for i := range l.Tasks {
		a, b := &l.Tasks[i], &of.Tasks[i]
		for _, part := range parts {
			if line, same := part.same(a, b); !same {
				differs(i+1, max(line, a.Line), part.name)
			}
		}
	}
	return list
}

// parts are what must not change in a translation.
var parts = []struct {
	name string
	same func(a, b *Task) (line int, same bool)
}{
	{"the setup", sameSetup},
	{"a goal", sameGoals},
	{"the question", samePredict},
	{"the number of hints", func(a, b *Task) (int, bool) { return 0, len(a.Hints) == len(b.Hints) }},
	{"the solution", sameSolution},
	{"an expression in a text", func(a, b *Task) (int, bool) {
		return 0, sameExprs(a.texts(), b.texts())
	}},
}

func sameSetup(a, b *Task) (int, bool) {
	if a.Setup == nil || b.Setup == nil {
		return 0, a.Setup == b.Setup
	}
	x, y := *a.Setup, *b.Setup
	x.Line, y.Line = 0, 0
	return a.Setup.Line, reflect.DeepEqual(x, y)
}

func sameGoals(a, b *Task) (int, bool) {
	for i, g := range a.Goals {
		if i >= len(b.Goals) || g.Once != b.Goals[i].Once || g.Expr.String() != b.Goals[i].Expr.String() {
			return g.Line, false
		}
	}
	return a.GoalLine, len(a.Goals) == len(b.Goals)
}

func samePredict(a, b *Task) (int, bool) {
	x, y := a.Predict, b.Predict
	if x == nil || y == nil {
		return 0, x == y
	}
	answer := func(p *Predict) string {
		if p.Answer == nil {
			return ""
		}
		return p.Answer.String()
	}
	right := func(o Option) bool { return o.Right }
	return x.Line, x.Form == y.Form && x.Within == y.Within && answer(x) == answer(y) && len(x.Choices) == len(y.Choices) &&
		slices.IndexFunc(x.Choices, right) == slices.IndexFunc(y.Choices, right)
}

func sameSolution(a, b *Task) (int, bool) {
	for i, c := range a.Solution {
		if i >= len(b.Solution) || c.Text != b.Solution[i].Text {
			return c.Line, false
		}
	}
	return 0, len(a.Solution) == len(b.Solution)
}

// texts are all texts of a task one after the other.
func (t *Task) texts() Prose {
	all := slices.Concat(t.Text, t.Reveal)
	all = slices.Concat(append([]Prose{all}, t.Hints...)...)
	if p := t.Predict; p != nil {
		all = slices.Concat(all, p.Ask, p.Because)
		for _, c := range p.Choices {
			all = slices.Concat(all, c.Text, c.Why)
		}
	}
	return all
}

// sameExprs reports whether two texts hold the same expressions, in any order:
// languages differ in theirs.
func sameExprs(a, b Prose) bool {
	list := func(p Prose) (s []string) {
		for _, e := range p.exprs() {
			s = append(s, e.String())
		}
		slices.Sort(s)
		return s
	}
	return slices.Equal(list(a), list(b))
}
