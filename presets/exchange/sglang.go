package exchange

import (
	"logitscope/presets/exchange/carrier"
)

// sglang is the sampling parameters of SGLang, in Python or in a request.
var sglang = Format{
	Name: "sglang", About: "sampling_params of SGLang, Python and JSON", Engine: "vllm",
	fields: append(same("temperature", "top_p", "min_p", "max_new_tokens", "min_new_tokens", "stop_token_ids"),
		field{theirs: "repetition_penalty", ours: "repetition_penalty", out: within(0, 2)},
		field{theirs: "frequency_penalty", ours: "frequency_penalty", out: within(-2, 2)},
		field{theirs: "presence_penalty", ours: "presence_penalty", out: within(-2, 2)},
		field{theirs: "top_k", ours: "top_k", in: offAtMinusOne, out: minusOneOff},
		field{theirs: "stop", ours: "stop", in: listOrOne, out: withoutEmpty},
		field{theirs: "sampling_seed", ours: "seed", in: randomBelowZero, out: seed63},
		field{theirs: "logit_bias", ours: "logit_bias", in: pairsIn, out: biasMap},
		field{theirs: "json_schema", ours: "constraint", in: schemaIn, once: true},
		field{theirs: "regex", ours: "constraint", in: regexIn, once: true},
		field{theirs: "ebnf", ours: "constraint", in: grammarIn, once: true},
	),
	acts: map[string][]any{"ignore_eos": nil, "stop_regex": nil, "structural_tag": nil, "custom_logit_processor": nil, "custom_params": nil, "thinking_budget": {-1}},
	aside: []string{
		"text", "input_ids", "image_data", "n", "no_stop_trim", "stream", "skip_special_tokens", "spaces_between_special_tokens", "return_logprob", "logprob_start_len", "top_logprobs_num", "token_ids_logprob",
		"return_text_in_logprobs", "lora_path", "rid", "stream_interval", "sampling_params", "model", "messages", "return_hidden_states", "session_params", "bootstrap_host", "log_metrics", "priority",
	},
	implied: func(s *source) []assumption {
		if s.silent("max_new_tokens") {
			return nil
		}
		return []assumption{{ours: "max_new_tokens", value: int64(128)}}
	},
	prepare: spreadBatch,
}

// spreadBatch puts the settings of a request in their places: of a batch those
// of its first text, and the others are named.
func spreadBatch(s *source) {
	const key = "sampling_params"
	for i, e := range s.entries {
		list, ok := e.Value.([]any)
		if e.Key != key || !ok || len(list) == 0 {
			continue
		}
		s.entries[i].Value = list[0]
		for _, x := range list[1:] {
			s.unread = append(s.unread, carrier.Unread{Line: e.Line, Key: key, Text: carrier.PlainJSON(x), Why: "of another text of the batch, not read"})
		}
	}
	s.entries = carrier.Spread(s.entries, key, false)
}

// minusOneOff writes off as -1: 0 is refused.
func minusOneOff(v any) (any, error) {
	if v == int64(0) {
		return int64(-1), nil
	}
	return v, nil
}

// tensorRT is SamplingParams(…) of TensorRT-LLM.
var tensorRT = withStructured(vllmStructured[1:], Format{
	Name: "tensorrt-llm", About: "SamplingParams(…) of TensorRT-LLM", Engine: "vllm",
	fields: append(same("temperature", "top_p", "min_p", "top_k", "repetition_penalty", "frequency_penalty", "presence_penalty", "no_repeat_ngram_size", "length_penalty", "stop_token_ids"),
		field{theirs: "max_tokens", ours: "max_new_tokens"},
		field{theirs: "min_tokens", ours: "min_new_tokens"},
		field{theirs: "seed", ours: "seed", in: randomBelowZero},
		field{theirs: "stop", ours: "stop", in: listOrOne},
		field{theirs: "bad", ours: "bad_words", in: listOrOne},
		field{theirs: "end_id", ours: "eos_token_id", in: idsOrOne},
		field{theirs: "logit_bias", ours: "logit_bias", in: pairsIn},
	),
	acts: map[string][]any{
		"top_p_min": nil, "top_p_decay": {1}, "top_p_reset_ids": nil, "embedding_bias": nil, "ignore_eos": nil, "logits_processor": nil, "apply_batched_logits_processor": nil, "lookahead_config": nil,
		"beam_search_diversity_rate": {0}, "early_stopping": nil, "bad_token_ids": nil, "use_beam_search": nil, "beam_width_array": nil, "prompt_ignore_length": {0},
	},
	aside: []string{
		"pad_id", "n", "best_of", "logprobs", "prompt_logprobs", "return_perf_metrics", "return_context_logits", "return_generation_logits", "return_encoder_output", "exclude_input_from_output", "detokenize", "add_special_tokens",
		"truncate_prompt_tokens", "skip_special_tokens", "spaces_between_special_tokens", "include_stop_str_in_output", "additional_model_outputs", "logprobs_mode",
	},
	implied: func(*source) []assumption { return []assumption{{ours: "max_new_tokens", value: int64(32)}} },
	prepare: spreadStructured,
})

// mlx is make_sampler(…) and make_logits_processors(…) of mlx-lm.
var mlx = Format{
	Name: "mlx-lm", About: "make_sampler(…) and make_logits_processors(…) of mlx-lm", Engine: "llama.cpp",
	fields: append(same("min_p", "min_tokens_to_keep", "xtc_probability", "xtc_threshold", "presence_penalty", "frequency_penalty"),
		field{theirs: "temp", ours: "temperature"},
		field{theirs: "top_p", ours: "top_p", in: offAtZero},
		field{theirs: "top_k", ours: "top_k", in: offBelowZero},
		field{theirs: "repetition_penalty", ours: "repetition_penalty"},
		field{theirs: "repetition_context_size", ours: "repeat_last_n"},
		field{theirs: "logit_bias", ours: "logit_bias", in: pairsIn},
	),
	acts: map[string][]any{"xtc_special_tokens": nil, "presence_context_size": nil, "frequency_context_size": nil},
	implied: func(*source) []assumption {
		return []assumption{{ours: "temperature", value: 0.0}, {ours: "repeat_last_n", value: int64(20), with: "repetition_penalty"}}
	},
}
