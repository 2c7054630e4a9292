package bench

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"

	"logitscope/engine"
	"logitscope/engine/bench/prompts"
	"logitscope/engine/check"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/sampling"
)

// A Backend is a model that texts are decoded with.
type Backend struct {
	Name     string // as it was asked for
	Model    models.Model
	Compiler *engine.Compiler
	Draft    engine.Draft // used by configs that ask for drafted tokens
}

// A Config is one column of a bench: settings for a model.
type Config struct {
	Name    string
	Backend *Backend
	Config  sampling.Config // its own seed does not matter
}

// A Plan is what is decoded: every config with every prompt and every seed.
type Plan struct {
	Configs []Config // the first is the base that others are compared with
	Prompts *prompts.Set
	Count   int // prompts in the set, as [prompts.Set.Check] says
	Seeds   []uint64
	Plain   bool // texts have these seeds and no others, as is right for one prompt; others get luck of their own
	Chat    bool // plain prompts are wrapped as a user's message by the model's template

	Checks  check.List     // that every text must pass, beside its prompt's own
	Extract *regexp.Regexp // for checks and answers without one of their own; nil for none
}

// Check returns what keeps the plan from being run: no configs, settings that
// a model cannot have, a prompt that it cannot read.
func (p *Plan) Check() error {
	switch {
	case len(p.Configs) == 0:
		return errors.New("no configs")
	case p.Count == 0:
		return prompts.ErrNone
	case len(p.Seeds) == 0:
		return errors.New("no seeds")
	}
	for i := range p.Configs {
		c := &p.Configs[i]
		if _, err := c.Backend.Compiler.Settings(c.Config, ""); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return nil
}

// Texts returns how many texts the plan has.
func (p *Plan) Texts() int { return len(p.Configs) * p.Count * len(p.Seeds) }

// seed returns the seed of text k of a prompt: that of the plan, and unless it
// is plain as many more as the prompt's id says. Under one seed
// texts meet the same luck at the same position, so without that prompts of one
// length would stand and fall together, and count for more than they are.
func (p *Plan) seed(k int, q *prompts.Prompt) uint64 {
	if p.Plain {
		return p.Seeds[k]
	}
	h := fnv.New64a()
	h.Write([]byte(q.ID))
	return p.Seeds[k] + mix(h.Sum64())>>40
}

// mix spreads the bits of a hash of a short text.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// expect returns the checks of a prompt, the plan's own first.
func (p *Plan) expect(q *prompts.Prompt) check.List {
	if len(q.Expect) == 0 {
		return p.Checks
	}
	return append(p.Checks[:len(p.Checks):len(p.Checks)], q.Expect...)
}

// extract returns what a prompt's checks look at.
func (p *Plan) extract(q *prompts.Prompt) *regexp.Regexp {
	if q.Extract != nil {
		return q.Extract
	}
	return p.Extract
}

// answer returns what of a text of q is its answer; nil for all of it.
func (p *Plan) answer(q *prompts.Prompt) *regexp.Regexp {
	if e := p.extract(q); e != nil {
		return e
	}
	for _, c := range p.expect(q) {
		if c.Extract != nil {
			return c.Extract
		}
	}
	return nil
}

// Read returns what m goes on from for a prompt. The error names the prompt.
func (p *Plan) Read(m models.Model, q *prompts.Prompt) (chat.Prompt, error) {
	return p.read(context.Background(), m, q)
}

func (p *Plan) read(ctx context.Context, m models.Model, q *prompts.Prompt) (chat.Prompt, error) {
	read, err := p.readAny(ctx, m, q)
	if err == nil {
		if n, limit := len(read.Tokens), m.Info().ContextLen; limit > 0 && n > limit {
			err = fmt.Errorf("has %d tokens, the context holds %d", n, limit)
		} else if n == 0 && !m.Info().Caps.TextOnly && !m.Info().Caps.ObserveOnly {
			err = errors.New("has no tokens")
		}
	}
	if err != nil {
		err = fmt.Errorf("prompt %s: %w", q.ID, err)
	}
	return read, err
}

func (p *Plan) readAny(ctx context.Context, m models.Model, q *prompts.Prompt) (read chat.Prompt, err error) {
	if q.Tokens != nil {
		read.Tokens = q.Tokens
		for _, id := range q.Tokens {
			if size := m.Info().VocabSize; size > 0 && int(id) >= size {
				return read, fmt.Errorf("token %d: must be 0 to %d", id, size-1)
			}
			read.Text += m.Vocab().Piece(id)
		}
		return read, nil
	}
	if turns := conversation(q, p.Chat); turns != nil {
		t, err := chat.Of(m)
		if err != nil {
			return read, err
		}
		return t.Prompt(ctx, m, chat.Conversation{Messages: turns})
	}
	read.Text = q.Text
	read.Tokens, err = engine.Prompt(ctx, m, q.Text)
	return read, err
}

// conversation returns the turns of a prompt, nil for a plain text.
func conversation(q *prompts.Prompt, wrap bool) []chat.Message {
	var turns []chat.Message
	if q.System != "" {
		turns = append(turns, chat.Text("system", q.System))
	}
	for _, m := range q.Messages {
		turns = append(turns, chat.Text(m.Role, m.Content))
	}
	if q.Messages == nil && (wrap || q.System != "") {
		turns = append(turns, chat.Text("user", q.Text))
	}
	return turns
}
