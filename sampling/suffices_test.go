package sampling_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/dist"
)

// TestSuffices holds the law of a row of the 64 best of 700 tokens against
// that of the whole row, for random rows, histories and settings under every
// order: where the part is said to suffice they are one law.
func TestSuffices(t *testing.T) {
	const size, named = 700, 64
	rnd := rand.New(rand.NewPCG(5, 6))
	orders := []string{"transformers", "llama.cpp", "vllm", "ollama", "ollama-go", "lab"}
	enough, of, may := 0, 0, 0
	by := map[string]int{}
	for range 3000 {
		order, err := sampling.ParseOrder(orders[rnd.IntN(len(orders))])
		if err != nil {
			t.Fatal(err)
		}
		c := sampling.Config{}.MustWith("order", order.String(), sampling.FromFlag)
		set := func(key string, odds float64, v any) {
			if rnd.Float64() < odds && order.Supports(key) {
				c = c.MustWith(key, v, sampling.FromFlag)
			}
		}
		set("do_sample", 0.9, true)
		set("temperature", 0.8, []any{0.0, 0.3, 0.7, 1.0, 1.5}[rnd.IntN(5)])
		set("top_k", 0.6, []any{0, 1, 5, 40, 60, 64, 65, 200}[rnd.IntN(8)])
		set("top_p", 0.6, []any{0.3, 0.9, 0.99, 1.0}[rnd.IntN(4)])
		set("min_p", 0.4, []any{0.001, 0.05, 0.3}[rnd.IntN(3)])
		set("repetition_penalty", 0.4, []any{1.1, 1.3, 0.8}[rnd.IntN(3)])
		set("frequency_penalty", 0.3, []any{0.5, -0.5}[rnd.IntN(2)])
		set("presence_penalty", 0.3, []any{0.5, -0.5}[rnd.IntN(2)])
		set("no_repeat_ngram_size", 0.2, 2)
		set("typical_p", 0.1, 0.5)
		set("top_n_sigma", 0.1, 1.0)
		set("logit_bias", 0.1, "650=9")
		set("dry_multiplier", 0.2, 0.8)
		set("xtc_probability", 0.1, 0.5)
		p, err := sampling.Compile(c, nil)
		if err != nil {
			continue // settings that contradict each other
		}
		whole := make([]float32, size)
		sharp := []float64{1, 3, 8}[rnd.IntN(3)]
		for i := range whole {
			whole[i] = float32(rnd.NormFloat64() * sharp)
		}
		ids := make([]int32, size)
		for i := range ids {
			ids[i] = int32(i)
		}
		slices.SortFunc(ids, func(a, b int32) int {
			if whole[a] > whole[b] {
				return -1
			}
			return 1
		})
		ids = ids[:named]
		sum, have := 0.0, 0.0
		for _, v := range whole {
			sum += math.Exp(float64(v))
		}
		values := make([]float32, named)
		for i, id := range ids {
			values[i] = whole[id]
			have += math.Exp(float64(whole[id]))
		}
		history := make([]int32, rnd.IntN(30))
		for i := range history {
			history[i] = ids[rnd.IntN(named)]
			if rnd.IntN(2) == 0 {
				history[i] = int32(rnd.IntN(size))
			}
		}
		in := sampling.Input{Logits: whole, Prompt: history[:len(history)/2], Output: history[len(history)/2:]}
		part := in
		part.IDs, part.Logits, part.Rest = ids, values, float32(1-have/sum)
		of++
		if !p.Suffices(part) {
			continue
		}
		if enough++; p.MaySuffice(named) {
			may++
		}
		by[order.String()]++
		var s sampling.Scratch
		var a, b dist.Dist
		if err := p.Distribution(&a, &s, in); err != nil {
			continue
		}
		if err := p.Distribution(&b, &s, part); err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if len(a.IDs) != len(b.IDs) {
			t.Fatalf("%v: %d tokens of the whole row, %d of the part", c, len(a.IDs), len(b.IDs))
		}
		for i := range a.IDs {
			j := slices.Index(b.IDs, a.IDs[i])
			if j < 0 || math.Abs(a.Probs[i]-b.Probs[j]) > 1e-5 {
				t.Fatalf("%v: token %d has %v of the whole row; the part has %v, %v", c, a.IDs[i], a.Probs[i], b.IDs, b.Probs)
			}
		}
	}
	if enough < of/10 || may != enough || len(by) != len(orders) {
		t.Errorf("a part sufficed in %d of %d cases, %v; %d of them could be told from the settings", enough, of, by, may)
	}
	t.Logf("a part sufficed in %d of %d cases, %v", enough, of, by)
}
