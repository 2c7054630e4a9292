package sampling

import (
	"strconv"

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
		{Name: "top_k", Best: KeepsBest, Sorts: true, Always: true, Tiny: "k", Cuts: true, Keys: []string{"top_k"}, Movable: true, Warper: true, Build: func(b *Builder) (stage, string) {
			return cut{row.GoTopK(b.int("top_k"))}, b.format("top_k")
		}},
		{Name: "temperature", Best: MayMove, Tiny: "T", Keys: []string{"temperature"}, Movable: true, Warper: true, Build: func(b *Builder) (stage, string) {
			return cut{row.GoTemperature(b.f32("temperature"))}, b.format("temperature")
		}},
		{Name: "top_p", Best: KeepsBest, Tiny: "p", Cuts: true, Keys: []string{"top_p"}, Movable: true, Warper: true, Build: func(b *Builder) (stage, string) {
			p := min(max(b.f32("top_p"), 0), 1)
			if p == 1 {
				return nil, ""
			}
			return cut{row.GoTopP(p)}, b.format("top_p")
		}},
		{Name: "min_p", Best: KeepsBest, Alone: true, Tiny: "min", Cuts: true, Keys: []string{"min_p"}, Movable: true, Warper: true, Build: func(b *Builder) (stage, string) {
			p := min(max(b.f32("min_p"), 0), 1)
			if p == 0 {
				return nil, ""
			}
			return cut{row.GoMinP(p)}, b.format("min_p")
		}},
	},
}

func adjustOllamaGo(b *Builder) {
	if b.float("temperature") <= 0 {
		b.greedy = true
	}
}

func strconvFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
