package lesson

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine"
	"logitscope/engine/goal"
	"logitscope/models"
	"logitscope/sampling"
)

// A Reading is a lesson being read. It is a value: its methods return another.
type Reading struct {
	Lesson *Lesson
	At     int // index of the task

	Standing bool            // the task's setup is done
	Base     sampling.Config // the settings after it
	Preset   string          // the preset after it

	Met      []bool // by goal: it holds, or has held where it says once
	Done     bool   // all held in one view, or a page was read; it stays so
	Skipped  bool   // the task was left out
	Answered bool
	Answer   goal.Value // what was predicted
	Hints    int        // shown so far
	Tries    int        // times the task was set up
}

// Read returns a reading of l at its first task.
func Read(l *Lesson) Reading { return Reading{Lesson: l}.Begin(0) }

// Task returns the task that is open.
func (r Reading) Task() *Task { return &r.Lesson.Tasks[r.At] }

// Begin opens task i, from 0. Its setup is still to do; see [Reading.Stand].
func (r Reading) Begin(i int) Reading {
	tries := 0
	if i == r.At {
		tries = r.Tries
	}
	return Reading{Lesson: r.Lesson, At: i, Base: r.Base, Preset: r.Preset, Met: make([]bool, len(r.Lesson.Tasks[i].Goals)), Tries: tries + 1}
}

// Stand says that the setup of the task is done, and with which settings.
func (r Reading) Stand(base sampling.Config, preset string) Reading {
	r.Standing, r.Base, r.Preset = true, base, engine.NameOf(preset).Preset
	return r
}

// Scene returns the scene of s with what the reading adds to it: the base, the
// preset and the answer.
func (r Reading) Scene(s goal.State) *goal.Scene {
	s.Base, s.Preset = r.Base, r.Preset
	if r.Answered {
		s.Predicted = r.Answer
	}
	return goal.NewScene(s)
}

// Look judges the goals in a scene of r. Before the setup is done nothing
// counts. Met goals of a task that is done stay met.
func (r Reading) Look(sc *goal.Scene) Reading {
	goals := r.Task().Goals
	if !r.Standing || r.Done || len(goals) == 0 {
		return r
	}
	r.Met = slices.Clone(r.Met)
	for i, g := range goals {
		held := g.Once && r.Met[i]
		r.Met[i] = held || g.Expr.Eval(sc).Holds()
	}
	r.Done = !slices.Contains(r.Met, false)
	r.Skipped = r.Skipped && !r.Done
	return r
}

// Turn completes a page to read; a task with goals it leaves as it is.
func (r Reading) Turn() Reading {
	r.Done = r.Done || len(r.Task().Goals) == 0
	return r
}

// Skip leaves the task out.
func (r Reading) Skip() Reading {
	r.Skipped = !r.Done
	return r
}

// Hint shows the next hint, if there is one.
func (r Reading) Hint() Reading {
	r.Hints = min(r.Hints+1, len(r.Task().Hints))
	return r
}

// Guess takes the reader's answer to the question.
func (r Reading) Guess(v goal.Value) Reading {
	r.Answered, r.Answer = true, v
	return r
}

// Read returns what a person typed as an answer. The error says what may be
// typed.
func (p *Predict) Read(text string) (goal.Value, error) {
	text = strings.TrimSpace(text)
	k := p.Form.Kind()
	switch p.Form {
	case Choice:
		i, err := strconv.Atoi(text)
		if err != nil || i < 1 || i > len(p.Choices) {
			return goal.Value{}, fmt.Errorf("%s: want a number from 1 to %d", goal.Shown(text), len(p.Choices))
		}
		return goal.TextOf(k, p.Choices[i-1].Text.Plain()), nil
	case Token:
		t := spelled(text)
		if t == "" {
			return goal.Value{}, fmt.Errorf("want a token, with ␣ for a blank, as in ␣Paris")
		}
		return goal.TextOf(k, t), nil
	}
	end := strings.LastIndexAny(text, "0123456789.") + 1
	number := strings.TrimSpace(text[:end])
	if p.Form == Number && grouped.MatchString(number) { // as the screen writes it
		number = strings.ReplaceAll(number, ",", "")
	}
	x, err := strconv.ParseFloat(number, 64)
	unit := strings.TrimSpace(text[end:])
	switch {
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0) || unit != "" && spoken[unit] != p.Form:
		return goal.Value{}, fmt.Errorf("%s: want a number, such as 12 or 0.5", goal.Shown(text))
	case p.Form == Percent && (x < 0 || x > 100):
		return goal.Value{}, fmt.Errorf("%s: want a share from 0 to 100%%", goal.Shown(text))
	case p.Form == Percent:
		x /= 100
	}
	return goal.NumberOf(k, x), nil
}

// grouped is a number of several thousand in groups.
var grouped = regexp.MustCompile(`^[1-9][0-9]{0,2}(,[0-9]{3})+$`)

// spoken are the units that may stand after the number of an answer.
var spoken = map[string]Form{"%": Percent, "percent": Percent, "bits": Bits, "bit": Bits}

// Right reports whether an answer is right in a scene, and what the right one
// is. Where the right one is undefined no answer is right.
func (p *Predict) Right(v goal.Value, sc *goal.Scene) (ok bool, right goal.Value) {
	if p.Form == Choice {
		for _, c := range p.Choices {
			if c.Right {
				right = goal.TextOf(goal.Text, c.Text.Plain())
			}
		}
		return v.Defined && v.Str == right.Str, right
	}
	right = p.Answer.Eval(sc)
	right.Kind = p.Form.Kind()
	switch {
	case !v.Defined || !right.Defined:
		return false, right
	case p.Form == Token:
		return v.Str == right.Str, right
	}
	off := math.Abs(v.Num - right.Num)
	return off <= p.Within || goal.Equal(off, p.Within), right
}

// Plain returns p as one line without its expressions' values.
func (p Prose) Plain() string {
	var b strings.Builder
	for i, x := range p {
		if i > 0 {
			b.WriteString(" ")
		}
		for _, s := range x.Spans {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// NotAToken says what a text is of m that is not one token.
func NotAToken(m models.Model, text string) string {
	pieces := goal.Split(m, text)
	if len(pieces) < 2 {
		return fmt.Sprintf(`"%s" is not a token of this model`, goal.Shown(text))
	}
	for i := range pieces {
		pieces[i] = goal.Shown(strings.ReplaceAll(pieces[i], " ", "␣"))
	}
	return fmt.Sprintf(`"%s" is %d tokens of this model: %s`, goal.Shown(text), len(pieces), strings.Join(pieces[:min(len(pieces), 8)], "·"))
}

// Misspelled returns the texts of l that must be one token of m and are not,
// in the order of lines; Why says what they are.
func Misspelled(l *Lesson, m models.Model) []Fault {
	var list []Fault
	for _, q := range l.Quotes {
		if _, ok := goal.Word(m, q.Text); ok {
			continue
		}
		list = append(list, Fault{Lesson: l.ID, Task: q.Task, Line: q.Line, Why: NotAToken(m, q.Text)})
	}
	slices.SortStableFunc(list, func(a, b Fault) int { return a.Line - b.Line })
	return list
}
