package cli

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
	"logitscope/models/llama"
	"logitscope/models/open"
	"logitscope/models/remote"
	"logitscope/models/tape"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
)

// kvTypes are the values of --kv-type.
var kvTypes = map[string]llama.KVType{"f32": llama.F32, "f16": llama.F16}

// options says how models are opened under the flags.
func (s *shared) options() (open.Options, error) {
	kv, ok := kvTypes[s.kv]
	if !ok {
		return open.Options{}, wrong("--kv-type %s: f32 or f16", s.kv)
	}
	if s.context < 0 {
		return open.Options{}, wrong("--context %d: 1 or more, or 0 for the model's own", s.context)
	}
	home, _ := os.UserHomeDir()
	return open.Options{
		Llama: llama.Options{ContextLen: s.context, KVType: kv}, Home: home,
		Server: remote.Options{Getenv: s.sys.Getenv, Notice: s.notice, Timeouts: remote.Timeouts{Retry: s.patience}},
	}, nil
}

// notice says what a server is being waited for. The screen says it itself.
func (s *shared) notice(line string) {
	if !s.onScreen {
		complain(s.sys.Err, errors.New(line))
	}
}

// open opens the model that a flag names.
func (s *shared) open(ctx context.Context, flag, name string) (models.Model, error) {
	opt, err := s.options()
	if err != nil {
		return nil, err
	}
	if isTerminal(s.sys.Err) && !s.onScreen {
		// The name may hold a password, so it is not repeated.
		note := time.AfterFunc(slowOpen, func() { fmt.Fprintf(s.sys.Err, "waiting for what %s names …\n", flag) })
		defer note.Stop()
	}
	m, err := open.Model(ctx, name, opt)
	if err != nil {
		return nil, wrong("%s %w", flag, err)
	}
	return m, nil
}

// slowOpen is when opening a model begins to need a word.
const slowOpen = time.Second

// prepare opens the models, puts the settings together and splits the prompt.
func (s *shared) prepare(ctx context.Context) (*job, error) {
	return within(ctx, func() (*job, error) { return s.makeJob(ctx) })
}

func (s *shared) makeJob(ctx context.Context) (*job, error) {
	if _, err := s.configuration(sampling.Config{}, laneSpec{}); err != nil {
		return nil, err // before the model, which may take a while
	}
	m, err := s.open(ctx, "--model", s.model)
	if err != nil {
		return nil, err
	}
	j := &job{model: m, compiler: s.compiler(m)}
	if err := s.ready(ctx, j); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// compiler returns a compiler for m that knows the presets.
func (s *shared) compiler(m models.Model) *engine.Compiler {
	c := engine.NewCompiler(m)
	c.Presets = s.presetConfig
	return c
}

// ready fills in what depends on the model.
func (s *shared) ready(ctx context.Context, j *job) error {
	cfg, err := s.configuration(s.recommended(j.model), laneSpec{})
	if err != nil {
		return err
	}
	if s.byDefault {
		cfg = exactOver(cfg, j.model.Info().Caps)
	}
	if err := s.readPrompt(ctx, j); err != nil {
		return err
	}
	if j.settings, err = s.compile(j, cfg, laneSpec{label: s.label()}); err != nil {
		return err
	}
	j.draft, err = s.openDraft(ctx, j.model, cfg)
	return err
}

// compile makes the settings of a lane out of a configuration.
func (s *shared) compile(j *job, cfg sampling.Config, lane laneSpec) (*engine.Settings, error) {
	var set *engine.Settings
	err := checkIDs(j.model, cfg)
	if err == nil {
		j.config = cfg
		set, err = j.compiler.Settings(engine.EndTurn(cfg, j.ends), lane.label)
	}
	var refused *constrain.RefusedError
	switch {
	case errors.As(err, &refused):
		err = &sourceError{s.constraintOf(cfg, lane).from, err}
	case err != nil:
		err = s.blamed(cfg, lane, err)
	default:
		s.noteSeed(set.Pipeline)
	}
	return set, wrongly(err)
}

// noteSeed notes that the engine takes another seed than the one given. What
// else it adjusts changes no draw behind the user's back; config show says it.
func (s *shared) noteSeed(p *sampling.Pipeline) {
	for _, n := range p.Adjusted() {
		if n.Key == "seed" && !slices.Contains(s.notes, n.Text) {
			s.notes = append(s.notes, n.Text)
		}
	}
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

// label names the settings: the preset, with a star where a value was changed
// on top of it.
func (s *shared) label() string {
	changed := s.config != ""
	for _, kv := range s.set {
		key, _, _ := strings.Cut(kv, "=")
		changed = changed || !keepsPreset[key]
	}
	for key, f := range s.params {
		changed = changed || f.given && !keepsPreset[key]
	}
	switch {
	case s.preset == "":
		return "custom"
	case changed:
		return s.preset + "*"
	}
	return s.preset
}

// readPrompt finds the prompt and splits it into tokens.
func (s *shared) readPrompt(ctx context.Context, j *job) error {
	text, given, err := s.text()
	if err != nil {
		return err
	}
	if s.promptTokens != "" {
		switch {
		case given:
			return wrong("--prompt-tokens and --prompt: one of them")
		case s.talk.asked() != "":
			return wrong("%s: it is about a conversation, --prompt-tokens is none", s.talk.asked())
		}
		j.prompt, err = tokenIDs("--prompt-tokens", s.promptTokens, j.model.Info().VocabSize)
		if err != nil {
			return err
		}
		var b strings.Builder
		for _, id := range j.prompt {
			b.WriteString(j.model.Vocab().Piece(id))
		}
		j.text = b.String()
		return j.checkPrompt()
	}
	if m, ok := j.model.(*tape.Model); ok && (!given || s.prompt == labPrompt && s.promptText == nil) {
		j.text, j.prompt = m.Prompt() // nothing else was recorded
		return nil
	}
	if s.talk.asked() != "" {
		return s.readConversation(ctx, j, text, given)
	}
	if !given {
		return nil
	}
	j.text = text
	if j.prompt, err = engine.Prompt(ctx, j.model, text); err != nil {
		return err
	}
	return j.checkPrompt()
}

// checkPrompt refuses a prompt that the model's context cannot hold.
func (j *job) checkPrompt() error {
	if n, limit := len(j.prompt), j.model.Info().ContextLen; limit > 0 && n > limit {
		return fmt.Errorf("the prompt has %d tokens, the context holds %d; cut %d or more, or load another model", n, limit, n-limit)
	}
	return nil
}

// release closes the models, unless ctx has ended: then what was not waited for
// may still read them, and they go with the program.
func (j *job) release(ctx context.Context) {
	if ctx.Err() == nil {
		j.close()
	}
}

func (j *job) close() {
	if j.draft.Model != nil {
		j.draft.Model.Close()
	}
	j.model.Close()
}

// visible replaces control bytes other than line ends and tabs by pictures,
// for a terminal.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return 0x2421
		case r >= 0x80 && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return 0xfffd
		}
		return r
	}, s)
}
