package engine

import (
	"fmt"
	"sync"

	"logitscope/engine/schedule"
	"logitscope/sampling"
)

// A timetable is a schedule and the settings that its rules make.
type timetable struct {
	*schedule.Schedule
	base    *Settings // those the schedule belongs to
	compile func(cfg sampling.Config, label string) (*Settings, error)

	mu   sync.Mutex
	made map[uint64]*Settings // by the rules that hold
}

// timetable compiles the schedule of base, nil if it has none. Every rule is
// tried alone and all together with those before it.
func (c *Compiler) timetable(base *Settings) (*timetable, error) {
	rules, err := parseSchedule(base.Config(), c.Presets, c.vocab)
	if rules == nil || err != nil {
		return nil, err
	}
	s := &timetable{Schedule: rules, base: base, compile: c.plain, made: make(map[uint64]*Settings)}
	for i := range rules.Len() {
		for _, set := range []uint64{1 << i, 1<<(i+1) - 1} {
			if _, err := s.settings(set); err != nil {
				return nil, rules.Wrap(i, err)
			}
		}
	}
	return s, nil
}

// parseSchedule reads the schedule of cfg, nil if it has none.
func parseSchedule(cfg sampling.Config, presets schedule.Presets, v schedule.Vocab) (*schedule.Schedule, error) {
	if s := strategyOf(cfg); s != drawing && len(cfg.Strings("schedule")) > 0 {
		return nil, fmt.Errorf("schedule: %s keeps one set of settings; without a schedule, or with num_beams 1 and penalty_alpha 0", s)
	}
	return schedule.Parse(cfg, presets, v)
}

// CheckSchedule reports what is wrong with the schedule of cfg, without a
// model: a rule that cannot be read, or settings of one that cfg's order
// refuses. presets finds the preset of a name.
func CheckSchedule(cfg sampling.Config, presets func(string) (sampling.Config, error)) error {
	_, err := parseSchedule(cfg, presets, nil)
	return err
}

// rules returns the schedule, nil if there is none.
func (t *timetable) rules() *schedule.Schedule {
	if t == nil {
		return nil
	}
	return t.Schedule
}

// before returns the progress before the step of in.
func (t *timetable) before(in stepInput) schedule.Progress {
	var last schedule.Progress
	if in.before != nil {
		last = in.before.progress
	}
	return t.rules().Before(last, in.output)
}

// settings returns those under which the rules in set hold.
func (t *timetable) settings(set uint64) (*Settings, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x, ok := t.made[set]; ok {
		return x, nil
	}
	cfg, label, changed := t.Over(set, t.base.Config(), t.base.Label)
	if changed {
		label = Name{NameOf(label).Preset, true}.String()
	}
	x, err := t.compile(cfg, label)
	if err != nil {
		return nil, err
	}
	x.base, x.holding = t.base, t.Sources(set)
	t.made[set] = x
	return x, nil
}

// under returns the settings in force for the token after p.
func (s *Settings) under(p schedule.Progress) (*Settings, error) {
	set := p.Holding()
	if s.schedule == nil || set == 0 {
		return s, nil
	}
	return s.schedule.settings(set)
}

// after returns the settings in force after output, and the state of their
// constraint there. steps are those that wrote the first tokens of output.
func (s *Settings) after(steps []*Step, output []int32) (*Settings, constraintState, error) {
	last := previous(steps, len(steps))
	p := s.schedule.before(stepInput{output: output[:len(steps)], before: last})
	var c constraintState
	if last != nil {
		c = last.after
	}
	for i := len(steps); ; i++ {
		set, err := s.under(p)
		if err != nil {
			return nil, c, err
		}
		c = set.constraint.behind(c)
		if i == len(output) {
			return set, c, nil
		}
		c, p = c.accept(output[i], 0), p.Accept(output[i])
	}
}

// maskAfter returns what the constraint allows after output, where left
// tokens may still come; steps are as for after. A nil mask allows everything.
func (s *Settings) maskAfter(steps []*Step, output []int32, left int) (bits []uint64, end bool, err error) {
	_, c, err := s.after(steps, output)
	if err != nil || c.of == nil || c.broken {
		return nil, true, err
	}
	bits = make([]uint64, c.of.matcher.Vocab().Words())
	info := c.of.matcher.MaskWithin(c.state, bits, left)
	return bits, info.EOSAllowed, nil
}

// pipelineAfter returns the pipeline in force after output; steps are as for
// after.
func (s *Settings) pipelineAfter(steps []*Step, output []int32) (*sampling.Pipeline, error) {
	set, _, err := s.after(steps, output)
	if err != nil {
		return nil, err
	}
	return set.Pipeline, nil
}

// Scheduled returns the rules of the schedule that are in force in s, the
// settings of a step. A value that one of them sets does not follow the
// settings the schedule belongs to.
func (s *Settings) Scheduled() []string { return s.holding }

// Base returns the settings that a schedule made s from, or s itself: what
// the lane was told.
func (s *Settings) Base() *Settings {
	if s.base != nil {
		return s.base
	}
	return s
}
