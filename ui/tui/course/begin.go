package course

import (
	"context"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/store"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// A readyMsg brings what a setup needs: models, and the prompt's tokens.
type readyMsg struct {
	round int
	setup *lesson.Setup
	cfg   sampling.Config
	label string
	main  models.Model
	draft engine.Draft
	ids   []int32
	err   error
}

// A settledMsg says that the lanes have done what a setup asked of them.
type settledMsg struct {
	round int
	setup *lesson.Setup
	views []engine.View
	err   error
}

// begin brings task i about: with setup s from settings cfg, or as it stands
// if s is nil.
func (c *Course) begin(i int, s *lesson.Setup, cfg sampling.Config, label string) tea.Cmd {
	c.round++
	c.reading = c.reading.Begin(i)
	c.scene, c.seen, c.err, c.facts = nil, nil, nil, goal.Facts{}
	c.keep(func(t *store.TaskProgress) { t.Tries++ })
	if s == nil {
		return c.stand(c.round)
	}
	c.proposal = s.Steps > 0
	if !s.HasPrompt {
		again := *s
		again.Prompt, again.HasPrompt = c.lanes.All[0].Text, true
		s = &again
	}
	msg := readyMsg{round: c.round, setup: s}
	msg.cfg, msg.label = s.Apply(cfg, label)
	main, wanted, open, ctx := c.lanes.All[0].Model, c.reading.Lesson, c.doors.OpenModel, c.lanes.Ctx
	fixed := c.Fixed
	return func() tea.Msg {
		msg.main = main
		if !fixed {
			msg.main, msg.err = modelOf(wanted, wanted.Model, main, open)
		}
		if msg.err == nil && s.Draft == lesson.On {
			msg.draft, msg.err = draftOf(wanted, msg.main, open)
		}
		if msg.err == nil {
			msg.ids, msg.err = engine.Prompt(ctx, msg.main, s.Prompt)
		}
		return msg
	}
}

// modelOf returns the model that a lesson names: a table of its own, or the
// built-in one, which may be at hand.
func modelOf(l *lesson.Lesson, name lesson.Model, have models.Model, open func(string) (models.Model, error)) (models.Model, error) {
	if name.Table != "" {
		return l.Tables[name.Table], nil
	}
	if have != nil && have.Info().Name == name.Name && have.Info().Server == "" {
		return have, nil
	}
	if open == nil {
		return nil, fmt.Errorf("the model %s cannot be opened here", name.Name)
	}
	return open(name.Name)
}

// draftOf returns what drafts for a lesson: what it names, else the built-in
// draft where that fits, else the text itself.
func draftOf(l *lesson.Lesson, target models.Model, open func(string) (models.Model, error)) (engine.Draft, error) {
	name := l.Draft
	if name.Name == "" {
		name.Name = lesson.FableDraft
	}
	m, err := modelOf(l, name, nil, open)
	if err == nil {
		err = engine.CheckDraft(target, m)
	}
	switch {
	case err == nil:
		return engine.Draft{Model: m}, nil
	case l.Draft.Name == "":
		return engine.Draft{NGram: true}, nil
	}
	return engine.Draft{}, err
}

// Follow takes the answers to what was asked for in the background.
func (c *Course) Follow(h kit.Host, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case readyMsg:
		if msg.round == c.round {
			return c.arrange(h, msg)
		}
	case settledMsg:
		if msg.round == c.round {
			return c.settled(h, msg)
		}
	}
	return nil
}

// fail says why a task cannot begin.
func (c *Course) fail(h kit.Host, err error) tea.Cmd {
	c.err = err
	h.Complain(err.Error())
	return nil
}

// arrange makes the lanes decode what the setup asks for.
func (c *Course) arrange(h kit.Host, msg readyMsg) tea.Cmd {
	if msg.err != nil {
		return c.fail(h, msg.err)
	}
	if err := run.Fits(msg.main, msg.ids); err != nil {
		return c.fail(h, err)
	}
	c.doors.ToLab()
	c.lanes.Alone()
	var cmds []tea.Cmd
	if c.lanes.Lane().Model != msg.main {
		cmds = append(cmds, c.lanes.Exchange(msg.main))
	}
	preset := func(label string) int { return c.lanes.Book.Index(label) }
	l := c.lanes.Lane()
	if msg.setup.Draft != lesson.AsItIs {
		c.lanes.Assist(msg.draft)
	}
	cfg, label := msg.cfg, msg.label
	if specs := msg.setup.Lanes; len(specs) > 0 {
		cfg, label = under(msg.cfg, specs[0]), specs[0].Preset
	}
	if err := l.Restart(msg.setup.Prompt, msg.ids, cfg, preset(label)); err != nil {
		return c.fail(h, err)
	}
	for i, spec := range msg.setup.Lanes {
		if i == 0 {
			continue
		}
		more, cmd := c.lanes.AddEmpty(l, nil)
		cmds = append(cmds, cmd)
		if err := more.Restart(msg.setup.Prompt, msg.ids, under(msg.cfg, spec), preset(spec.Preset)); err != nil {
			return tea.Batch(append(cmds, c.fail(h, err))...)
		}
	}
	if len(msg.setup.Lanes) > 0 {
		c.lanes.Conduct()
		cmds = append(cmds, h.Open(kit.ViewCompare))
	}
	return tea.Batch(append(cmds, c.advance(msg.setup))...)
}

// under returns the settings of a lane: those of its preset with the seed and
// the order of the task.
func under(cfg sampling.Config, s lesson.Spec) sampling.Config {
	out, _ := s.Setup().Apply(cfg, s.Preset)
	return out
}

// advance writes what a setup decodes and waits until it is done.
func (c *Course) advance(s *lesson.Setup) tea.Cmd {
	var wait []chan engine.View
	for _, l := range c.lanes.All {
		n := s.Steps - 1
		if l.Searches() {
			n = s.Steps
		}
		l.Eng.Post(engine.Pace{})
		if n > 0 {
			l.Eng.Post(engine.Advance{N: n})
		}
		done := make(chan engine.View, 1)
		l.Eng.Post(engine.Settle{Done: done})
		wait = append(wait, done)
	}
	round, ctx := c.round, c.lanes.Ctx
	return func() tea.Msg {
		msg := settledMsg{round: round, setup: s}
		for _, done := range wait {
			select {
			case v := <-done:
				msg.views = append(msg.views, v)
			case <-ctx.Done():
				msg.err = context.Cause(ctx)
				return msg
			}
		}
		return msg
	}
}

// settled ends a setup: it marks, pins and shows what the task asks for.
func (c *Course) settled(h kit.Host, msg settledMsg) tea.Cmd {
	if msg.err != nil {
		return c.fail(h, msg.err)
	}
	for i, l := range c.lanes.All {
		if i < len(msg.views) {
			l.Take(msg.views[i])
		}
	}
	if v := c.lanes.All[0].View; v.Phase == engine.Failed {
		return c.fail(h, v.Err)
	}
	if p := msg.setup.Point; p != "" {
		c.lanes.SelectKnob(p)
	}
	c.lanes.Repace()
	var cmd tea.Cmd
	if v := kit.ViewID(msg.setup.View); v != "" && v != kit.ViewLab && !slices.Contains(c.doors.Names(), v) {
		cmd = h.Open(v)
	}
	return tea.Batch(cmd, c.stand(msg.round))
}
