package sampling

import (
	"fmt"
	"logitscope/sampling/value"
	"strings"
)

// aliases are other programs' names of parameters.
var aliases = map[string]string{
	"repeat_penalty": "repetition_penalty", "rep_pen": "repetition_penalty", "penalty_repeat": "repetition_penalty",
	"temp": "temperature", "typ_p": "typical_p", "typical": "typical_p", "topk": "top_k", "topp": "top_p",
	"minp": "min_p", "n_predict": "max_new_tokens", "num_predict": "max_new_tokens", "max_tokens": "max_new_tokens",
	"max_completion_tokens": "max_new_tokens", "min_tokens": "min_new_tokens", "penalty_last_n": "repeat_last_n",
	"repetition_penalty_range": "repeat_last_n", "frequence_penalty": "frequency_penalty", "penalty_freq": "frequency_penalty",
	"penalty_present": "presence_penalty", "stop_strings": "stop", "samplers": "order", "sampler_order": "order",
	"sequence_bias": "logit_bias", "nsigma": "top_n_sigma", "tfs": "tfs_z", "quadratic": "smoothing_factor", "cfg_scale": "guidance_scale", "beam_size": "num_beams",
	"beams": "num_beams", "sample": "do_sample", "greedy": "do_sample", "draft": "num_assistant_tokens",
	"num_speculative_tokens": "num_assistant_tokens", "n_draft": "num_assistant_tokens", "grammar": "constraint",
	"json_schema": "constraint", "n": "num_return_sequences", "random_seed": "seed", "ngram": "no_repeat_ngram_size",
}

// An UnknownKeyError reports a key that no parameter has.
type UnknownKeyError struct {
	Key   string
	Meant string // the parameter that was probably meant; may be empty
}

func (e *UnknownKeyError) Error() string {
	if e.Meant == "" {
		return fmt.Sprintf("no parameter %q", e.Key)
	}
	return fmt.Sprintf("no parameter %q; %s is meant?", e.Key, e.Meant)
}

func unknownKey(key string) error { return &UnknownKeyError{key, nearest(key)} }

// nearest returns the parameter whose name is nearest to key, or the empty
// string if none is near.
func nearest(key string) string {
	k := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(key)), "-", "_")
	if p, ok := Lookup(k); ok {
		return p.Key
	}
	if a, ok := aliases[k]; ok {
		return a
	}
	keys := make([]string, len(params))
	for i := range params {
		keys[i] = params[i].Key
	}
	return value.Nearest(k, keys)
}
