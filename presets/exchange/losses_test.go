package exchange

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/dist"
	"logitscope/sampling/param"
)

func configOf(t testing.TB, pairs ...any) sampling.Config {
	t.Helper()
	c := sampling.Config{}
	for i := 0; i < len(pairs); i += 2 {
		var err error
		if c, err = c.With(pairs[i].(string), pairs[i+1], sampling.FromFile); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func exportTo(t testing.TB, c sampling.Config, to string) Exported {
	t.Helper()
	f, err := TargetNamed(to)
	if err != nil {
		t.Fatal(err)
	}
	x, err := Export(c, f)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Cases worked out by hand from what each engine does. lossy are the kinds of
// the losses that change the text, by key; in and out are what the export says
// and does not say.
func TestExportByHand(t *testing.T) {
	llama := []any{"order", "llama.cpp", "max_new_tokens", 9}
	for _, tt := range []struct {
		name    string
		set     []any
		to      string
		lossy   string
		in, out []string
		says    string // a part of the text of a loss
	}{
		{"vLLM's floor", []any{"order", "vllm", "temperature", 0.005, "max_new_tokens", 9}, "vllm", "", []string{`"temperature": 0.005`}, nil, ""},
		{"vLLM's floor for others", []any{"temperature", 0.005, "top_k", 0, "max_new_tokens", 9}, "vllm", "temperature range", []string{`"temperature": 0.005`}, nil, "vllm raises"},
		{"accepted and absent", append(llama, "mirostat", 2), "ollama", "mirostat absent", nil, []string{"mirostat"}, "has no such setting"},
		{"mirostat replaces the rest", append(llama, "mirostat", 2, "top_k", 30), "vllm", "mirostat absent", nil, []string{"top_k"}, "mirostat replaces it"},
		{"mirostat where it is", append(llama, "mirostat", 2, "top_k", 30), "llama-server", "", []string{`"mirostat": 2`, `"top_k": 30`}, nil, ""},
		{"greedy knows no cut", []any{"do_sample", false, "typical_p", 0.2, "max_new_tokens", 9}, "llama.cpp", "", []string{"--temp 0"}, []string{"--typical"}, "greedy"},
		{"control bytes in arguments", append(llama, "stop", []string{"a\x00\x1bb\n"}), "llama.cpp", "", []string{`'a\x00\x1bb\n'`}, nil, ""},
		{"control bytes in a line", append(llama, "stop", []string{"\x00b\v"}), "llama-ini", "", []string{`= \x00b\x0b`}, nil, ""},
		{"a cut before temperature 0", append(llama, "temperature", 0, "typical_p", 0.2), "llama-server", "", []string{`"temperature": 0`, `"typical_p": 0.2`}, nil, ""},
		{"a window of nothing", append(llama, "repeat_last_n", 0, "repetition_penalty", 1.3, "top_k", 0, "top_p", 1, "min_p", 0, "temperature", 1), "vllm", "", nil, []string{"repetition_penalty"}, "repeat_last_n 0"},
		{"no penalties in old Ollama", []any{"order", "ollama-go", "repetition_penalty", 1.3, "max_new_tokens", 9}, "ollama", "order order", nil, []string{"1.3"}, "ollama-go has no"},
		{"Ollama draws as llama.cpp", append(llama, "seed", 7, "top_p", 0.9), "ollama", "", []string{"PARAMETER seed 7"}, nil, ""},
		{"vLLM draws otherwise", []any{"seed", 7, "top_k", 0, "max_new_tokens", 9}, "vllm", "seed generator", []string{`"seed": 7`}, nil, ""},
		{"a bias beyond the API", []any{"order", "vllm", "logit_bias", []any{[]any{int64(5), 150.0}}, "max_new_tokens", 9}, "openai", "logit_bias range", []string{"100"}, []string{"150"}, "becomes"},
		{"a value range", []any{"top_p", 0, "top_k", 0, "max_new_tokens", 9}, "vllm", "top_p range", nil, []string{"top_p"}, "vllm goes on with off"},
		{"a schedule", []any{"schedule", []string{"at token 4: chat"}, "top_k", 0, "max_new_tokens", 9}, "vllm", "schedule absent", nil, []string{"at token"}, "one set of settings"},
		{"a schedule kept", []any{"schedule", []string{"at token 4: chat"}}, "logitscope", "", []string{"at token 4: chat"}, nil, ""},
		{"no limit", []any{"top_k", 0}, "vllm", "", nil, []string{"max_tokens"}, "16 tokens"},
		{"scope of a frequency", []any{"order", "vllm", "frequency_penalty", 0.5, "max_new_tokens", 9}, "ollama", "frequency_penalty scope", nil, nil,
			"the last 64 tokens, prompt included: words of the prompt are lowered too, older tokens are free again"},
		{"scope the other way", append(llama, "presence_penalty", 0.5, "top_k", 0, "top_p", 1, "min_p", 0, "temperature", 1), "vllm", "presence_penalty scope", nil, nil, "words of the prompt are not lowered, older tokens are lowered too"},
		{"windows alike", append(llama, "repetition_penalty", 1.2), "ollama", "", []string{"repeat_penalty 1.2"}, nil, ""},
		{"min_p first", []any{"order", "vllm", "min_p", 0.1, "top_k", 40, "max_new_tokens", 9}, "transformers", "order order", nil, nil, "top_k acts before min_p there"},
		{"temperature last", append(llama, "top_p", 0.9, "top_k", 0, "min_p", 0), "transformers", "order order", nil, nil, "temperature acts before top_p there"},
		{"an order that can be said", []any{"top_p", 0.9, "temperature", 0.7, "top_k", 0, "max_new_tokens", 9}, "llama-server", "", []string{`"samplers": ["temperature","top_p"]`}, nil, ""},
		{"words in the settings", []any{"bad_words", []string{"x"}, "temperature", 0.7, "top_p", 0.9, "top_k", 0, "max_new_tokens", 9}, "ollama", "bad_words absent, order order", nil, nil, "top_p acts before temperature there"},
	} {
		x := exportTo(t, configOf(t, tt.set...), tt.to)
		var lossy, said []string
		for _, l := range x.Lost {
			said = append(said, l.Text)
			if l.Lossy() {
				lossy = append(lossy, l.Key+" "+string(l.Reason))
			}
		}
		slices.Sort(lossy)
		if got := strings.Join(lossy, ", "); got != tt.lossy {
			t.Errorf("%s: lossy %q, want %q\n%s%q", tt.name, got, tt.lossy, x.Text, said)
		}
		for _, w := range tt.in {
			if !strings.Contains(x.Text, w) {
				t.Errorf("%s: no %q in\n%s", tt.name, w, x.Text)
			}
		}
		for _, w := range tt.out {
			if strings.Contains(x.Text, w) {
				t.Errorf("%s: %q in\n%s", tt.name, w, x.Text)
			}
		}
		if tt.says != "" && !strings.Contains(strings.Join(said, "\n"), tt.says) {
			t.Errorf("%s: %q does not say %q", tt.name, said, tt.says)
		}
	}
}

// Where an export loses nothing that changes the text, the target's law of the
// next token is the source's: random settings of every order to every format,
// on random rows without equal logits.
func TestNoLossMeansTheSameLaw(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	same, compared := 0, 0
	for n := range 400 {
		c := randomConfig(r)
		for _, f := range Targets() {
			x, err := Export(c, f)
			if err != nil {
				t.Fatalf("case %d to %s: %v", n, f.Name, err)
			}
			if slices.ContainsFunc(x.Lost, func(l Loss) bool { return l.Lossy() && l.Reason != Generator }) {
				continue
			}
			same++
			tv, err := lawDistance(r, c, x.Config)
			if err != nil {
				continue // no law: everything is banned
			}
			if compared++; tv > 1e-4 {
				b, _ := c.MarshalJSON()
				t.Fatalf("case %d, %s to %s: distance %v\n%s\n%s%v", n, c.Order().Name(), f.Name, tv, b, x.Text, x.Lost)
			}
		}
	}
	if compared < 1000 {
		t.Errorf("%d of %d exports without a loss compared", compared, same)
	}
}

// lawDistance returns the total variation between the laws of two settings on a
// random row behind a random text.
func lawDistance(r *rand.Rand, a, b sampling.Config) (float64, error) {
	row := make([]float32, 40)
	for i := range row {
		row[i] = float32(r.NormFloat64() * 3)
	}
	text := func(n int) []int32 {
		ids := make([]int32, n)
		for i := range ids {
			ids[i] = int32(r.IntN(len(row)))
		}
		return ids
	}
	in := sampling.Input{Logits: row, Prompt: text(3 + r.IntN(90)), Output: text(r.IntN(90))}
	var laws [2]dist.Dist
	for i, c := range []sampling.Config{a, b} {
		p, err := sampling.Compile(c, nil)
		if err != nil {
			return 0, err
		}
		var s sampling.Scratch
		if err := p.Distribution(&laws[i], &s, in); err != nil {
			return 0, err
		}
	}
	return dist.TotalVariation(&laws[0], &laws[1]), nil
}

// randomConfig sets a few of the parameters that shape the law.
func randomConfig(r *rand.Rand) sampling.Config {
	c := sampling.Config{}.MustWith("order", sampling.Orders()[r.IntN(len(sampling.Orders()))].Name(), sampling.FromFile).
		MustWith("max_new_tokens", 100, sampling.FromFile)
	values := map[string]func() any{
		"do_sample":            func() any { return r.IntN(4) > 0 },
		"temperature":          func() any { return []float64{0, 0.005, 0.5, 1, 1.5, 3}[r.IntN(6)] },
		"top_k":                func() any { return []int{0, 1, 5, 20}[r.IntN(4)] },
		"top_p":                func() any { return []float64{0, 0.31, 0.87, 1}[r.IntN(4)] },
		"min_p":                func() any { return []float64{0, 0.07, 1}[r.IntN(3)] },
		"typical_p":            func() any { return []float64{0.23, 0.81, 1}[r.IntN(3)] },
		"top_n_sigma":          func() any { return []float64{0, 0.7}[r.IntN(2)] },
		"repetition_penalty":   func() any { return []float64{1, 1.3, 0.8}[r.IntN(3)] },
		"frequency_penalty":    func() any { return []float64{0, 0.4, -0.4, 3}[r.IntN(4)] },
		"presence_penalty":     func() any { return []float64{0, 0.6}[r.IntN(2)] },
		"repeat_last_n":        func() any { return []int{0, 5, 64}[r.IntN(3)] },
		"dry_multiplier":       func() any { return []float64{0, 0.8}[r.IntN(2)] },
		"dynatemp_range":       func() any { return []float64{0, 0.5}[r.IntN(2)] },
		"mirostat":             func() any { return r.IntN(3) },
		"xtc_probability":      func() any { return []float64{0, 1}[r.IntN(2)] },
		"xtc_threshold":        func() any { return []float64{0.1, 0.7}[r.IntN(2)] },
		"no_repeat_ngram_size": func() any { return []int{0, 2}[r.IntN(2)] },
		"epsilon_cutoff":       func() any { return []float64{0, 0.02}[r.IntN(2)] },
		"min_new_tokens":       func() any { return []int{0, 50}[r.IntN(2)] },
		"logit_bias":           func() any { return []any{[]any{int64(r.IntN(40)), []float64{2, -150, 99}[r.IntN(3)]}} },
	}
	// Few at a time, so that many exports lose nothing.
	for _, key := range c.Without("order").Keys() {
		delete(values, key)
	}
	var keys []string
	for _, p := range param.All() {
		if values[p.Key] != nil {
			keys = append(keys, p.Key)
		}
	}
	for range 1 + r.IntN(5) {
		key := keys[r.IntN(len(keys))]
		if next, err := c.With(key, values[key](), sampling.FromFile); err == nil && next.Validate() == nil {
			c = next
		}
	}
	return c
}

// Every engine's settings come through its own format without a loss.
func TestOwnFormatLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	own := map[string]string{"transformers": "transformers", "llama.cpp": "llama-server", "vllm": "vllm", "ollama": "ollama"}
	for n := range 500 {
		c := randomConfig(r)
		to, ok := own[c.Order().Name()]
		if !ok {
			continue
		}
		for _, l := range exportTo(t, c, to).Lost {
			if p, _ := param.Lookup(l.Key); l.Lossy() && c.Order().Supports(p.Key) && l.Reason != Range && l.Key != "logit_bias" && !strings.HasSuffix(fmt.Sprint(l.Key), "_penalty") {
				b, _ := c.MarshalJSON()
				t.Errorf("case %d to %s: %v\n%s", n, to, l, b)
			}
		}
	}
}
