package speculative

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/param"
)

// settings are what the configuration says about speculative decoding.
type settings struct {
	p, q       *sampling.Pipeline
	k          int
	most       int // max_new_tokens
	seed       uint64
	schedule   Schedule
	confidence float64 // a draft stops after a token less likely than this
	algorithm  Algorithm
	lookup     Lookup
	shape      shape // of several drafts

	// Of lookahead decoding: places guessed at once, length of the n-grams, and
	// how many of them are tested.
	window, ngram, verify int
}

// same reports whether a round made under s would be made alike under t.
func (s *settings) same(t *settings) bool {
	alike := func(p, q *sampling.Pipeline) bool { return p == q || p.Config().Equal(q.Config()) }
	return s.algorithm == t.algorithm && alike(s.p, t.p) && alike(s.q, t.q)
}

// Check reports what no draft could be made or judged by, whatever drafts. An
// error begins with the key.
func Check(c sampling.Config) error {
	_, err := readShape(c.Text("draft_tree"), c.Int("num_drafts"))
	switch least, most := c.Int("ngram_min"), c.Int("ngram_max"); {
	case err != nil:
		return err
	case c.Bool(blockKey) && c.Text(methodKey) != chainMethod:
		return fmt.Errorf("%s: true judges one chain of drafts; want %s %s, not %s", blockKey, methodKey, chainMethod, c.Text(methodKey))
	case least > most:
		return fmt.Errorf("ngram_min: %d is out of range, 1 to ngram_max %d", least, most)
	}
	return nil
}

// CheckSource is [Check] where it is known what drafts: it also reports a
// method that cannot judge its drafts, and settings that steer by each token.
func CheckSource(c sampling.Config, by Source) error {
	if err := Check(c); err != nil {
		return err
	}
	if a := Chosen(c); !a.Judges(by) {
		return fmt.Errorf("%s: %w", methodKey, cannotJudge(a, by, Algorithm.methodName))
	}
	return memoryless(c)
}

// readSettings reads the settings; by is what drafts.
func readSettings(p, q *sampling.Pipeline, by Source, opt Options) (settings, error) {
	c := p.Config()
	s := settings{
		p: p, q: q,
		k:          c.Int("num_assistant_tokens"),
		most:       c.Int("max_new_tokens"),
		seed:       c.Uint("seed"),
		schedule:   Schedule(c.Text("assistant_schedule")),
		confidence: c.Float("assistant_confidence"),
		algorithm:  Exact,
		lookup:     Lookup{Rule: c.Text("ngram_rule"), Min: c.Int("ngram_min"), Max: c.Int("ngram_max")},
		window:     c.Int("lookahead_window"), ngram: c.Int("lookahead_ngram"), verify: c.Int("lookahead_verify"),
	}
	if err := Check(c); err != nil {
		return s, err
	}
	s.shape, _ = readShape(c.Text("draft_tree"), c.Int("num_drafts")) // checked
	s.algorithm = Chosen(c)
	if opt.Algorithm != "" {
		a, err := ParseAlgorithm(string(opt.Algorithm))
		if err != nil {
			return s, err
		}
		s.algorithm = a
	}
	switch {
	case !s.algorithm.Judges(by):
		if opt.Algorithm != "" {
			return s, fmt.Errorf("rule: %w", cannotJudge(s.algorithm, by, Algorithm.name))
		}
		return s, fmt.Errorf("%s: %w", methodKey, cannotJudge(s.algorithm, by, Algorithm.methodName))
	case s.k < 1 || s.k > maxDraft:
		return s, fmt.Errorf("num_assistant_tokens: %d is out of range, 1 to %d", s.k, maxDraft)
	}
	for _, side := range []*sampling.Pipeline{p, q} {
		if err := memoryless(side.Config()); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Keys of settings that choose an algorithm, and the draft_method of one draft
// after another.
const (
	methodKey, blockKey = "draft_method", "block_verification"
	chainMethod         = "chain"
)

func (a Algorithm) name() string { return string(a) }

// methodName is how settings call a.
func (a Algorithm) methodName() string {
	switch a {
	case Exact:
		return chainMethod
	case Block:
		return chainMethod + " with " + blockKey
	}
	return string(a)
}

// Chosen returns the algorithm that settings choose.
func Chosen(c sampling.Config) Algorithm {
	switch m := c.Text(methodKey); {
	case c.Bool(blockKey):
		return Block
	case m == chainMethod || m == "":
		return Exact
	default:
		return Algorithm(m)
	}
}

// cannotJudge says that an algorithm cannot judge what a source drafts, and
// which of the right ones can, each by its name.
func cannotJudge(a Algorithm, by Source, name func(Algorithm) string) error {
	var names []string
	for _, a := range algorithms {
		if a.Exact && a.Algorithm.Judges(by) {
			names = append(names, name(a.Algorithm))
		}
	}
	return fmt.Errorf("%s cannot judge what %s drafts; want one of %s", name(a), by, strings.Join(names, ", "))
}

// memoryless refuses stages that steer by the tokens drawn before: their
// state after a drafted token depends on whether it will stand.
func memoryless(c sampling.Config) error {
	for _, key := range []string{"mirostat", "adaptive_target"} {
		param, ok := param.Lookup(key)
		if !ok || !c.Order().Supports(key) {
			continue
		}
		if v := c.Value(key); !param.IsOff(v) {
			return fmt.Errorf("%s: %v is not possible with a draft, only %v (off): it steers by each token drawn", key, v, param.Off)
		}
	}
	return nil
}

// endsOf returns the test for tokens that end a text: the pipeline's, else the
// model's own; and stop_token_ids.
func endsOf(p *sampling.Pipeline, m models.Model) func(int32) bool {
	ids := slices.Clone(p.EOS())
	if len(ids) == 0 {
		ids = slices.Clone(m.Vocab().EOG())
	}
	if set, ok := p.Config().Lookup("stop_token_ids"); ok {
		ids = append(ids, set.Value.([]int32)...)
	}
	return func(id int32) bool { return slices.Contains(ids, id) }
}

// SameVocab returns an error that says what differs if the two models do not
// share one vocabulary. Ids without a piece beyond the end of the smaller one
// do not count: they pad a vocabulary to a round size.
func SameVocab(target, draft models.Model) error {
	t, d := target.Vocab(), draft.Vocab()
	name, other := draft.Info().Name, target.Info().Name
	if t.Size() != d.Size() {
		for id := min(t.Size(), d.Size()); id < max(t.Size(), d.Size()); id++ {
			if t.Attr(int32(id)) != models.Unused || d.Attr(int32(id)) != models.Unused {
				return fmt.Errorf("draft: %s has %d tokens, %s has %d; a draft needs the target's vocabulary", name, d.Size(), other, t.Size())
			}
		}
	}
	for id := int32(0); int(id) < min(t.Size(), d.Size()); id++ {
		if t.Piece(id) != d.Piece(id) {
			return fmt.Errorf("draft: token %d is %.24q in %s, %.24q in %s; a draft needs the target's vocabulary", id, d.Piece(id), name, t.Piece(id), other)
		}
	}
	if !slices.Equal(t.EOG(), d.EOG()) {
		return fmt.Errorf("draft: %s ends a text at tokens %v, %s at %v; a draft needs the target's vocabulary", name, d.EOG(), other, t.EOG())
	}
	return nil
}
