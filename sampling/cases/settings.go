package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/sampling/watermark"
)

// A plan is what a case's engine and settings come to.
type plan struct {
	rules        *sampling.Engine // whose answer it is
	pipeline     *sampling.Pipeline
	err          error
	notSupported []string
}

// dense reports whether the engine works on a row of the whole vocabulary.
func (p *plan) dense() bool { return !p.rules.Arrays }

// A settingsError means that settings cannot be read at all, unlike settings
// that the engine refuses.
type settingsError struct{ err error }

func (e *settingsError) Error() string { return e.err.Error() }

// names are the engines' own names of parameters that differ from ours.
var names = map[string]string{
	"repeat_penalty": "repetition_penalty", "min_keep": "min_tokens_to_keep", "min_tokens": "min_new_tokens",
	"bad_words_token_ids": "bad_words_ids", "typ_p": "typical_p", "temp": "temperature",
	"dry_sequence_breaker_tokens": "dry_breaker_tokens", "rules": "cut_rules",
}

// defaultSeed seeds the draws of a case that sets none.
const defaultSeed = 1234

// plan returns the pipeline of the case in hand. Consecutive cases with the
// same settings share one.
func (t *runner) plan() (*plan, error) {
	key := append(t.c.Settings[:len(t.c.Settings):len(t.c.Settings)], t.c.Engine...)
	if t.last.pipeline != nil && bytes.Equal(key, t.lastKey) {
		return &t.last, t.last.err
	}
	p, err := newPlan(t.c.Engine, t.opt.Engine, t.c.Settings)
	t.last, t.lastKey = p, key
	return &t.last, err
}

func newPlan(engine, override string, raw json.RawMessage) (plan, error) {
	from := engine
	switch {
	case from == "" && override == "":
		from = sampling.Orders()[0].Name()
	case from == "":
		from = "neutral"
	}
	var p plan
	settings := map[string]any{}
	if len(raw) > 0 {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if d.Decode(&settings) != nil {
			return p, &settingsError{errors.New("settings: want an object")}
		}
	}
	c, err := configOf(from, settings)
	if err != nil {
		return p, err
	}
	if override != "" && override != from {
		if c, p.notSupported, err = translate(c, from, override, settings); err != nil {
			return p, err
		}
	}
	p.rules = c.Order().Rules()
	c = p.dropLent(c)
	if _, ok := c.Lookup("seed"); !ok {
		c = c.MustWith("seed", uint64(defaultSeed), sampling.FromDefault)
	}
	p.pipeline, p.err = sampling.Compile(c, nil)
	return p, p.err
}

// dropLent removes what the engine itself does not have and the lab lends it,
// such as vLLM's penalties to transformers: an answer here is the engine's own.
func (p *plan) dropLent(c sampling.Config) sampling.Config {
	for _, key := range c.Keys() {
		if d := c.Order().Reads(key); d == nil || d.Lent == "" {
			continue
		}
		prm, _ := param.Lookup(key)
		if !prm.IsOff(c.Value(key)) {
			p.notSupported = append(p.notSupported, key)
		}
		c = c.Without(key)
	}
	return c
}

// configOf reads settings under an engine's own names. Every value goes to
// the engine as it is: what it makes of odd ones is its own affair.
func configOf(engine string, settings map[string]any) (sampling.Config, error) {
	var c sampling.Config
	order := engine
	if engine == "neutral" {
		order = sampling.Orders()[0].Name()
	}
	if list, ok := settings["samplers"]; ok {
		var err error
		if order, err = samplerList(engine, list); err != nil {
			return c, err
		}
	}
	c, err := c.With("order", order, sampling.FromFile)
	if err != nil && settings["samplers"] != nil {
		return c, &settingsError{fmt.Errorf("samplers: %s", strings.TrimPrefix(err.Error(), "order: "))}
	}
	if err != nil {
		return c, &settingsError{fmt.Errorf("engine: %q; %s", engine, engineNames())}
	}
	settings = completeContrastive(settings)
	keys := make([]string, 0, len(settings))
	for key := range settings {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		v := settings[key]
		if v == nil || key == "samplers" || key == "engine_defaults" {
			continue
		}
		if c, err = set(c, engine, key, v); err != nil {
			return c, err
		}
	}
	return c, nil
}

// completeContrastive gives alpha and beta their papers' values where the
// other one alone stands in a case: an explicit 0 is no reason to leave out
// the other.
func completeContrastive(settings map[string]any) map[string]any {
	alpha, beta := settings["contrastive_alpha"] != nil, settings["contrastive_beta"] != nil
	if alpha == beta {
		return settings
	}
	settings = maps.Clone(settings)
	if alpha {
		settings["contrastive_beta"] = 0.5
	} else {
		settings["contrastive_alpha"] = 0.1
	}
	return settings
}

func engineNames() string {
	var out []string
	for _, o := range sampling.Orders() {
		out = append(out, o.Name())
	}
	return strings.Join(out, ", ")
}

// samplerList returns the order of a list of samplers.
func samplerList(engine string, v any) (string, error) {
	list, ok := v.([]any)
	if !ok {
		return "", &settingsError{errors.New("samplers: a list of names")}
	}
	var parts []string
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			return "", &settingsError{errors.New("samplers: a list of names")}
		}
		parts = append(parts, s)
	}
	if len(parts) == 0 {
		return engine + ":none", nil
	}
	return engine + ":" + strings.Join(parts, ","), nil
}

func set(c sampling.Config, engine, key string, v any) (sampling.Config, error) {
	if own, ok := names[key]; ok {
		key = own
	}
	switch key {
	case "constraint", "schedule":
		return c, &settingsError{fmt.Errorf("settings: %s: it is about texts, and a row of logits has none", key)}
	case "watermarking_config":
		return setWatermark(c, v)
	case "sequence_bias":
		if c.Order().Rules().Cases.ListFrom1 && engine != "neutral" && refusesBiasList(v) {
			return c, fmt.Errorf("sequence_bias: token id 0 in a list; above 0 under %s", c.Order().Engine())
		}
		key = "logit_bias"
	case "exponential_decay_length_penalty":
		pair, ok := v.([]any)
		if !ok || len(pair) != 2 {
			return c, &settingsError{errors.New("exponential_decay_length_penalty: a start and a factor")}
		}
		var err error
		if c, err = c.WithRaw("exponential_decay_start", pair[0], sampling.FromFile); err != nil {
			return c, &settingsError{err}
		}
		key, v = "exponential_decay_factor", pair[1]
	}
	d, err := c.WithRaw(key, v, sampling.FromFile)
	if err != nil {
		return c, &settingsError{fmt.Errorf("settings: %w", err)}
	}
	return d, nil
}

// setWatermark reads transformers' object; what it does not name has
// transformers' default.
func setWatermark(c sampling.Config, v any) (sampling.Config, error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return c, &settingsError{errors.New("watermarking_config: want an object")}
	}
	c = c.MustWith("watermark_bias", watermark.DefaultBias, sampling.FromFile)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		key := sampling.WatermarkKey(name)
		if key == "" {
			return c, &settingsError{fmt.Errorf("watermarking_config: no field %s", name)}
		}
		var err error
		if c, err = c.WithRaw(key, fields[name], sampling.FromFile); err != nil {
			return c, &settingsError{fmt.Errorf("watermarking_config: %s: %w", name, err)}
		}
	}
	return c, nil
}

// refusesBiasList reports whether a list of biases holds token id 0, which
// transformers does not take there.
func refusesBiasList(v any) bool {
	list, ok := v.([]any)
	if !ok {
		return false
	}
	for _, x := range list {
		pair, ok := x.([]any)
		if !ok || len(pair) == 0 {
			continue
		}
		ids, ok := pair[0].([]any)
		if ok && slices.ContainsFunc(ids, func(id any) bool { return fmt.Sprint(id) == "0" }) {
			return true
		}
	}
	return false
}

// shared are the parameters that engines give values of their own when
// nobody sets them, with the value at which they change nothing.
var shared = []struct {
	key     string
	neutral any
}{
	{"temperature", 1.0}, {"top_k", int64(0)}, {"top_p", 1.0}, {"min_p", 0.0}, {"typical_p", 1.0},
}

// translate turns a config of one engine into what it means under another:
// what is not set has the value of the engine it comes from, and values that
// engine reads as off are off.
func translate(c sampling.Config, from, to string, settings map[string]any) (sampling.Config, []string, error) {
	source := c.Order()
	own := settings["engine_defaults"] == true
	for _, s := range shared {
		set, ok := c.Lookup(s.key)
		if !ok && own {
			continue
		}
		v := s.neutral
		if ok {
			v = set.Value
			if from != "neutral" {
				v = offIfOdd(s.key, v, s.neutral)
			}
		} else if from != "neutral" {
			p, _ := param.Lookup(s.key)
			v = source.Default(p)
		}
		d, err := c.WithRaw(s.key, v, sampling.FromFile)
		if err != nil {
			return c, nil, &settingsError{err}
		}
		c = d
	}
	c, err := c.With("order", to, sampling.FromFlag)
	if err != nil {
		return c, nil, &settingsError{err}
	}
	var lost []string
	for _, key := range c.Keys() {
		p, _ := param.Lookup(key)
		v, _ := c.Lookup(key)
		if key != "order" && !c.Order().Supports(key) && !p.IsOff(v.Value) {
			lost = append(lost, key)
		}
	}
	return c, lost, nil
}

// offIfOdd returns the neutral value for one that lies beyond it.
func offIfOdd(key string, v, neutral any) any {
	switch v := v.(type) {
	case int64:
		if key == "top_k" && v <= 0 {
			return neutral
		}
	case float64:
		if (key == "top_p" || key == "typical_p") && v >= 1 || key == "min_p" && v <= 0 {
			return neutral
		}
	}
	return v
}
