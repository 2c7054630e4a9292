package run

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"logitscope/engine"
	"logitscope/engine/loops"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/viz"
)

// A Lane is one run as the screen sees it: the engine's lane, the newest view
// of it, and what the user is doing with it.
type Lane struct {
	ID    int
	Eng   *engine.Lane
	Model models.Model
	Comp  *engine.Compiler
	book  *Book // the presets there are
	Stop  context.CancelFunc
	Done  chan error // gets what Run returned
	Ended error      // and keeps it, nil while it runs

	View     engine.View
	Settings *engine.Settings // the newest ones posted
	Config   sampling.Config
	Preset   int // index in Options.Presets, -1 for none

	Text   string             // the prompt as typed
	Prompt []int32            // and as tokens
	Talk   *chat.Conversation // that Text renders; nil for a plain text
	turns  []models.Message   // for a server that wraps them itself
	ends   chat.Ends          // of the model's turn in it

	Look Lookback
	Cues map[int]string // words at tokens, by the position in the text; replaced, never changed

	Base   *engine.Step // the proposal as it first was, for what-if and stable rows
	rebase bool         // base is chosen anew once the newest settings are in force
	Scale  float64      // what a full bar stands for while this step is shown
	Row    int32        // the token under the cursor
	Pins   []int32

	Rescued int // steps that were saved after a panic, plus one; 0 for none

	Loop   *loops.Loop  // that the text written ends in, nil for none
	looped *engine.Step // the last step that was looked at for it

	Undo, Redo []Snapshot
	Branches   []branch // texts that were left
	Born       int      // which text this is, as branch.born
	births     int      // texts there were besides the first
	Forgotten  int      // texts that were left and are no longer kept
	Name       string   // as branch.name
}

// A Lookback is the step of the past that the screen shows, and what the user
// tries on it. Its zero value shows the newest step.
type Lookback struct {
	At    int              // index of the step, from 1; 0 is the newest
	Under *engine.Settings // other settings tried on it, nil for none
	Tried *engine.Step     // what it became under them
}

// A Snapshot is what undo goes back to.
type Snapshot struct {
	what   string // "temperature 0.70 → 0.90"
	config sampling.Config
	Preset int
	Pins   []int32
	Branch int // index in branches to return to, -1 for none
	taken  int // index in branches to take out or put back, -1 for none

	key string    // the setting whose quick changes it joins, empty for none
	at  time.Time // when the last of them was made
}

// NewLane returns a lane on m that decodes with cfg once it is given a
// prompt.
func NewLane(id int, m models.Model, opt engine.Options, cfg sampling.Config, preset int, book *Book) *Lane {
	comp := engine.NewCompiler(m)
	comp.Presets = book.find
	return &Lane{
		ID: id, Model: m, book: book, Done: make(chan error, 1), Comp: comp, Eng: engine.NewLane(id, m, opt),
		Config: cfg, Preset: preset, Row: models.NoToken, View: engine.View{StopAt: -1},
	}
}

// run drives the engine's lane until ctx ends and returns its error.
func (l *Lane) run(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{p, Stack()}
		}
	}()
	return l.Eng.Run(ctx)
}

// Vocab is the vocabulary of the lane's model.
func (l *Lane) Vocab() models.Vocab { return l.Model.Vocab() }

// Searched returns how many steps the lane's search has taken, and false where
// it runs none. A search draws no token and keeps no [engine.Step].
func (l *Lane) Searched() (steps int, ok bool) {
	switch v := l.View; {
	case v.Beam != nil:
		return len(v.Beam.Steps), true
	case v.Contrastive != nil:
		return len(v.Contrastive.Steps), true
	}
	return 0, false
}

// Step returns the step on the screen, nil before the first.
func (l *Lane) Step() *engine.Step {
	switch {
	case l.Look.At > 0 && l.Look.Tried != nil:
		return l.Look.Tried
	case l.Look.At > 0:
		return l.Committed(l.Look.At)
	case l.View.Next != nil:
		return l.View.Next
	case len(l.View.Steps) > 0:
		return l.View.Steps[len(l.View.Steps)-1]
	}
	return nil
}

// Committed returns step i, from 1, with its row recomputed if there is one.
func (l *Lane) Committed(i int) *engine.Step {
	if v := l.View; v.Looked != nil && v.Looked.Index == i {
		return v.Looked
	}
	if i < 1 || i > len(l.View.Steps) {
		return nil
	}
	return l.View.Steps[i-1]
}

// Before returns the step on the screen as it was before the user tried other
// settings on it, or nil if they did not.
func (l *Lane) Before() *engine.Step {
	s := l.Step()
	if s == nil {
		return nil
	}
	if l.Look.At > 0 {
		if l.Look.Tried != nil {
			return l.Committed(l.Look.At)
		}
		return nil
	}
	if b := l.Base; b != nil && l.View.Phase == engine.Paused && b.Pos == s.Pos && b.Settings != s.Settings && !sameValues(b.Settings.Config(), s.Settings.Config()) {
		return b
	}
	return nil
}

// reference returns the step that fixes which rows are shown: the one on the
// screen as it first was.
func (l *Lane) reference() *engine.Step {
	if b := l.Before(); b != nil {
		return b
	}
	return l.Step()
}

// ShownSettings are the settings of the step on the screen.
func (l *Lane) ShownSettings() *engine.Settings {
	if l.Look.At > 0 {
		if l.Look.Under != nil {
			return l.Look.Under
		}
		if s := l.Committed(l.Look.At); s != nil {
			return s.Settings
		}
	}
	return l.Settings
}

// ShownConfig is the configuration the controls show.
func (l *Lane) ShownConfig() sampling.Config {
	if l.Look.At > 0 {
		if s := l.ShownSettings(); s != nil {
			return s.Config()
		}
	}
	return l.Config
}

// ShownPreset is the preset that the step on the screen was made under, or
// was tried under; -1 for none.
func (l *Lane) ShownPreset() int {
	s := l.ShownSettings()
	if l.Look.At == 0 || s == nil {
		return l.Preset
	}
	return l.book.Index(engine.NameOf(s.Label).Preset)
}

// Label names a configuration: the preset, with a star once it was changed.
func (l *Lane) Label(cfg sampling.Config, preset int) string { return l.Named(cfg, preset).String() }

// Named is the name of a configuration.
func (l *Lane) Named(cfg sampling.Config, preset int) engine.Name {
	presets := l.book.List()
	if preset < 0 || preset >= len(presets) {
		return engine.Name{Preset: "custom"}
	}
	p := presets[preset]
	return engine.Name{Preset: p.Name, Changed: slices.ContainsFunc(cfg.Keys(), func(key string) bool {
		s, _ := cfg.Lookup(key)
		return s.Origin == sampling.FromYou && IsTuning(key) && !SameSetting(cfg, p.Config, key)
	})}
}

// SameSetting reports whether a and b have the same value of key in force.
func SameSetting(a, b sampling.Config, key string) bool {
	p, ok := param.Lookup(key)
	return ok && p.Format(a.Value(key)) == p.Format(b.Value(key))
}

// sameValues reports whether a and b have the same values, whoever set them.
func sameValues(a, b sampling.Config) bool {
	if a.Equal(b) {
		return true
	}
	for _, p := range param.All() {
		if !SameSetting(a, b, p.Key) {
			return false
		}
	}
	return true
}

// IsTuning reports whether key shapes the distribution, so that a preset
// decides it; seed, order, limits and strategies stay when a preset is taken.
func IsTuning(key string) bool {
	p, ok := param.Lookup(key)
	if !ok {
		return false
	}
	switch key {
	case "seed", "order", "logit_bias", "bad_words":
		return false
	}
	return p.Group == param.Sampling || p.Group == param.Penalty || key == "do_sample"
}

// WithPreset returns cfg with everything a preset decides taken from p. How
// long a text may become stays, unless p says it or the preset before did. A
// search without chance stays one: presets say how tokens are drawn, and it
// draws none.
func WithPreset(cfg sampling.Config, p Preset) sampling.Config {
	out := cfg
	for _, key := range cfg.Keys() {
		s, _ := cfg.Lookup(key)
		if IsTuning(key) || key == "max_new_tokens" && s.Origin == sampling.FromPreset {
			out = out.Without(key)
		}
	}
	out = out.Merge(p.Config)
	if s, ok := cfg.Lookup("do_sample"); ok && s.Value == false && cfg.Int("num_beams") > 1 {
		out = out.MustWith("do_sample", false, s.Origin)
	}
	return out
}

// Compile returns settings for cfg, or the reason why there are none in one
// line.
func (l *Lane) Compile(cfg sampling.Config, preset int) (*engine.Settings, error) {
	s, err := l.Comp.Settings(engine.EndTurn(cfg, l.ends), l.Label(cfg, preset))
	if err != nil {
		return nil, fmt.Errorf("%s", viz.FirstLine(err.Error()))
	}
	return s, nil
}

// Running reports whether the lane commits tokens by itself.
func (l *Lane) Running() bool { return l.View.Phase == engine.Running }

// Input returns what the step on the screen was sampled from.
func (l *Lane) Input() (sampling.Input, error) {
	s := l.Step()
	if s == nil {
		return sampling.Input{}, fmt.Errorf("no step yet")
	}
	return l.View.Input(s.Index - 1)
}

// Piece returns the printable label of token id.
func (l *Lane) Piece(id int32, ascii bool) string { return Label(l.Vocab(), id, ascii) }

// ShownLabel names the settings of the step on the screen.
func (l *Lane) ShownLabel() string {
	if s := l.ShownSettings(); s != nil && l.Look.At > 0 {
		return s.Label
	}
	return l.Label(l.Config, l.Preset)
}

// A PanicError is a panic in a lane's goroutine.
type PanicError struct {
	value any
	Stack []byte
}

// Error says what the panic was.
func (e *PanicError) Error() string { return "internal error: " + fmt.Sprint(e.value) }

// Stack is the stack of the goroutine that panicked.
func Stack() []byte { return debug.Stack() }

// StripLabel is a token's label without the space that most begin with.
func StripLabel(voc models.Vocab, id int32, ascii bool) string {
	p := voc.Piece(id)
	if len(p) > 1 && p[0] == ' ' {
		p = p[1:]
	}
	if p == "" {
		return Label(voc, id, ascii)
	}
	return viz.Label(p, ascii)
}

// Limit is the most tokens the text can have: max_new_tokens, or what the
// context leaves beside the prompt where that is less.
func (l *Lane) Limit() int {
	limit := 0
	if l.Settings != nil {
		limit = l.Settings.Limit()
	}
	if context := l.View.KV.Context; context > 0 && len(l.View.Prompt) > 0 {
		limit = min(limit, max(context-len(l.View.Prompt), 0))
	}
	return limit
}
