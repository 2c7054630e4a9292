package llama

import (
	"math"
	"strings"
	"testing"

	"logitscope/models/gguf"
	"logitscope/models/goldentest"
)

// value encodes a metadata value: its type and bytes.
func value(v any) []byte {
	switch v := v.(type) {
	case int:
		return le.AppendUint32(le.AppendUint32(nil, 4), uint32(v))
	case float64:
		return le.AppendUint32(le.AppendUint32(nil, 6), math.Float32bits(float32(v)))
	case bool:
		b := byte(0)
		if v {
			b = 1
		}
		return append(le.AppendUint32(nil, 7), b)
	case string:
		return append(le.AppendUint64(le.AppendUint32(nil, 8), uint64(len(v))), v...)
	case []int:
		out := le.AppendUint64(le.AppendUint32(le.AppendUint32(nil, 9), 4), uint64(len(v)))
		for _, n := range v {
			out = le.AppendUint32(out, uint32(n))
		}
		return out
	case []bool:
		out := le.AppendUint64(le.AppendUint32(le.AppendUint32(nil, 9), 7), uint64(len(v)))
		for _, x := range v {
			out = append(out, value(x)[4])
		}
		return out
	}
	panic("no such type")
}

// with returns a file's bytes with a key set, or without it if v is nil. A key
// that the file has is renamed, a new one put in front; alignment is kept by
// one more key.
func with(data []byte, key string, v any) []byte {
	str := func(s string) []byte { return appendString(nil, s) }
	data = []byte(strings.Replace(string(data), string(str(key)), string(str("x"+key[1:])), 1))
	if v == nil {
		return data
	}
	entry := append(str(key), value(v)...)
	filler := append(str("filler."+key), value("")...)
	pad := (32 - (len(entry)+len(filler))%32) % 32
	filler = append(str("filler."+key), value(strings.Repeat(" ", pad))...)
	out := append([]byte(nil), data[:16]...)
	out = le.AppendUint64(out, le.Uint64(data[16:])+2)
	out = append(append(out, entry...), filler...)
	return append(out, data[24:]...)
}

func open(t *testing.T, data []byte) (*Model, error) {
	t.Helper()
	f, err := gguf.Parse("test.gguf", data)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(f, Options{Workers: 1})
	if err == nil {
		t.Cleanup(func() { m.Close() })
	}
	return m, err
}

// TestRefusals: metadata that no model can have is refused, by key.
func TestRefusals(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		model, key string
		value      any
		want       string
	}{
		{"llama-rope-yarn", "general.architecture", "falcon", `is "falcon"; known are gemma, `},
		{"llama-rope-yarn", "llama.rope.freq_base", 0.0, "is 0, not above 0"},
		{"llama-rope-yarn", "llama.rope.freq_base", -1e4, "is -10000, not above 0"},
		{"llama-rope-yarn", "llama.rope.freq_base", inf, "not a finite number"},
		{"llama-rope-yarn", "llama.rope.freq_base", 1.0, "yarn cannot scale"},
		{"llama-rope-yarn", "llama.rope.freq_base", 7, "is of type u32"},
		{"llama-rope-yarn", "llama.rope.scaling.type", "bogus", `is "bogus", not none, linear, yarn or longrope`},
		{"llama-rope-yarn", "llama.rope.scaling.factor", -2.0, "is -2, not above 0"},
		{"llama-rope-yarn", "llama.rope.scaling.factor", nan, "is NaN"},
		{"llama-rope-yarn", "llama.rope.scaling.original_context_length", 0, "is 0"},
		{"llama-rope-yarn", "llama.rope.scaling.yarn_beta_fast", -1.0, "not above 0"},
		{"mistral3-yarn-temperature", "mistral3.rope.scaling.yarn_log_multiplier", -1e9, "magnitude"},
		{"llama-rope-yarn", "llama.rope.scaling.attn_factor", 0.0, "not above 0"},
		{"llama-rope-yarn", "llama.rope.dimension_count", 4, "not the head size 8"},
		{"llama-rope-yarn", "llama.attention.layer_norm_rms_epsilon", -1e-5, "not at least 0"},
		{"llama-rope-yarn", "llama.attention.head_count_kv", 3, "does not divide attention.head_count = 4"},
		{"llama-rope-yarn", "llama.attention.head_count_kv", []int{2}, "has 1 values for 2 layers"},
		{"llama-rope-yarn", "llama.attention.head_count_kv", []int{2, 0}, "is 0 in layer 1"},
		{"llama-rope-yarn", "llama.attention.value_length", 0, "is 0"},
		{"llama-rope-yarn", "llama.attention.value_length", 16, "has the shape 32×16, not 32×32"},
		{"llama-rope-yarn", "llama.block_count", 1, "has no place in the architecture llama with 1 layers"},
		{"llama-rope-yarn", "llama.expert_count", 4, "expert_used_count: is missing or 0"},
		{"llama-rope-yarn", "llama.expert_used_count", 2, "is 2, more than expert_count = 0"},
		{"mixtral-moe", "llama.expert_used_count", 5, "is 5, more than expert_count = 4"},
		{"mixtral-moe", "llama.expert_count", 5, "ffn_gate_inp.weight\" at byte "},
		{"qwen3moe", "qwen3moe.expert_count", 0, "is missing or 0"},
		{"qwen3-qknorm", "qwen3.expert_count", 2, "qwen3 has no experts"},
		{"gemma2-softcap-swa", "gemma2.attn_logit_softcapping", 0.0, "not above 0"},
		{"gemma2-softcap-swa", "gemma2.attention.sliding_window_pattern", []bool{true}, "has 1 values for 4 layers"},
		{"gpt-oss-sinks", "gpt-oss.attention.sliding_window", 0, "is missing or 0"},
		{"gpt2", "gpt2.context_length", 300, "position_embd.weight"},
		{"granite-scales", "granite.logit_scale", nil, "is missing"},
		{"gpt2", "gpt2.attention.layer_norm_epsilon", nil, "is missing"},
		{"mixtral-moe", "llama.expert_used_count", nil, "is missing"},
		{"qwen3-qknorm", "qwen3.feed_forward_length", nil, "is missing"},
	} {
		data := with(goldentest.Read(t, "testdata/arch/"+c.model+".gguf.gz"), c.key, c.value)
		_, err := open(t, data)
		if err == nil {
			t.Errorf("%s = %v is accepted", c.key, c.value)
		} else if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "test.gguf: ") {
			t.Errorf("%s = %v: %v, want %q", c.key, c.value, err, c.want)
		}
	}
}

// TestVariants: what golden files do not show, against a file that says the
// same in another way or the plain implementation.
func TestVariants(t *testing.T) {
	tokens := someTokens(30, 40, 300)
	logits := func(m *Model) []float32 { return forward(t, m.newSession(), tokens, 1)[0] }
	for _, c := range []struct {
		model, key string
		value      any
		same       bool // as without the key
	}{
		{"llama-gqa-tied-base500k", "llama.rope.scaling.factor", 0.0, true},
		{"llama-gqa-tied-base500k", "llama.rope.scaling.factor", 4.0, false}, // linear without a type
		{"llama-rope-linear", "llama.rope.scaling.type", "none", false},
		{"llama-rope-yarn", "llama.rope.scaling.yarn_ext_factor", 0.0, true}, // read by nobody
		{"llama-rope-yarn", "llama.rope.scaling.yarn_log_multiplier", 0.5, true},
		{"mistral3-yarn-temperature", "mistral3.rope.scaling.yarn_log_multiplier", 0.5, false},
		{"llama-rope-yarn", "llama.attention.head_count_kv", []int{2, 2}, true},
		{"gemma2-softcap-swa", "gemma2.attention.sliding_window_pattern", 2, true},
		{"gemma2-softcap-swa", "gemma2.attention.sliding_window_pattern", []bool{true, false, true, false}, true},
		{"gemma2-softcap-swa", "gemma2.attention.sliding_window_pattern", []bool{true, true, true, false}, false},
		{"gemma3-swa", "gemma3.attention.sliding_window", 0, false},
		{"gemma3-swa", "gemma3.rope.scaling.attn_factor", 1.25, false},
		{"gemma3-swa", "gemma3.final_logit_softcapping", 5.0, false},
		{"granite-scales", "granite.rope.scaling.finetuned", true, true},
		{"granite-scales", "granite.rope.scaling.finetuned", false, false},
		{"olmo2-post-norms", "olmo2.attention.sliding_window", 4, false},
		{"gpt-oss-sinks", "gpt-oss.rope.freq_base_swa", 500.0, false},
		{"phi3-fused", "phi3.rope.dimension_count", 4, false},
		{"qwen2moe-shared-expert", "qwen2moe.expert_used_count", 6, false},
	} {
		path := "testdata/arch/" + c.model + ".gguf.gz"
		m, err := open(t, with(goldentest.Read(t, path), c.key, c.value))
		if err != nil {
			t.Errorf("%s = %v: %v", c.key, c.value, err)
			continue
		}
		got := logits(m)
		if d := distance(got, logits(load(t, path, Options{}))); (d == 0) != c.same {
			t.Errorf("%s = %v moves the logits by %v", c.key, c.value, d)
		}
		want := reference{c: m.cfg, w: m.w}.logits(tokens)[len(tokens)-1]
		for k := range got {
			if d := math.Abs(float64(got[k]) - want[k]); !(d < 3e-4) {
				t.Errorf("%s = %v token %d: %v, want %v", c.key, c.value, k, got[k], want[k])
				break
			}
		}
	}
}

func gemma(t *testing.T) *Model {
	m, err := Open(writeModel(t, shapeOf{arch: "gemma", layers: 2, embed: 64, ff: 96, heads: 4, kvHeads: 1, headLen: 32, vocab: 300, context: 128}, gguf.Q8_0), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// TestGemma: the one architecture without golden logits. It is llama's
// tensors with GELU, the other rotary layout and embeddings made longer.
func TestGemma(t *testing.T) {
	m := gemma(t)
	if c := m.cfg; c.embedScale != 8 || c.arch.act != gelu || !m.w.full.halves || !m.w.tied {
		t.Errorf("configured as %+v", c)
	}
	tokens := someTokens(31, 30, m.cfg.vocab)
	got := forward(t, m.newSession(), tokens, 1)[0]
	want := reference{c: m.cfg, w: m.w}.logits(tokens)[len(tokens)-1]
	for k := range got {
		if d := math.Abs(float64(got[k]) - want[k]); !(d < 1e-4*max(1, math.Abs(want[k]))) {
			t.Fatalf("token %d: %v, want %v", k, got[k], want[k])
		}
	}
}

// TestDefaults: sampling settings of a file are passed on under their keys.
func TestDefaults(t *testing.T) {
	data := goldentest.Read(t, "testdata/arch/llama-rope-yarn.gguf.gz")
	data = with(data, "general.sampling.top_k", 40)
	data = with(data, "general.sampling.temp", 0.5)
	data = with(data, "tokenizer.chat_template", "{{ messages }}")
	data = with(data, "general.license", "mit")
	m, err := open(t, data)
	if err != nil {
		t.Fatal(err)
	}
	in := m.Info()
	if len(in.Defaults) != 2 || in.Defaults["general.sampling.top_k"] != uint64(40) || in.Defaults["general.sampling.temp"] != 0.5 {
		t.Errorf("defaults are %v", in.Defaults)
	}
	if in.ChatTemplate != "{{ messages }}" || in.License != "mit" {
		t.Errorf("template %q, license %q", in.ChatTemplate, in.License)
	}
}
