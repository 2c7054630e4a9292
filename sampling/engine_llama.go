package sampling

import "slices"

// llamaEngine is llama.cpp: a chain of samplers on an array of candidates,
// cuts before temperature, its own seeded generators.
var llamaEngine = &engine{
	name: "llama.cpp",
	draw: drawMT, arrays: true, check: true,
	defaults: map[string]any{
		"temperature": 0.8, "top_k": int64(40), "top_p": 0.95, "min_p": 0.05,
	},
	ignores: slices.Concat(transformersOnly, []string{"bad_words", "bad_words_ids", "min_new_tokens", "allowed_words",
		"allowed_token_ids", "no_repeat_ngram_size"}),
	refusals: []refusal{
		{key: "repetition_penalty", allowed: "above 0", ok: func(v float64) bool { return v > 0 }},
		{key: "mirostat", allowed: "0 to 2", ok: between(0, 2)},
	},
	stages: llamaChain,
}

// transformersOnly are keys that no other engine knows.
var transformersOnly = []string{"top_h", "epsilon_cutoff", "eta_cutoff", "min_length", "max_length", "forced_bos_token_id",
	"forced_eos_token_id", "exponential_decay_start", "exponential_decay_factor", "suppress_tokens",
	"begin_suppress_tokens", "remove_invalid_values"}

// ollamaEngine is what Ollama does today: it serves models with llama.cpp's
// chain and defaults of its own, and passes on fewer settings.
var ollamaEngine = &engine{
	name: "ollama",
	draw: drawMT, arrays: true, check: true,
	adjust:   adjustOllama,
	defaults: map[string]any{"temperature": 0.8, "top_k": int64(40), "top_p": 0.9},
	ignores: slices.Concat(llamaEngine.ignores, []string{"logit_bias", "dry_multiplier", "dry_base", "dry_allowed_length",
		"dry_penalty_last_n", "dry_sequence_breakers", "dry_breaker_tokens", "xtc_probability", "xtc_threshold",
		"top_n_sigma", "mirostat", "mirostat_tau", "mirostat_eta", "dynatemp_range", "dynatemp_exponent",
		"adaptive_target", "adaptive_decay", "min_tokens_to_keep"}),
	refusals: llamaEngine.refusals,
	stages: slices.DeleteFunc(slices.Clone(llamaChain), func(d *stageDef) bool {
		return slices.Contains([]string{"logit_bias", "dry", "top_n_sigma", "xtc", "adaptive_p"}, d.name)
	}),
}

// adjustOllama leaves out a typical_p of 0, as the program does when it asks
// its server.
func adjustOllama(b *builder) {
	if b.float("typical_p") == 0 {
		b.note("typical_p", "ollama leaves out typical_p 0: it is off")
		b.set("typical_p", 1.0)
	}
}

var llamaChain = []*stageDef{
	biasDef,
	{name: "penalties", keys: []string{"repetition_penalty", "frequency_penalty", "presence_penalty", "repeat_last_n"},
		movable: true, build: buildPenalties},
	{name: "dry", keys: []string{"dry_multiplier", "dry_base", "dry_allowed_length", "dry_penalty_last_n",
		"dry_sequence_breakers", "dry_breaker_tokens"}, movable: true, build: buildDry},
	{name: "top_n_sigma", keys: []string{"top_n_sigma"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
		n := b.f32("top_n_sigma")
		if n <= 0 {
			return nil, ""
		}
		return sigmaArray(n), b.format("top_n_sigma")
	}},
	{name: "top_k", weights: leavesFew, keys: []string{"top_k"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
		k := b.int("top_k")
		if k <= 0 {
			return nil, ""
		}
		return topKArray(k), b.format("top_k")
	}},
	{name: "typical_p", weights: readsWeights, short: "typical", keys: []string{"typical_p"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
		p := b.f32("typical_p")
		if p >= 1 {
			return nil, ""
		}
		return typicalArray{p, b.keep}, b.format("typical_p")
	}},
	{name: "top_p", weights: leavesFew, keys: []string{"top_p"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
		p := b.f32("top_p")
		if p >= 1 {
			return nil, ""
		}
		return topPArray{p, b.keep}, b.format("top_p")
	}},
	{name: "min_p", weights: leavesFew, keys: []string{"min_p"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
		p := b.f32("min_p")
		if p <= 0 {
			return nil, ""
		}
		return minPArray{p, b.keep}, b.format("min_p")
	}},
	{name: "xtc", weights: readsWeights, keys: []string{"xtc_probability", "xtc_threshold"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
		p, t := b.f32("xtc_probability"), b.f32("xtc_threshold")
		if p <= 0 || t > 0.5 {
			return nil, ""
		}
		return xtcArray{p, t, b.keep, b.value("seed").(uint64)}, b.format("xtc_probability")
	}},
	{name: "temperature", weights: scales, keys: []string{"temperature", "dynatemp_range", "dynatemp_exponent"}, movable: true, warper: true,
		build: buildTemperatureArray},
	{name: "adaptive_p", weights: readsWeights, keys: []string{"adaptive_target", "adaptive_decay"}, movable: true, warper: true, build: func(b *builder) (stage, string) {
		t := b.f32("adaptive_target")
		if t < 0 {
			return nil, ""
		}
		return &adaptiveP{t, min(max(b.f32("adaptive_decay"), 0), 0.99)}, b.format("adaptive_target")
	}},
}

// mirostatChain takes the place of the chain where mirostat is on.
var mirostatChain = []*stageDef{
	biasDef,
	{name: "temperature", weights: scales, keys: []string{"temperature"}, warper: true, build: func(b *builder) (stage, string) {
		t := b.f32("temperature")
		if t == 1 {
			return nil, ""
		}
		return temperatureArray(t), b.format("temperature")
	}},
	{name: "mirostat", weights: readsWeights, keys: []string{"mirostat", "mirostat_tau", "mirostat_eta"}, warper: true, build: func(b *builder) (stage, string) {
		return &mirostat{version: b.int("mirostat"), tau: b.f32("mirostat_tau"), eta: b.f32("mirostat_eta")}, b.format("mirostat")
	}},
}

func buildPenalties(b *builder) (stage, string) {
	s := &penaltyStage{repeat: b.f32("repetition_penalty"), freq: b.f32("frequency_penalty"),
		presence: b.f32("presence_penalty"), window: max(b.int("repeat_last_n"), 0), rule: divideAbove}
	if s.window == 0 || s.repeat == 1 && s.freq == 0 && s.presence == 0 {
		return nil, ""
	}
	label := b.format("repetition_penalty")
	if s.repeat == 1 {
		label = b.format("frequency_penalty")
		if s.freq == 0 {
			label = b.format("presence_penalty")
		}
	}
	return s, label
}

func buildDry(b *builder) (stage, string) {
	s := &dryStage{multiplier: b.f32("dry_multiplier"), base: b.f32("dry_base"),
		allowed: b.int("dry_allowed_length"), window: b.int("dry_penalty_last_n")}
	if s.multiplier == 0 || s.base < 1 || s.window <= 0 {
		return nil, ""
	}
	s.breakers = newBreakers(b.value("dry_breaker_tokens").([][]int32), b.value("dry_sequence_breakers").([]string), b.v)
	return s, b.format("dry_multiplier")
}

func buildTemperatureArray(b *builder) (stage, string) {
	t, spread := b.f32("temperature"), b.f32("dynatemp_range")
	if spread > 0 {
		return dynamicTemperature{t, spread, b.f32("dynatemp_exponent")}, b.format("temperature") + " ± " + b.format("dynatemp_range")
	}
	if t == 1 {
		return nil, ""
	}
	return temperatureArray(t), b.format("temperature")
}
