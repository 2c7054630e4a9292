package setup

import (
	"context"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/shallow"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/cli/console"
)

// builtinDraft is the draft model of the built-in model.
const builtinDraft = "fable-draft"

// wantsAmateur reports whether a stage weighs the row against a smaller
// model's.
func wantsAmateur(cfg sampling.Config) bool {
	return cfg.Order().Supports("contrastive_alpha") &&
		(cfg.Float("contrastive_alpha") > 0 || cfg.Float("contrastive_beta") > 0 || cfg.Text("contrastive_form") == "difference")
}

// wantsDraft reports whether cfg asks for drafted tokens.
func wantsDraft(cfg sampling.Config) bool {
	s, ok := cfg.Lookup("num_assistant_tokens")
	n, isInt := s.Value.(int64)
	return ok && isInt && n > 0 || severalDrafts(cfg)
}

// severalDrafts reports whether cfg asks for several drafts side by side.
func severalDrafts(cfg sampling.Config) bool {
	p, _ := param.Lookup("draft_method")
	return !p.IsOff(cfg.Value(p.Key))
}

// OpenDraft opens the draft for target that cfg can decode with: the one that
// --draft names, or the built-in model's own where the settings ask for drafted
// tokens.
func (s *Flags) OpenDraft(ctx context.Context, target models.Model, cfg sampling.Config) (engine.Draft, error) {
	d, err := s.openDraft(ctx, target, cfg)
	if err != nil || !d.Active() || wantsAmateur(cfg) {
		return d, err
	}
	if err := d.Check(cfg); err != nil {
		if d.Model != nil {
			d.Model.Close()
		}
		return engine.Draft{}, console.Wrongly(s.blamed(cfg, LaneSpec{}, err))
	}
	return d, nil
}

func (s *Flags) openDraft(ctx context.Context, target models.Model, cfg sampling.Config) (engine.Draft, error) {
	name := s.draft
	if name == "" {
		if !wantsDraft(cfg) && !wantsAmateur(cfg) {
			return engine.Draft{}, nil
		}
		if _, remembers := target.(models.Rememberer); remembers && !wantsDraft(cfg) {
			return engine.Draft{}, nil // a recording has the amateur's rows too, if any
		}
		if s.Model != "fable" && !wantsDraft(cfg) {
			return engine.Draft{}, console.Wrong("contrastive_alpha: no draft model to be the amateur; name one with --draft")
		}
		if s.Model != "fable" {
			key := "num_assistant_tokens"
			if severalDrafts(cfg) {
				key = "draft_method"
			}
			return engine.Draft{}, console.Wrong("%s: no draft model; name one with --draft, or --draft ngram or lookahead", key)
		}
		name = builtinDraft
	} else if cfg.Int("num_beams") > 1 || cfg.Float("penalty_alpha") > 0 {
		return engine.Draft{}, console.Wrong("--draft %s: a search uses no draft; without it, or with num_beams 1 and penalty_alpha 0", name)
	}
	if d, ok := engine.Modelless(name); ok {
		return d, nil
	}
	if m, ok, err := shallow.Open(target, name); ok {
		if err != nil {
			return engine.Draft{}, console.Wrong("--draft %s: %v", name, err)
		}
		return engine.Draft{Model: m}, nil
	}
	m, err := s.Open(ctx, "--draft", name)
	if err != nil {
		return engine.Draft{}, err
	}
	if err := engine.CheckDraft(target, m); err != nil {
		m.Close()
		return engine.Draft{}, console.Wrong("--draft %s: %v", name, err)
	}
	return engine.Draft{Model: m}, nil
}

// draftNeeds are the parameters of drafts that only some draft reads.
var draftNeeds = []struct {
	keys  []string
	reads func(engine.Draft) bool
	why   string
}{
	{[]string{"assistant_schedule", "block_verification"}, engine.Draft.Active, "there is no draft; name one with --draft"},
	{[]string{"assistant_confidence"}, func(d engine.Draft) bool { return d.Model != nil }, "there is no draft model; name one with --draft"},
	{[]string{"ngram_rule", "ngram_min", "ngram_max"}, func(d engine.Draft) bool { return d.NGram }, "only --draft ngram reads it"},
	{[]string{"lookahead_window", "lookahead_ngram", "lookahead_verify"}, func(d engine.Draft) bool { return d.Lookahead }, "only --draft lookahead reads it"},
}

// noteDraft notes flags about drafts that d does not read.
func (s *Flags) noteDraft(cfg sampling.Config, d engine.Draft) {
	for _, n := range draftNeeds {
		for _, key := range n.keys {
			if set, ok := cfg.Lookup(key); ok && set.Origin == sampling.FromFlag && !n.reads(d) {
				s.note(key, n.why)
			}
		}
	}
	if _, ok := cfg.Lookup("num_drafts"); ok && severalDrafts(cfg) && cfg.Text("draft_tree") != "" {
		s.note("num_drafts", "draft_tree says how many drafts follow each token")
	}
}
