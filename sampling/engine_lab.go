package sampling

import (
	"slices"

	"logitscope/sampling/param"
	"logitscope/sampling/partial"
	"logitscope/sampling/row"
	"logitscope/sampling/value"
)

// labEngine is no program's: any stage in any place, nothing on that nobody
// set. It has what no big engine has, and of the others' stages transformers'
// editions where there are several.
var labEngine = &Engine{
	Name: "lab", Neutral: true,
	Draw: DrawCoin, Generator: "coin",
	Refusals: []Refusal{
		{Key: "contrastive_alpha", Allowed: "0 to 1", OK: between(0, 1)},
		{Key: "contrastive_temperature", Allowed: "above 0", OK: above(0)},
		watermarkRatio, watermarkWidth,
	},
	Stages: []*Stage{
		thinkingLabDef, allowedDef, biasDef, repetitionDef, frequencyDef, presenceDef, noRepeatDef, dryDef,
		guidanceDef, contrastiveDef, temperatureArrayDef, smoothingDef, skewDef,
		sigmaDef, topKDef, topADef, tailFreeDef, typicalDef, pLessDef, pLessNormDef, topPDef, minPDef,
		epsilonDef, etaDef, topHDef, xtcDef, watermarkDef,
	},
}

// completeContrastive gives alpha and beta their papers' values where the
// other one alone is set.
func (b *Builder) completeContrastive() {
	for _, k := range [...]struct {
		key    string
		others []string
		value  float64
	}{{"contrastive_alpha", []string{"contrastive_beta", "contrastive_form"}, 0.1}, {"contrastive_beta", []string{"contrastive_alpha"}, 0.5}} {
		if !b.given(k.key) && slices.ContainsFunc(k.others, func(o string) bool { p, _ := param.Lookup(o); return b.given(o) && !value.Equal(b.value(o), p.Default) }) {
			b.set(k.key, k.value)
		}
	}
}

// flagStage is a stage that a switch of the same name turns on.
func flagStage(name string, c row.Cut, j judge) *Stage {
	return &Stage{Name: name, weights: readsWeights, Keys: []string{name},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest,
		Judge: j,
		Build: func(b *Builder) (Action, string) {
			if !b.Bool(name) {
				return nil, ""
			}
			return cut{c}, ""
		}}
}

var (
	pLessDef     = flagStage("p_less", row.PLess{}, judgePLess)
	pLessNormDef = flagStage("p_less_norm", row.PLess{Normalised: true}, judgePLess)

	topADef = &Stage{Name: "top_a", weights: readsWeights, Keys: []string{"top_a", "cut_rules"},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest,
		Judge: byShare("top_a", partial.TopA),
		Build: func(b *Builder) (Action, string) {
			a := b.Float("top_a")
			if a <= 0 || a > 1 && b.Text("cut_rules") == "textgen" {
				return nil, ""
			}
			return cut{row.TopA(a)}, b.Format("top_a")
		}}
	tailFreeDef = &Stage{Name: "tfs", weights: readsWeights, Keys: []string{"tfs_z", "cut_rules"},
		Movable: true, Warper: true, Cuts: true, Best: KeepsBest,
		Judge: byShare("tfs_z", partial.TailFree),
		Build: func(b *Builder) (Action, string) {
			z, whole := b.Float("tfs_z"), b.Text("cut_rules") == "textgen"
			if z >= 1 || whole && z < 0 {
				return nil, ""
			}
			return cut{row.TailFree{Z: z, Whole: whole}}, b.Format("tfs_z")
		}}
	smoothingDef = &Stage{Name: "smoothing", Tiny: "smooth", weights: readsWeights, Keys: []string{"smoothing_factor", "smoothing_curve"},
		Movable: true, Best: MayMove,
		Judge: byShare("smoothing_factor", partial.Shape("smoothing_factor")),
		Build: func(b *Builder) (Action, string) {
			f := b.Float("smoothing_factor")
			if f <= 0 {
				return nil, ""
			}
			return cut{row.Smoothing{Factor: f, Curve: b.Float("smoothing_curve")}}, b.Format("smoothing_factor")
		}}
	skewDef = &Stage{Name: "skew", weights: readsWeights, Keys: []string{"skew"},
		Movable: true, Warper: true, Best: MayMove,
		Judge: byShare("skew", partial.Shape("skew")),
		Build: func(b *Builder) (Action, string) {
			s := b.Float("skew")
			if s == 0 {
				return nil, ""
			}
			return cut{row.Skew(s)}, b.Format("skew")
		}}
	contrastiveDef = &Stage{Name: "contrastive", Tiny: "contrast", weights: readsWeights,
		Keys:    []string{"contrastive_alpha", "contrastive_beta", "contrastive_form", "contrastive_temperature"},
		Movable: true, Best: MayMove, Second: OfAmateur,
		Build: func(b *Builder) (Action, string) {
			b.completeContrastive()
			s := &contrastive{alpha: b.Float("contrastive_alpha"), beta: b.Float("contrastive_beta"),
				difference: b.Text("contrastive_form") == "difference", temperature: b.Float("contrastive_temperature")}
			if s.alpha == 0 && s.beta == 0 && !s.difference {
				return nil, ""
			}
			if s.difference {
				return s, b.Format("contrastive_alpha")
			}
			return s, b.Format("contrastive_alpha") + "/" + b.Format("contrastive_beta")
		}}
	guidanceDef = &Stage{Name: "guidance", Tiny: "cfg", weights: readsWeights, Keys: []string{"guidance_scale"},
		Movable: true, Best: MayMove, Second: OfPrompt,
		Build: func(b *Builder) (Action, string) {
			g := b.Float("guidance_scale")
			if g == 1 {
				return nil, ""
			}
			return guidance(g), b.Format("guidance_scale")
		}}
)
