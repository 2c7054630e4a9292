package exchange

import (
	"errors"
	"fmt"
	"math"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling"
	"logitscope/sampling/value"
	"logitscope/sampling/watermark"
)

// transformers is generation_config.json, GenerationConfig(…) and the keyword
// arguments of generate() and pipelines.
var transformers = Format{
	Name: "transformers", About: "generation_config.json and Python of Hugging Face transformers", Engine: "transformers",
	fields: append(same(
		"do_sample", "temperature", "top_k", "top_p", "min_p", "typical_p", "top_h", "epsilon_cutoff", "eta_cutoff",
		"repetition_penalty", "no_repeat_ngram_size", "bad_words_ids", "suppress_tokens", "begin_suppress_tokens",
		"min_new_tokens", "max_new_tokens", "min_length", "max_length", "forced_bos_token_id", "remove_invalid_values", "renormalize_logits",
		"num_beams", "num_return_sequences", "length_penalty", "num_beam_groups", "diversity_penalty", "penalty_alpha",
	),
		field{theirs: "early_stopping", ours: "early_stopping", out: boolWord},
		field{theirs: "eos_token_id", ours: "eos_token_id", in: idsOrOne, out: idsOut},
		field{theirs: "forced_eos_token_id", ours: "forced_eos_token_id", in: idsOrOne, out: idsOut},
		field{theirs: "stop_strings", ours: "stop", in: listOrOne, out: withoutEmpty},
		field{theirs: "sequence_bias", ours: "logit_bias", in: pairsIn, out: sequenceBias},
		field{theirs: "guidance_scale", ours: "guidance_scale", in: unless(1)},
		field{theirs: "num_assistant_tokens", ours: "num_assistant_tokens"},
		field{theirs: "assistant_confidence_threshold", ours: "assistant_confidence"},
		field{theirs: "num_assistant_tokens_schedule", ours: "assistant_schedule", in: scheduleIn, out: scheduleOut},
		field{theirs: "exponential_decay_length_penalty", ours: "exponential_decay_factor", split: decay, join: decayOf},
		field{theirs: "watermarking_config", ours: "watermark_bias", split: watermarkIn, join: watermarkOut},
	),
	acts: map[string][]any{
		"dola_layers": nil, "encoder_repetition_penalty": {1}, "encoder_no_repeat_ngram_size": {0}, "logits_processor": nil,
		"logits_processors": nil, "stopping_criteria": nil, "prefix_allowed_tokens_fn": nil, "constraints": nil, "force_words_ids": nil, "max_time": nil, "prompt_lookup_num_tokens": {0}, "assistant_model": nil,
		"assistant_early_exit": nil, "token_healing": nil, "low_memory": nil, "max_matching_ngram_size": nil, "custom_generate": nil, "negative_prompt_ids": nil, "streamer_stop": nil, "generation_config": nil,
	},
	aside: []string{
		"transformers_version", "_from_model_config", "pad_token_id", "bos_token_id", "decoder_start_token_id", "use_cache", "return_dict_in_generate", "output_attentions", "output_hidden_states", "output_scores",
		"output_logits", "cache_implementation", "cache_config", "return_legacy_cache", "trust_remote_code", "is_assistant", "prefill_chunk_size", "compile_config", "disable_compile", "generation_kwargs",
		"return_unused_kwargs", "chat_format", "assistant_lookbehind", "target_lookbehind", "return_full_text", "return_tensors", "return_text", "clean_up_tokenization_spaces", "batch_size", "num_workers",
		"input_ids", "inputs", "inputs_embeds", "attention_mask", "position_ids", "past_key_values", "streamer", "tokenizer", "synced_gpus", "assistant_tokenizer", "pixel_values", "token_type_ids", "handle_long_generation",
		"prefix", "text_inputs", "negative_prompt_attention_mask", "torch_dtype", "dtype", "_commit_hash", "_name_or_path", "model_type", "continue_final_message", "truncation", "padding", "max_length_tokenizer",
	},
	implied: func(s *source) []assumption {
		out := []assumption{{ours: "do_sample", value: false}, {ours: "top_k", value: int64(50)}}
		if s.kind == callKind && !s.has("max_length") {
			out = append(out, assumption{ours: "max_new_tokens", value: int64(20)})
		}
		return out
	},
}

// boolWord writes the words true and false as the values.
func boolWord(v any) (any, error) {
	switch v {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return v, nil
}

// sequenceBias writes biases as transformers takes them: pairs of a list of
// ids and a number.
func sequenceBias(v any) (any, error) {
	out := [][2]any{}
	for _, b := range v.([]value.TokenBias) {
		if b.Tokens == nil {
			return nil, fmt.Errorf("a bias of a text needs its token ids; %s is a text", biasName(b))
		}
		if math.IsInf(b.Bias, -1) {
			return nil, errBan(b)
		}
		out = append(out, [2]any{b.Tokens, b.Bias})
	}
	return out, nil
}

func scheduleIn(v any) (any, error) {
	switch v {
	case "heuristic", "heuristic_transient":
		return "heuristic", nil
	case "constant":
		return "constant", nil
	}
	return nil, errors.New("must be constant, heuristic or heuristic_transient")
}

func scheduleOut(v any) (any, error) {
	if v == "adaptive" {
		return nil, errors.New("transformers has no adaptive schedule")
	}
	return v, nil
}

// decay reads [start, factor].
func decay(v any) ([]setting, error) {
	list, ok := v.([]any)
	if !ok || len(list) != 2 {
		return nil, errors.New("must be [start, factor]")
	}
	return []setting{{"exponential_decay_start", list[0]}, {"exponential_decay_factor", list[1]}}, nil
}

// decayOf writes them.
func decayOf(c sampling.Config) any {
	return []any{c.Int("exponential_decay_start"), c.Float("exponential_decay_factor")}
}

// watermarkIn reads a WatermarkingConfig. Another kind of mark has other
// fields and is not read.
func watermarkIn(v any) ([]setting, error) {
	o, ok := v.(carrier.Object)
	if !ok {
		return nil, errors.New("must be an object")
	}
	set := []setting{{"watermark_bias", watermark.DefaultBias}}
	for _, e := range o {
		switch key := sampling.WatermarkKey(e.Key); key {
		case "":
			return nil, fmt.Errorf("no watermark with %s is known here", e.Key)
		case "watermark_bias":
			set[0].value = e.Value
		default:
			set = append(set, setting{key, e.Value})
		}
	}
	return set, nil
}

// watermarkOut writes it.
func watermarkOut(c sampling.Config) any {
	var o carrier.Object
	for _, f := range sampling.WatermarkFields {
		o = append(o, carrier.Entry{Key: f.Theirs, Value: c.Value(f.Key)})
	}
	return o
}
