package exchange

import (
	"logitscope/presets/exchange/carrier"
)

// textgen is a preset of text-generation-webui.
var textgen = Format{
	Name: "textgen", About: "YAML preset of text-generation-webui", Engine: "transformers",
	fields: append(same(
		"temperature", "top_p", "min_p", "top_k", "typical_p", "top_n_sigma", "xtc_threshold", "xtc_probability", "dynatemp_exponent", "dry_multiplier", "dry_allowed_length", "dry_base", "repetition_penalty",
		"frequency_penalty", "presence_penalty", "no_repeat_ngram_size", "penalty_alpha", "mirostat_tau", "mirostat_eta", "do_sample", "adaptive_target", "adaptive_decay",
	),
		field{theirs: "epsilon_cutoff", ours: "epsilon_cutoff", in: scaledIn(1e-4), out: scaled(1e-4)},
		field{theirs: "eta_cutoff", ours: "eta_cutoff", in: scaledIn(1e-4), out: scaled(1e-4)},
		field{theirs: "top_a", ours: "top_a", in: unless(0)},
		field{theirs: "tfs", ours: "tfs_z", in: unless(1)},
		field{theirs: "smoothing_factor", ours: "smoothing_factor", in: unless(0)},
		field{theirs: "smoothing_curve", ours: "smoothing_curve", in: unless(1)},
		field{theirs: "guidance_scale", ours: "guidance_scale", in: unless(1)},
		field{theirs: "negative_prompt", ours: "negative_prompt", in: unlessEmpty},
		field{theirs: "repetition_penalty_range", ours: "repeat_last_n"},
		field{theirs: "mirostat_mode", ours: "mirostat"},
		field{theirs: "dynatemp_range", ours: "dynatemp_range", once: true},
		field{theirs: "dry_sequence_breakers", ours: "dry_sequence_breakers", in: breakerList, out: breakerText},
		field{theirs: "temperature_last", ours: "order", in: textgenLast, once: true},
		field{theirs: "sampler_priority", ours: "order", in: priorityIn, once: true},
		field{theirs: "max_new_tokens", ours: "max_new_tokens", once: true},
		field{theirs: "seed", ours: "seed", in: randomBelowZero, once: true},
		field{theirs: "grammar_string", ours: "constraint", in: grammarIn, once: true},
	),
	acts: map[string][]any{
		"encoder_repetition_penalty": {1}, "ban_eos_token": nil, "custom_token_bans": nil,
		"static_cache": nil, "banned_strings": nil, "prompt_lookup_num_tokens": {0}, "skew": {0}, "enable_thinking": nil, "reasoning_effort": nil, "max_tokens_second": {0},
	},
	aside: []string{
		"dynamic_temperature", "dynatemp_low", "dynatemp_high", "truncation_length", "add_bos_token", "skip_special_tokens", "stream", "auto_max_new_tokens", "prompt", "show_after", "preset",
	},
	brings: []brought{{stage: "smoothing", after: []string{"temperature"}}, {stage: "tfs", after: []string{"eta_cutoff"}}, {stage: "top_a", after: []string{"tfs", "eta_cutoff"}}},
	implied: func(*source) []assumption {
		return []assumption{{ours: "repeat_last_n", value: int64(1024), with: "repetition_penalty"}, {ours: "top_k", value: int64(0), quiet: true}}
	},
	prepare: func(s *source) {
		s.span("dynamic_temperature", "dynatemp_low", "dynatemp_high", "temperature", "dynatemp_range")
	},
}

// textgenLast is temperature_last where it says something: its order is
// transformers' unless the temperature comes last.
func textgenLast(v any) (any, error) {
	if v == false {
		return nil, nil
	}
	return temperatureLast(v)
}

// priorityIn reads a list of stages, or a text with one a line.
func priorityIn(v any) (any, error) {
	var names []string
	switch v := v.(type) {
	case string:
		names = splitLines(v)
	case []any:
		for _, x := range v {
			if s, ok := x.(string); ok {
				names = append(names, s)
			}
		}
	}
	var known []string
	for _, n := range names {
		if stage, ok := priorities[n]; ok && stage != "" {
			known = append(known, stage)
		}
	}
	return stageOrder(known)
}

// priorities are text-generation-webui's names for stages; "" for those that
// are not stages here.
var priorities = map[string]string{
	"repetition_penalty": "penalties", "presence_penalty": "penalties", "frequency_penalty": "penalties", "dry": "dry", "temperature": "temperature", "dynamic_temperature": "temperature",
	"quadratic_sampling": "smoothing", "top_k": "top_k", "top_p": "top_p", "typical_p": "typ_p", "epsilon_cutoff": "", "eta_cutoff": "", "tfs": "tfs", "top_a": "top_a", "min_p": "min_p", "top_n_sigma": "top_n_sigma", "mirostat": "", "xtc": "xtc",
	"encoder_repetition_penalty": "", "no_repeat_ngram": "",
}

// breakerText writes sequence breakers as that program takes them.
func breakerText(v any) (any, error) {
	list := carrier.PlainJSON(v.([]string))
	return list[1 : len(list)-1], nil
}

// tabby is a preset of overrides of tabbyAPI.
var tabby = Format{
	Name: "tabby", About: "sampler overrides of tabbyAPI", Engine: "transformers",
	fields: append(same("temperature", "top_p", "min_p", "xtc_probability", "xtc_threshold", "dry_multiplier", "dry_base", "dry_allowed_length", "repetition_penalty", "frequency_penalty", "presence_penalty", "mirostat_tau", "mirostat_eta", "adaptive_target", "adaptive_decay"),
		field{theirs: "max_tokens", ours: "max_new_tokens", also: []string{"max_completion_tokens", "max_length"}},
		field{theirs: "min_tokens", ours: "min_new_tokens", also: []string{"min_length"}},
		field{theirs: "top_k", ours: "top_k", in: offBelowZero},
		field{theirs: "top_a", ours: "top_a", in: unless(0)},
		field{theirs: "tfs", ours: "tfs_z", in: unless(1)},
		field{theirs: "smoothing_factor", ours: "smoothing_factor", in: unless(0)},
		field{theirs: "smoothing_curve", ours: "smoothing_curve", in: unless(1)},
		field{theirs: "skew", ours: "skew", in: unless(0)},
		field{theirs: "typical", ours: "typical_p", also: []string{"typical_p"}},
		field{theirs: "penalty_range", ours: "repeat_last_n", in: unlimited, also: []string{"repetition_range", "repetition_penalty_range", "rep_pen_range"}},
		field{theirs: "dry_range", ours: "dry_penalty_last_n", in: unlimited, also: []string{"dry_penalty_last_n"}},
		field{theirs: "dry_sequence_breakers", ours: "dry_sequence_breakers", in: breakerList},
		field{theirs: "mirostat_mode", ours: "mirostat"},
		field{theirs: "dynatemp_range", ours: "dynatemp_range"},
		field{theirs: "temp_exponent", ours: "dynatemp_exponent", also: []string{"dynatemp_exponent"}},
		field{theirs: "cfg_scale", ours: "guidance_scale", in: unless(1), also: []string{"guidance_scale"}},
		field{theirs: "negative_prompt", ours: "negative_prompt", in: unlessEmpty},
		field{theirs: "nsigma", ours: "top_n_sigma", in: offBelowZero, also: []string{"top_n_sigma"}},
		field{theirs: "seed", ours: "seed", in: randomBelowZero},
		field{theirs: "stop", ours: "stop", in: listOrOne, also: []string{"stop_sequence"}},
		field{theirs: "temperature_last", ours: "order", in: temperatureLast, once: true},
		field{theirs: "sampler_priority", ours: "order", in: priorityIn, once: true},
		field{theirs: "logit_bias", ours: "logit_bias", in: pairsIn},
		field{theirs: "json_schema", ours: "constraint", in: schemaIn, once: true},
		field{theirs: "regex_pattern", ours: "constraint", in: regexIn, once: true},
		field{theirs: "grammar_string", ours: "constraint", in: grammarIn, once: true},
	),
	acts: map[string][]any{
		"banned_tokens": nil, "banned_strings": nil, "allowed_tokens": nil, "token_healing": nil, "ban_eos_token": nil,
		"penalty_decay": {0}, "repetition_decay": {0}, "speculative_ngram": nil, "custom_token_bans": nil,
	},
	brings:  []brought{{stage: "smoothing", after: []string{"temperature"}}, {stage: "tfs", after: []string{"top_p"}}, {stage: "top_a", after: []string{"tfs", "top_p"}}, {stage: "skew"}},
	implied: func(*source) []assumption { return []assumption{{ours: "top_k", value: int64(0), quiet: true}} },
	aside:   []string{"generate_window", "add_bos_token", "skip_special_tokens", "logprobs", "min_temp", "max_temp", "stream", "prompt", "truncation_length", "model", "n", "cache_mode", "max_seq_len"},
	prepare: func(s *source) {
		lo, a := s.get("min_temp")
		hi, b := s.get("max_temp")
		low, _ := number(lo.Value)
		high, _ := number(hi.Value)
		if a && b && low != high {
			s.entries = append(s.entries, carrier.Entry{Key: "dynatemp", Value: true})
			s.span("dynatemp", "min_temp", "max_temp", "temperature", "dynatemp_range")
		}
	},
}
