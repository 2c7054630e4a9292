// Package setup answers: what do the flags ask for? It declares the flags of every
// command that decodes and makes a job of them: a model, settings, a constraint,
// a prompt; and it runs a job without a screen.
package setup

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
	"logitscope/models"
	"logitscope/presets"
	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/sampling/value"
	"logitscope/ui/cli/console"
)

// Flags are the flags of every command that decodes.
type Flags struct {
	Sys       console.System
	ByDefault bool // the preset is the program's choice, not the user's
	Seeded    bool // the seed counts as set where nobody set it: a server is sent the one that the screen names
	OnScreen  bool // the lab is open or about to be
	FlagSet   *pflag.FlagSet

	Model, draft       string
	Prompt, PromptFile string
	promptText         *string // what --prompt-file holds, once it was read
	PromptTokens       string
	Talk               talk
	Preset, Config     string
	set, schedule      []string
	Local              Local
	Params             map[string]*ParamFlag
	file               *exchange.Imported // what --config holds, once it was read
	Named              *Source            // the constraint that flags name, once it was read
	Stdin              string             // what reads standard input
	checked            map[string]bool    // constraints that compile
	Notes              []string           // what is worth saying about them, and about the file
	told               bool               // what is wrong with the model's own settings
	OwnConfigs         bool               // --config is the command's own
	Patience           time.Duration      // how long a server that is busy is waited for; 0 for as long as usual
}

// Add declares the shared flags on cmd.
func Add(sys console.System, cmd *cobra.Command) *Flags {
	s := AddDecoding(sys, cmd)
	f := cmd.Flags()
	f.StringVar(&s.Prompt, "prompt", "", "text to continue")
	f.StringVar(&s.PromptTokens, "prompt-tokens", "", "token ids to continue, such as 1,8")
	f.StringVar(&s.PromptFile, "prompt-file", "", "file with the text to continue; - is standard input")

	s.Talk.add(f)
	f.StringVar(&s.Config, "config", "", "file with settings; - is standard input")
	console.Reads(f, "a file", "prompt-file", "config")
	return s
}

// AddDecoding declares the shared flags but for those of one prompt and one
// file of settings.
func AddDecoding(sys console.System, cmd *cobra.Command) *Flags {
	f := cmd.Flags()
	s := &Flags{Sys: sys, FlagSet: f, Params: make(map[string]*ParamFlag)}
	f.StringVar(&s.Model, "model", "fable", "model: fable, FILE.gguf, table:FILE, ollama:NAME, llama-server:URL, vllm:URL, sglang:URL, openai:NAME")
	f.StringVar(&s.draft, "draft", "", "draft model for speculative decoding; ngram for prompt lookup; lookahead for the model's own guesses; self:3,5-7 for the model without those layers")
	console.Reads(f, "a model", "model", "draft")
	f.StringVar(&s.Preset, "preset", "", "named settings: "+strings.Join(presets.Names(), ", ")+", or one of your own")
	f.StringArrayVar(&s.set, "set", nil, "key=value, any parameter; may be repeated")
	s.Local.Add(f)
	f.StringArrayVar(&s.schedule, "schedule", nil, `change settings inside the text: 'at token 40: creative', 'after "</think>": temperature=0.3; top_p=0.8', 'inside a JSON string: temperature=1.2'; may be repeated`)
	AddSource(f, "bounded")
	for i := range param.All() {
		p := &param.All()[i]
		if p.Key == "constraint" || p.Key == "schedule" {
			continue // the flags above are their forms
		}
		v := &ParamFlag{param: p}
		s.Params[p.Key] = v
		flag := f.VarPF(v, strings.ReplaceAll(p.Key, "_", "-"), "", p.Help)
		if p.Kind == param.Bool {
			flag.NoOptDefVal = "true"
		}
		flag.Hidden = p.Hidden
	}
	return s
}

// A ParamFlag is the flag of one parameter.
type ParamFlag struct {
	param *param.Param
	value any
	given bool
}

func (f *ParamFlag) String() string {
	if f.param == nil || !f.given {
		return ""
	}
	return f.param.Format(f.value)
}

// Set takes a value; a list is added to the one the same flag gave before.
func (f *ParamFlag) Set(s string) error {
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
	case []value.TokenBias:
		return slices.Concat(first.([]value.TokenBias), later)
	case []int32:
		return slices.Concat(first.([]int32), later)
	case [][]int32:
		return slices.Concat(first.([][]int32), later)
	}
	return later
}

// kindNames are what the help calls values of a kind.
var kindNames = [...]string{
	param.Bool: "bool", param.Int: "int", param.Uint: "int", param.Float: "float", param.Choice: "name",
	param.Text: "string", param.List: "strings", param.Bias: "token=bias", param.IDs: "ids", param.Seqs: "lists",
}

// Type is what the help calls the value.
func (f *ParamFlag) Type() string { return kindNames[f.param.Kind] }

// presetNamed returns a preset; no name is a preset that sets nothing.
func (s *Flags) presetNamed(name string) (presets.Preset, error) {
	if name == "" {
		return presets.Preset{}, nil
	}
	return FindPreset(s.Sys, name)
}

// Configuration puts together what was asked for: base, which is what the
// model recommends, then the preset, the file, the preset of a lane, the flags,
// and the lane's own values, each over the one before.
func (s *Flags) Configuration(base sampling.Config, lane LaneSpec) (sampling.Config, error) {
	p, err := s.presetNamed(s.Preset)
	if err != nil {
		return base, console.Wrong("--preset %v", err)
	}
	if _, set := base.Lookup("seed"); s.Seeded && !set {
		base = base.MustWith("seed", base.Uint("seed"), sampling.FromDefault)
	}
	cfg := base.Merge(p.Config)
	if s.FlagSet.Changed("config") && !s.OwnConfigs {
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
	cfg = cfg.Merge(lane.Preset).Merge(flags).Merge(lane.Set)
	if err = s.Validate(cfg); err != nil {
		return cfg, console.Wrongly(s.blamed(cfg, lane, err))
	}
	return cfg, console.Wrongly(s.checkConstraint(s.constraintOf(cfg, lane)))
}

// Validate checks settings, and the rules of their schedule.
func (s *Flags) Validate(cfg sampling.Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	return engine.CheckSchedule(cfg, s.presetConfig)
}

// blamed puts the lane, the file or the preset that set a key in front of what
// is wrong with it.
func (s *Flags) blamed(cfg sampling.Config, lane LaneSpec, err error) error {
	if lane.text != "" {
		return console.Flagged(lane.given()+":", err)
	}
	list := console.Each(err)
	for i, e := range list {
		key, _, _ := strings.Cut(e.Error(), ":")
		switch set, _ := cfg.Lookup(key); {
		case set.Origin == sampling.FromFile:
			list[i] = fmt.Errorf("--config %s: %w", s.Config, e)
		case set.Origin == sampling.FromPreset:
			list[i] = fmt.Errorf("--preset %s: %w", s.Preset, e)
		}
	}
	return errors.Join(list...)
}

// presetConfig returns the settings of a preset, for rules of a schedule.
func (s *Flags) presetConfig(name string) (sampling.Config, error) {
	p, err := FindPreset(s.Sys, name)
	return p.Config, err
}

// flagConfig returns what the flags set.
func (s *Flags) flagConfig() (cfg sampling.Config, err error) {
	for _, kv := range s.set {
		if cfg, err = setPair(cfg, kv); err != nil {
			return cfg, console.Wrongly(console.Flagged("--set", err))
		}
	}
	for i := range param.All() {
		key := param.All()[i].Key
		if f := s.Params[key]; f != nil && f.given {
			if cfg, err = cfg.With(key, f.value, sampling.FromFlag); err != nil {
				return cfg, console.Wrongly(err)
			}
		}
	}
	for _, rule := range s.schedule {
		if cfg, err = addRule(cfg, rule); err != nil {
			return cfg, console.Wrongly(err)
		}
	}
	c, err := s.Source()
	if err != nil || c.Text == "" {
		return cfg, err
	}
	cfg, err = cfg.With("constraint", c.Text, sampling.FromFlag)
	return cfg, console.Wrongly(err)
}

// readConfig reads the file of --config, in any format, once: it may be
// standard input.
func (s *Flags) readConfig() (sampling.Config, error) {
	if s.file == nil {
		if err := s.takeInput("--config", s.Config); err != nil {
			return sampling.Config{}, err
		}
		in, err := s.ImportConfig(s.Config)
		if err != nil {
			return sampling.Config{}, console.Wrongly(console.Flagged("--config", err))
		}
		s.file = in
	}
	return s.file.Config, nil
}

// ImportConfig reads a file with settings, and notes what is worth saying about
// it.
func (s *Flags) ImportConfig(name string) (*exchange.Imported, error) {
	in, err := ImportFile(s.Sys, name, exchange.Options{})
	if err == nil {
		err = in.Unreadable()
	}
	if err != nil {
		return nil, err
	}
	for _, n := range in.Notes {
		s.Notes = append(s.Notes, "--config "+name+": "+n)
	}
	if len(in.Acts) > 0 {
		s.Notes = append(s.Notes, "--config "+name+": acts on tokens and is not modelled here: "+strings.Join(Words(in.Acts), ", "))
	}
	if len(in.Unknown) > 0 {
		s.Notes = append(s.Notes, "--config "+name+": unknown: "+strings.Join(Words(in.Unknown), ", "))
	}
	return in, nil
}

// setPair applies one key=value pair.
func setPair(cfg sampling.Config, kv string) (sampling.Config, error) {
	key, text, ok := strings.Cut(kv, "=")
	if !ok {
		return cfg, fmt.Errorf("%s: want key=value, such as temperature=0.8", kv)
	}
	p, ok := param.Lookup(key)
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

// TokenIDs reads the token ids of a flag.
func TokenIDs(flag, list string, size int) ([]int32, error) {
	var ids []int32
	for part := range strings.SplitSeq(list, ",") {
		id, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || id < 0 || id >= size {
			return nil, console.Wrong("%s %s: ids from 0 to %d, separated by commas", flag, list, size-1)
		}
		ids = append(ids, int32(id))
	}
	return ids, nil
}

// exactOver returns the settings of a preset without what a server that gives
// less than whole rows of logits cannot make exact.
func exactOver(cfg sampling.Config, caps models.Caps) sampling.Config {
	if s, ok := cfg.Lookup("repetition_penalty"); ok && caps.Normalised && s.Origin == sampling.FromPreset {
		cfg = cfg.Without("repetition_penalty")
	}
	if s, ok := cfg.Lookup("top_k"); ok && caps.TopN > 0 && s.Origin == sampling.FromPreset && cfg.Int("top_k") > caps.TopN {
		cfg = cfg.MustWith("top_k", caps.TopN, sampling.FromPreset)
	}
	return cfg
}

// CheckTop checks --top.
func CheckTop(top int) error {
	if top < 0 || top > sampling.MaxRows {
		return console.Wrong("--top %d: 0 to %d", top, sampling.MaxRows)
	}
	return nil
}

// flagTypes are the types of flags that are not parameters, in words.
var flagTypes = map[string]string{"int": "want a whole number", "intSlice": "want whole numbers, with commas between", "float64": "want a number", "bool": "want true or false"}

// FlagError says why the value of a flag cannot be read, in the words of all
// other errors; a parameter's flag names the parameter's allowed values.
func FlagError(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	f := bad.GetFlag()
	why := flagTypes[f.Value.Type()]
	if p, ok := f.Value.(*ParamFlag); ok {
		why = withoutKey(p.param.Key, bad.Unwrap())
	}
	if why == "" {
		return err
	}
	return fmt.Errorf("--%s %s: %s", f.Name, bad.GetValue(), why)
}

// Words are values in words.
func Words[T fmt.Stringer](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = x.String()
	}
	return out
}
