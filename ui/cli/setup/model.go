package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/open"
	"logitscope/models/remote"
	"logitscope/models/tape"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/sampling/inert"
	"logitscope/sampling/param"
	"logitscope/ui/cli/console"
)

// Options says how models are opened under the flags.
func (s *Flags) Options() (open.Options, error) { return s.optionsOf(s.Local) }

func (s *Flags) optionsOf(l Local) (open.Options, error) {
	opt, err := l.options()
	if err != nil {
		return open.Options{}, err
	}
	home, _ := os.UserHomeDir()
	return open.Options{
		Llama: opt, Home: home,
		Server: remote.Options{Getenv: s.Sys.Getenv, Notice: s.notice, Timeouts: remote.Timeouts{Retry: s.Patience}},
	}, nil
}

// notice says what a server is being waited for. The screen says it itself.
func (s *Flags) notice(line string) {
	if !s.OnScreen {
		console.Complain(s.Sys.Err, errors.New(line))
	}
}

// Open opens the model that a flag names.
func (s *Flags) Open(ctx context.Context, flag, name string) (models.Model, error) {
	return s.OpenAs(ctx, flag, name, s.Local)
}

// OpenAs opens the model that a flag names, which runs here as l says.
func (s *Flags) OpenAs(ctx context.Context, flag, name string, l Local) (models.Model, error) {
	opt, err := s.optionsOf(l)
	if err != nil {
		return nil, err
	}
	if console.IsTerminal(s.Sys.Err) && !s.OnScreen {
		// The name may hold a password, so it is not repeated.
		note := time.AfterFunc(slowOpen, func() { fmt.Fprintf(s.Sys.Err, "waiting for what %s names …\n", flag) })
		defer note.Stop()
	}
	m, err := open.Model(ctx, name, opt)
	if err != nil {
		return nil, console.Wrong("%s %w", flag, err)
	}
	if err := l.Check(m); err != nil {
		m.Close()
		return nil, err
	}
	for _, name := range l.idle(m) {
		s.note("--"+name, whyIdle(m.Info()))
	}
	return m, nil
}

// whyIdle says why a model reads none of the flags of those that run here.
func whyIdle(i models.Info) string {
	if i.Caps.Recorded {
		return "a recording has its logits already"
	}
	return i.Name + " does not run here"
}

// slowOpen is when opening a model begins to need a word.
const slowOpen = time.Second

// Prepare opens the models, puts the settings together and splits the prompt.
func (s *Flags) Prepare(ctx context.Context) (*Job, error) {
	return console.Within(ctx, func() (*Job, error) { return s.makeJob(ctx) })
}

func (s *Flags) makeJob(ctx context.Context) (*Job, error) {
	if _, err := s.Configuration(sampling.Config{}, LaneSpec{}); err != nil {
		return nil, err // before the model, which may take a while
	}
	m, err := s.Open(ctx, "--model", s.Model)
	if err != nil {
		return nil, err
	}
	j := &Job{Model: m, Compiler: s.Compiler(m)}
	if err := s.ready(ctx, j); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// Compiler returns a compiler for m that knows the presets.
func (s *Flags) Compiler(m models.Model) *engine.Compiler {
	c := engine.NewCompiler(m)
	c.Presets = s.presetConfig
	return c
}

// ready fills in what depends on the model.
func (s *Flags) ready(ctx context.Context, j *Job) error {
	cfg, err := s.Configuration(s.Recommended(j.Model), LaneSpec{})
	if err != nil {
		return err
	}
	if s.ByDefault {
		cfg = exactOver(cfg, j.Model.Info().Caps)
	}
	if err := s.readPrompt(ctx, j); err != nil {
		return err
	}
	if j.Settings, err = s.Compile(j, cfg, LaneSpec{Label: s.Label()}); err != nil {
		return err
	}
	if j.Draft, err = s.OpenDraft(ctx, j.Model, cfg); err != nil {
		return err
	}
	if j.Draft.Active() && j.Settings.Pipeline.Races() {
		s.Notes = append(s.Notes, "luck race: drafted tokens are judged by draws of their own, so it has no effect")
	}
	s.noteDraft(cfg, j.Draft)
	return nil
}

// Compile makes the settings of a lane out of a configuration.
func (s *Flags) Compile(j *Job, cfg sampling.Config, lane LaneSpec) (*engine.Settings, error) {
	var set *engine.Settings
	err := checkIDs(j.Model, cfg)
	if err == nil {
		j.Config = cfg
		set, err = j.Compiler.Settings(engine.EndTurn(cfg, j.Ends), lane.Label)
	}
	var refused *constrain.RefusedError
	switch {
	case errors.As(err, &refused):
		err = &SourceError{s.constraintOf(cfg, lane).From, err}
	case err != nil:
		err = s.blamed(cfg, lane, err)
	default:
		s.noteSeed(set.Pipeline)
		s.noteIdle(cfg)
		if lane.text == "" {
			s.noteMasters(set.Pipeline)
		}
	}
	return set, console.Wrongly(err)
}

// noteSeed notes that the engine takes another seed than the one given, or
// another luck. What
// else it adjusts changes no draw behind the user's back; config show says it.
func (s *Flags) noteSeed(p *sampling.Pipeline) {
	for _, n := range p.Adjusted() {
		if (n.Key == "seed" || n.Key == "luck") && !slices.Contains(s.Notes, n.Text) {
			s.Notes = append(s.Notes, n.Text)
		}
	}
}

// noteIdle notes flags that the order's engine has no parameter for: they are
// kept, and change nothing.
func (s *Flags) noteIdle(cfg sampling.Config) {
	for _, key := range IdleFlags(cfg) {
		s.note(key, cfg.Order().Name()+" has no such parameter; --order takes another engine's rules")
	}
}

// note notes once that a parameter has no effect, and why.
func (s *Flags) note(key, why string) {
	if n := key + " has no effect: " + why; !slices.Contains(s.Notes, n) {
		s.Notes = append(s.Notes, n)
	}
}

// keptOff are the reasons that another parameter is.
var keptOff = []inert.Reason{inert.MasterOff, inert.OneBeam, inert.Unmet, inert.IsGreedy}

// noteMasters notes flags that another parameter keeps off: dry_base without
// dry_multiplier, length_penalty without beams, top_p at temperature 0.
func (s *Flags) noteMasters(p *sampling.Pipeline) {
	cfg := p.Config()
	for _, key := range cfg.Keys() {
		set, _ := cfg.Lookup(key)
		i := p.Inert(key, nil)
		if set.Origin == sampling.FromFlag && slices.Contains(keptOff, i.Reason) {
			s.note(key, i.Why())
		}
	}
}

// IdleFlags are the parameters that flags set and the order does not have,
// those that are off left out.
func IdleFlags(cfg sampling.Config) (keys []string) {
	for _, key := range cfg.Keys() {
		set, _ := cfg.Lookup(key)
		p, ok := param.Lookup(key)
		if ok && set.Origin == sampling.FromFlag && !p.IsOff(set.Value) && !cfg.Order().Supports(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// checkIDs refuses settings about token ids that the model does not have, where
// it is known what it has.
func checkIDs(m models.Model, cfg sampling.Config) error {
	info := m.Info()
	if info.Caps.ObserveOnly || info.Caps.TextOnly {
		return nil
	}
	for _, key := range []string{"logit_bias", "bad_words_ids", "allowed_token_ids", "suppress_tokens", "begin_suppress_tokens"} {
		for _, id := range cfg.TokenIDs(key) {
			if id < 0 || int(id) >= info.VocabSize {
				return fmt.Errorf("%s: token %d is out of range, 0 to %d for %s", key, id, info.VocabSize-1, info.Name)
			}
		}
	}
	return nil
}

// keepsPreset are the parameters that a preset does not decide.
var keepsPreset = map[string]bool{"seed": true, "max_new_tokens": true, "schedule": true}

// Label names the settings: the preset, with a star where a value was changed
// on top of it.
func (s *Flags) Label() string {
	changed := s.Config != ""
	for _, kv := range s.set {
		key, _, _ := strings.Cut(kv, "=")
		changed = changed || !keepsPreset[key]
	}
	for key, f := range s.Params {
		changed = changed || f.given && !keepsPreset[key]
	}
	if s.Preset == "" {
		return "custom"
	}
	return engine.Name{Preset: s.Preset, Changed: changed}.String()
}

// readPrompt finds the prompt and splits it into tokens.
func (s *Flags) readPrompt(ctx context.Context, j *Job) error {
	text, given, err := s.Text()
	if err != nil {
		return err
	}
	if s.PromptTokens != "" {
		switch {
		case given:
			return console.Wrong("--prompt-tokens and --prompt: one of them")
		case s.Talk.Asked() != "":
			return console.Wrong("%s: it is about a conversation, --prompt-tokens is none", s.Talk.Asked())
		}
		j.Prompt, err = TokenIDs("--prompt-tokens", s.PromptTokens, j.Model.Info().VocabSize)
		if err != nil {
			return err
		}
		var b strings.Builder
		for _, id := range j.Prompt {
			b.WriteString(j.Model.Vocab().Piece(id))
		}
		j.Text = b.String()
		return j.checkPrompt()
	}
	if m, ok := j.Model.(*tape.Model); ok && (!given || s.Prompt == LabPrompt && s.promptText == nil) {
		j.Text, j.Prompt = m.Prompt() // nothing else was recorded
		return nil
	}
	if s.Talk.Asked() != "" {
		return s.readConversation(ctx, j, text, given)
	}
	if !given {
		return nil
	}
	j.Text = text
	if j.Prompt, err = engine.Prompt(ctx, j.Model, text); err != nil {
		return err
	}
	return j.checkPrompt()
}
