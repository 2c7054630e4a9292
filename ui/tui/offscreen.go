package tui

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/ui/tui/run"
	"logitscope/ui/tui/script"
	"logitscope/viz"
)

// An Offscreen is a lab without a terminal: keys go in, frames come out, and
// whatever was asked for is done before the next key. What depends on the
// clock, such as speeds, is left out, so that the same keys give the same
// frame. It belongs to one goroutine.
type Offscreen struct {
	m      *Model
	player *script.Player
	ctx    context.Context
	cancel context.CancelFunc
}

// NewOffscreen opens a lab of w by h cells. The caller must close it.
func NewOffscreen(ctx context.Context, opt Options, w, h int) (*Offscreen, error) {
	keys := newKeymap(actions())
	opt.Clock = func() time.Time { return time.Time{} }
	door := doorOf(opt)
	opt.Problems = append(opt.Problems, loadKeys(keys, door)...)
	o := &Offscreen{}
	o.ctx, o.cancel = context.WithCancel(ctx)
	o.m = newModel(o.ctx, opt, door, viz.NewPalette(opt.Theme != "light", viz.TrueColor, opt.ASCII), keys)
	o.m.Pace = len(run.Paces) - 1 // nobody watches
	o.player = &script.Player{Ctx: o.ctx, Screen: o.m, Steady: timeless}
	o.player.Send(tea.WindowSizeMsg{Width: w, Height: h})
	for _, l := range o.m.All {
		o.m.StartLane(l) // its views are asked for by settle
	}
	for _, cmd := range o.m.begin() {
		o.player.Do(cmd)
	}
	return o, o.settle()
}

// Close stops the lanes.
func (o *Offscreen) Close() {
	o.cancel()
	o.m.End()
}

// timeless takes out of a view what depends on the clock.
func timeless(v *engine.View) {
	v.Prefill.Took, v.Decode.Took, v.Rate = 0, 0, 0
}

// settle waits until every lane has done what it was asked for, and what a view
// asks for in answer.
func (o *Offscreen) settle() error {
	for range 2 {
		if err := o.player.Settle(); err != nil {
			return err
		}
		o.m.seatLesson()
	}
	return nil
}

// Press presses keys, by the names that a keys file has for them, one after
// the other.
func (o *Offscreen) Press(names ...string) error {
	for _, n := range names {
		k, ok := script.Key(n)
		if !ok {
			return fmt.Errorf("%s: no such key", n)
		}
		o.player.Send(k)
		if err := o.settle(); err != nil {
			return err
		}
	}
	return nil
}

// Go shows the first k tokens of a replay; see [Options.Replay].
func (o *Offscreen) Go(k int) error {
	o.m.player.Go(o.m, k)
	return o.settle()
}

// Frame returns the screen.
func (o *Offscreen) Frame() *viz.Canvas { return o.m.draw() }

// ANSI returns the screen as a terminal gets it, one line a row.
func (o *Offscreen) ANSI() string { return o.m.draw().Render(o.m.pal) }

// Err returns why the lab was ended from outside, nil if it was not.
func (o *Offscreen) Err() error { return o.ctx.Err() }

// Lesson returns the reading of the lesson that is open, with its newest scene,
// nil before the task stands. The error says why it does not.
func (o *Offscreen) Lesson() (lesson.Reading, *goal.Scene, error) {
	r, _ := o.m.course.Reading()
	return r, o.m.course.Scene(), o.m.course.Err()
}

// Read opens a lesson at task i, from 0.
func (o *Offscreen) Read(l *lesson.Lesson, i int) error {
	o.player.Do(o.m.tutor.Open(l, i))
	return o.settle()
}

// Task goes on to task i of the lesson, from 0.
func (o *Offscreen) Task(i int) error {
	o.player.Do(o.m.course.Next(i))
	return o.settle()
}

// Again sets the task up again.
func (o *Offscreen) Again() error {
	o.player.Do(o.m.course.Again())
	return o.settle()
}

// Guess answers the question of the task, Hint shows its next hint, Skip leaves
// it out, and Turn completes it where it is a page to read.
func (o *Offscreen) Guess(v goal.Value) {
	o.m.course.Change(func(r lesson.Reading) lesson.Reading { return r.Guess(v) })
}

func (o *Offscreen) Hint() { o.m.course.Change(lesson.Reading.Hint) }
func (o *Offscreen) Skip() { o.m.course.Change(lesson.Reading.Skip) }
func (o *Offscreen) Turn() { o.m.course.Change(lesson.Reading.Turn) }

// Play does one line of a solution. Its keys are the lab's, not the lesson's.
func (o *Offscreen) Play(c lesson.Command) error {
	o.m.tutor.Focused = false
	switch {
	case c.Keys != nil:
		return o.Press(c.Keys...)
	case c.Type != "":
		o.player.Type(c.Type)
	default:
		if err := o.m.course.Act(o.m, c); err != nil {
			return err
		}
	}
	return o.settle()
}
