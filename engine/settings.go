package engine

import (
	"errors"
	"fmt"
	"slices"

	"logitscope/engine/beam"
	"logitscope/engine/contrastive"
	"logitscope/engine/loops"
	"logitscope/engine/phrases"
	"logitscope/engine/speculative"
	"logitscope/models"
	"logitscope/sampling"
)

// A Compiler turns configurations into [Settings] for one model. It keeps
// what is worth keeping between them: the token trie and the constraints
// already compiled. It is safe for concurrent use.
type Compiler struct {
	// Presets finds the preset of a name, for rules of a schedule that name
	// one; the error lists the names there are. It may be nil, and is set
	// before the compiler is used.
	Presets func(name string) (sampling.Config, error)

	model       models.Model
	vocab       vocab
	prepared    sampling.Vocab // the same, read once
	constraints constraints
	noPiece     []int32 // ids without a piece, ascending
}

// NewCompiler returns a compiler for m's vocabulary.
func NewCompiler(m models.Model) *Compiler {
	v := vocabOf(m)
	c := &Compiler{model: m, vocab: v, prepared: v}
	if !v.grows {
		c.prepared = sampling.Prepare(v)
	}
	for id := range int32(v.Size()) {
		if !v.HasPiece(id) {
			c.noPiece = append(c.noPiece, id)
		}
	}
	return c
}

// Settings compiles cfg. The error names every key that is wrong and what it
// allows. label names the preset in force.
func (c *Compiler) Settings(cfg sampling.Config, label string) (*Settings, error) {
	s, err := c.plain(cfg, label)
	if err != nil {
		return nil, err
	}
	s.schedule, err = c.timetable(s)
	return s, err
}

// plain is Settings without the schedule.
func (c *Compiler) plain(cfg sampling.Config, label string) (*Settings, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := speculative.Check(cfg); err != nil {
		return nil, err
	}
	p, err := sampling.Compile(cfg, c.prepared)
	if err != nil {
		return nil, err
	}
	s := &Settings{
		Pipeline: p, Label: label,
		limit:   cfg.Int("max_new_tokens"),
		stopper: newStopper(cfg.Strings("stop")),
		eog:     c.vocab.EOG(),
		noPiece: c.noPiece,
	}
	if ids := p.EOS(); ids != nil {
		s.eog = ids
	}
	if err := c.steerable(cfg); err != nil {
		return nil, err
	}
	switch s.strategy() {
	case beams:
		_, err = beam.ReadSettings(p, c.model)
	case contrasting:
		err = contrastive.Check(cfg)
	}
	if err != nil {
		return nil, err
	}
	s.phrases = c.phrasesOf(cfg)
	if s.besides, err = c.besides(p); err != nil {
		return nil, err
	}
	if s.repetition, err = loops.ParseRepetition(cfg.Text("repetition_detection")); err != nil {
		return nil, fmt.Errorf("repetition_detection: %w", err)
	}
	s.constraint, err = c.constraints.bind(cfg.Text("constraint"), c.vocab)
	return s, err
}

// steerable reports a setting that cannot be looked at as a what-if where the
// server chooses the tokens: it would have to choose them.
func (c *Compiler) steerable(cfg sampling.Config) error {
	if !c.model.Info().Caps.ObserveOnly {
		return nil
	}
	var errs []error
	for _, p := range []struct {
		key string
		set bool
	}{
		{"constraint", cfg.Text("constraint") != ""},
		{"num_beams", cfg.Int("num_beams") > 1},
		{"penalty_alpha", cfg.Float("penalty_alpha") > 0},
	} {
		if p.set {
			errs = append(errs, fmt.Errorf("%s: the server chooses the tokens of %s itself; they can only be watched", p.key, c.model.Info().Name))
		}
	}
	return errors.Join(errs...)
}

// Settings are what a lane decodes with. They are immutable and shared by all
// steps made under them, so two steps were made alike exactly when their
// Settings pointers are equal.
type Settings struct {
	Pipeline *sampling.Pipeline
	Label    string // "chat", or "chat*" once a value was changed; see [NameOf]

	limit      int // max_new_tokens
	stopper    stopper
	repetition loops.Repetition
	phrases    *phrases.Rules
	besides    *besides // where stages that weigh two rows have the second one from
	eog        []int32  // ids that end the text
	noPiece    []int32  // ids that no token has
	constraint *constraint
	schedule   *timetable // changes the settings inside a text; nil if nothing does
	base       *Settings  // those whose schedule made these; nil if none did
	holding    []string   // the rules of a schedule that made these settings
}

// Config returns the configuration the settings were compiled from.
func (s *Settings) Config() sampling.Config { return s.Pipeline.Config() }

// Limit returns max_new_tokens.
func (s *Settings) Limit() int { return s.limit }

// Ends reports whether id ends the text.
func (s *Settings) Ends(id int32) bool { return slices.Contains(s.eog, id) }

// needsLogits reports whether the settings tell logits from log-probabilities:
// a repetition penalty scales them, everything else is blind to a constant.
// With a schedule it is enough that one of its rules may come to tell them.
func (s *Settings) needsLogits() bool {
	tells := func(c sampling.Config) bool { return c.Float("repetition_penalty") != 1 }
	if s.schedule != nil {
		for i := range s.schedule.Len() {
			if tells(s.schedule.Alone(i, s.Config())) {
				return true
			}
		}
	}
	return tells(s.Config())
}

// Plain reports whether the settings are a law of the model's row and the text
// alone, so that a text that is there can be read under them: there is no
// constraint, no schedule and no second row to weigh against.
func (s *Settings) Plain() bool {
	return s.constraint == nil && s.schedule == nil && len(s.Pipeline.Seconds()) == 0
}
