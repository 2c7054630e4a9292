package bench

import (
	"context"
	"fmt"

	"logitscope/engine/bench/prompts"
	"logitscope/engine/compare"
)

// Lanes decodes one prompt in several lanes under the same seeds, and says
// where the lanes part and what each writes. It stops at the first text that
// cannot be decoded, with its error.
func Lanes(ctx context.Context, lanes []Config, prompt *prompts.Set, seeds []uint64, opt Options) (compare.Seeds, error) {
	p := &Plan{Configs: lanes, Prompts: prompt, Count: 1, Seeds: seeds, Plain: true}
	if err := p.Check(); err != nil {
		return compare.Seeds{}, err
	}
	r, err := Run(ctx, p, opt)
	if err != nil {
		return compare.Seeds{}, err
	}
	defer r.Close()
	if len(r.Failed) > 0 {
		f := r.Failed[0]
		return compare.Seeds{}, fmt.Errorf("%s, seed %d: %s", f.Config, f.Seed, f.Error)
	}
	texts := make([][]compare.SeedText, len(lanes))
	err = r.Each(func(_ int, _ *prompts.Prompt, lane int, list []*Text) error {
		for _, t := range list {
			if t == nil {
				return fmt.Errorf("%s: a text is missing", lanes[lane].Name)
			}
			bits, _ := t.Bits()
			texts[lane] = append(texts[lane], compare.SeedText{Tokens: t.Tokens, Reason: t.Reason, Bits: bits, Entropy: t.Entropy})
		}
		return nil
	})
	return compare.OverSeeds(texts), err
}
