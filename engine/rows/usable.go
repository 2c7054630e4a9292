package rows

import (
	"errors"
	"fmt"
	"slices"

	"logitscope/models"
	"logitscope/sampling"
)

// Usable reports why no search can run on m.
func Usable(m models.Model, prompt []int32) error {
	info := m.Info()
	switch {
	case info.Caps.TextOnly || info.Caps.ObserveOnly:
		return fmt.Errorf("num_beams: beam search needs a model that takes tokens and gives logits; %s does not", info.Name)
	case len(prompt) == 0:
		return errors.New("beam search needs a prompt of at least one token")
	case info.ContextLen > 0 && len(prompt) > info.ContextLen:
		return fmt.Errorf("a prompt of %d tokens does not fit %d: %w", len(prompt), info.ContextLen, models.ErrContextFull)
	}
	return nil
}

// EndTokens returns the ids that end a text: the pipeline's, else the model's
// own; and stop_token_ids.
func EndTokens(p *sampling.Pipeline, m models.Model) []int32 {
	out := slices.Clone(p.EOS())
	if len(out) == 0 {
		out = slices.Clone(m.Vocab().EOG())
	}
	if set, ok := p.Config().Lookup("stop_token_ids"); ok {
		out = append(out, set.Value.([]int32)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
