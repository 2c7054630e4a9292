package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"logitscope/engine"
	"logitscope/presets"
	"logitscope/presets/exchange"
	"logitscope/sampling"
)

// underscores lets every flag be written as its parameter's key: --top_p is
// --top-p.
func underscores(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
}

// Shared are the flags of every command that decodes.
type shared struct {
	sys       System
	byDefault bool // the preset is the program's choice, not the user's
	seeded    bool // the seed counts as set where nobody set it: a server is sent the one that the screen names
	onScreen  bool // the lab is open or about to be
	flags     *pflag.FlagSet

	model, draft       string
	prompt, promptFile string
	promptText         *string // what --prompt-file holds, once it was read
	promptTokens       string
	talk               talk
	preset, config     string
	set, schedule      []string
	context            int
	kv                 string
	params             map[string]*paramFlag
	file               *exchange.Imported // what --config holds, once it was read
	named              *source            // the constraint that flags name, once it was read
	stdin              string             // what reads standard input
	checked            map[string]bool    // constraints that compile
	notes              []string           // what is worth saying about them, and about the file
	told               bool               // what is wrong with the model's own settings
	ownConfigs         bool               // --config is the command's own
	patience           time.Duration      // how long a server that is busy is waited for; 0 for as long as usual
}

// addShared declares the shared flags on cmd.
func addShared(sys System, cmd *cobra.Command) *shared {
	s := addDecoding(sys, cmd)
	f := cmd.Flags()
	f.StringVar(&s.prompt, "prompt", "", "text to continue")
	f.StringVar(&s.promptTokens, "prompt-tokens", "", "token ids to continue, such as 1,8")
	f.StringVar(&s.promptFile, "prompt-file", "", "file with the text to continue; - is standard input")
	s.talk.add(f)
	f.StringVar(&s.config, "config", "", "file with settings; - is standard input")
	return s
}

// addDecoding declares the shared flags but for those of one prompt and one
// file of settings.
func addDecoding(sys System, cmd *cobra.Command) *shared {
	f := cmd.Flags()
	s := &shared{sys: sys, flags: f, params: make(map[string]*paramFlag)}
	f.StringVar(&s.model, "model", "fable", "model: fable, FILE.gguf, table:FILE, ollama:NAME, llama-server:URL, vllm:URL, sglang:URL, openai:NAME")
	f.StringVar(&s.draft, "draft", "", "draft model for speculative decoding, or ngram for prompt lookup")
	f.StringVar(&s.preset, "preset", "", "named settings: "+strings.Join(presets.Names(), ", ")+", or one of your own")
	f.StringArrayVar(&s.set, "set", nil, "key=value, any parameter; may be repeated")
	f.IntVar(&s.context, "context", 0, "context length in tokens; 0 is the model's own")
	f.StringVar(&s.kv, "kv-type", "f32", "type of the KV cache: f32 or f16")
	f.StringArrayVar(&s.schedule, "schedule", nil, `change settings inside the text: 'at token 40: creative', 'after "</think>": temperature=0.3; top_p=0.8', 'inside a JSON string: temperature=1.2'; may be repeated`)
	addSource(f, "bounded")
	for i := range sampling.Params() {
		p := &sampling.Params()[i]
		if p.Key == "constraint" || p.Key == "schedule" {
			continue // the flags above are their forms
		}
		v := &paramFlag{param: p}
		s.params[p.Key] = v
		flag := f.VarPF(v, strings.ReplaceAll(p.Key, "_", "-"), "", p.Help)
		if p.Kind == sampling.Bool {
			flag.NoOptDefVal = "true"
		}
		flag.Hidden = p.Hidden
	}
	return s
}

// A paramFlag is the flag of one parameter.
type paramFlag struct {
	param *sampling.Param
	value any
	given bool
}

func (f *paramFlag) String() string {
	if f.param == nil || !f.given {
		return ""
	}
	return f.param.Format(f.value)
}

// Set takes a value; a list is added to the one the same flag gave before.
func (f *paramFlag) Set(s string) error {
	v, err := f.param.Parse(s)
	if err == nil && f.given && !f.param.IsOff(v) {
		v = joined(f.value, v)
	}
	f.value, f.given = v, true
	return err
}

// joined is a list followed by another; of other values the later counts.
func joined(first, later any) any {
	switch later := later.(type) {
	case []string:
		return slices.Concat(first.([]string), later)
	case []sampling.TokenBias:
		return slices.Concat(first.([]sampling.TokenBias), later)
	case []int32:
		return slices.Concat(first.([]int32), later)
	case [][]int32:
		return slices.Concat(first.([][]int32), later)
	}
	return later
}

func (f *paramFlag) Type() string { return "" }

// presetNamed returns a preset; no name is a preset that sets nothing.
func (s *shared) presetNamed(name string) (presets.Preset, error) {
	if name == "" {
		return presets.Preset{}, nil
	}
	return findPreset(s.sys, name)
}

// configuration puts together what was asked for: base, which is what the
// model recommends, then the preset, the file, the preset of a lane, the flags,
// and the lane's own values, each over the one before.
func (s *shared) configuration(base sampling.Config, lane laneSpec) (sampling.Config, error) {
	p, err := s.presetNamed(s.preset)
	if err != nil {
		return base, wrong("--preset %v", err)
	}
	if _, set := base.Lookup("seed"); s.seeded && !set {
		base = base.MustWith("seed", base.Uint("seed"), sampling.FromDefault)
	}
	cfg := base.Merge(p.Config)
	if s.flags.Changed("config") && !s.ownConfigs {
		file, err := s.readConfig()
		if err != nil {
			return cfg, err
		}
		cfg = cfg.Merge(file)
	}
	flags, err := s.flagConfig()
	if err != nil {
		return cfg, err
	}
	cfg = cfg.Merge(lane.preset).Merge(flags).Merge(lane.set)
	if err = s.validate(cfg); err != nil {
		return cfg, wrongly(s.blamed(cfg, lane, err))
	}
	return cfg, wrongly(s.checkConstraint(s.constraintOf(cfg, lane)))
}

// validate checks settings, and the rules of their schedule.
func (s *shared) validate(cfg sampling.Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	return engine.CheckSchedule(cfg, s.presetConfig)
}

// blamed puts the lane, the file or the preset that set a key in front of what
// is wrong with it.
func (s *shared) blamed(cfg sampling.Config, lane laneSpec, err error) error {
	if lane.text != "" {
		return flagged(lane.given()+":", err)
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		key, _, _ := strings.Cut(line, ":")
		switch set, _ := cfg.Lookup(key); {
		case set.Origin == sampling.FromFile:
			lines[i] = "--config " + s.config + ": " + line
		case set.Origin == sampling.FromPreset:
			lines[i] = "--preset " + s.preset + ": " + line
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// presetConfig returns the settings of a preset, for rules of a schedule.
func (s *shared) presetConfig(name string) (sampling.Config, error) {
	p, err := findPreset(s.sys, name)
	return p.Config, err
}

// flagConfig returns what the flags set.
func (s *shared) flagConfig() (cfg sampling.Config, err error) {
	for _, kv := range s.set {
		if cfg, err = setPair(cfg, kv); err != nil {
			return cfg, wrongly(flagged("--set", err))
		}
	}
	for i := range sampling.Params() {
		key := sampling.Params()[i].Key
		if f := s.params[key]; f != nil && f.given {
			if cfg, err = cfg.With(key, f.value, sampling.FromFlag); err != nil {
				return cfg, wrongly(err)
			}
		}
	}
	for _, rule := range s.schedule {
		if cfg, err = addRule(cfg, rule); err != nil {
			return cfg, wrongly(err)
		}
	}
	c, err := s.source()
	if err != nil || c.text == "" {
		return cfg, err
	}
	cfg, err = cfg.With("constraint", c.text, sampling.FromFlag)
	return cfg, wrongly(err)
}

// readConfig reads the file of --config, in any format, once: it may be
// standard input.
func (s *shared) readConfig() (sampling.Config, error) {
	if s.file == nil {
		if err := s.takeInput("--config", s.config); err != nil {
			return sampling.Config{}, err
		}
		in, err := s.importConfig(s.config)
		if err != nil {
			return sampling.Config{}, wrongly(flagged("--config", err))
		}
		s.file = in
	}
	return s.file.Config, nil
}

// importConfig reads a file with settings, and notes what is worth saying about
// it.
func (s *shared) importConfig(name string) (*exchange.Imported, error) {
	in, err := importFile(s.sys, name, exchange.Options{})
	if err == nil {
		err = in.Unreadable()
	}
	if err != nil {
		return nil, err
	}
	for _, n := range in.Notes {
		s.notes = append(s.notes, "--config "+name+": "+n)
	}
	if len(in.Acts) > 0 {
		s.notes = append(s.notes, "--config "+name+": acts on tokens and is not modelled here: "+strings.Join(words(in.Acts), ", "))
	}
	if len(in.Unknown) > 0 {
		s.notes = append(s.notes, "--config "+name+": unknown: "+strings.Join(words(in.Unknown), ", "))
	}
	return in, nil
}

// setPair applies one key=value pair.
func setPair(cfg sampling.Config, kv string) (sampling.Config, error) {
	key, text, ok := strings.Cut(kv, "=")
	if !ok {
		return cfg, fmt.Errorf("%s: want key=value, such as temperature=0.8", kv)
	}
	p, ok := sampling.Lookup(key)
	if !ok {
		_, err := cfg.With(key, text, sampling.FromFlag)
		return cfg, fmt.Errorf("%s: %v (config show --all lists the parameters)", kv, err)
	}
	if key == "schedule" && !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return addRule(cfg, text) // a rule may hold commas
	}
	v, err := p.Parse(text)
	if err != nil {
		return cfg, fmt.Errorf("%s=%s: %s", key, text, withoutKey(key, err))
	}
	return cfg.With(key, v, sampling.FromFlag)
}

// withoutKey is the error of a parameter's value where its name is said before.
func withoutKey(key string, err error) string { return strings.TrimPrefix(err.Error(), key+": ") }

// addRule adds a rule to the schedule.
func addRule(cfg sampling.Config, rule string) (sampling.Config, error) {
	return cfg.With("schedule", append(slices.Clone(cfg.Strings("schedule")), rule), sampling.FromFlag)
}

// tokenIDs reads the token ids of a flag.
func tokenIDs(flag, list string, size int) ([]int32, error) {
	var ids []int32
	for part := range strings.SplitSeq(list, ",") {
		id, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || id < 0 || id >= size {
			return nil, wrong("%s %s: ids from 0 to %d, separated by commas", flag, list, size-1)
		}
		ids = append(ids, int32(id))
	}
	return ids, nil
}
