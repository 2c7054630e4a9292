package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/viz"
)

// A lane is one run as the screen sees it: the engine's lane, the newest view
// of it, and what the user is doing with it.
type lane struct {
	id    int
	eng   *engine.Lane
	model models.Model
	comp  *engine.Compiler
	book  *presetBook // the presets there are
	stop  context.CancelFunc
	done  chan error // gets what Run returned
	ended error      // and keeps it, nil while it runs

	view     engine.View
	settings *engine.Settings // the newest ones posted
	config   sampling.Config
	preset   int // index in Options.Presets, -1 for none

	text   string  // the prompt as typed
	prompt []int32 // and as tokens

	look lookback

	base   *engine.Step // the proposal as it first was, for what-if and stable rows
	rebase bool         // base is chosen anew once the newest settings are in force
	scale  float64      // what a full bar stands for while this step is shown
	row    int32        // the token under the cursor
	pins   []int32

	undo, redo []snapshot
	branches   []branch // texts that were left
	born       int      // which text this is, as branch.born
	births     int      // texts there were besides the first
	name       string   // as branch.name
}

// A lookback is the step of the past that the screen shows, and what the user
// tries on it. Its zero value shows the newest step.
type lookback struct {
	at    int              // index of the step, from 1; 0 is the newest
	under *engine.Settings // other settings tried on it, nil for none
	tried *engine.Step     // what it became under them
}

// A snapshot is what undo goes back to.
type snapshot struct {
	what   string // "temperature 0.70 → 0.90"
	config sampling.Config
	preset int
	pins   []int32
	branch int // index in branches to return to, -1 for none
	taken  int // index in branches to take out or put back, -1 for none
}

// newLane returns a lane on m that decodes with cfg once it is given a
// prompt.
func newLane(id int, m models.Model, opt engine.Options, cfg sampling.Config, preset int, book *presetBook) *lane {
	comp := engine.NewCompiler(m)
	comp.Presets = book.find
	return &lane{
		id: id, model: m, book: book, done: make(chan error, 1), comp: comp, eng: engine.NewLane(id, m, opt),
		config: cfg, preset: preset, row: models.NoToken, view: engine.View{StopAt: -1},
	}
}

// run drives the engine's lane until ctx ends and returns its error.
func (l *lane) run(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p, stack()}
		}
	}()
	return l.eng.Run(ctx)
}

func (l *lane) vocab() models.Vocab { return l.model.Vocab() }

// searched returns how many steps the lane's search has taken, and false where
// it runs none. A search draws no token and keeps no [engine.Step].
func (l *lane) searched() (steps int, ok bool) {
	switch v := l.view; {
	case v.Beam != nil:
		return len(v.Beam.Steps), true
	case v.Contrastive != nil:
		return len(v.Contrastive.Steps), true
	}
	return 0, false
}

// step returns the step on the screen, nil before the first.
func (l *lane) step() *engine.Step {
	switch {
	case l.look.at > 0 && l.look.tried != nil:
		return l.look.tried
	case l.look.at > 0:
		return l.committed(l.look.at)
	case l.view.Next != nil:
		return l.view.Next
	case len(l.view.Steps) > 0:
		return l.view.Steps[len(l.view.Steps)-1]
	}
	return nil
}

// committed returns step i, from 1, with its row recomputed if there is one.
func (l *lane) committed(i int) *engine.Step {
	if v := l.view; v.Looked != nil && v.Looked.Index == i {
		return v.Looked
	}
	if i < 1 || i > len(l.view.Steps) {
		return nil
	}
	return l.view.Steps[i-1]
}

// before returns the step on the screen as it was before the user tried other
// settings on it, or nil if they did not.
func (l *lane) before() *engine.Step {
	s := l.step()
	if s == nil {
		return nil
	}
	if l.look.at > 0 {
		if l.look.tried != nil {
			return l.committed(l.look.at)
		}
		return nil
	}
	if b := l.base; b != nil && l.view.Phase == engine.Paused && b.Pos == s.Pos && b.Settings != s.Settings && !sameValues(b.Settings.Config(), s.Settings.Config()) {
		return b
	}
	return nil
}

// reference returns the step that fixes which rows are shown: the one on the
// screen as it first was.
func (l *lane) reference() *engine.Step {
	if b := l.before(); b != nil {
		return b
	}
	return l.step()
}

// shownSettings are the settings of the step on the screen.
func (l *lane) shownSettings() *engine.Settings {
	if l.look.at > 0 {
		if l.look.under != nil {
			return l.look.under
		}
		if s := l.committed(l.look.at); s != nil {
			return s.Settings
		}
	}
	return l.settings
}

// shownConfig is the configuration the controls show.
func (l *lane) shownConfig() sampling.Config {
	if l.look.at > 0 {
		if s := l.shownSettings(); s != nil {
			return s.Config()
		}
	}
	return l.config
}

// shownPreset is the preset that the step on the screen was made under, or
// was tried under; -1 for none.
func (l *lane) shownPreset() int {
	s := l.shownSettings()
	if l.look.at == 0 || s == nil {
		return l.preset
	}
	for i, p := range l.book.presets() {
		if p.Name == strings.TrimSuffix(s.Label, "*") {
			return i
		}
	}
	return -1
}

// label names a configuration: the preset, with a star once it was changed.
func (l *lane) label(cfg sampling.Config, preset int) string {
	presets := l.book.presets()
	if preset < 0 || preset >= len(presets) {
		return "custom"
	}
	p := presets[preset]
	for _, key := range cfg.Keys() {
		s, _ := cfg.Lookup(key)
		if s.Origin == sampling.FromYou && isTuning(key) && !sameSetting(cfg, p.Config, key) {
			return p.Name + "*"
		}
	}
	return p.Name
}

// sameSetting reports whether a and b have the same value of key in force.
func sameSetting(a, b sampling.Config, key string) bool {
	p, ok := sampling.Lookup(key)
	return ok && p.Format(a.Value(key)) == p.Format(b.Value(key))
}

// sameValues reports whether a and b have the same values, whoever set them.
func sameValues(a, b sampling.Config) bool {
	if a.Equal(b) {
		return true
	}
	for _, p := range sampling.Params() {
		if !sameSetting(a, b, p.Key) {
			return false
		}
	}
	return true
}

// isTuning reports whether key shapes the distribution, so that a preset
// decides it; seed, order, limits and strategies stay when a preset is taken.
func isTuning(key string) bool {
	p, ok := sampling.Lookup(key)
	if !ok {
		return false
	}
	switch key {
	case "seed", "order", "logit_bias", "bad_words":
		return false
	}
	return p.Group == sampling.Sampling || p.Group == sampling.Penalty || key == "do_sample"
}

// withPreset returns cfg with everything a preset decides taken from p. A
// search without chance stays one: presets say how tokens are drawn, and it
// draws none.
func withPreset(cfg sampling.Config, p Preset) sampling.Config {
	out := cfg
	for _, key := range cfg.Keys() {
		if isTuning(key) || key == "max_new_tokens" {
			out = out.Without(key)
		}
	}
	out = out.Merge(p.Config)
	if s, ok := cfg.Lookup("do_sample"); ok && s.Value == false && cfg.Int("num_beams") > 1 {
		out = out.MustWith("do_sample", false, s.Origin)
	}
	return out
}

// compile returns settings for cfg, or the reason why there are none in one
// line.
func (l *lane) compile(cfg sampling.Config, preset int) (*engine.Settings, error) {
	s, err := l.comp.Settings(cfg, l.label(cfg, preset))
	if err != nil {
		return nil, fmt.Errorf("%s", viz.FirstLine(err.Error()))
	}
	return s, nil
}

// running reports whether the lane commits tokens by itself.
func (l *lane) running() bool { return l.view.Phase == engine.Running }

// input returns what the step on the screen was sampled from.
func (l *lane) input() (sampling.Input, error) {
	s := l.step()
	if s == nil {
		return sampling.Input{}, fmt.Errorf("no step yet")
	}
	return l.view.Input(s.Index - 1)
}

// piece returns the printable label of token id.
func (l *lane) piece(id int32, ascii bool) string { return label(l.vocab(), id, ascii) }

// shownLabel names the settings of the step on the screen.
func (l *lane) shownLabel() string {
	if s := l.shownSettings(); s != nil && l.look.at > 0 {
		return s.Label
	}
	return l.label(l.config, l.preset)
}

// A panicError is a panic in a lane's goroutine.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return "internal error: " + fmt.Sprint(e.value) }

func stack() []byte { return debug.Stack() }
