package decode

import (
	"bufio"
	"context"
	"fmt"
	"runtime"

	"logitscope/engine"
	"logitscope/engine/compare"
	"logitscope/engine/record"
	"logitscope/sampling"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/laws"
	"logitscope/ui/cli/setup"
)

// A comparison writes several lanes' records in an order that depends on
// nothing but the records: all lanes' first steps, all lanes' second steps,
// and so on.
type comparison struct {
	jobs    []*setup.Job
	out     *record.Writer
	sinks   []setup.Sink
	views   []engine.View
	written int // steps written of every lane that has so many
	read    *readings
}

func newComparison(jobs []*setup.Job, out *bufio.Writer, top int, rec *setup.Recording) (*comparison, error) {
	c := &comparison{jobs: jobs, out: record.NewWriter(out, jobs[0].Model, record.Options{}), views: make([]engine.View, len(jobs)), read: newReadings(jobs)}
	for i, j := range jobs {
		n := i + 1
		k, err := rec.Beside(setup.NewJSONSink(out, j, record.Options{Lane: &n, Top: top}), j, &n)
		if err != nil {
			return nil, err
		}
		c.sinks = append(c.sinks, k)
	}
	return c, nil
}

func (c *comparison) run(ctx context.Context) error {
	gate := engine.NewGate(max(1, runtime.GOMAXPROCS(0)-1))
	lanes := make([]*engine.Lane, len(c.jobs))
	for i, j := range c.jobs {
		lanes[i] = engine.NewLane(i, j.Model, engine.Options{Draft: j.Draft, Gate: gate, LogitsBudget: 512 << 20})
		lanes[i].Post(engine.Start{Text: j.Text, Prompt: j.Prompt, Settings: j.Settings, Turns: j.Turns})
		if err := c.sinks[i].Begin(); err != nil {
			return err
		}
	}
	group := engine.NewGroup(lanes...)
	group.SetInStep(false)
	group.Advance(setup.Batch)
	wait, stop := setup.Background(ctx, group.Run)
	defer stop()
	for {
		select {
		case views, ok := <-group.Views():
			if !ok {
				return wait()
			}
			c.views = views
			over, err := c.write()
			if err != nil {
				return err
			}
			if over {
				if err := c.read.readAcross(ctx, views); err != nil && ctx.Err() == nil {
					return err
				}
				return c.End()
			}
			for i, v := range views {
				if v.Phase == engine.Paused && len(v.Steps) < c.written+setup.Batch {
					group.PostTo(i, engine.Advance{N: setup.Batch})
				}
			}
		case <-ctx.Done():
			if err := c.End(); err != nil {
				return err
			}
			return &console.ExitError{Code: console.ExitInterrupted}
		}
	}
}

// write writes the steps that every lane has made or will never make. It
// reports whether all lanes have ended.
func (c *comparison) write() (over bool, err error) {
	for {
		any := false
		for _, v := range c.views {
			ended := v.Phase == engine.Done || v.Phase == engine.Failed
			if len(v.Steps) <= c.written && !ended {
				return false, nil // this lane's next step is still to come
			}
			any = any || len(v.Steps) > c.written
		}
		if !any {
			return true, nil
		}
		for i, v := range c.views {
			if len(v.Steps) > c.written {
				cut := v
				cut.Steps = v.Steps[:c.written+1]
				if err := c.sinks[i].View(cut); err != nil {
					return false, err
				}
			}
		}
		c.read.read(c.views, c.written)
		c.written++
	}
}

// summary is the last line of a comparison.
type summary struct {
	Type      string        `json:"type"` // "summary"
	Lanes     []laneSummary `json:"lanes"`
	Parts     []parting     `json:"divergence"`       // of each lane from the first
	First     *int          `json:"first_divergence"` // step, from 1; null if the texts agree
	Distances []reading     `json:"distances"`        // each text under each other lane's law
}

type laneSummary struct {
	Lane   int               `json:"lane"`
	Label  string            `json:"label"`
	Model  string            `json:"model"`
	Differ map[string][2]any `json:"differs,omitempty"` // key: first lane's value, this lane's
	compare.Stats
	Own    laws.Cross `json:"under_own"` // its text under its own settings
	Reason string     `json:"reason"`
}

type parting struct {
	Lane   int      `json:"lane"`
	Step   *int     `json:"step"` // from 1; null if the texts agree
	Pos    *int     `json:"pos,omitempty"`
	Tokens []int32  `json:"tokens,omitempty"`
	U      *float64 `json:"u,omitempty"`     // none under luck race
	Stage  string   `json:"stage,omitempty"` // that removed the one's token in the other lane
}

func (c *comparison) End() error {
	s := summary{Type: "summary", Lanes: []laneSummary{}, Parts: []parting{}}
	for i, v := range c.views {
		if v.Beam != nil { // its steps are not those of a text
			if err := c.sinks[i].View(v); err != nil {
				return err
			}
		}
		if err := c.sinks[i].End(v); err != nil {
			return err
		}
		l := laneSummary{
			Lane: i + 1, Label: c.jobs[i].Settings.Label, Model: c.jobs[i].Model.Info().Name,
			Stats: compare.Measure(v.Steps), Own: c.read.own(i), Reason: record.NewEnd(v, false).Reason,
		}
		a, b := c.jobs[0].Settings.Config(), c.jobs[i].Settings.Config()
		for _, key := range a.Differences(b) {
			if l.Differ == nil {
				l.Differ = map[string][2]any{}
			}
			l.Differ[key] = [2]any{a.Value(key), b.Value(key)}
		}
		s.Lanes = append(s.Lanes, l)
		if i > 0 {
			s.part(i, c.views[0], v)
		}
	}
	s.Distances = c.read.list()
	if err := c.out.Line(s); err != nil {
		return err
	}
	for i, v := range c.views {
		if v.Phase == engine.Failed {
			return fmt.Errorf("lane %d: %w", i+1, v.Err)
		}
	}
	return nil
}

// part adds where lane i parts from the first.
func (s *summary) part(i int, a, b engine.View) {
	p := parting{Lane: i + 1}
	a.Next, b.Next = nil, nil
	if k, ok := compare.Differ(a, b); ok {
		n, x, y := k+1, a.Steps[k], b.Steps[k]
		p.Step, p.Pos, p.Tokens = &n, &x.Pos, []int32{x.Token, y.Token}
		if x.Trace != nil && !x.Trace.Race.Ran {
			p.U = &x.Trace.U
		}
		p.Stage = cutter(y, x.Token)
		if p.Stage == "" {
			p.Stage = cutter(x, y.Token)
		}
		if s.First == nil || n < *s.First {
			s.First = &n
		}
	}
	s.Parts = append(s.Parts, p)
}

// cutter names the stage that removed token id at s, if one did.
func cutter(s *engine.Step, id int32) string {
	if s.Trace == nil {
		return ""
	}
	if r := s.Trace.Row(id); r != nil && r.Cut != sampling.NoStage {
		return s.Trace.Stages()[r.Cut].Name
	}
	return ""
}
