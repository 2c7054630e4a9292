package exchange

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
)

// koboldCPP is a request of koboldcpp.
var koboldCPP = Format{
	Name: "koboldcpp", About: "request JSON of koboldcpp", Engine: "llama.cpp",
	fields: append(same(
		"temperature", "top_p", "min_p", "presence_penalty", "mirostat", "mirostat_tau", "mirostat_eta", "dry_multiplier", "dry_base", "dry_allowed_length", "dry_penalty_last_n", "xtc_probability", "xtc_threshold",
		"dynatemp_range", "dynatemp_exponent", "adaptive_target", "adaptive_decay",
	),
		field{theirs: "max_length", ours: "max_new_tokens"},
		field{theirs: "rep_pen", ours: "repetition_penalty"},
		field{theirs: "rep_pen_range", ours: "repeat_last_n", in: unlimited},
		field{theirs: "top_k", ours: "top_k", in: offBelowZero},
		field{theirs: "typical", ours: "typical_p"},
		field{theirs: "banned_tokens", ours: "banned_phrases", in: listOrOne, out: withoutEmpty},
		field{theirs: "top_a", ours: "top_a", in: unless(0)},
		field{theirs: "tfs", ours: "tfs_z", in: unless(1)},
		field{theirs: "smoothing_factor", ours: "smoothing_factor", in: unless(0)},
		field{theirs: "smoothing_curve", ours: "smoothing_curve", in: unless(1)},
		field{theirs: "guidance_scale", ours: "guidance_scale", in: unless(1)},
		field{theirs: "negative_prompt", ours: "negative_prompt", in: unlessEmpty},
		field{theirs: "nsigma", ours: "top_n_sigma", in: offBelowZero},
		field{theirs: "dry_sequence_breakers", ours: "dry_sequence_breakers", in: listOrOne},
		field{theirs: "stop_sequence", ours: "stop", in: listOrOne, out: withoutEmpty},
		field{theirs: "sampler_seed", ours: "seed", in: randomBelowZero, out: seed32},
		field{theirs: "sampler_order", ours: "order", in: koboldOrderIn, once: true},
		field{theirs: "logit_bias", ours: "logit_bias", in: pairsIn, out: biasMap},
		field{theirs: "grammar", ours: "constraint", in: grammarIn, once: true},
	),
	acts: map[string][]any{
		"rep_pen_slope": {1}, "ban_eos_token": nil, "banned_strings": nil, "render_special": nil,
		"grammar_retain_state": nil, "use_default_badwordsids": nil, "bypass_eos": nil, "antislop": nil,
	},
	aside: []string{
		"n", "max_context_length", "trim_stop", "quiet", "prompt", "memory", "genkey", "images", "logprobs", "replace_instruct_placeholders", "stream_sse", "singleline", "frmttriminc", "frmtrmblln", "use_story", "use_memory",
		"use_authors_note", "use_world_info", "using_openai_tools", "min_length_hint", "audio",
	},
	brings: []brought{{stage: "guidance", first: true}, {stage: "top_a", after: []string{"top_k"}}, {stage: "tfs", after: []string{"top_a", "top_k"}}, {stage: "smoothing", after: []string{"temperature"}}},
	implied: func(*source) []assumption {
		return []assumption{
			{ours: "temperature", value: 0.75}, {ours: "top_k", value: int64(100)}, {ours: "top_p", value: 0.92},
			{ours: "repeat_last_n", value: int64(320), with: "repetition_penalty"}, {ours: "dry_penalty_last_n", value: int64(320), with: "dry_multiplier"},
			{ours: "xtc_threshold", value: 0.2, with: "xtc_probability"},
		}
	},
}

// koboldStages are the numbers of koboldcpp's stages. koboldOrder is the order it runs them in unless told otherwise.
var (
	koboldStages = []string{"top_k", "top_a", "top_p", "tfs", "typ_p", "temperature", "penalties"}
	koboldOrder  = []any{json.Number("6"), json.Number("0"), json.Number("1"), json.Number("3"), json.Number("4"), json.Number("2"), json.Number("5")}
)

// koboldOrderIn reads the numbers of stages. Its own order is the engine's.
func koboldOrderIn(v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("must be a list of numbers from 0 to 6")
	}
	if slices.Equal(list, koboldOrder) {
		return "llama.cpp", nil
	}
	var names []string
	for _, x := range list {
		n, ok := number(x)
		if i := int(n); !ok || n != float64(i) || i < 0 || i >= len(koboldStages) {
			return nil, errors.New("must be a list of numbers from 0 to 6")
		} else if koboldStages[i] != "" {
			names = append(names, koboldStages[i])
		}
	}
	return stageOrder(names)
}

// sillyTavern is a preset of SillyTavern's text completion settings.
var sillyTavern = Format{
	Name: "sillytavern", About: "text completion preset of SillyTavern", Engine: "llama.cpp",
	fields: append(same(
		"top_p", "epsilon_cutoff", "eta_cutoff", "typical_p", "min_p", "no_repeat_ngram_size", "penalty_alpha", "do_sample", "dynatemp_exponent", "dry_allowed_length", "dry_multiplier", "dry_base",
		"xtc_threshold", "xtc_probability", "mirostat_tau", "mirostat_eta", "adaptive_target", "adaptive_decay", "num_beams", "length_penalty",
	),
		field{theirs: "temp", ours: "temperature"},
		field{theirs: "top_a", ours: "top_a", in: unless(0)},
		field{theirs: "tfs", ours: "tfs_z", in: unless(1)},
		field{theirs: "smoothing_factor", ours: "smoothing_factor", in: unless(0)},
		field{theirs: "smoothing_curve", ours: "smoothing_curve", in: unless(1)},
		field{theirs: "skew", ours: "skew", in: unless(0)},
		field{theirs: "dynatemp_range", ours: "dynatemp_range"},
		field{theirs: "top_k", ours: "top_k", in: offBelowZero},
		field{theirs: "rep_pen", ours: "repetition_penalty"},
		field{theirs: "rep_pen_range", ours: "repeat_last_n"},
		field{theirs: "freq_pen", ours: "frequency_penalty"},
		field{theirs: "presence_pen", ours: "presence_penalty"},
		field{theirs: "guidance_scale", ours: "guidance_scale", in: unless(1)},
		field{theirs: "negative_prompt", ours: "negative_prompt", in: unlessEmpty},
		field{theirs: "nsigma", ours: "top_n_sigma", in: offBelowZero},
		field{theirs: "mirostat_mode", ours: "mirostat"},
		field{theirs: "genamt", ours: "max_new_tokens"},
		field{theirs: "min_length", ours: "min_new_tokens"},
		field{theirs: "dry_penalty_last_n", ours: "dry_penalty_last_n"},
		field{theirs: "dry_sequence_breakers", ours: "dry_sequence_breakers", in: breakerList},
		field{theirs: "seed", ours: "seed", in: randomBelowZero},
		field{theirs: "early_stopping", ours: "early_stopping"},
		field{theirs: "samplers", ours: "order", in: samplersIn, once: true},
		field{theirs: "temperature_last", ours: "order", in: temperatureLast, once: true},
		field{theirs: "grammar_string", ours: "constraint", in: grammarIn, once: true},
		field{theirs: "json_schema", ours: "constraint", in: emptyOrSchema, once: true},
		field{theirs: "logit_bias", ours: "logit_bias", in: pairsIn},
		field{theirs: "sampler_priority", ours: "order", in: priorityIn, once: true},
		field{theirs: "sampler_order", ours: "order", in: koboldOrderIn, once: true},
	),
	acts: map[string][]any{
		"rep_pen_decay": {0}, "rep_pen_slope": {1}, "encoder_rep_pen": {1},
		"banned_tokens": nil, "ban_eos_token": nil, "ignore_eos_token": nil, "global_banned_tokens": nil, "num_beams_groups": {1},
	},
	aside: []string{
		"max_length", "dynatemp", "min_temp", "max_temp", "add_bos_token", "skip_special_tokens", "streaming", "samplers_priorities", "rep_pen_size", "genamt_extra", "include_reasoning", "name",
		"send_banned_tokens", "spaces_between_special_tokens", "speculative_ngram", "max_tokens_second", "bypass_status_check", "extensions", "n", "openrouter_providers", "openrouter_model", "type", "legacy_api", "stopping_strings",
	},
	brings:  []brought{{stage: "guidance", first: true}, {stage: "top_a", after: []string{"top_k"}}, {stage: "tfs", after: []string{"top_a", "top_k"}}, {stage: "smoothing", after: []string{"temperature"}}, {stage: "skew"}},
	prepare: func(s *source) { s.span("dynatemp", "min_temp", "max_temp", "temp", "dynatemp_range") },
}

// unless reads a number, and nothing where it is the one at which the key does
// nothing.
func unless(off float64) func(v any) (any, error) {
	return func(v any) (any, error) {
		f, ok := number(v)
		switch {
		case !ok:
			return nil, errors.New("must be a number")
		case f == off:
			return nil, nil
		}
		return f, nil
	}
}

// unlessEmpty leaves out a text that is empty.
func unlessEmpty(v any) (any, error) {
	switch s, ok := v.(string); {
	case !ok:
		return nil, errors.New("must be a text")
	case s == "":
		return nil, nil
	default:
		return s, nil
	}
}

// temperatureLast reads whether the temperature comes last, as it does in
// llama.cpp's order.
func temperatureLast(v any) (any, error) {
	switch v {
	case true:
		return "llama.cpp", nil
	case false:
		return "transformers", nil
	}
	return nil, errors.New("must be true or false")
}

// breakerList reads sequence breakers: a list, or a text with a list in JSON,
// with or without its brackets.
func breakerList(v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		return listOrOne(v)
	}
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "[") {
		text = "[" + text + "]"
	}
	var list []string
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, errors.New(`must be texts in quotes with commas between: "\n", ":"`)
	}
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out, nil
}

func emptyOrSchema(v any) (any, error) {
	if o, ok := v.(carrier.Object); ok && len(o) == 0 {
		return nil, nil
	}
	return schemaIn(v)
}

// span reads a lowest and a highest temperature, where they are switched on, as
// a mean and half the distance. They stay as they are where they are off.
func (s *source) span(on, low, high, mean, half string) {
	switched, _ := s.get(on)
	lo, hasLo := s.get(low)
	hi, hasHi := s.get(high)
	if switched.Value != true || !hasLo && !hasHi {
		return
	}
	a, b := 1.0, 1.0
	for _, x := range []struct {
		e   carrier.Entry
		has bool
		to  *float64
	}{{lo, hasLo, &a}, {hi, hasHi, &b}} {
		if f, ok := number(x.e.Value); ok {
			*x.to = f
		} else if x.has {
			s.unread = append(s.unread, carrier.Unread{Line: x.e.Line, Key: x.e.Key, Text: carrier.PlainJSON(x.e.Value), Why: "must be a number"})
		}
	}
	s.drop(on, low, high, mean, half)
	s.entries = append(s.entries, carrier.Entry{Key: mean, Value: decimal((a + b) / 2), Line: hi.Line}, carrier.Entry{Key: half, Value: decimal((b - a) / 2), Line: hi.Line})
}
