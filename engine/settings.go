package engine

import (
	"slices"

	"logitscope/engine/beam"
	"logitscope/models"
	"logitscope/sampling"
)

// A Compiler turns configurations into [Settings] for one model. It keeps
// what is worth keeping between them: the token trie and the constraints
// already compiled. It is safe for concurrent use.
type Compiler struct {
	model       models.Model
	vocab       vocab
	constraints constraints
}

// NewCompiler returns a compiler for m's vocabulary.
func NewCompiler(m models.Model) *Compiler { return &Compiler{model: m, vocab: vocabOf(m)} }

// Settings compiles cfg. The error names every key that is wrong and what it
// allows. label names the preset in force.
func (c *Compiler) Settings(cfg sampling.Config, label string) (*Settings, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	p, err := sampling.Compile(cfg, c.vocab)
	if err != nil {
		return nil, err
	}
	s := &Settings{
		Pipeline: p, Label: label,
		limit:   cfg.Int("max_new_tokens"),
		stopper: newStopper(cfg.Strings("stop")),
		eog:     c.vocab.EOG(),
	}
	if ids := p.EOS(); ids != nil {
		s.eog = ids
	}
	if s.strategy() == beams {
		if _, err := beam.ReadSettings(p, c.model); err != nil {
			return nil, err
		}
	}
	s.constraint, err = c.constraints.bind(cfg.Text("constraint"), c.vocab)
	return s, err
}

// Settings are what a lane decodes with. They are immutable and shared by all
// steps made under them, so two steps were made alike exactly when their
// Settings pointers are equal.
type Settings struct {
	Pipeline *sampling.Pipeline
	Label    string // the preset in force, "chat", or "chat*" once a value was changed

	limit      int // max_new_tokens
	stopper    stopper
	eog        []int32 // ids that end the text
	constraint *constraint
}

// Config returns the configuration the settings were compiled from.
func (s *Settings) Config() sampling.Config { return s.Pipeline.Config() }

// Limit returns max_new_tokens.
func (s *Settings) Limit() int { return s.limit }

// Ends reports whether id ends the text.
func (s *Settings) Ends(id int32) bool { return slices.Contains(s.eog, id) }

// needsLogits reports whether the settings tell logits from log-probabilities:
// a repetition penalty scales them, everything else is blind to a constant.
func (s *Settings) needsLogits() bool { return s.Config().Float("repetition_penalty") != 1 }
