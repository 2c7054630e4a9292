package presets

import (
	"fmt"
	"math"

	"logitscope/sampling"
)

// transformers is generation_config.json, and the keyword arguments of
// generate().
var transformers = Format{
	Name: "transformers", About: "generation_config.json of Hugging Face transformers", Engine: "transformers", File: "generation_config.json",
	limit: "generate() ends after 20 tokens in all, prompt included, if the model's own file says nothing",
	fields: append(same(
		"do_sample", "temperature", "top_k", "top_p", "min_p", "typical_p", "top_h", "epsilon_cutoff", "eta_cutoff",
		"repetition_penalty", "no_repeat_ngram_size", "bad_words_ids", "suppress_tokens", "begin_suppress_tokens",
		"min_new_tokens", "max_new_tokens", "min_length", "max_length", "forced_bos_token_id", "remove_invalid_values", "renormalize_logits",
		"num_beams", "num_return_sequences", "length_penalty", "early_stopping", "num_beam_groups", "diversity_penalty", "penalty_alpha",
	),
		field{theirs: "eos_token_id", ours: "eos_token_id", in: idsOrOne, out: idsOut},
		field{theirs: "forced_eos_token_id", ours: "forced_eos_token_id", in: idsOrOne, out: idsOut},
		field{theirs: "stop_strings", ours: "stop", in: listOrOne},
		field{theirs: "sequence_bias", ours: "logit_bias", in: pairsIn, out: sequenceBias},
		field{theirs: "num_assistant_tokens", ours: "num_assistant_tokens"},
		field{theirs: "assistant_confidence_threshold", ours: "assistant_confidence"},
		field{theirs: "num_assistant_tokens_schedule", ours: "assistant_schedule", in: scheduleIn, out: scheduleOut},
		field{theirs: "exponential_decay_length_penalty", ours: "exponential_decay_factor", in: decayFactor, once: true},
	),
	aside: []string{
		"transformers_version", "_from_model_config", "pad_token_id", "bos_token_id", "decoder_start_token_id", "use_cache", "return_dict_in_generate",
		"output_attentions", "output_hidden_states", "output_scores", "output_logits", "cache_implementation", "cache_config", "return_legacy_cache", "max_time",
		"trust_remote_code", "is_assistant", "prefill_chunk_size", "compile_config", "disable_compile", "generation_kwargs", "return_unused_kwargs", "chat_format",
	},
	implied: []entry{{key: "do_sample", value: false}, {key: "top_k", value: int64(50)}},
	read:    readObject,
	write:   writeObject,
	refine:  greedyByZero,
}

// greedyByZero reads temperature 0 as it is meant: always the best token.
// transformers itself refuses it with do_sample, and ignores it without.
func greedyByZero(in *Imported) error {
	t, set := in.Config.Lookup("temperature")
	if !set || t.Value != 0.0 {
		return nil
	}
	in.Config = in.Config.Without("temperature").MustWith("do_sample", false, t.Origin)
	in.Notes = append(in.Notes, "temperature 0 is read as greedy: do_sample false")
	return nil
}

// sequenceBias writes biases as transformers takes them: pairs of a list of
// ids and a number.
func sequenceBias(v any) (any, error) {
	out := [][2]any{}
	for _, b := range v.([]sampling.TokenBias) {
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
	return nil, fmt.Errorf("%v is out of range, constant, heuristic, heuristic_transient", v)
}

func scheduleOut(v any) (any, error) {
	if v == "adaptive" {
		return nil, fmt.Errorf("transformers has no adaptive schedule")
	}
	return v, nil
}

// decayFactor takes the factor of [start, factor]. The start is in refine's
// reach only through the same list, so a start other than 0 is refused.
func decayFactor(v any) (any, error) {
	list, ok := v.([]any)
	if !ok || len(list) != 2 {
		return nil, fmt.Errorf("[start, factor] is wanted")
	}
	if start, ok := number(list[0]); !ok || start != 0 {
		return nil, fmt.Errorf("a start other than 0 is set as exponential_decay_start and exponential_decay_factor")
	}
	return list[1], nil
}
