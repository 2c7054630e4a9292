package value

import (
	"slices"
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

// KeyFor returns the one of keys that a word probably means, by spelling or as
// another program's name of it; empty if none is near.
func KeyFor(word string, keys []string) string {
	w := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(word)), "-", "_")
	if slices.Contains(keys, w) {
		return w
	}
	if key, ok := aliases[w]; ok {
		return key
	}
	return Nearest(w, keys)
}

// Nearest returns the name that differs least from word, in letters; empty where
// a third of it would have to change.
func Nearest(word string, names []string) string {
	best, least := "", 1+len(word)/3
	for _, name := range names {
		if d := editDistance(word, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// editDistance returns the number of insertions, deletions and replacements
// that turn a into b (Levenshtein 1966).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
