package setup

import (
	"fmt"
	"strings"

	"logitscope/engine"
	"logitscope/engine/goal"
	"logitscope/ui/cli/console"
	"logitscope/ui/tui/course"
)

// An Until is an expression that stops a run at the first step where it holds.
// A nil Until never does.
type Until struct {
	expr  *goal.Expr
	watch *goal.Watch
	at    int // tokens, or steps of a search, with which the run ends; 0 until it is known
}

// ParseUntil reads the expression of --until.
func ParseUntil(text string) (*Until, error) {
	if strings.TrimSpace(text) == "" {
		return nil, console.Wrong("--until: empty; want yes or no, as in raw_bits > 4")
	}
	e, err := course.Condition(text)
	if err != nil {
		return nil, console.Wrong("--until %w", err)
	}
	return &Until{expr: e}, nil
}

// Bind makes the expression one about the text of j. The error names a text in
// quotes that is not a token of the model.
func (u *Until) Bind(j *Job) error {
	if u == nil {
		return nil
	}
	if j.Model.Info().Caps.ObserveOnly {
		return console.Wrong("--until: the server of %s chooses the tokens itself and cannot be stopped", j.Model.Info().Name)
	}
	words, err := course.TokensOf(u.expr, j.Model)
	if err != nil {
		return console.Wrong("--until %w", err)
	}
	u.watch = goal.NewWatch(u.expr, goal.Lane{Model: j.Model, Compile: j.Compiler.Settings, Words: words}, goal.State{Base: j.Settings.Config(), Preset: j.Settings.Label})
	return nil
}

// post makes lane stop, and returns what tells that it did.
func (u *Until) post(lane *engine.Lane) <-chan engine.View {
	if u == nil {
		return nil
	}
	held := make(chan engine.View, 1)
	lane.Post(engine.Until{Holds: u.watch.Holds, Done: held})
	return held
}

// met reports whether the expression held.
func (u *Until) met() bool { return u != nil && u.at > 0 }

// stops reports whether v is the run's last view: once the expression held, and
// the token with which it did is written.
func (u *Until) stops(held <-chan engine.View, lane *engine.Lane, v *engine.View) bool {
	select {
	case h, ok := <-held:
		if !ok {
			break
		}
		u.at = max(stepsOf(h), 1)
		if h.Next != nil {
			u.at = len(h.Steps) + 1
			lane.Post(engine.Advance{N: 1})
		}
	default:
	}
	return u.met() && stepsOf(*v) >= u.at
}

func stepsOf(v engine.View) int {
	if v.Beam != nil {
		return len(v.Beam.Steps)
	}
	return len(v.Steps)
}

// finish ends a run that was stopped.
func (u *Until) finish(out Sink, v engine.View, tell func(engine.View)) error {
	if v.Phase != engine.Done {
		v.Phase, v.Reason = engine.Done, engine.Held
	}
	if m, ok := out.(Marker); ok {
		if err := m.Mark(len(v.Prompt)+u.at-1, u.expr.String()); err != nil {
			return err
		}
	}
	return finish(out, v, tell)
}

// A Marker is a sink that keeps marks: words at a position of the text.
type Marker interface {
	Mark(pos int, text string) error
}

// Words says where the run stopped and what became true; empty if it did not.
func (u *Until) Words() string {
	if !u.met() {
		return ""
	}
	var list []string
	for _, leaf := range u.watch.Became() {
		list = append(list, course.Became(leaf, false))
	}
	return fmt.Sprintf("stopped at step %d: %s", u.at, strings.Join(list, "; "))
}
