package sampling

import (
	"testing"

	"logitscope/sampling/dist"
)

// What an engine knows nothing of changes nothing under it, even where a stage
// that it shares with another engine reads it there.
func TestIgnoredKeysChangeNothing(t *testing.T) {
	row := make([]float32, 30)
	for i := range row {
		row[i] = float32((i*7)%30) / 4
	}
	in := Input{Logits: row, Prompt: []int32{1, 2, 3, 1}, Output: []int32{4, 5, 4, 5, 4}}
	strong := map[string]any{
		"dynatemp_range": 0.7, "dynatemp_exponent": 2.0, "min_tokens_to_keep": 9, "repeat_last_n": 1, "mirostat": 2, "dry_multiplier": 3.0,
		"dry_breaker_tokens": [][]int32{{4}}, "top_n_sigma": 0.2, "xtc_probability": 1.0, "xtc_threshold": 0.01, "typical_p": 0.1, "no_repeat_ngram_size": 1,
		"logit_bias": map[string]any{"3": 5}, "repetition_penalty": 2.0, "frequency_penalty": 1.0, "presence_penalty": 1.0, "adaptive_target": 0.3,
		"epsilon_cutoff": 0.05, "eta_cutoff": 0.05, "top_h": 0.2, "suppress_tokens": []int32{29}, "bad_words_ids": [][]int32{{29}},
	}
	n := 0
	for _, e := range engines {
		for key, v := range strong {
			if (Order{base: e.Name}).Supports(key) {
				continue
			}
			n++
			base := Config{}.MustWith("order", e.Name, FromFile).MustWith("temperature", 0.9, FromFile)
			var laws [2]dist.Dist
			for i, c := range []Config{base, base.MustWith(key, v, FromFile)} {
				p, err := Compile(c, nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Distribution(&laws[i], new(Scratch), in); err != nil {
					t.Fatal(err)
				}
			}
			if d := dist.TotalVariation(&laws[0], &laws[1]); d != 0 || len(laws[0].IDs) != len(laws[1].IDs) {
				t.Errorf("%s: %s is not supported, and moves the law by %v, %d to %d survivors", e.Name, key, d, len(laws[0].IDs), len(laws[1].IDs))
			}
		}
	}
	if n < 60 {
		t.Errorf("%d settings are tried, want those that no stage reads", n)
	}
}
