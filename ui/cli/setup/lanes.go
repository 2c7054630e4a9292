package setup

import (
	"cmp"
	"context"
	"strings"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/value"
	"logitscope/ui/cli/console"
)

// MaxLanes is how many lanes stand side by side.
const MaxLanes = 4

// A LaneSpec is a lane as the command line describes it.
type LaneSpec struct {
	flag   string // the flag that gave it, "--lane"
	text   string
	Label  string
	Model  string // empty for the shared one
	local  *Local // how it runs here; nil for as the flags say
	Preset sampling.Config
	Set    sampling.Config // the key=value pairs
}

// given is the lane as it was asked for, for errors.
func (l LaneSpec) given() string { return l.flag + " " + l.text }

// Lane reads the SPEC of a flag: a preset, then key=value pairs.
func (s *Flags) Lane(flag, spec string) (LaneSpec, error) {
	parts := splitSpec(spec)
	p, err := FindPreset(s.Sys, parts[0])
	if err != nil {
		return LaneSpec{}, console.Wrong("%s %s: it begins with a preset's name; %v", flag, spec, err)
	}
	l := LaneSpec{flag: flag, text: spec, Label: p.Name}
	l.Preset = p.Config
	for _, kv := range parts[1:] {
		key, value, pair := strings.Cut(kv, "=")
		if pair && key == "model" {
			if l.Model = value; value == "" {
				return l, console.Wrong("%s: model= needs a name", l.given())
			}
			continue
		}
		if how, ok := s.ModelOf(l).How.with(key, value); ok && pair {
			l.local = &how
			continue
		}
		if l.Set, err = setPair(l.Set, kv); err != nil {
			return l, console.Wrongly(console.Flagged(l.given()+":", err))
		}
		if !keepsPreset[key] {
			l.Label = engine.Name{Preset: p.Name, Changed: true}.String()
		}
	}
	if l.local != nil {
		if _, err := l.local.options(); err != nil {
			return l, console.Wrongly(console.Flagged(l.given()+":", err))
		}
	}
	return l, nil
}

// A ModelSource is a model by name, and how it runs if it runs here.
type ModelSource struct {
	Name string
	How  Local
}

// ModelOf returns the model of a lane.
func (s *Flags) ModelOf(l LaneSpec) ModelSource {
	src := ModelSource{cmp.Or(l.Model, s.Model), s.Local}
	if l.local != nil {
		src.How = *l.local
	}
	return src
}

// splitSpec splits a SPEC at the commas that begin a new key=value: a value may
// hold commas itself, as in order=top_k,top_p.
func splitSpec(spec string) []string {
	first, rest, more := strings.Cut(spec, ",")
	parts := []string{strings.TrimSpace(first)}
	if more {
		parts = append(parts, value.SplitSettings(rest)...)
	}
	return parts
}

// PrepareLanes makes a job of every lane: the shared flags under the lane's
// own settings.
func (s *Flags) PrepareLanes(ctx context.Context, specs []LaneSpec) ([]*Job, error) {
	return console.Within(ctx, func() ([]*Job, error) { return s.makeJobs(ctx, specs) })
}

func (s *Flags) makeJobs(ctx context.Context, specs []LaneSpec) ([]*Job, error) {
	first, err := s.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	jobs := make([]*Job, 0, len(specs))
	opened := map[ModelSource]*Job{s.ModelOf(LaneSpec{}): first}
	for _, spec := range specs {
		j, what := *first, s.ModelOf(spec)
		if base, ok := opened[what]; ok {
			j = *base
		} else {
			m, err := s.OpenAs(ctx, spec.given()+": model", what.Name, what.How)
			if err != nil {
				return nil, err
			}
			j = Job{Model: m, Draft: first.Draft, Compiler: s.Compiler(m)}
			if err := s.readPrompt(ctx, &j); err != nil {
				return nil, err
			}
			opened[what] = &j
		}
		cfg, err := s.Configuration(s.Recommended(j.Model), spec)
		if err != nil {
			return nil, err
		}
		if !j.Draft.Active() {
			if j.Draft, err = s.OpenDraft(ctx, j.Model, cfg); err != nil {
				return nil, err
			}
		}
		if j.Settings, err = s.Compile(&j, cfg, spec); err != nil {
			return nil, err
		}
		jobs = append(jobs, &j)
	}
	return jobs, nil
}

// ReleaseAll is release for the models of all jobs.
func ReleaseAll(ctx context.Context, jobs []*Job) {
	if ctx.Err() == nil {
		CloseAll(jobs)
	}
}

// CloseAll closes every model of the jobs once.
func CloseAll(jobs []*Job) {
	closed := map[models.Model]bool{nil: true}
	for _, j := range jobs {
		for _, m := range []models.Model{j.Draft.Model, j.Model} {
			if !closed[m] {
				closed[m] = true
				m.Close()
			}
		}
	}
}
