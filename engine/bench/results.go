package bench

import (
	"logitscope/engine/bench/prompts"
)

// Results are the texts of a plan, on disk.
type Results struct {
	Plan    *Plan
	Done    int  // texts there are
	Stopped bool // by the budget
	Failed  []Failed

	stores map[*Backend]*store
	keys   []key // of the settings of each config
}

// A Failed text is one whose decoding failed: the first [MaxFailed] are kept.
type Failed struct {
	Config, Prompt string
	Seed           uint64
	Error          string
}

// MaxFailed is how many failed texts [Results] keep.
const MaxFailed = 20

// Close releases the results.
func (r *Results) Close() error {
	var err error
	for _, s := range r.stores {
		if e := s.close(); err == nil {
			err = e
		}
	}
	return err
}

// Each calls f with the texts of every prompt and config, in the order of the
// set and of the configs, until it returns an error. texts has one for each
// seed, nil where it is missing.
func (r *Results) Each(f func(i int, p *prompts.Prompt, config int, texts []*Text) error) error {
	return r.Plan.Prompts.Each(func(i int, p prompts.Prompt) error {
		pk := promptKey(&p, r.Plan.Chat)
		for c := range r.Plan.Configs {
			texts := make([]*Text, len(r.Plan.Seeds))
			for k := range r.Plan.Seeds {
				if t, ok := r.stores[r.Plan.Configs[c].Backend].get(textKey(r.keys[c], pk, r.Plan.seed(k, &p))); ok {
					texts[k] = &t.Text
				}
			}
			if err := f(i, &p, c, texts); err != nil {
				return err
			}
		}
		return nil
	})
}
