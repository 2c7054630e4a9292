package sampling_test

import (
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/cases"
	"logitscope/sampling/inert"
	"logitscope/sampling/param"
)

func TestInertNotes(t *testing.T) {
	x := cases.Generate(nil, 400, 2, 2, 0)
	sure := []float32{20, 1, 0, 0, 0, 0}
	hf := func(kv ...any) sampling.Config { return neutral("transformers", kv...) }
	for _, c := range []struct {
		c    sampling.Config
		x    []float32
		key  string
		want string // with the trace of a step
	}{
		{hf(), x, "min_p", "off"},
		{hf(), x, "logit_bias", "off"},
		{neutral("vllm", "typical_p", 0.9), x, "typical_p", "no effect: vllm has no typical_p"},
		{hf("mirostat", 2), x, "mirostat", "no effect: transformers has no mirostat"},
		{hf("temperature", 0.0, "top_k", 5), x, "top_k", "no effect: greedy (temperature 0); penalties, bias and bans still count"},
		{hf("do_sample", false, "temperature", 0.7), x, "temperature", "no effect: greedy (do_sample false); penalties, bias and bans still count"},
		{neutral("llama.cpp", "temperature", 0.0, "dynatemp_range", 0.5), x, "dynatemp_range", ""},
		{neutral("llama.cpp", "temperature", 0.0, "dynatemp_range", 0.5), x, "seed", ""},
		{hf("temperature", 0.0), x, "seed", "no effect: greedy (temperature 0); penalties, bias and bans still count"},
		{hf("temperature", 0.0, "repetition_penalty", 1.5), x, "temperature", ""},
		{hf("top_k", 1), x, "seed", "no effect here: one token left"},
		{neutral("llama.cpp", "top_k", 1, "temperature", 0.5), x, "temperature", "no effect: greedy (top_k 1); penalties, bias and bans still count"},
		{with("order", "vllm", "temperature", 0.005), x, "temperature", "vllm raises it to 0.01"},
		{hf("top_k", 500), x, "top_k", "no effect: 500 ≥ 400 tokens left"},
		{hf("top_k", 5), x, "top_k", ""},
		{hf("top_p", 0.9), sure, "top_p", "keeps one token here: >99.99% ≥ 0.90 (acts like greedy)"},
		{hf("repetition_penalty", 1.5), x, "repetition_penalty", ""},
		{neutral("llama.cpp", "repetition_penalty", 1.5, "repeat_last_n", 0), x, "repeat_last_n", "0 turns all three penalties off"},
		{hf("repeat_last_n", 32), x, "repeat_last_n", "no effect: transformers counts all tokens"},
		{neutral("llama.cpp", "xtc_probability", 0.5, "xtc_threshold", 0.6), x, "xtc_probability", "no effect: xtc_threshold over 0.5"},
		{neutral("llama.cpp", "xtc_probability", 1.0, "xtc_threshold", 0.3, "top_k", 5), sure, "xtc_probability", "no effect here: one sure token"},
		{neutral("llama.cpp", "xtc_probability", 1.0, "xtc_threshold", 0.3), sure, "xtc_probability", ""}, // it sorts, and the draw walks the array
		{neutral("llama.cpp", "temperature", 0.0, "xtc_probability", 1.0, "top_k", 1), x, "top_k", ""},
		{neutral("llama.cpp", "temperature", 0.0, "xtc_probability", 0.0, "top_k", 9, "top_p", 0.5), x, "top_p", "no effect: greedy (temperature 0); penalties, bias and bans still count"},
		{neutral("llama.cpp", "temperature", 0.0, "top_k", 9), x, "top_k", "greedy (temperature 0): decides between equal logits at most; penalties, bias and bans still count"},
		{neutral("llama.cpp", "repetition_penalty", 1.5, "repeat_last_n", 0), x, "repetition_penalty", "no effect: repeat_last_n 0 turns it off"},
		{neutral("llama.cpp", "dynatemp_exponent", 2.0), x, "dynatemp_exponent", "no effect: dynatemp_range is off"},
		{neutral("llama.cpp", "mirostat_tau", 2.0), x, "mirostat_tau", "no effect: mirostat is off"},
		{neutral("llama.cpp", "mirostat", 2, "top_k", 40), x, "top_k", "no effect: mirostat replaces it"},
		{with("temperature", 0.7), x, "top_k", "50: transformers' default, nobody set it"},
		{hf("length_penalty", 2.0), x, "length_penalty", "no effect: num_beams is 1"},
		{hf("min_new_tokens", 3, "eos_token_id", 1), x, "min_new_tokens", "no effect now: 5 tokens are out"},
		{hf("min_new_tokens", 30, "eos_token_id", 1), x, "min_new_tokens", ""},
		{neutral("transformers:temperature", "top_k", 5), x, "top_k", "no effect: the order has no top_k"},
	} {
		p := compile(t, c.c)
		var s sampling.Scratch
		var tr sampling.Trace
		if _, err := p.Sample(&tr, &s, sampling.Input{Logits: c.x, Prompt: testHistory[:4], Output: testHistory[4:]}); err != nil {
			t.Fatal(err)
		}
		if got := p.Inert(c.key, &tr).String(); got != c.want {
			t.Errorf("%s in %v: %q, want %q", c.key, c.c.Keys(), got, c.want)
		}
	}
}

// TestPenaltyOnUnlikelyTokens: what a penalty touches does not matter where
// all of it is far from likely.
func TestPenaltyOnUnlikelyTokens(t *testing.T) {
	x := make([]float32, 100)
	for i := range x {
		x[i] = -float32(i)
	}
	p := compile(t, neutral("transformers", "repetition_penalty", 1.5, "top_k", 10))
	var s sampling.Scratch
	var tr sampling.Trace
	in := sampling.Input{Logits: x, Prompt: []int32{90, 91, 92}}
	if _, err := p.Sample(&tr, &s, in); err != nil {
		t.Fatal(err)
	}
	if got := p.Inert("repetition_penalty", &tr).String(); got != "touches 3 tokens here, none of them likely" {
		t.Errorf("%q", got)
	}
}

func TestEffect(t *testing.T) {
	x := []float32{4, 3, 2, 1, 0, -1, -2, -3}
	in := sampling.Input{Logits: x, Prompt: []int32{0}}
	for _, c := range []struct {
		kv        []any
		key       string
		kept, off int
		tv        float64 // by hand; -1: not checked
		reasonHas string
	}{
		{[]any{"top_k", 2}, "top_k", 2, 8, 0.135, ""},
		{[]any{"top_k", 20}, "top_k", 8, 8, 0, "20 ≥ 8"},
		{[]any{"top_k", 2, "top_p", 0.5}, "top_k", 1, 1, 0, "no effect here: top_p keeps 1 of the 2"},
		{[]any{}, "min_p", 8, 8, 0, "off"},
		{[]any{"temperature", 0.5}, "temperature", 8, 8, -1, ""},
		{[]any{"repetition_penalty", 2.0}, "repetition_penalty", 8, 8, -1, ""},
		{[]any{}, "max_new_tokens", 8, 8, 0, "no effect on a choice: it says where the text ends"},
		{[]any{}, "seed", 8, 8, 0, "no effect on the probabilities: the seed only says where u falls"},
		{[]any{"top_k", 1}, "seed", 1, 1, 0, "no effect here: one token left"},
		{[]any{"order", "llama.cpp", "dynatemp_range", 0.3}, "dynatemp_exponent", 8, 8, 0, "no off value of its own: dynatemp_range off is what to compare with"},
		{[]any{"num_return_sequences", 2}, "num_return_sequences", 8, 8, 0, "no effect on this step"},
	} {
		p := compile(t, neutral("transformers", c.kv...))
		var s sampling.Scratch
		e, err := p.Effect(c.key, &s, in)
		if err != nil {
			t.Fatal(err)
		}
		if e.Kept != c.kept || e.KeptOff != c.off {
			t.Errorf("%s %v: kept %d and %d without, want %d and %d", c.key, c.kv, e.Kept, e.KeptOff, c.kept, c.off)
		}
		if c.tv >= 0 && (e.TV < c.tv-0.001 || e.TV > c.tv+0.001) {
			t.Errorf("%s %v: total variation %v, want %v", c.key, c.kv, e.TV, c.tv)
		}
		if c.tv < 0 && e.TV <= 0 {
			t.Errorf("%s %v: no effect", c.key, c.kv)
		}
		if (c.reasonHas == "") != (e.Why == inert.Inert{}) || !strings.Contains(e.Why.String(), c.reasonHas) {
			t.Errorf("%s %v: reason %q, want %q", c.key, c.kv, e.Why, c.reasonHas)
		}
	}
	p := compile(t, neutral("transformers"))
	if _, err := p.Effect("nope", new(sampling.Scratch), in); err == nil {
		t.Error("an unknown key has an effect")
	}
}

func TestEffective(t *testing.T) {
	get := func(c sampling.Config, key string) sampling.Effective {
		for _, e := range compile(t, c).Effective() {
			if e.Key == key {
				return e
			}
		}
		t.Fatalf("no %s", key)
		return sampling.Effective{}
	}
	if e := get(with("temperature", 0.7), "top_k"); e.AskedSet || e.InForce != int64(50) || e.OriginText != "default transformers" {
		t.Errorf("%+v", e)
	}
	if e := get(with("order", "vllm", "temperature", 0.005), "temperature"); e.Asked != 0.005 || e.InForce != 0.01 || e.Note != "vllm raises temperature 0.005 to 0.01" {
		t.Errorf("%+v", e)
	}
	if e := get(with("order", "vllm", "temperature", 0.0, "top_k", 5), "top_k"); e.InForce != int64(0) || e.Asked != int64(5) || e.Note == "" {
		t.Errorf("%+v", e)
	}
	if e := get(with("frequency_penalty", 0.5), "frequency_penalty"); e.OriginText != "vLLM's rule" {
		t.Errorf("%+v", e)
	}
	if e := get(with("mirostat", 2), "mirostat"); e.InForce != int64(0) || e.Note != "no effect: transformers has no mirostat" {
		t.Errorf("%+v", e)
	}
	if e := get(with("temperature", 0.0), "do_sample"); e.InForce != false {
		t.Errorf("%+v", e)
	}
	if e := get(with("temperature", 0.0), "temperature"); e.Note != "transformers refuses temperature 0; read as do_sample false" {
		t.Errorf("%+v", e)
	}
	if n := len(compile(t, with()).Effective()); n != len(param.All()) {
		t.Errorf("%d values, want one a parameter", n)
	}
}
