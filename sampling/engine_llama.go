package sampling

import (
	"math"
	"slices"

	"logitscope/sampling/dry"
	"logitscope/sampling/partial"
	"logitscope/sampling/row"
)

// llamaEngine is llama.cpp: a chain of samplers on an array of candidates,
// cuts before temperature, its own seeded generators.
var llamaEngine = &Engine{
	Name: "llama.cpp", When: "since 10 August 2026",
	Draw: DrawMT, Generator: "mt19937", Seeds: Seeds{32, math.MaxUint32}, Arrays: true, ChecksAfter: true, TakesLists: true,
	Defaults: map[string]any{
		"temperature": 0.8, "top_k": int64(40), "top_p": 0.95, "min_p": 0.05,
	},
	Refusals: []Refusal{
		{Key: "repetition_penalty", Allowed: "above 0", OK: func(v float64) bool { return v > 0 }},
		{Key: "mirostat", Allowed: "0 to 2", OK: between(0, 2)},
	},
	Stages:  llamaChain,
	Chains:  []*Chain{mirostatChain},
	Instead: mirostatInstead,
}

// mirostatInstead returns the chain that mirostat puts in place of the usual
// one, or of a list.
func mirostatInstead(b *Builder) *Chain {
	if b.Int("mirostat") == 0 || b.greedy {
		return nil
	}
	return mirostatChain
}

// ollamaEngine is what Ollama does today: it serves models with llama.cpp's
// chain and defaults of its own, and passes on fewer settings.
var ollamaEngine = &Engine{
	Name: "ollama", Like: "llama.cpp", When: "since 10 August 2026",
	Draw: DrawMT, Generator: "mt19937", Seeds: Seeds{32, math.MaxUint32}, Arrays: true, ChecksAfter: true,
	Adjust:   adjustOllama,
	Defaults: map[string]any{"temperature": 0.8, "top_k": int64(40), "top_p": 0.9},
	Refusals: llamaEngine.Refusals,
	Stages: []*Stage{penaltiesDef, topKArrayDef, typicalArrayDef.only("typical_p"), topPArrayDef.only("top_p"),
		minPArrayDef.only("min_p"), temperatureArrayDef.only("temperature")},
}

// adjustOllama leaves out a typical_p of 0, as the program does when it asks
// its server.
func adjustOllama(b *Builder) {
	if b.Float("typical_p") == 0 {
		b.note("typical_p", "ollama leaves out typical_p 0: it is off")
		b.set("typical_p", 1.0)
	}
}

var llamaChain = []*Stage{thinkingLlamaDef, biasDef, penaltiesDef, dryDef, sigmaDef, topKArrayDef, typicalArrayDef, topPArrayDef, minPArrayDef, xtcDef, temperatureArrayDef, adaptiveDef}

// typicalApart is where llama.cpp's typical_p parts from transformers'.
var typicalApart = Apart{
	Here:  "where a token's probability is 0, such as a banned one's, it cuts as top_p does",
	Other: "it keeps its rule where a token's probability is 0, and here it cuts as top_p does",
}

var (
	penaltiesDef = &Stage{Name: "penalties",
		Keys:    []string{"repetition_penalty", "frequency_penalty", "presence_penalty", "repeat_last_n"},
		Movable: true, Best: MayMove, Penalty: true, Prompt: true, Window: "repeat_last_n",
		Needs: []Need{{"repeat_last_n", above(0), "repeat_last_n 0 turns it off", "0 turns all three penalties off"}},
		Judge: judgeAdded,
		Build: buildPenalties}
	dryDef = &Stage{Name: "dry",
		Keys: []string{"dry_multiplier", "dry_base", "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers",
			"dry_breaker_tokens"},
		Movable: true, Best: MayMove, Penalty: true,
		Needs: []Need{{"dry_base", atLeast(1), "dry_base below 1 turns it off", "below 1 turns dry off"},
			{"dry_penalty_last_n", above(0), "dry_penalty_last_n 0 turns it off", "0 turns dry off"}},
		Judge: judgeAdded,
		Build: buildDry}
	sigmaDef = &Stage{Name: "top_n_sigma", Tiny: "sigma", Keys: []string{"top_n_sigma"},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest,
		Judge: byShare("top_n_sigma", partial.TopNSigma),
		Build: func(b *Builder) (Action, string) {
			n := b.Float32("top_n_sigma")
			if n <= 0 {
				return nil, ""
			}
			return cut{row.SigmaArray(n)}, b.Format("top_n_sigma")
		}}
	topKArrayDef = &Stage{Name: "top_k", Tiny: "k", weights: leavesFew, Keys: []string{"top_k"},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest, Sorts: true,
		Judge: judgeTopK,
		Build: func(b *Builder) (Action, string) {
			k := b.Int("top_k")
			if k <= 0 {
				return nil, ""
			}
			return cut{row.TopKArray(k)}, b.Format("top_k")
		}}
	typicalArrayDef = &Stage{Name: "typical_p", Short: "typical", Tiny: "typ", Own: "typ_p", weights: readsWeights,
		Keys:    []string{"typical_p", "min_tokens_to_keep"},
		Movable: true, Warper: true, Cuts: true, Best: MayMove, Sorts: true,
		Apart: typicalApart, Judge: byShare("typical_p", partial.TypicalP),
		Build: func(b *Builder) (Action, string) {
			p := b.Float32("typical_p")
			if p >= 1 {
				return nil, ""
			}
			return cut{row.TypicalArray{P: p, Keep: b.keep}}, b.Format("typical_p")
		}}
	topPArrayDef = &Stage{Name: "top_p", Tiny: "p", weights: leavesFew, Keys: []string{"top_p", "min_tokens_to_keep"},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest, Sorts: true,
		Judge: byShare("top_p", partial.TopP),
		Build: func(b *Builder) (Action, string) {
			p := b.Float32("top_p")
			if p >= 1 {
				return nil, ""
			}
			return cut{row.TopPArray{P: p, Keep: b.keep}}, b.Format("top_p")
		}}
	minPArrayDef = &Stage{Name: "min_p", Tiny: "min", weights: leavesFew, Keys: []string{"min_p", "min_tokens_to_keep"},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest, Alone: true,
		Judge: byShare("min_p", partial.MinP),
		Build: func(b *Builder) (Action, string) {
			p := b.Float32("min_p")
			if p <= 0 {
				return nil, ""
			}
			return cut{row.MinPArray{P: p, Keep: b.keep}}, b.Format("min_p")
		}}
	xtcDef = &Stage{Name: "xtc", weights: readsWeights,
		Keys:    []string{"xtc_probability", "xtc_threshold", "min_tokens_to_keep"},
		Movable: true, Warper: true, Cuts: true, Sorts: true, Chance: true,
		Needs: []Need{{"xtc_threshold", between(0, 0.5), "xtc_threshold over 0.5", ""}},
		Judge: judgeXTC,
		Build: func(b *Builder) (Action, string) {
			p, t := b.Float32("xtc_probability"), b.Float32("xtc_threshold")
			if p <= 0 || t > 0.5 {
				return nil, ""
			}
			return xtcArray{p, t, b.keep, b.value("seed").(uint64)}, b.Format("xtc_probability")
		}}
	temperatureArrayDef = &Stage{Name: "temperature", Tiny: "T", weights: scales,
		Keys:    []string{"temperature", "dynatemp_range", "dynatemp_exponent"},
		Movable: true, Warper: true, Best: MayMove,
		Judge: judgeTemperature,
		Build: buildTemperatureArray}
	adaptiveDef = &Stage{Name: "adaptive_p", weights: readsWeights, Keys: []string{"adaptive_target", "adaptive_decay"},
		Movable: true, Warper: true, Final: true, Best: MayMove,
		Judge: judgeAdaptive,
		Build: func(b *Builder) (Action, string) {
			t := b.Float32("adaptive_target")
			if t < 0 {
				b.plain = slices.Contains(b.order.Custom(), "adaptive_p")
				return nil, ""
			}
			return &adaptiveP{t, min(max(b.Float32("adaptive_decay"), 0), 0.99)}, b.Format("adaptive_target")
		}}
)

// mirostatChain takes the place of the chain where mirostat is on.
var mirostatChain = &Chain{"mirostat", []*Stage{
	thinkingLlamaDef,
	biasDef,
	{Name: "temperature", Tiny: "T", weights: scales, Keys: []string{"temperature"},
		Warper: true, Best: MayMove,
		Judge: judgeTemperature,
		Build: func(b *Builder) (Action, string) {
			t := b.Float32("temperature")
			if t == 1 {
				return nil, ""
			}
			return cut{row.TemperatureArray(t)}, b.Format("temperature")
		}},
	{Name: "mirostat", Tiny: "miro", weights: readsWeights,
		Keys:   []string{"mirostat", "mirostat_tau", "mirostat_eta"},
		Warper: true, Final: true, Best: MayMove,
		Judge: judgeMirostat,
		Build: func(b *Builder) (Action, string) {
			return &mirostat{version: b.Int("mirostat"), tau: b.Float32("mirostat_tau"), eta: b.Float32("mirostat_eta")}, b.Format("mirostat")
		}},
}}

func buildPenalties(b *Builder) (Action, string) {
	s := &penaltyStage{repeat: b.Float32("repetition_penalty"), freq: b.Float32("frequency_penalty"),
		presence: b.Float32("presence_penalty"), window: max(b.Int("repeat_last_n"), 0), rule: divideAbove}
	if s.window == 0 || s.repeat == 1 && s.freq == 0 && s.presence == 0 {
		return nil, ""
	}
	label := b.Format("repetition_penalty")
	if s.repeat == 1 {
		label = b.Format("frequency_penalty")
		if s.freq == 0 {
			label = b.Format("presence_penalty")
		}
	}
	return s, label
}

func buildDry(b *Builder) (Action, string) {
	s := &dryStage{dry.Rule{Multiplier: b.Float32("dry_multiplier"), Base: b.Float32("dry_base"), Allowed: b.Int("dry_allowed_length")},
		b.Int("dry_penalty_last_n")}
	if s.Multiplier == 0 || s.Base < 1 || s.window <= 0 {
		return nil, ""
	}
	s.Breakers = dry.NewBreakers(b.value("dry_breaker_tokens").([][]int32), b.value("dry_sequence_breakers").([]string), b.v, piecesOf(b.v))
	return s, b.Format("dry_multiplier")
}

func buildTemperatureArray(b *Builder) (Action, string) {
	t, spread := b.Float32("temperature"), b.Float32("dynatemp_range")
	if spread > 0 {
		return cut{row.DynamicTemperature{T: t, Spread: spread, Exponent: b.Float32("dynatemp_exponent")}}, b.Format("temperature") + " ± " + b.Format("dynatemp_range")
	}
	if t == 1 {
		return nil, ""
	}
	return cut{row.TemperatureArray(t)}, b.Format("temperature")
}
