package sampling

import (
	"math"
	"slices"

	"logitscope/sampling/partial"
	"logitscope/sampling/row"
)

// transformersEngine is Hugging Face transformers 5: processors and warpers
// in the order its generate builds them, on scores of the whole vocabulary.
// It has no frequency and presence penalty; vLLM's rule stands in.
var transformersEngine = &Engine{
	Name: "transformers",
	Draw: DrawCoin, Generator: "torch",
	RefusesBuilt: true, BeamKeepsEnd: true,
	Implied:  []string{"top_k"},
	Cases:    CaseRules{IDs: []string{"logit_bias", "bad_words_ids"}, ListFrom1: true},
	Defaults: map[string]any{"top_k": int64(50)},
	Adjust:   adjustTransformers,
	Refusals: []Refusal{
		{Key: "temperature", Allowed: "above 0", OK: func(v float64) bool { return v > 0 }, Raw: true},
		{Key: "top_k", Allowed: "0 or more", OK: func(v float64) bool { return v >= 0 }},
		{Key: "top_p", Allowed: "0 or more", OK: func(v float64) bool { return v >= 0 }},
		{Key: "min_p", Allowed: "0 to 1", OK: func(v float64) bool { return v >= 0 && v <= 1 }},
		{Key: "typical_p", Allowed: "above 0", OK: func(v float64) bool { return v > 0 }},
		{Key: "repetition_penalty", Allowed: "above 0", OK: func(v float64) bool { return v > 0 }},
		{Key: "top_h", Allowed: "above 0, up to 1", OK: func(v float64) bool { return v > 0 && v <= 1 }, Raw: true},
		watermarkRatio, watermarkWidth,
	},
	Stages: []*Stage{
		guidanceDef.fixed(),
		allowedDef,
		sequenceBiasDef,
		repetitionDef,
		frequencyDef.lent("vLLM"),
		presenceDef.lent("vLLM"),
		noRepeatDef,
		{Name: "bad_words", Tiny: "bad", Keys: []string{"bad_words", "bad_words_ids"},
			Build: func(b *Builder) (Action, string) {
				eos := b.eos()
				words := slices.DeleteFunc(b.badWords(), func(w []int32) bool { return len(w) == 1 && slices.Contains(eos, w[0]) })
				if len(words) == 0 {
					return nil, ""
				}
				return &badWordsStage{words: words, whole: true}, ""
			}},
		{Name: "min_length", Keys: []string{"min_length"}, Build: func(b *Builder) (Action, string) {
			n, eos := b.Int("min_length"), b.eos()
			if n <= 0 || len(eos) == 0 {
				return nil, ""
			}
			return &banStage{eos, func(in *Input) bool { return in.Pos() < n }}, b.Format("min_length")
		}},
		minNewDef,
		{Name: "forced_bos", Keys: []string{"forced_bos_token_id"}, Build: func(b *Builder) (Action, string) {
			id := int32(b.Int("forced_bos_token_id"))
			if id < 0 {
				return nil, ""
			}
			return &forceStage{[]int32{id}, func(in *Input) bool { return in.Pos() == 1 }}, ""
		}},
		{Name: "forced_eos", Keys: []string{"forced_eos_token_id", "max_length"},
			Build: func(b *Builder) (Action, string) {
				ids, end := b.IDs("forced_eos_token_id"), b.Int("max_length")
				if len(ids) == 0 || end <= 0 {
					return nil, ""
				}
				return &forceStage{ids, func(in *Input) bool { return in.Pos() == end-1 }}, ""
			}},
		{Name: "remove_invalid_values", Keys: []string{"remove_invalid_values"},
			Build: func(b *Builder) (Action, string) {
				if !b.Bool("remove_invalid_values") {
					return nil, ""
				}
				return repairStage{}, ""
			}},
		{Name: "exponential_decay_length_penalty", Short: "length decay",
			Keys: []string{"exponential_decay_start", "exponential_decay_factor"},
			Build: func(b *Builder) (Action, string) {
				f, eos := b.Float("exponential_decay_factor"), b.eos()
				if f == 0 || len(eos) == 0 {
					return nil, ""
				}
				return &decayStage{eos, b.Int("exponential_decay_start"), f}, b.Format("exponential_decay_factor")
			}},
		{Name: "suppress_tokens", Keys: []string{"suppress_tokens"}, Build: func(b *Builder) (Action, string) {
			ids := b.IDs("suppress_tokens")
			if len(ids) == 0 {
				return nil, ""
			}
			return &banStage{ids, func(*Input) bool { return true }}, ""
		}},
		{Name: "begin_suppress_tokens", Keys: []string{"begin_suppress_tokens", "forced_bos_token_id"},
			Build: func(b *Builder) (Action, string) {
				ids := b.IDs("begin_suppress_tokens")
				if len(ids) == 0 {
					return nil, ""
				}
				// After a prompt of one token the forced first one comes before.
				forced := b.Int("forced_bos_token_id") >= 0
				return &banStage{ids, func(in *Input) bool {
					begin := len(in.Prompt)
					if begin <= 1 && forced {
						begin++
					}
					return in.Pos() == begin
				}}, ""
			}},
		temperatureDef,
		topHDef,
		topKDef,
		topPDef,
		minPDef,
		typicalDef,
		epsilonDef,
		etaDef,
		watermarkDef,
	},
}

// adjustTransformers reads temperature 0 as do_sample false, which is what
// its error message asks for.
func adjustTransformers(b *Builder) {
	if b.Float("temperature") == 0 && !b.greedy {
		b.greedy = true
		b.note("temperature", "transformers refuses temperature 0; read as do_sample false")
	}
}

var temperatureDef = &Stage{Name: "temperature", Tiny: "T", weights: scales, Keys: []string{"temperature"},
	Movable: true, Warper: true, Best: MayMove, Alone: true,
	Judge: judgeTemperature,
	Build: func(b *Builder) (Action, string) {
		t := b.Float32("temperature")
		if t == 1 {
			return nil, ""
		}
		return cut{row.Temperature(t)}, b.Format("temperature")
	}}

var minPDef = &Stage{Name: "min_p", Tiny: "min", weights: readsWeights, Keys: []string{"min_p", "min_tokens_to_keep"},
	Movable: true, Warper: true, Cuts: true, Best: KeepsBest, Alone: true,
	Judge: byShare("min_p", partial.MinP),
	Build: func(b *Builder) (Action, string) {
		p := b.Float("min_p")
		if p <= 0 {
			return nil, ""
		}
		return cut{row.MinPShare{P: float32(p), Keep: max(b.keep, 1)}}, b.Format("min_p")
	}}

// repairStage gives what the stages before it banned the least finite logit.
// The model's own row is repaired before the first stage, so that it has a
// distribution.
type repairStage struct{}

func (repairStage) apply(r *step) {
	for i, x := range r.X[:r.N] {
		if x == negInf {
			r.Set(i, -math.MaxFloat32)
		}
	}
}

var (
	repetitionDef = &Stage{Name: "repetition_penalty", Short: "repetition", Tiny: "rep", Keys: []string{"repetition_penalty"},
		Movable: true, Best: MayMove, Penalty: true, Prompt: true,
		Judge: judgeAdded,
		Build: func(b *Builder) (Action, string) { return buildRepetition(b, divideFromZero) }}
	noRepeatDef = &Stage{Name: "no_repeat_ngram", Tiny: "ngram", Keys: []string{"no_repeat_ngram_size"},
		Movable: true,
		Build: func(b *Builder) (Action, string) {
			n := b.Int("no_repeat_ngram_size")
			if n <= 0 {
				return nil, ""
			}
			return noRepeatNgram(n), b.Format("no_repeat_ngram_size")
		}}
	topHDef = &Stage{Name: "top_h", weights: leavesFew, Keys: []string{"top_h"},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest,
		Judge: judgeTopH,
		Build: func(b *Builder) (Action, string) {
			h := b.Float32("top_h")
			if h <= 0 {
				return nil, ""
			}
			return cut{row.TopH{H: h}}, b.Format("top_h")
		}}
	topKDef = &Stage{Name: "top_k", Tiny: "k", weights: leavesFew, Keys: []string{"top_k", "min_tokens_to_keep"},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest, Alone: true,
		Judge: judgeTopK,
		Build: func(b *Builder) (Action, string) {
			k := b.Int("top_k")
			if k == 0 {
				return nil, ""
			}
			return cut{row.TopKTies{K: k, Keep: max(b.keep, 1)}}, b.Format("top_k")
		}}
	topPDef = &Stage{Name: "top_p", Tiny: "p", weights: readsWeights, Keys: []string{"top_p", "min_tokens_to_keep"},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest,
		Judge: byShare("top_p", partial.TopP),
		Build: func(b *Builder) (Action, string) {
			p := b.Float("top_p")
			if p >= 1 {
				return nil, ""
			}
			return cut{row.TopPTail{Limit: float32(1 - p), Keep: max(b.keep, 1)}}, b.Format("top_p")
		}}
	typicalDef = &Stage{Name: "typical_p", Short: "typical", Tiny: "typ", weights: readsWeights,
		Keys:    []string{"typical_p", "min_tokens_to_keep"},
		Movable: true, Warper: true, Cuts: true, Best: MayMove,
		Judge: byShare("typical_p", partial.TypicalP),
		Build: func(b *Builder) (Action, string) {
			p := b.Float("typical_p")
			if p >= 1 {
				return nil, ""
			}
			return cut{row.TypicalMass{Mass: float32(p), Keep: max(b.keep, 1)}}, b.Format("typical_p")
		}}
	epsilonDef = &Stage{Name: "epsilon_cutoff", Short: "epsilon", Tiny: "eps", weights: readsWeights,
		Keys:    []string{"epsilon_cutoff", "min_tokens_to_keep"},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest,
		Judge: byShare("epsilon_cutoff", partial.EpsilonCutoff),
		Build: func(b *Builder) (Action, string) {
			v := b.Float("epsilon_cutoff")
			if v <= 0 || v >= 1 {
				return nil, ""
			}
			return cut{row.EpsilonCut{Eps: float32(v), Keep: max(b.keep, 1)}}, b.Format("epsilon_cutoff")
		}}
	etaDef = &Stage{Name: "eta_cutoff", Short: "eta", Tiny: "eta", weights: readsWeights,
		Keys:    []string{"eta_cutoff", "min_tokens_to_keep"},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest,
		Judge: byShare("eta_cutoff", partial.EtaCutoff),
		Build: func(b *Builder) (Action, string) {
			v := b.Float("eta_cutoff")
			if v <= 0 || v >= 1 {
				return nil, ""
			}
			return cut{row.EtaCut{Eps: float32(v), Keep: max(b.keep, 1)}}, b.Format("eta_cutoff")
		}}
)
