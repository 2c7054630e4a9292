package sampling

import "slices"

// transformersEngine is Hugging Face transformers 5: processors and warpers
// in the order its generate builds them, on scores of the whole vocabulary.
// It has no frequency and presence penalty; vLLM's rule stands in.
var transformersEngine = &engine{
	name:     "transformers",
	draw:     drawCoin,
	defaults: map[string]any{"top_k": int64(50)},
	adjust:   adjustTransformers,
	ignores: []string{"top_n_sigma", "xtc_probability", "xtc_threshold", "dynatemp_range", "dynatemp_exponent",
		"mirostat", "mirostat_tau", "mirostat_eta", "repeat_last_n", "dry_multiplier", "dry_base",
		"dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers", "dry_breaker_tokens",
		"adaptive_target", "adaptive_decay"},
	refusals: []refusal{
		{key: "temperature", allowed: "above 0", ok: func(v float64) bool { return v > 0 }, raw: true},
		{key: "top_k", allowed: "0 or more", ok: func(v float64) bool { return v >= 0 }},
		{key: "top_p", allowed: "0 or more", ok: func(v float64) bool { return v >= 0 }},
		{key: "min_p", allowed: "0 to 1", ok: func(v float64) bool { return v >= 0 && v <= 1 }},
		{key: "typical_p", allowed: "above 0", ok: func(v float64) bool { return v > 0 }},
		{key: "repetition_penalty", allowed: "above 0", ok: func(v float64) bool { return v > 0 }},
		{key: "top_h", allowed: "above 0, up to 1", ok: func(v float64) bool { return v > 0 && v <= 1 }, raw: true},
	},
	stages: []*stageDef{
		allowedDef,
		biasDef,
		{name: "repetition_penalty", short: "repetition", keys: []string{"repetition_penalty"}, movable: true,
			build: func(b *builder) (stage, string) { return buildRepetition(b, divideFromZero) }},
		frequencyDef,
		presenceDef,
		{name: "no_repeat_ngram", keys: []string{"no_repeat_ngram_size"}, movable: true, build: func(b *builder) (stage, string) {
			n := b.int("no_repeat_ngram_size")
			if n <= 0 {
				return nil, ""
			}
			return noRepeatNgram(n), b.format("no_repeat_ngram_size")
		}},
		{name: "bad_words", keys: []string{"bad_words", "bad_words_ids"}, build: func(b *builder) (stage, string) {
			eos := b.eos()
			words := slices.DeleteFunc(b.badWords(), func(w []int32) bool { return len(w) == 1 && slices.Contains(eos, w[0]) })
			if len(words) == 0 {
				return nil, ""
			}
			return &badWordsStage{words: words}, ""
		}},
		{name: "min_length", keys: []string{"min_length"}, build: func(b *builder) (stage, string) {
			n, eos := b.int("min_length"), b.eos()
			if n <= 0 || len(eos) == 0 {
				return nil, ""
			}
			return &banStage{eos, func(in *Input) bool { return in.Pos() < n }}, b.format("min_length")
		}},
		minNewDef,
		{name: "forced_bos", keys: []string{"forced_bos_token_id"}, build: func(b *builder) (stage, string) {
			id := int32(b.int("forced_bos_token_id"))
			if id < 0 {
				return nil, ""
			}
			return &forceStage{[]int32{id}, func(in *Input) bool { return in.Pos() == 1 }}, ""
		}},
		{name: "forced_eos", keys: []string{"forced_eos_token_id", "max_length"}, build: func(b *builder) (stage, string) {
			ids, end := b.ids("forced_eos_token_id"), b.int("max_length")
			if len(ids) == 0 || end <= 0 {
				return nil, ""
			}
			return &forceStage{ids, func(in *Input) bool { return in.Pos() == end-1 }}, ""
		}},
		{name: "remove_invalid_values", keys: []string{"remove_invalid_values"}, build: func(b *builder) (stage, string) {
			if !b.bool("remove_invalid_values") {
				return nil, ""
			}
			return repairStage{}, ""
		}},
		{name: "exponential_decay_length_penalty", short: "length decay", keys: []string{"exponential_decay_start", "exponential_decay_factor"},
			build: func(b *builder) (stage, string) {
				f, eos := b.float("exponential_decay_factor"), b.eos()
				if f == 0 || len(eos) == 0 {
					return nil, ""
				}
				return &decayStage{eos, b.int("exponential_decay_start"), f}, b.format("exponential_decay_factor")
			}},
		{name: "suppress_tokens", keys: []string{"suppress_tokens"}, build: func(b *builder) (stage, string) {
			ids := b.ids("suppress_tokens")
			if len(ids) == 0 {
				return nil, ""
			}
			return &banStage{ids, func(*Input) bool { return true }}, ""
		}},
		{name: "begin_suppress_tokens", keys: []string{"begin_suppress_tokens"}, build: func(b *builder) (stage, string) {
			ids := b.ids("begin_suppress_tokens")
			if len(ids) == 0 {
				return nil, ""
			}
			// After a prompt of one token the forced first one comes before.
			forced := b.int("forced_bos_token_id") >= 0
			return &banStage{ids, func(in *Input) bool {
				begin := len(in.Prompt)
				if begin <= 1 && forced {
					begin++
				}
				return in.Pos() == begin
			}}, ""
		}},
		temperatureDef,
		{name: "top_h", weights: leavesFew, keys: []string{"top_h"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
			h := b.f32("top_h")
			if h <= 0 {
				return nil, ""
			}
			return topH{h}, b.format("top_h")
		}},
		{name: "top_k", weights: leavesFew, keys: []string{"top_k"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
			k := b.int("top_k")
			if k == 0 {
				return nil, ""
			}
			return topKTies{k, max(b.keep, 1)}, b.format("top_k")
		}},
		{name: "top_p", weights: readsWeights, keys: []string{"top_p"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
			p := b.float("top_p")
			if p >= 1 {
				return nil, ""
			}
			return topPTail{float32(1 - p), max(b.keep, 1)}, b.format("top_p")
		}},
		minPDef,
		{name: "typical_p", weights: readsWeights, short: "typical", keys: []string{"typical_p"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
			p := b.float("typical_p")
			if p >= 1 {
				return nil, ""
			}
			return typicalMass{float32(p), max(b.keep, 1)}, b.format("typical_p")
		}},
		{name: "epsilon_cutoff", weights: readsWeights, short: "epsilon", keys: []string{"epsilon_cutoff"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
			v := b.float("epsilon_cutoff")
			if v <= 0 || v >= 1 {
				return nil, ""
			}
			return epsilonCut{float32(v), max(b.keep, 1)}, b.format("epsilon_cutoff")
		}},
		{name: "eta_cutoff", weights: readsWeights, short: "eta", keys: []string{"eta_cutoff"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
			v := b.float("eta_cutoff")
			if v <= 0 || v >= 1 {
				return nil, ""
			}
			return etaCut{float32(v), max(b.keep, 1)}, b.format("eta_cutoff")
		}},
	},
}

// adjustTransformers reads temperature 0 as do_sample false, which is what
// its error message asks for.
func adjustTransformers(b *builder) {
	if b.float("temperature") == 0 && !b.greedy {
		b.greedy = true
		b.note("temperature", "transformers refuses temperature 0; read as do_sample false")
	}
}

var temperatureDef = &stageDef{name: "temperature", weights: scales, keys: []string{"temperature"}, movable: true, warper: true,
	build: func(b *builder) (stage, string) {
		t := b.f32("temperature")
		if t == 1 {
			return nil, ""
		}
		return temperature(t), b.format("temperature")
	}}

var minPDef = &stageDef{name: "min_p", weights: readsWeights, keys: []string{"min_p"}, movable: true, warper: true,
	build: func(b *builder) (stage, string) {
		p := b.float("min_p")
		if p <= 0 {
			return nil, ""
		}
		return minPShare{float32(p), max(b.keep, 1)}, b.format("min_p")
	}}

// repairStage stands for remove_invalid_values in the trace: the row is
// repaired before the first stage, so that it has a distribution.
type repairStage struct{}

func (repairStage) apply(*row) {}
