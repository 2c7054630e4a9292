package cases

import (
	"slices"
	"testing"
)

// TestEngineRules holds rules that the golden rows do not reach, with the
// answers of the engines: draws and probabilities of llama.cpp's are its
// library's (August 2026).
func TestEngineRules(t *testing.T) {
	const six = `"logits":{"values":[0.5,1,0,2,-1,1.5]},`
	for _, c := range []struct {
		name, line string
		ok         func(a *result) bool
	}{
		{"of two biases for a sequence the last holds",
			`{"engine":"transformers","logits":{"values":[1,2]},"settings":{"top_k":0,"sequence_bias":[[[1],5.5],[[1],-1.0]]}}`,
			func(a *result) bool { return nearAll(a.Probs, 0.5, 0.5) }},
		{"bans at the first token, which follows a forced one",
			`{"engine":"transformers",` + six + `"prompt_tokens":[1],"generated_tokens":[2],"settings":{"top_k":0,"forced_bos_token_id":2,"begin_suppress_tokens":[0]}}`,
			func(a *result) bool { return slices.Equal(a.Survivors, []int32{1, 2, 3, 4, 5}) }},
		{"no ban at the forced token itself",
			`{"engine":"transformers",` + six + `"prompt_tokens":[1],"settings":{"top_k":0,"forced_bos_token_id":2,"begin_suppress_tokens":[2]}}`,
			func(a *result) bool { return slices.Equal(a.Survivors, []int32{2}) }},
		{"the repair comes after the bans",
			`{"engine":"transformers",` + six + `"settings":{"top_k":0,"bad_words_ids":[[3]],"suppress_tokens":[0],"remove_invalid_values":true}}`,
			func(a *result) bool {
				return slices.Equal(a.Survivors, []int32{1, 2, 3, 4, 5}) && a.Probs[2] == 0
			}},
		{"all tokens banned",
			`{"engine":"transformers","logits":{"values":[1,2]},"settings":{"top_k":0,"suppress_tokens":[0,1]}}`,
			func(a *result) bool { return a.ProbsNaN && a.Error != "" }},
		{"adaptive-p comes last wherever it is listed",
			`{"engine":"llama.cpp",` + six + `"settings":{"temperature":1,"min_p":0.3,"samplers":["adaptive_p","min_p"],"adaptive_target":0.3,"adaptive_decay":0.9,"seed":1}}`,
			func(a *result) bool {
				return a.Final == "adaptive_p" && nearAll(a.Probs, 0.250742882, 0.0429387577, 0.706318378) &&
					slices.Equal(a.Draws.Tokens[:8], []int32{5, 5, 1, 5, 3, 5, 5, 5})
			}},
		{"adaptive-p that is off takes no number for a lone token",
			`{"engine":"llama.cpp",` + six + `"settings":{"temperature":1,"top_k":2,"samplers":["top_k","xtc","adaptive_p"],"xtc_probability":0.5,"xtc_threshold":0.1,"adaptive_target":-1,"seed":1}}`,
			func(a *result) bool {
				return a.Final == "adaptive_p" && slices.Equal(a.Draws.Tokens[:8], []int32{5, 5, 5, 3, 5, 5, 5, 5})
			}},
		{"the last sampler takes one",
			`{"engine":"llama.cpp",` + six + `"settings":{"temperature":1,"top_k":2,"samplers":["top_k","xtc"],"xtc_probability":0.5,"xtc_threshold":0.1,"seed":1}}`,
			func(a *result) bool {
				return a.Final == "dist" && slices.Equal(a.Draws.Tokens, []int32{5, 5, 3, 5, 5, 5, 5, 5})
			}},
		{"top_n_sigma's float32 sum runs over",
			`{"engine":"llama.cpp","logits":{"values":[0,1,1e30]},"settings":{"temperature":1,"top_k":0,"top_p":1,"min_p":0,"top_n_sigma":0.5}}`,
			func(a *result) bool { return a.NSurv == 3 }},
		{"beta has its paper's value beside an alpha of 0",
			`{"engine":"lab","logits":{"values":[0,0]},"second_logits":{"values":[0,2]},"settings":{"samplers":["contrastive"],"contrastive_alpha":0}}`,
			func(a *result) bool { return nearAll(a.Probs, 0.731058579, 0.268941421) }},
		{"and alpha beside a beta of 0",
			`{"engine":"lab","logits":{"values":[0,-3]},"second_logits":{"values":[0,2]},"settings":{"samplers":["contrastive"],"contrastive_beta":0}}`,
			func(a *result) bool { return a.NSurv == 1 }},
	} {
		if a := answers(t, [][]byte{[]byte(c.line)}, Options{})[0]; !c.ok(&a) {
			t.Errorf("%s: %+v", c.name, a)
		}
	}
}

// nearAll reports whether probabilities are those wanted, as far as the golden
// rows must be.
func nearAll(got []float64, want ...float64) bool {
	return slices.EqualFunc(got, want, near)
}
