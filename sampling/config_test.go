package sampling_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/param"
)

func TestKnobs(t *testing.T) {
	shown, seen := 0, map[string]bool{}
	for i := range param.All() {
		p := &param.All()[i]
		if seen[p.Key] {
			t.Errorf("%s is in the table twice", p.Key)
		}
		seen[p.Key] = true
		if !p.Hidden {
			shown++
		}
		if len([]rune(p.Help)) > 76 || p.Help == "" {
			t.Errorf("%s: help of %d cells", p.Key, len([]rune(p.Help)))
		}
		if p.Master != "" && !seen[p.Master] {
			if _, ok := param.Lookup(p.Master); !ok {
				t.Errorf("%s: no master %s", p.Key, p.Master)
			}
		}
		if p.Step != 0 && !(p.Lo < p.Hi && p.Hi <= p.Max && p.Lo >= p.Min) {
			t.Errorf("%s: slider %v to %v in %v to %v", p.Key, p.Lo, p.Hi, p.Min, p.Max)
		}
		for _, o := range sampling.Orders() {
			v := o.Default(p)
			if p.Key == "order" {
				continue
			}
			if _, err := (sampling.Config{}).With(p.Key, v, sampling.FromYou); err != nil {
				t.Errorf("default of %s under %s: %v", p.Key, o, err)
			}
		}
	}
	if shown != 41 {
		t.Errorf("%d knobs on the screen, want 41", shown)
	}
}

func TestWithForms(t *testing.T) {
	for _, c := range []struct {
		key  string
		in   any
		want string // as JSON
	}{
		{"top_k", 40.0, `40`},
		{"top_k", "40", `40`},
		{"top_k", json.Number("40"), `40`},
		{"temperature", "0.7", `0.7`},
		{"temperature", 1, `1`},
		{"seed", "18446744073709551615", `18446744073709551615`},
		{"do_sample", "false", `false`},
		{"early_stopping", true, `"true"`},
		{"early_stopping", "NEVER", `"never"`},
		{"stop", "a,b", `["a,b"]`},
		{"stop", []any{"a", "b"}, `["a","b"]`},
		{"logit_bias", map[string]any{"12": -100.0, " cat": 2.0}, `[[" cat",2],[12,-100]]`},
		{"logit_bias", []any{[]any{7.0, "-inf"}, []any{[]any{1.0, 2.0}, 3.0}}, `[[7,"-inf"],[[1,2],3]]`},
		{"logit_bias", "12=-100, cat=2", `[[12,-100],[" cat",2]]`},
		{"eos_token_id", 2.0, `[2]`},
		{"eos_token_id", "[2, 9]", `[2,9]`},
		{"bad_words_ids", []any{[]any{1.0}, []any{2.0, 3.0}}, `[[1],[2,3]]`},
		{"order", "llama.cpp", `"llama.cpp"`},
		{"order", []any{"top_k", "temp"}, `"top_k,temperature"`},
		{"constraint", map[string]any{"type": "json"}, `{"type":"json"}`},
	} {
		cfg, err := sampling.Config{}.With(c.key, c.in, sampling.FromFile)
		if err != nil {
			t.Errorf("%s=%v: %v", c.key, c.in, err)
			continue
		}
		b, err := json.Marshal(cfg)
		if want := `{"` + c.key + `":` + c.want + `}`; err != nil || string(b) != want {
			t.Errorf("%s=%v: %s %v, want %s", c.key, c.in, b, err, want)
		}
		back, err := sampling.DecodeConfig(bytes.NewReader(b), "", sampling.FromFile)
		if err != nil || !back.Equal(cfg) {
			t.Errorf("%s does not come back: %v", b, err)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		key  string
		in   any
		want string
	}{
		{"temperature", -1.0, "temperature: -1 is out of range, 0 to 100"},
		{"top_k", "many", "top_k: want a whole number, 0 to 2147483647"},
		{"top_k", 1.5, "top_k: want a whole number, 0 to 2147483647"},
		{"top_p", 1.5, "top_p: 1.5 is out of range, 0 to 1"},
		{"repetition_penalty", 0.0, "repetition_penalty: 0 is out of range, 0.000001 to 100"},
		{"num_assistant_tokens", 0, "num_assistant_tokens: 0 is out of range, 1 to 16"},
		{"do_sample", "maybe", "do_sample: want true or false"},
		{"repeat_penalty", 1.1, `no parameter "repeat_penalty"; repetition_penalty is meant?`},
		{"temprature", 1.1, `no parameter "temprature"; temperature is meant?`},
		{"top-p", 1.1, `no parameter "top-p"; top_p is meant?`},
		{"zzzzqqq", 1.1, `no parameter "zzzzqqq"`},
		{"order", "exllama", `order: no stage "exllama"; transformers, llama.cpp, vllm, ollama, ollama-go, lab, or a list of `},
	} {
		_, err := sampling.Config{}.With(c.key, c.in, sampling.FromFlag)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s=%v: %q, want %q", c.key, c.in, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %q", c.key, err)
		}
	}
}

func TestValidateReportsEverything(t *testing.T) {
	c := with("order", "vllm", "temperature", 3.0, "top_p", 0.0, "frequency_penalty", 5.0, "min_p", 0.1)
	err := c.Validate()
	if err == nil {
		t.Fatal("no problem found")
	}
	want := []string{
		"temperature: 3 is out of range, 0 to 2 under vllm",
		"top_p: 0 is out of range, above 0, up to 1 under vllm",
		"frequency_penalty: 5 is out of range, -2 to 2 under vllm",
	}
	if got := err.Error(); got != strings.Join(want, "\n") {
		t.Errorf("%s", got)
	}
	var r *param.RangeError
	if !errors.As(err, &r) || r.Key != "temperature" {
		t.Errorf("no RangeError in %v", err)
	}
	// The same values are fine elsewhere.
	if err := c.MustWith("order", "llama.cpp", sampling.FromYou).Validate(); err != nil {
		t.Error(err)
	}
}

func TestDecodeConfigNamesLines(t *testing.T) {
	const file = "{\n  \"temperature\": 0.7,\n  \"repeat_penalty\": 1.1,\n  \"top_p\": 7,\n  \"top_k\": \"x\",\n  \"temperature\": 1\n}"
	_, err := sampling.DecodeConfig(strings.NewReader(file), "tuner.json", sampling.FromFile)
	want := []string{
		`tuner.json:3: no parameter "repeat_penalty"; repetition_penalty is meant?`,
		`tuner.json:4: top_p: 7 is out of range, 0 to 1`,
		`tuner.json:5: top_k: want a whole number, 0 to 2147483647`,
		`tuner.json:6: temperature is given twice`,
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"", "[]", "{", `{"top_k": }`, `{} {}`, "null", `{"top_k": 1`} {
		if _, err := sampling.DecodeConfig(strings.NewReader(bad), "f", sampling.FromFile); err == nil || !strings.HasPrefix(err.Error(), "f:1") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	c, err := sampling.DecodeConfig(strings.NewReader("\ufeff{\"top_k\": null, \"top_p\": 0.5}"), "f", sampling.FromFile)
	if s, ok := c.Lookup("top_p"); err != nil || !ok || s.Origin != sampling.FromFile || len(c.Keys()) != 1 {
		t.Error(c.Keys(), err)
	}
}

// The order of the keys of a schema is that of the properties.
func TestDecodeConfigKeepsTheOrderOfASchema(t *testing.T) {
	const constraint = `{"type":"json_schema","schema":{"properties":{"z":{},"a":{}}}}`
	c, err := sampling.DecodeConfig(strings.NewReader(`{"constraint":`+constraint+`}`), "f", sampling.FromPreset)
	if err != nil || c.Text("constraint") != constraint {
		t.Errorf("%s, %v", c.Text("constraint"), err)
	}
}

func FuzzDecodeConfig(f *testing.F) {
	f.Add([]byte(`{"temperature": 0.7, "stop": ["a"], "logit_bias": {"1": -100}, "constraint": {"type": "json"}}`))
	f.Add([]byte(`{"order": "transformers:top_k,temperature", "bad_words_ids": [[1,2]], "eos_token_id": 3}`))
	f.Add([]byte(`{"logit_bias": [[" a", "-inf"], [[1, 2], 0.5]], "seed": 18446744073709551615}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := sampling.DecodeConfig(bytes.NewReader(data), "f", sampling.FromFile)
		if err != nil {
			return
		}
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		back, err := sampling.DecodeConfig(bytes.NewReader(b), "f", sampling.FromFile)
		if err != nil || !back.Equal(c) {
			t.Fatalf("%s came back from %s with %v", b, data, err)
		}
	})
}

func TestConfigIsImmutable(t *testing.T) {
	a := with("top_k", 5)
	b := a.MustWith("top_k", 9, sampling.FromYou).MustWith("top_p", 0.5, sampling.FromYou)
	if a.Int("top_k") != 5 || b.Int("top_k") != 9 || len(a.Keys()) != 1 {
		t.Error("With changed its receiver")
	}
	if c := b.Without("top_k"); c.Int("top_k") != 50 || b.Int("top_k") != 9 {
		t.Error("Without: ", c.Int("top_k"), b.Int("top_k"))
	}
	m := a.Merge(with("top_p", 0.2, "top_k", 7))
	if m.Int("top_k") != 7 || m.Float("top_p") != 0.2 || a.Int("top_k") != 5 {
		t.Error("Merge:", m.Keys())
	}
}

func TestOrders(t *testing.T) {
	for _, c := range []struct{ in, name, engine, stages string }{
		{"transformers", "transformers", "transformers", "repetition_penalty,frequency_penalty,presence_penalty,no_repeat_ngram,temperature,top_h,top_k,top_p,min_p,typical_p,epsilon_cutoff,eta_cutoff,watermark"},
		{"llama.cpp", "llama.cpp", "llama.cpp", "penalties,dry,top_n_sigma,top_k,typical_p,top_p,min_p,xtc,temperature,adaptive_p"},
		{"VLLM", "vllm", "vllm", "repetition_penalty,frequency_penalty,presence_penalty,temperature,min_p,top_k,top_p"},
		{"ollama", "ollama", "ollama", "penalties,top_k,typical_p,top_p,min_p,temperature"},
		{"ollama-go", "ollama-go", "ollama-go", "top_k,temperature,top_p,min_p"},
		{"top_k, temp,top_p", "top_k,temperature,top_p", "llama.cpp", "top_k,temperature,top_p"},
		{"penalties;typ_p", "penalties,typical_p", "llama.cpp", "penalties,typical_p"},
		{"transformers:top_k,penalties", "transformers:top_k,repetition_penalty,frequency_penalty,presence_penalty", "transformers", "top_k,repetition_penalty,frequency_penalty,presence_penalty"},
		{"none", "none", "llama.cpp", ""},
		{"vllm:none", "vllm:none", "vllm", ""},
		{"llama.cpp:repetition_penalty,eta_cutoff", "penalties,eta_cutoff", "llama.cpp", "penalties,eta_cutoff"},
	} {
		o, err := sampling.ParseOrder(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if o.Name() != c.name || o.Engine() != c.engine || strings.Join(o.Stages(), ",") != c.stages {
			t.Errorf("%s: %s, %s, %v", c.in, o.Name(), o.Engine(), o.Stages())
		}
		if back, err := sampling.ParseOrder(o.Name()); err != nil || back != o {
			t.Errorf("%s does not come back: %v %v", o.Name(), back, err)
		}
	}
	for _, bad := range []string{"", ",", "vllm:;", "nope", "top_k,top_k", "transformers:", "gpt:top_k", "top_k,nope"} {
		if _, err := sampling.ParseOrder(bad); err == nil {
			t.Errorf("%q is an order", bad)
		}
	}
	hf, _ := sampling.ParseOrder("transformers")
	if o, err := hf.WithStages(hf.Stages()); err != nil || o != hf {
		t.Error("the engine's own stages are a custom order")
	}
	if o, err := hf.WithStages(nil); err != nil || o.Name() != "transformers:none" || o.Custom() == nil {
		t.Error("no stages at all:", o, err)
	}
	o, err := hf.WithStages([]string{"top_k", "temperature"})
	if err != nil || o.Engine() != "transformers" || o.Custom() == nil {
		t.Error(o, err)
	}
	if !o.Supports("top_k") || o.Supports("min_p") || !o.Supports("logit_bias") || hf.Supports("mirostat") {
		t.Error("support of a custom order")
	}
}

// TestCustomOrderMovesTemperature cuts before tempering where transformers
// tempers before it cuts.
func TestCustomOrderMovesTemperature(t *testing.T) {
	x := make([]float32, 24)
	for i := range x {
		x[i] = 3 - 0.25*float32(i)
	}
	kept := func(order string) int {
		var s sampling.Scratch
		var tr sampling.Trace
		p := compile(t, with("order", order, "temperature", 0.5, "top_k", 0, "top_p", 0.9, "min_p", 0.0))
		if _, err := p.Sample(&tr, &s, sampling.Input{Logits: x}); err != nil {
			t.Fatal(err)
		}
		return tr.Survived
	}
	// A known case: five tokens hold 0.9 after temperature 0.5, ten before.
	if a, b, c := kept("transformers"), kept("transformers:top_p,temperature"), kept("llama.cpp"); a != 5 || b != 10 || c != 10 {
		t.Errorf("kept %d, %d, %d, want 5, 10, 10", a, b, c)
	}
	if n := kept("none"); n != 24 {
		t.Errorf("no stage is listed, yet %d of 24 are kept", n)
	}
	if n := kept("transformers:temperature"); n != 24 {
		t.Errorf("top_p is not listed, yet %d of 24 are kept", n)
	}
}

// A file may give an order as a list of stages.
func TestOrderAsAList(t *testing.T) {
	c, err := sampling.DecodeConfig(strings.NewReader(`{"order": ["top_k", "temperature"], "top_k": 5}`), "x", sampling.FromFile)
	if err != nil || c.Order().Name() != "top_k,temperature" {
		t.Errorf("%v: %v", c.Order(), err)
	}
	if _, err := sampling.DecodeConfig(strings.NewReader(`{"order": ["nope"]}`), "x", sampling.FromFile); err == nil || !strings.Contains(err.Error(), "nope") {
		t.Errorf("an unknown stage: %v", err)
	}
}

// A token is typed as the screen shows it: ␣ is a space, a space in front
// counts, and quotes take what is in them literally.
// The largest key of a watermark is taken, the next is not, and both say why in
// digits.
func TestLargestKey(t *testing.T) {
	for v, ok := range map[string]bool{"9223372036854775807": true, "9223372036854775808": false, "18446744073709551615": false} {
		_, err := (sampling.Config{}).With("watermark_key", v, sampling.FromFlag)
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "0 to 9223372036854775807") {
			t.Errorf("%s: %v", v, err)
		}
	}
	if _, err := (sampling.Config{}).With("seed", uint64(math.MaxUint64), sampling.FromFlag); err != nil {
		t.Error(err)
	}
}
