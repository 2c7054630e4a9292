package run

import (
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/param"
)

// A preset decides what shapes the distribution; what else was set, by whom
// ever, stays. A value of a preset leaves with it.
func TestPresetKeepsWhatItDoesNotDecide(t *testing.T) {
	p := Preset{Name: "p", Config: sampling.Config{}.MustWith("temperature", 0.3, sampling.FromPreset)}
	limited := Preset{Name: "limited", Config: p.Config.MustWith("max_new_tokens", int64(7), sampling.FromPreset)}
	tried := 0
	for _, prm := range param.All() {
		v := other(&prm)
		if v == nil {
			continue
		}
		for _, from := range []sampling.Origin{sampling.FromPreset, sampling.FromFile, sampling.FromFlag, sampling.FromYou} {
			cfg, err := sampling.Config{}.With(prm.Key, v, from)
			if err != nil {
				continue
			}
			tried++
			got := WithPreset(cfg, p)
			stays := !IsTuning(prm.Key) && !(prm.Key == "max_new_tokens" && from == sampling.FromPreset)
			if _, set := got.Lookup(prm.Key); set != (stays || prm.Key == "temperature") || stays && !SameSetting(got, cfg, prm.Key) {
				t.Errorf("%s from %s: %v after the preset, want it kept: %v", prm.Key, from, got.Value(prm.Key), stays)
			}
			if got := WithPreset(cfg, limited); got.Int("max_new_tokens") != 7 {
				t.Errorf("%s from %s: max_new_tokens %d, where the preset says 7", prm.Key, from, got.Int("max_new_tokens"))
			}
		}
	}
	t.Logf("%d cases", tried)
}

// other returns a value of p that is not its default, nil if none is known.
func other(p *param.Param) any {
	switch {
	case p.Kind == param.Int:
		return int64(p.Hi)
	case p.Kind == param.Float:
		return p.Lo + 0.75*(p.Hi-p.Lo)
	case len(p.Choices) > 1:
		v, _ := p.Parse(p.Choices[1])
		return v
	}
	v, _ := p.Parse("false")
	if b, ok := v.(bool); ok {
		return b
	}
	return nil
}
