package sampling

import (
	"math"

	"logitscope/sampling/param"
	"logitscope/sampling/partial"
	"logitscope/sampling/row"
	"logitscope/sampling/value"
)

// vllmEngine is vLLM's V1 sampler, its PyTorch path: processors and penalties
// first, then temperature, min_p, top_k and top_p.
var vllmEngine = &Engine{
	Name: "vllm",
	Draw: DrawCoin, Generator: "torch, a request each", Seeds: Seeds{Bits: 63},
	BeamRule: "vllm",
	Cases: CaseRules{
		Steps: []CaseStep{{Name: "logits_processors_and_penalties"}, {Name: "temperature", Stages: []string{"temperature"}, Drawn: true},
			{Name: "min_p", Stages: []string{"min_p"}, Drawn: true}, {Name: "top_k_top_p", Stages: []string{"top_k", "top_p"}, Drawn: true}},
		IDs:       []string{"logit_bias", "bad_words_ids", "allowed_token_ids"},
		Effective: []string{"temperature", "top_k", "top_p", "min_p"}, BestFirst: true,
	},
	Defaults: map[string]any{},
	Adjust:   adjustVLLM,
	Refusals: []Refusal{
		{Key: "temperature", Allowed: "0 to 2", OK: between(0, 2)},
		{Key: "top_p", Allowed: "above 0, up to 1", OK: func(v float64) bool { return v > 0 && v <= 1 }},
		{Key: "top_k", Allowed: "-1 or more", OK: func(v float64) bool { return v >= -1 }},
		{Key: "min_p", Allowed: "0 to 1", OK: between(0, 1)},
		{Key: "repetition_penalty", Allowed: "above 0", OK: func(v float64) bool { return v > 0 }},
		{Key: "frequency_penalty", Allowed: "-2 to 2", OK: between(-2, 2)},
		{Key: "presence_penalty", Allowed: "-2 to 2", OK: between(-2, 2)},
	},
	Stages: []*Stage{
		allowedDef,
		{Name: "bad_words", Tiny: "bad", Keys: []string{"bad_words", "bad_words_ids"},
			Build: func(b *Builder) (Action, string) {
				words := b.badWords()
				if len(words) == 0 {
					return nil, ""
				}
				return &badWordsStage{words: words, outputOnly: true}, ""
			}},
		minNewDef,
		thinkingDef,
		biasDef,
		{Name: "repetition_penalty", Short: "repetition", Tiny: "rep", Keys: []string{"repetition_penalty"},
			Movable: true, Best: MayMove, Penalty: true, Prompt: true,
			Judge: judgeAdded,
			Build: func(b *Builder) (Action, string) { return buildRepetition(b, byReciprocal) }},
		frequencyDef,
		presenceDef,
		temperatureDef,
		minPDef.only("min_p"),
		{Name: "top_k", Tiny: "k", weights: leavesFew, Keys: []string{"top_k"},
			Movable: true, Warper: true, Cuts: true, Best: KeepsBest, Alone: true,
			Judge: judgeTopK,
			Build: func(b *Builder) (Action, string) {
				k := b.Int("top_k")
				if k <= 0 {
					return nil, ""
				}
				return cut{row.TopKTies{K: k, Keep: 1}}, b.Format("top_k")
			}},
		// Of tokens that tie at the border of top_p the higher ids stay.
		{Name: "top_p", Tiny: "p", weights: readsWeights, Keys: []string{"top_p"},
			Movable: true, Warper: true, Cuts: true, Best: KeepsBest,
			Judge: byShare("top_p", partial.TopP),
			Build: func(b *Builder) (Action, string) {
				p := b.Float32("top_p")
				if p >= 1 {
					return nil, ""
				}
				return cut{row.TopPTail{Limit: 1 - p, Keep: 1}}, b.Format("top_p")
			}},
	},
}

func above(lo float64) func(float64) bool { return func(v float64) bool { return v > lo } }

func atLeast(lo float64) func(float64) bool { return func(v float64) bool { return v >= lo } }

func between(lo, hi float64) func(float64) bool {
	return func(v float64) bool { return v >= lo && v <= hi }
}

// adjustVLLM raises tiny temperatures and resets the cuts where vLLM takes
// the best token.
func adjustVLLM(b *Builder) {
	t := b.Float("temperature")
	switch {
	case t == 0 && !b.greedy:
		b.greedy = true
		for _, key := range []string{"top_p", "top_k", "min_p"} {
			if p, _ := param.Lookup(key); !p.IsOff(b.value(key)) {
				b.note(key, "vllm resets %s: temperature 0 is greedy", key)
				b.set(key, p.Off)
			}
		}
	case t > 0 && t < 0.01:
		b.note("temperature", "vllm raises temperature %s to 0.01", value.Shortest(t))
		b.set("temperature", math.Max(t, 0.01))
	}
}
