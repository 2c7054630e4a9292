package sampling_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"logitscope/sampling"
	"logitscope/sampling/cases"
)

// benchRow returns a row of v logits; peaked has 40 peaks from 14 down.
func benchRow(v int, peaked bool) []float32 {
	x := cases.Generate(nil, v, 999, 2, 0)
	if peaked {
		for r := range 40 {
			x[(r*7919+17)%v] = float32(14 - 0.25*float64(r))
		}
	}
	return x
}

func benchHistory() (prompt, output []int32) {
	for i := range int32(64) {
		output = append(output, (i*911)%30000)
	}
	return output[:16], output[16:]
}

func with(kv ...any) sampling.Config {
	c := sampling.Config{}
	for i := 0; i < len(kv); i += 2 {
		c = c.MustWith(kv[i].(string), kv[i+1], sampling.FromPreset)
	}
	return c
}

var benchConfigs = []struct {
	name string
	c    sampling.Config
}{
	{"chat", with("temperature", 0.7, "top_k", 50, "top_p", 0.9, "repetition_penalty", 1.05)},
	{"topp", with("temperature", 0.7, "top_k", 0, "top_p", 0.9, "repetition_penalty", 1.1, "frequency_penalty", 0.1, "presence_penalty", 0.1)},
	{"topp-only", with("top_k", 0, "top_p", 0.9)},
	{"all", with("temperature", 0.7, "top_k", 200, "top_p", 0.95, "min_p", 0.02, "typical_p", 0.95, "epsilon_cutoff", 0.0003, "eta_cutoff", 0.002,
		"top_h", 0.9, "repetition_penalty", 1.1, "frequency_penalty", 0.1, "presence_penalty", 0.1, "no_repeat_ngram_size", 3, "logit_bias", "5=1,9=-2", "min_new_tokens", 4, "eos_token_id", 2)},
	{"llama-chat", with("order", "llama.cpp", "temperature", 0.7, "top_k", 50, "top_p", 0.9, "repetition_penalty", 1.1, "frequency_penalty", 0.1, "presence_penalty", 0.1)},
	{"llama-topp", with("order", "llama.cpp", "temperature", 0.7, "top_k", 0, "top_p", 0.9, "min_p", 0, "repetition_penalty", 1.1)},
	{"llama-all", with("order", "llama.cpp", "temperature", 0.7, "top_k", 200, "top_p", 0.95, "min_p", 0.02, "typical_p", 0.95, "top_n_sigma", 3, "xtc_probability", 0.5,
		"dynatemp_range", 0.3, "dry_multiplier", 0.8, "repetition_penalty", 1.1, "logit_bias", "5=1,9=-2")},
}

// BenchmarkSample times a step with its full trace, as a ratio to a plain
// copy of the row and to one pass of math.Exp over it, both timed here.
func BenchmarkSample(b *testing.B) {
	for _, v := range []int{4096, 32000, 128256, 151936} {
		for _, shape := range []string{"peaked", "flat"} {
			x := benchRow(v, shape == "peaked")
			for _, c := range benchConfigs {
				b.Run(fmt.Sprintf("%s/V=%d/%s", c.name, v, shape), func(b *testing.B) { benchSample(b, c.c, x) })
			}
		}
	}
}

func benchSample(b *testing.B, c sampling.Config, x []float32) {
	p, err := sampling.Compile(c, nil)
	if err != nil {
		b.Fatal(err)
	}
	var s sampling.Scratch
	var t sampling.Trace
	prompt, output := benchHistory()
	in := sampling.Input{Logits: x, Prompt: prompt, Output: output}
	dst := make([]float32, len(x))
	best := func(f func()) time.Duration {
		least := time.Hour
		for range 7 {
			start := time.Now()
			f()
			least = min(least, time.Since(start))
		}
		return least
	}
	n := 0
	var sample, plain, exps time.Duration
	b.ReportAllocs()
	for b.Loop() {
		in.State = t.State
		if _, err := p.Sample(&t, &s, in); err != nil {
			b.Fatal(err)
		}
		n++
	}
	sample = best(func() {
		if _, err := p.Sample(&t, &s, in); err != nil {
			b.Fatal(err)
		}
	})
	plain = best(func() { copy(dst, x) })
	exps = best(func() {
		for i, v := range x {
			dst[i] = float32(math.Exp(float64(v)))
		}
	})
	b.ReportMetric(float64(sample)/float64(plain), "x-copy")
	b.ReportMetric(float64(sample)/float64(exps), "x-exp")
}
