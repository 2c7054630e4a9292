package setup

import (
	"strings"
	"testing"

	"logitscope/sampling"
)

// What a model recommends comes in with that origin, and what it says wrongly
// keeps nobody from using it.
func TestModelDefaults(t *testing.T) {
	cfg, problems := importModelDefaults(map[string]any{"general.sampling.temp": float32(0.7), "general.sampling.top_p": 7.0, "general.sampling.top_k": uint64(30)}, "")
	for key, want := range map[string]any{"temperature": 0.7, "top_k": int64(30)} {
		if s, ok := cfg.Lookup(key); !ok || s.Value != want || s.Origin != sampling.FromModel {
			t.Errorf("%s: %+v", key, s)
		}
	}
	if _, set := cfg.Lookup("top_p"); set || problems == nil || !strings.Contains(problems.Error(), "general.sampling.top_p") {
		t.Errorf("problems %v", problems)
	}
	if cfg.Order().Name() != "transformers" {
		t.Errorf("order %s", cfg.Order().Name())
	}
}
