package sampling

import (
	"math"
	"slices"
)

// vllmEngine is vLLM's V1 sampler, its PyTorch path: processors and penalties
// first, then temperature, min_p, top_k and top_p.
var vllmEngine = &engine{
	name:     "vllm",
	draw:     drawCoin,
	defaults: map[string]any{},
	adjust:   adjustVLLM,
	ignores: slices.Concat(transformersOnly, []string{"typical_p", "top_n_sigma", "xtc_probability", "xtc_threshold",
		"dynatemp_range", "dynatemp_exponent", "mirostat", "mirostat_tau", "mirostat_eta", "repeat_last_n",
		"dry_multiplier", "dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers",
		"dry_breaker_tokens", "no_repeat_ngram_size", "adaptive_target", "adaptive_decay", "min_tokens_to_keep"}),
	refusals: []refusal{
		{key: "temperature", allowed: "0 to 2", ok: between(0, 2)},
		{key: "top_p", allowed: "above 0, up to 1", ok: func(v float64) bool { return v > 0 && v <= 1 }},
		{key: "top_k", allowed: "-1 or more", ok: func(v float64) bool { return v >= -1 }},
		{key: "min_p", allowed: "0 to 1", ok: between(0, 1)},
		{key: "repetition_penalty", allowed: "above 0", ok: func(v float64) bool { return v > 0 }},
		{key: "frequency_penalty", allowed: "-2 to 2", ok: between(-2, 2)},
		{key: "presence_penalty", allowed: "-2 to 2", ok: between(-2, 2)},
	},
	stages: []*stageDef{
		allowedDef,
		{name: "bad_words", keys: []string{"bad_words", "bad_words_ids"}, build: func(b *builder) (stage, string) {
			words := b.badWords()
			if len(words) == 0 {
				return nil, ""
			}
			return &badWordsStage{words: words, outputOnly: true}, ""
		}},
		minNewDef,
		biasDef,
		{name: "repetition_penalty", short: "repetition", keys: []string{"repetition_penalty"}, movable: true,
			build: func(b *builder) (stage, string) { return buildRepetition(b, byReciprocal) }},
		frequencyDef,
		presenceDef,
		temperatureDef,
		minPDef,
		{name: "top_k", weights: leavesFew, keys: []string{"top_k"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
			k := b.int("top_k")
			if k <= 0 {
				return nil, ""
			}
			return topKTies{k, 1}, b.format("top_k")
		}},
		{name: "top_p", weights: readsWeights, keys: []string{"top_p"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
			p := b.f32("top_p")
			if p >= 1 {
				return nil, ""
			}
			return topPTail{1 - p, 1}, b.format("top_p")
		}},
	},
}

func between(lo, hi float64) func(float64) bool {
	return func(v float64) bool { return v >= lo && v <= hi }
}

// adjustVLLM raises tiny temperatures and resets the cuts where vLLM takes
// the best token.
func adjustVLLM(b *builder) {
	t := b.float("temperature")
	switch {
	case t == 0 && !b.greedy:
		b.greedy = true
		for key, off := range map[string]any{"top_p": 1.0, "top_k": int64(0), "min_p": 0.0} {
			if p, _ := Lookup(key); !p.IsOff(b.value(key)) {
				b.note(key, "vllm resets %s: temperature 0 is greedy", key)
				b.set(key, off)
			}
		}
	case t > 0 && t < 0.01:
		b.note("temperature", "vllm raises temperature %s to 0.01", strconvFloat(t))
		b.set("temperature", math.Max(t, 0.01))
	}
}
