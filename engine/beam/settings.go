package beam

import (
	"errors"
	"fmt"
	"slices"

	"logitscope/engine/rows"
	"logitscope/models"
	"logitscope/sampling"
)

// A Rule says whose beam search it is.
type Rule string

const (
	Vectorised Rule = "vectorized" // transformers 4.50 and later
	Legacy     Rule = "legacy"     // the beam scorer of 4.49 and before
	VLLM       Rule = "vllm"       // vLLM's beam_search
)

// Early says when a search with a full finished list may end.
type Early string

const (
	EarlyTrue  Early = "true"  // at once
	EarlyFalse Early = "false" // when the best running beam, ended now, would not win: a guess
	EarlyNever Early = "never" // when it could not win at any length: a bound
)

// Settings are what a search runs under, read from the configuration of a
// pipeline.
type Settings struct {
	Rule          Rule
	Beams         int // num_beams, at least 1
	Groups        int // num_beam_groups, divides Beams
	Return        int // num_return_sequences, 1 to Beams; where not set 1, all under vllm's rule
	Diversity     float64
	LengthPenalty float64 // 0 is none; above 0 favours long texts
	Early         Early
	MaxNew        int  // most tokens of a text, the end token included
	Sample        bool // beam sampling: candidates are drawn
	Renormalise   bool // after the processors
	Seed          uint64
	EOS           []int32 // ids that end a text, ascending; may be empty

	pipeline *sampling.Pipeline
}

// keep returns K, the number of candidates a group looks at in one step:
// max(2, 1+n_eos) for each of its beams.
func (s *Settings) keep() int { return max(2, 1+len(s.EOS)) * s.Beams / s.Groups }

func (s *Settings) ends(id int32) bool {
	_, ok := slices.BinarySearch(s.EOS, id)
	return ok
}

// ReadSettings reads the beam settings of p for a model. The error names the
// key and what is allowed.
//
// Beam sampling is on if do_sample was set to true, not if it merely has that
// value by default, and the temperature is above 0: a plain num_beams searches.
func ReadSettings(p *sampling.Pipeline, m models.Model) (Settings, error) {
	c := p.Config()
	s := Settings{
		Rule:          ruleOf(p),
		Beams:         c.Int("num_beams"),
		Groups:        c.Int("num_beam_groups"),
		Diversity:     c.Float("diversity_penalty"),
		LengthPenalty: c.Float("length_penalty"),
		Early:         Early(c.Text("early_stopping")),
		MaxNew:        c.Int("max_new_tokens"),
		Renormalise:   c.Bool("renormalize_logits"),
		Seed:          c.Uint("seed"),
		Return:        1,
		EOS:           rows.EndTokens(p, m),
		pipeline:      p,
	}
	if set, ok := c.Lookup("do_sample"); ok {
		s.Sample = set.Value.(bool) && c.Float("temperature") > 0
	}
	if _, ok := c.Lookup("num_return_sequences"); ok {
		s.Return = c.Int("num_return_sequences")
	} else if s.Rule == VLLM {
		s.Return = s.Beams // its beam_search has a width and returns that many
	}
	return s, s.check()
}

// ruleOf reads beam_rule, and the order where beam_rule is not set.
func ruleOf(p *sampling.Pipeline) Rule {
	c := p.Config()
	if _, ok := c.Lookup("beam_rule"); !ok && p.Order().Rules().BeamRule != "" {
		return Rule(p.Order().Rules().BeamRule)
	}
	return Rule(c.Text("beam_rule"))
}

// maxBeams is the most beams that make sense on one machine.
const maxBeams = 256

func (s *Settings) check() error {
	switch {
	case s.Beams < 1 || s.Beams > maxBeams:
		return fmt.Errorf("num_beams: %d is out of range, 1 to %d", s.Beams, maxBeams)
	case s.Groups < 1 || s.Groups > s.Beams || s.Beams%s.Groups != 0:
		return fmt.Errorf("num_beam_groups: %d is out of range, a divisor of num_beams %d", s.Groups, s.Beams)
	case s.Return < 1 || s.Return > s.Beams:
		return fmt.Errorf("num_return_sequences: %d is out of range, 1 to num_beams %d", s.Return, s.Beams)
	case s.Diversity < 0:
		return fmt.Errorf("diversity_penalty: %v is out of range, 0 or more", s.Diversity)
	case s.Diversity > 0 && s.Groups == 1:
		return errors.New("diversity_penalty: needs num_beam_groups of 2 or more; 0 is off")
	case s.MaxNew < 1:
		return fmt.Errorf("max_new_tokens: %d is out of range, 1 or more", s.MaxNew)
	case !slices.Contains([]Early{EarlyTrue, EarlyFalse, EarlyNever}, s.Early):
		return fmt.Errorf("early_stopping: %q is not true, false or never", s.Early)
	case s.Groups > 1 && s.Sample:
		return errors.New("do_sample: true is not possible with num_beam_groups of 2 or more")
	}
	if s.Groups > 1 {
		// Diverse beams left transformers before the vectorised search came;
		// they have only ever had the older scorer.
		if s.Rule == VLLM {
			return fmt.Errorf("num_beam_groups: %d is out of range, 1 under vllm", s.Groups)
		}
		s.Rule = Legacy
	}
	if _, ok := rules[s.Rule]; !ok {
		return fmt.Errorf("beam_rule: %q is not vectorized or legacy", s.Rule)
	}
	return nil
}

// comparable reports whether a search under t can go on from one under s by
// choosing the last step again, rather than from the prompt.
func (s *Settings) comparable(t *Settings) bool {
	return s.Rule == t.Rule && s.Groups == t.Groups && slices.Equal(s.EOS, t.EOS)
}
