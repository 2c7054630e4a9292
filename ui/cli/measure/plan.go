package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"logitscope/engine/bench"
	"logitscope/engine/check"
	"logitscope/models"
	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/setup"
)

// backends are the models of a bench, by the name they were asked for.
type backends map[setup.ModelSource]*bench.Backend

func (b backends) close() {
	closed := map[models.Model]bool{nil: true}
	for _, x := range b {
		for _, m := range []models.Model{x.Draft.Model, x.Model} {
			if !closed[m] {
				closed[m] = true
				m.Close()
			}
		}
	}
}

// benchPlan puts the configs of a bench together. The backends are to be
// closed, also with an error.
func (s bencher) benchPlan(ctx context.Context, f *benchFlags) (*bench.Plan, backends, error) {
	all := backends{}
	p, specs, axes, err := s.sketch(f)
	if err != nil {
		return nil, all, err
	}
	for _, spec := range specs {
		configs, err := s.pointsOf(ctx, all, spec, axes)
		if err != nil {
			return nil, all, err
		}
		for _, c := range configs {
			switch {
			case len(axes) == 0:
				c.Name = spec.Label
			case len(specs) > 1:
				c.Name = spec.Label + ", " + c.Name
			}
			p.Configs = append(p.Configs, c)
		}
	}
	if len(p.Configs) > bench.MaxCells {
		return nil, all, console.Wrong("--grid: more than %d configs", bench.MaxCells)
	}
	uniqueNames(p.Configs)
	p.Seeds, err = seedsFrom(p.Configs[0].Config, f.seeds)
	return p, all, err
}

// sketch is the part of a plan that takes no model, which may take a while to
// open: its checks, its configs as lanes, and the axes of the grid.
func (s bencher) sketch(f *benchFlags) (p *bench.Plan, specs []setup.LaneSpec, axes []bench.Axis, err error) {
	p = &bench.Plan{}
	reader := &check.Reader{AllowCmd: f.allowCmd}
	for _, text := range f.checks {
		list, err := reader.ReadShort(text)
		if err != nil {
			return nil, nil, nil, console.Wrong("--check %v", err)
		}
		p.Checks = append(p.Checks, list...)
	}
	if f.extract != "" {
		if p.Extract, err = check.CompileExtract(f.extract); err != nil {
			return nil, nil, nil, console.Wrong("--%v", err)
		}
	}
	if specs, err = s.benchConfigs(f); err != nil {
		return nil, nil, nil, err
	}
	for _, spec := range f.grid {
		a, err := bench.ParseAxis(spec)
		if err != nil {
			return nil, nil, nil, console.Wrong("--grid %v", err)
		}
		axes = append(axes, a)
	}
	for _, spec := range specs {
		cfg, err := s.Configuration(sampling.Config{}, spec)
		if err == nil {
			err = varied(cfg, axes)
		}
		if err != nil {
			return nil, nil, nil, err
		}
	}
	return p, specs, axes, nil
}

// varied refuses a parameter that a flag sets and an axis varies: no point would
// have that value. An axis of the constraint switches the one that is set.
func varied(cfg sampling.Config, axes []bench.Axis) error {
	for _, a := range axes {
		p, known := param.Lookup(a.Key)
		if set, ok := cfg.Lookup(a.Key); known && p.Kind < param.Text && ok && set.Origin == sampling.FromFlag {
			return console.Wrong("--grid %s: no point has the %s that is set beside it; one of them", a.Key, p.Format(set.Value))
		}
	}
	return nil
}

// uniqueNames numbers the configs of a name that stands twice.
func uniqueNames(configs []bench.Config) {
	seen := map[string]int{}
	for i := range configs {
		name := configs[i].Name
		if seen[name]++; seen[name] > 1 {
			configs[i].Name = fmt.Sprintf("%s (%d)", name, seen[name])
		}
	}
}

// benchConfigs reads the configs as lanes, with their names as labels.
func (s bencher) benchConfigs(f *benchFlags) ([]setup.LaneSpec, error) {
	var out []setup.LaneSpec
	for _, name := range f.configs {
		spec := setup.LaneSpec{Label: name}
		p, err := setup.FindPreset(s.Sys, name)
		if err == nil {
			spec.Preset = p.Config
		} else {
			in, fileErr := s.ImportConfig(name)
			if fileErr != nil {
				return nil, console.Wrong("--config %s: neither a preset (%s) nor a file with settings: %v", name, setup.PresetNames(s.Sys), fileErr)
			}
			spec.Preset, spec.Label = in.Config, filepath.Base(name)
		}
		out = append(out, spec)
	}
	for _, text := range f.lanes {
		spec, err := s.Lane("--lane", text)
		if err != nil {
			return nil, err
		}
		spec.Label = text
		out = append(out, spec)
	}
	if f.recorded != nil {
		return recordedConfigs(f)
	}
	if len(out) == 0 {
		out = append(out, setup.LaneSpec{Label: s.Label()})
	}
	return out, nil
}

// recordedConfigs are the configs of --against.
func recordedConfigs(f *benchFlags) ([]setup.LaneSpec, error) {
	var out []setup.LaneSpec
	for _, c := range f.recorded.Configs {
		in, err := exchange.Import(c.Config, f.against, exchange.Options{})
		if err == nil {
			err = in.Unreadable()
		}
		if err != nil {
			return nil, console.Wrong("--against %v", err)
		}
		out = append(out, setup.LaneSpec{Label: c.Name, Preset: in.Config})
	}
	return out, nil
}

// settle opens the model and makes the settings of a lane, where axes of a grid
// name another model and preset; what they do not name is the lane's.
func (s bencher) settle(ctx context.Context, all backends, lane setup.LaneSpec, model, preset string) (*bench.Backend, sampling.Config, error) {
	lane.Model = cmp.Or(model, lane.Model)
	if preset != "" {
		p, err := setup.FindPreset(s.Sys, preset)
		if err != nil {
			return nil, sampling.Config{}, console.Wrong("--grid preset=%v", err)
		}
		lane.Preset = lane.Preset.Merge(p.Config)
	}
	b, err := s.backend(ctx, all, s.ModelOf(lane))
	if err != nil {
		return nil, sampling.Config{}, err
	}
	cfg, err := s.Configuration(s.Recommended(b.Model), lane)
	if err == nil && !b.Draft.Active() {
		b.Draft, err = s.OpenDraft(ctx, b.Model, cfg)
	}
	if err == nil {
		_, err = s.Compile(&setup.Job{Model: b.Model, Compiler: b.Compiler}, cfg, lane)
	}
	return b, cfg, err
}

// gridError marks what is wrong with a grid as a wrong use.
func gridError(err error) error {
	var usage *console.UsageError
	if errors.As(err, &usage) {
		return err
	}
	return console.Wrong("--grid %v", err)
}

// pointsOf returns the configs of a lane: those of the grid over it.
func (s bencher) pointsOf(ctx context.Context, all backends, spec setup.LaneSpec, axes []bench.Axis) ([]bench.Config, error) {
	settle := func(model, preset string) (*bench.Backend, sampling.Config, error) {
		return s.settle(ctx, all, spec, model, preset)
	}
	b, cfg, err := settle("", "")
	if err != nil {
		return nil, err
	}
	configs, err := bench.Points(b, cfg, axes, settle)
	if err != nil {
		return nil, gridError(err)
	}
	for i := range configs {
		if _, err := configs[i].Backend.Compiler.Settings(configs[i].Config, ""); err != nil {
			return nil, console.Wrong("--grid %s: %v", configs[i].Name, err)
		}
	}
	return configs, nil
}

// backend opens a model once.
func (s bencher) backend(ctx context.Context, all backends, from setup.ModelSource) (*bench.Backend, error) {
	if b := all[from]; b != nil {
		return b, nil
	}
	m, err := console.Within(ctx, func() (models.Model, error) { return s.OpenAs(ctx, "--model", from.Name, from.How) })
	if err != nil {
		return nil, err
	}
	all[from] = &bench.Backend{Name: from.Name, Model: m, Compiler: s.Compiler(m)}
	return all[from], nil
}
