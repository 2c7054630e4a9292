package sampling

import (
	"errors"

	"logitscope/sampling/watermark"
)

// A watermarkStage adds a bias to the green tokens of a place (Kirchenbauer et
// al. 2023), as transformers does: package watermark has the lists.
type watermarkStage struct {
	mark *watermark.Mark
	bias float32
}

func (s *watermarkStage) apply(r *step) {
	if r.in.IDs != nil {
		if r.Finite == 1 {
			return // no list moves the only token
		}
		r.err = errors.New("it needs the whole row, and the server names some tokens only")
		return
	}
	n := r.historyLen()
	if n < s.mark.Width {
		return
	}
	if s.mark.Scheme == watermark.LeftHash {
		last := [1]int32{r.in.token(n - 1)}
		r.Add(s.mark.List(&r.green, last[:], len(r.Raw)), s.bias)
		return
	}
	// The last tokens, and room for the candidate.
	context := r.context[:0]
	for i := n + 1 - s.mark.Width; i < n; i++ {
		context = append(context, r.in.token(i))
	}
	context = append(context, 0)
	own := r.own[:0]
	for _, it := range r.Best(watermark.Candidates) {
		id := r.ID(r.Pos(int(it.I)))
		context[len(context)-1] = id
		if s.mark.Green(&r.green, context, len(r.Raw), id) {
			own = append(own, id)
		}
	}
	r.context, r.own = context, own
	r.Add(own, s.bias)
}

var watermarkDef = &Stage{Name: "watermark", Tiny: "mark",
	Keys:    []string{"watermark_bias", "watermark_ratio", "watermark_key", "watermark_scheme", "watermark_width"},
	Movable: true, Best: MayMove,
	Judge: judgeWatermark,
	Build: func(b *Builder) (Action, string) {
		bias := b.Float32("watermark_bias")
		if bias == 0 {
			return nil, ""
		}
		m, err := watermark.New(watermark.Config{Ratio: b.Float("watermark_ratio"), Key: b.value("watermark_key").(uint64),
			Scheme: watermark.Scheme(b.Text("watermark_scheme")), Width: b.Int("watermark_width")})
		if err != nil {
			b.errs = append(b.errs, err)
			return nil, ""
		}
		return &watermarkStage{m, bias}, b.Format("watermark_bias")
	}}

// What transformers refuses of a watermark's settings.
var (
	watermarkRatio = Refusal{Key: "watermark_ratio", Allowed: "above 0 and below 1", OK: func(v float64) bool { return v > 0 && v < 1 }}
	watermarkWidth = Refusal{Key: "watermark_width", Allowed: "1 or more", OK: atLeast(1)}
)

// WatermarkFields are the fields of transformers' WatermarkingConfig, in its
// order, and the parameters that they are.
var WatermarkFields = []struct{ Theirs, Key string }{
	{"greenlist_ratio", "watermark_ratio"}, {"bias", "watermark_bias"}, {"hashing_key", "watermark_key"},
	{"seeding_scheme", "watermark_scheme"}, {"context_width", "watermark_width"},
}

// WatermarkKey returns the parameter of a field of transformers'
// WatermarkingConfig; empty if there is none.
func WatermarkKey(field string) string {
	for _, f := range WatermarkFields {
		if f.Theirs == field {
			return f.Key
		}
	}
	return ""
}

// Watermark returns the mark that the settings of c describe, whether or not a
// bias is on.
func (c Config) Watermark() (*watermark.Mark, error) {
	return watermark.New(watermark.Config{Ratio: c.Float("watermark_ratio"), Key: c.Uint("watermark_key"),
		Scheme: watermark.Scheme(c.Text("watermark_scheme")), Width: c.Int("watermark_width")})
}
