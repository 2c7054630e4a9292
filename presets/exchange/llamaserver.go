package exchange

// llamaServer is the JSON of llama-server's /completion.
var llamaServer = Format{
	Name: "llama-server", About: "request JSON of llama-server", Engine: "llama.cpp",
	fields: append(same(
		"temperature", "top_p", "min_p", "typical_p", "xtc_probability", "xtc_threshold", "dynatemp_range", "dynatemp_exponent",
		"mirostat", "mirostat_tau", "mirostat_eta", "adaptive_target", "adaptive_decay", "frequency_penalty", "presence_penalty",
		"dry_multiplier", "dry_base", "dry_allowed_length", "dry_sequence_breakers",
	),
		field{theirs: "samplers", ours: "order", in: samplersIn, out: samplersList},
		field{theirs: "top_k", ours: "top_k", in: offBelowZero},
		field{theirs: "top_n_sigma", ours: "top_n_sigma", in: offBelowZero},
		field{theirs: "repeat_penalty", ours: "repetition_penalty"},
		field{theirs: "repeat_last_n", ours: "repeat_last_n", in: unlimited, out: unlimitedOut},
		field{theirs: "dry_penalty_last_n", ours: "dry_penalty_last_n", in: unlimited, out: unlimitedOut},
		field{theirs: "n_predict", ours: "max_new_tokens", in: unlimited, out: unlimitedOut, also: []string{"max_tokens"}},
		field{theirs: "seed", ours: "seed", in: randomBelowZero, out: seed32},
		field{theirs: "stop", ours: "stop", in: listOrOne, out: withoutEmpty},
		field{theirs: "logit_bias", ours: "logit_bias", in: pairsIn, out: biasPairs},
		field{theirs: "min_keep", ours: "min_tokens_to_keep"},
		field{theirs: "grammar", ours: "constraint", in: grammarIn, once: true},
		field{theirs: "json_schema", ours: "constraint", in: closedSchemaIn, once: true},
		field{theirs: "response_format", ours: "constraint", in: responseFormatIn, once: true},
	),
	acts: map[string][]any{
		"ignore_eos": nil, "n_indent": {0}, "lora": nil, "n_discard": {0}, "t_max_predict_ms": {0, -1}, "grammar_lazy": nil, "grammar_triggers": nil,
		"speculative.n_max": nil, "speculative.n_min": nil, "speculative.p_min": nil, "thinking_budget_tokens": {-1}, "reasoning_budget_tokens": {-1},
	},
	aside: []string{
		"prompt", "stream", "cache_prompt", "n_probs", "id_slot", "n_keep", "n_cache_reuse", "return_tokens", "timings_per_token", "post_sampling_probs",
		"response_fields", "messages", "model", "return_progress", "include_usage", "stream_options", "input_prefix", "input_suffix", "input_extra", "preserved_tokens", "chat_format", "n_cmpl", "backend_sampling", "add_generation_prompt", "tools", "tool_choice", "parallel_tool_calls", "chat_template_kwargs", "reasoning_format", "user", "n", "logprobs", "top_logprobs",
	},
	implied: llamaImplied,
	closes:  true,
}
