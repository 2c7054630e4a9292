package sampling

import (
	"logitscope/sampling/partial"
	"logitscope/sampling/row"
)

// ollamaGoEngine is the sampler in Go that Ollama had until version 0.24:
// top_k, which also sorts, temperature, top_p and min_p, and nothing else.
var ollamaGoEngine = &Engine{
	Name: "ollama-go",
	Draw: DrawPCG, Generator: "pcg", Seeds: Seeds{Bits: 63}, Arrays: true,
	Defaults: ollamaEngine.Defaults,
	Adjust:   adjustOllamaGo,
	Cases: CaseRules{
		Steps: []CaseStep{{Name: "top_k", Drawn: true}, {Name: "temperature", Stages: []string{"temperature"}, Drawn: true},
			{Name: "softmax", Drawn: true}, {Name: "top_p", Stages: []string{"top_p"}, Drawn: true},
			{Name: "min_p", Stages: []string{"min_p"}, Drawn: true}},
		Banned: true, NaN: true,
	},
	Stages: []*Stage{
		{Name: "top_k", Tiny: "k", Keys: []string{"top_k"},
			Movable: true, Warper: true, Cuts: true, Best: KeepsBest, Sorts: true, Always: true,
			Judge: judgeTopK,
			Build: func(b *Builder) (Action, string) {
				return cut{row.GoTopK(b.Int("top_k"))}, b.Format("top_k")
			}},
		{Name: "temperature", Tiny: "T", Keys: []string{"temperature"},
			Movable: true, Warper: true, Best: MayMove,
			Judge: judgeTemperature,
			Build: func(b *Builder) (Action, string) {
				return cut{row.GoTemperature(b.Float32("temperature"))}, b.Format("temperature")
			}},
		{Name: "top_p", Tiny: "p", Keys: []string{"top_p"},
			Movable: true, Warper: true, Cuts: true, Best: KeepsBest,
			Judge: byShare("top_p", partial.TopP),
			Build: func(b *Builder) (Action, string) {
				p := min(max(b.Float32("top_p"), 0), 1)
				if p == 1 {
					return nil, ""
				}
				return cut{row.GoTopP(p)}, b.Format("top_p")
			}},
		{Name: "min_p", Tiny: "min", Keys: []string{"min_p"},
			Movable: true, Warper: true, Cuts: true, Best: KeepsBest, Alone: true,
			Judge: byShare("min_p", partial.MinP),
			Build: func(b *Builder) (Action, string) {
				p := min(max(b.Float32("min_p"), 0), 1)
				if p == 0 {
					return nil, ""
				}
				return cut{row.GoMinP(p)}, b.Format("min_p")
			}},
	},
}

func adjustOllamaGo(b *Builder) {
	if b.Float("temperature") <= 0 {
		b.greedy = true
	}
}
