package exchange

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"logitscope/presets"
	"logitscope/presets/exchange/carrier"
	"logitscope/sampling"
	"logitscope/sampling/param"
)

type realConfig struct{ name, format, text string }

// corpus reads testdata/corpus.txt: configurations in the shapes that model
// repositories and documentation use.
func corpus(t testing.TB) []realConfig {
	data, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []realConfig
	for _, line := range strings.SplitAfter(string(data), "\n") {
		if head, ok := strings.CutPrefix(strings.TrimSuffix(line, " --\n"), "-- "); ok && strings.HasSuffix(line, " --\n") {
			name, format, _ := strings.Cut(head, " | ")
			out = append(out, realConfig{name: name, format: format})
			continue
		}
		out[len(out)-1].text += line
	}
	return out
}

func TestCorpusIsReadAsWhatItIs(t *testing.T) {
	all := corpus(t)
	if len(all) < 50 {
		t.Fatalf("%d configurations, want 50", len(all))
	}
	for _, c := range all {
		in, err := Import([]byte(c.text), c.name, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if in.Format.Name != c.format {
			t.Errorf("%s: read as %s, want %s", c.name, in.Format.Name, c.format)
		}
		if len(in.Unknown) > 0 && !strings.Contains(c.name, "speech") {
			t.Errorf("%s: unknown %v", c.name, in.Unknown)
		}
		if err := in.Config.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Import(Export(c)) keeps all that the target can express.
func TestRoundTrip(t *testing.T) {
	for _, c := range corpus(t) {
		in, err := Import([]byte(c.text), c.name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, c.name, in.Config)
	}
	for _, p := range presets.Builtin() {
		roundTrip(t, p.Name, p.Config)
	}
}

// roundTrip exports c to every format. What a format has a word for must come
// back as it was, or be among the losses.
func roundTrip(t *testing.T, name string, c sampling.Config) {
	t.Helper()
	for _, f := range Targets() {
		x, err := Export(c, f)
		if err != nil {
			t.Errorf("%s to %s: %v\n%s", name, f.Name, err, x.Text)
			continue
		}
		lost := map[string]bool{}
		for _, l := range x.Lost {
			lost[l.Key] = true
		}
		adjusted := map[string]bool{} // what the engine itself makes another value of
		if p, err := sampling.Compile(c, anyVocab{}); err == nil {
			for _, n := range p.Adjusted() {
				adjusted[n.Key] = true
			}
		}
		said := (&exporter{source: c, from: c.Order(), to: f, target: f.Format.order()}).inTheirWords(c)
		e := &exporter{c: said, from: c.Order(), to: f}
		for i := range param.All() {
			p := &param.All()[i]
			if p.Key == "order" || p.Key == "constraint" || f.takes(p.Key) == nil || lost[p.Key] {
				continue
			}
			want, got := said.Value(p.Key), x.Config.Value(p.Key)
			if e.acts(p, want) && !carrier.SameValue(want, got) && !adjusted[p.Key] {
				t.Errorf("%s to %s: %s came back as %v, was %v\n%s", name, f.Name, p.Key, got, want, x.Text)
			}
			if p.IsOff(want) && f != &ownTarget && c.Order().Supports(p.Key) && f.Format.order().Supports(p.Key) && e.masterOn(p) && !p.IsOff(got) {
				t.Errorf("%s to %s: %s is off and came back as %v\n%s", name, f.Name, p.Key, got, x.Text)
			}
		}
		if want := said.Text("constraint"); want != "" && !lost["constraint"] && x.Config.Text("constraint") == "" {
			t.Errorf("%s to %s: the constraint is gone\n%s", name, f.Name, x.Text)
		}
	}
}

// Random configurations, of every order.
func TestRoundTripFuzzed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		c := sampling.Config{}
		o := sampling.Orders()[r.IntN(len(sampling.Orders()))]
		c = c.MustWith("order", o.Name(), sampling.FromFile)
		for i := range param.All() {
			p := &param.All()[i]
			if p.Hidden || r.IntN(4) > 0 || p.Key == "constraint" || p.Group == param.Beam || p.Group == param.Speculative {
				continue
			}
			var v any
			switch p.Kind {
			case param.Bool:
				v = r.IntN(2) == 0
			case param.Int:
				v = int64(p.Lo) + r.Int64N(int64(p.Hi-p.Lo)+1)
			case param.Uint:
				v = uint64(r.Uint32())
			case param.Float:
				v = float64(int((p.Lo+r.Float64()*(p.Hi-p.Lo))*1000)) / 1000
			case param.List:
				v = []string{"a b", "\n", `"q"`}[:1+r.IntN(3)]
			case param.Bias:
				v = []any{[]any{int64(r.IntN(1000)), 1.5}}
			default:
				continue
			}
			next, err := c.With(p.Key, v, sampling.FromFile)
			if err != nil || next.Validate() != nil {
				continue
			}
			c = next
		}
		roundTrip(t, fmt.Sprintf("case %d", n), c)
		if t.Failed() {
			b, _ := c.MarshalJSON()
			t.Fatalf("%s", b)
		}
	}
}

func TestLosses(t *testing.T) {
	for _, tt := range []struct {
		set  []any
		to   string
		want string // key and kind
	}{
		{[]any{"top_k", 20}, "openai", "top_k absent"},
		{[]any{"temperature", 3.0}, "vllm", "temperature range"},
		{[]any{"repetition_penalty", 1.1}, "llama.cpp", "repetition_penalty scope"},
		{[]any{"order", "vllm", "frequency_penalty", 0.5}, "llama-server", "frequency_penalty scope"},
		{[]any{"top_p", 0.9, "temperature", 0.7}, "ollama", "order order"},
		{[]any{"order", "llama.cpp", "top_p", 0.9, "temperature", 0.7}, "vllm", "order order"},
		{[]any{"temperature", 0.7}, "llama.cpp", "min_p default"},
		{[]any{"seed", 7}, "llama.cpp", "seed generator"},
		{[]any{"constraint", `{"type":"regex","regex":"a"}`}, "openai", "constraint absent"},
		{[]any{"constraint", "json"}, "ollama", "constraint absent"},
		{[]any{"constraint", "json"}, "openai", "constraint meaning"},
		{[]any{"constraint", `{"type":"regex","regex":"a","search":true}`}, "vllm", "constraint absent"},
		{[]any{"constraint", `{"type":"json_schema","schema":{},"any_order":true}`}, "llama.cpp", "constraint absent"},
		{[]any{"constraint", `{"type":"json","whitespace":"compact"}`}, "llama-server", "constraint absent"},
		{[]any{"constraint", `{"type":"json_schema","schema":{},"closed":true}`}, "vllm", "constraint absent"},
		{[]any{"constraint", `{"type":"json_schema","schema":{"properties":{}}}`}, "llama.cpp", "constraint meaning"},
		{[]any{"constraint", `{"type":"json_schema","schema":{},"draft7":true}`}, "openai", "constraint absent"},
		{[]any{"mirostat", 2}, "llama.cpp", "mirostat unused"}, // transformers has none, so it did nothing
		{[]any{"num_beams", 4}, "vllm", "num_beams absent"},
		{[]any{"stop", []string{"a", "b", "c", "d", "e"}}, "openai", "stop range"},
	} {
		c := sampling.Config{}
		for i := 0; i < len(tt.set); i += 2 {
			c = c.MustWith(tt.set[i].(string), tt.set[i+1], sampling.FromFile)
		}
		f, err := TargetNamed(tt.to)
		if err != nil {
			t.Fatal(err)
		}
		x, err := Export(c, f)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range x.Lost {
			got = append(got, l.Key+" "+string(l.Reason))
		}
		if !slices.Contains(got, tt.want) {
			t.Errorf("%v to %s: losses %v, want %q", tt.set, tt.to, got, tt.want)
		}
	}
}

func TestImportErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "no settings"},
		{"hello there", "no settings"},
		{"{\n\"temperature\": 1,\n\"top_p\": 7, \"order\": \"vllm\", \"max_new_tokens\": 5}", "f:3: top_p = 7: out of range, 0 to 1"},
		{`{"temperature": "hot", "pad_token_id": 0}`, "temperature"},
		{"{\"max_new_tokens\": 5, \"order\": \"vllm\",\n\"temprature\": 1}", "temprature"},
		{`{"a": `, "line 1"},
		{"PARAMETER temperature\nPARAMETER top_k 1", "f:1: temperature: it has no value"},
		{"FROM x\nTEMPLATE \"\"\"abc", "never closed"},
		{"llama-cli --temp 0.5 -p 'x", "never closed"},
		{"llama-cli --temp", "--temp: it has no value"},
		{"SamplingParams(temperature=)", "temperature"},
		{"SamplingParams(temperature=0.5", "line 1: the call of SamplingParams is never closed"},
		{`{"response_format": {"type": "yaml"}}`, "json_schema"},
	} {
		in, err := Import([]byte(tt.text), "f", Options{})
		if err == nil {
			err = in.Strict()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n\n") {
			t.Errorf("%q: %v, want one line with %q", tt.text, err, tt.want)
		}
	}
}

func TestUnknownKeysAreListed(t *testing.T) {
	in, err := Import([]byte("{\"pad_token_id\": 0,\n\"frobnicate\": 1}"), "f", Options{})
	if err != nil || len(in.Unknown) != 1 || in.Unknown[0].String() != "frobnicate (line 2)" || len(in.Aside) != 1 {
		t.Errorf("%v: unknown %v, aside %v", err, in.Unknown, in.Aside)
	}
}

func TestImpliedDefaults(t *testing.T) {
	in, err := Import([]byte(`{"pad_token_id": 0}`), "f", Options{})
	if err != nil || in.Config.Bool("do_sample") || in.Config.Int("top_k") != 50 || len(in.Implied) != 2 {
		t.Errorf("%v: %v, implied %v", err, in.Config.Keys(), in.Implied)
	}
	if s, _ := in.Config.Lookup("top_k"); s.Origin != sampling.FromDefault {
		t.Errorf("top_k comes from %v", s.Origin)
	}
}

// What is said twice in two ways is not dropped in silence.
func TestLaterValueIsNoted(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"{\"n_predict\": 5,\n\"max_tokens\": 6}", "max_tokens (line 2) takes the place of f:1: n_predict"},
		{"llama-cli --temp 1 --temp 0.5", "--temp (line 1) takes the place of f:1: --temp"},
		{`{"n_predict": 5, "max_tokens": 5}`, ""},
		{"llama-cli -r a -r b --logit-bias 1+1 --logit-bias 2+1", ""},
		{`{"transformers_version": "4", "top_k": 5}`, ""}, // do_sample is implied
	} {
		in, err := Import([]byte(tt.text), "f", Options{})
		if err != nil || strings.Join(in.Notes, "\n") != tt.want {
			t.Errorf("%s: %v, %q, want %q", tt.text, err, in.Notes, tt.want)
		}
	}
}

func TestSchemaKeepsItsOrder(t *testing.T) {
	in, err := Import([]byte(`llama-cli -j '{"properties":{"z":{},"a":{}}}'`), "f", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"llama-server", "vllm", "openai", "logitscope", "llama.cpp"} {
		f, _ := TargetNamed(to)
		x, err := Export(in.Config, f)
		if err != nil || strings.Index(x.Text, `"z"`) > strings.Index(x.Text, `"a"`) || !strings.Contains(x.Text, `"z"`) {
			t.Errorf("%s: %v\n%s", to, err, x.Text)
		}
	}
}

func TestModelDefaults(t *testing.T) {
	in, err := ImportDefaults(map[string]any{"general.sampling.temp": float32(0.5), "general.sampling.top_k": int32(30), "general.sampling.nope": 1}, "")
	if err != nil || in.Config.Float("temperature") != 0.5 || in.Config.Int("top_k") != 30 || len(in.Unknown) != 1 {
		t.Errorf("%v: %v, unknown %v", err, in.Config.Keys(), in.Unknown)
	}
	if _, set := in.Config.Lookup("order"); set {
		t.Error("a model file does not say whose rules apply")
	}
}

func FuzzImport(f *testing.F) {
	for _, c := range corpus(f) {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := Import(data, "f", Options{})
		if err != nil || in.Config.Validate() != nil {
			return
		}
		for _, to := range Targets() {
			if _, err := Export(in.Config, to); err != nil {
				t.Errorf("to %s: %v", to.Name, err)
			}
		}
	})
}

// Forms that people have, and what they are read as.
func TestForms(t *testing.T) {
	for _, tt := range []struct{ name, text, format, want string }{
		{"an alias", "from vllm import SamplingParams as SP\nSP(temperature=0.5)", "vllm", "temperature 0.5"},
		{"a module's alias", "import vllm as v\nv.SamplingParams(temperature=0.5)", "vllm", "temperature 0.5"},
		{"a line of a batch", `{"custom_id":"1","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[],"temperature":0.5}}`, "openai", "temperature 0.5"},
		{"Kubernetes", "spec:\n  containers:\n  - name: a\n    image: x\n    command: [llama-server]\n    args: [\"--temp\", \"0.5\"]\n    env:\n    - name: LLAMA_ARG_TOP_K\n      value: \"7\"", "llama.cpp", "temperature 0.5, top_k 7"},
		{"a unit", "[Service]\nEnvironment=LLAMA_ARG_TOP_K=7\nExecStart=/usr/bin/llama-server \\\n  --temp 0.5\n", "llama.cpp", "temperature 0.5, top_k 7"},
		{"docker", "docker run --gpus all -p 8080:8080 -e LLAMA_ARG_TOP_K=7 ghcr.io/ggml-org/llama.cpp:server -m x --temp 0.5", "llama.cpp", "temperature 0.5, top_k 7"},
		{"vLLM's image", "docker run vllm/vllm-openai:latest --model m --override-generation-config '{\"temperature\": 0.5}'", "vllm", "temperature 0.5"},
		{"dotted", "vllm serve m --override-generation-config.temperature 0.5", "vllm", "temperature 0.5"},
		{"after cd", "cd /x && ./llama-server --temp=0.5 &", "llama.cpp", "temperature 0.5"},
		{"a later flag", "llama-cli --temp 0.9 --temp 0.5", "llama.cpp", "temperature 0.5"},
		{"flags over variables", "LLAMA_ARG_TEMPERATURE=0.9 llama-server --temp 0.5", "llama.cpp", "temperature 0.5"},
		{"a shared section", "[*]\ntemp = 0.9\ntop-k = 7\n[a]\ntemp = 0.5", "llama.cpp", "temperature 0.5, top_k 7"},
		{"a proxy", "model_list:\n- model_name: a\n  litellm_params: {model: x/y, temperature: 0.5}", "litellm", "temperature 0.5"},
		{"constants", "T = 0.25\nfrom vllm import SamplingParams\nSamplingParams(temperature=T * 2)", "vllm", "temperature 0.5"},
		{"awaited", "r = await client.chat.completions.create(model=m, messages=x, temperature=0.5)", "openai", "temperature 0.5"},
		{"without keywords", "s = make_sampler(0.5, top_k=7)", "mlx-lm", "temperature 0.5, top_k 7"},
		{"a message over lines", "FROM m\nMESSAGE user hi\nMESSAGE assistant \"\"\"a\nPARAMETER top_k 9\n\"\"\"\nPARAMETER temperature 0.5", "ollama", "temperature 0.5"},
		{"an option that once took no value", "llama-cli -fa --temp 0.5", "llama.cpp", "temperature 0.5"},
		{"greedy in two ways", `{"do_sample": true, "temperature": 0.0, "eos_token_id": 2}`, "transformers", "temperature 0"},
		{"low and high", "dynamic_temperature: true\ndynatemp_low: 0.25\ndynatemp_high: 0.75", "textgen", "dynatemp_range 0.25, temperature 0.5"},
	} {
		in, err := Import([]byte(tt.text), "f", Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var got []string
		for key, v := range map[string]any{"temperature": in.Config.Value("temperature"), "top_k": in.Config.Value("top_k"), "dynatemp_range": in.Config.Value("dynatemp_range")} {
			if in.Places()[key] != "" {
				got = append(got, fmt.Sprint(key, " ", v))
			}
		}
		slices.Sort(got)
		if in.Format.Name != tt.format || strings.Join(got, ", ") != tt.want || len(in.Unread) > 0 {
			t.Errorf("%s: %s, %v, unread %v; want %s, %s", tt.name, in.Format.Name, got, in.Unread, tt.format, tt.want)
		}
	}
}

// A batch of SGLang: the settings of its first text are read, the others named.
func TestBatchIsNamed(t *testing.T) {
	in, err := Import([]byte(`{"text": ["a", "b"], "sampling_params": [{"temperature": 0.25}, {"temperature": 0.5}]}`), "f.json", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if in.Config.Value("temperature") != 0.25 || len(in.Unread) != 1 || in.Unread[0].Key != "sampling_params" {
		t.Errorf("temperature %v, unread %v", in.Config.Value("temperature"), in.Unread)
	}
}

// A list of objects is not a section of a preset file: one of them is read, and
// the others are named.
func TestListOfObjects(t *testing.T) {
	text := []byte("[\n{\"temperature\": 0.25, \"n_predict\": 3},\n{\"temperature\": 0.5}]")
	for call, want := range map[int]string{0: "0.25 [1] 3", 1: "0.25 [1] 3", 2: "0.5 [0] 2"} {
		in, err := Import(text, "f.json", Options{Call: call})
		if err != nil || len(in.Unread) != 1 || in.Calls != 2 {
			t.Fatalf("call %d: %+v, %v", call, in, err)
		}
		if got := fmt.Sprint(in.Config.Value("temperature"), " ", in.Unread[0].Key, " ", in.Unread[0].Line); got != want {
			t.Errorf("call %d: %s, want %s", call, got, want)
		}
	}
	for text, want := range map[string]string{"[]": "0 objects", "[1]": "want a JSON object", "[model]": "no settings", "[a]\n# b": "no settings", "[[1]]": "want a JSON object"} {
		if _, err := Import([]byte(text), "f", Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A field of LM Studio that is switched off is its parameter's off value: of
// the limit that there is none.
func TestUncheckedFields(t *testing.T) {
	field := func(key string) string {
		return `{"key": "llm.prediction.` + key + `", "value": {"checked": false, "value": 0.5}}`
	}
	text := `{"operation": {"fields": [` + field("topPSampling") + "," + field("repeatPenalty") + "," + field("maxPredictedTokens") + "," + field("seed") + `]}}`
	in, err := Import([]byte(text), "a.preset.json", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"top_p": 1.0, "repetition_penalty": 1.0, "max_new_tokens": int64(math.MaxInt32)} {
		if got := in.Config.Value(key); in.Places()[key] == "" || got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	if in.Places()["seed"] != "" || len(in.Unread) > 0 {
		t.Errorf("seed %v, unread %v", in.Config.Value("seed"), in.Unread)
	}
}

// What Ollama's parser refuses is said, and its numbers are read as it reads them.
func TestModelfilesOddForms(t *testing.T) {
	for text, want := range map[string]string{
		"FROM m\nPARAMETER seed +7\nPARAMETER top_k 007":      "seed 7",
		"FROM m\nPARAMETER  seed 7":                           "seed 7, noted",
		"FROM m\nPARAMETER \tseed 7":                          "seed 7, noted",
		"FROM m\nPARAMETER seed 7\nPARAMETER num_ctx .5":      "seed 7, noted",
		"FROM m\nPARAMETER seed 7\nPARAMETER num_ctx +50":     "seed 7",
		"FROM m\nPARAMETER seed 7.0\nPARAMETER num_keep \"\"": "seed <nil>, noted",
		// What Ollama's own parser refuses, takes or drops (0.33.0-rc2).
		"FROM m\nPARAMETER seed 7\nPARAMETER use_mmap 2":         "seed 7, noted",
		"FROM m\nPARAMETER seed 7\nPARAMETER use_mmap t":         "seed 7",
		"FROM m\nPARAMETER seed 7\nPARAMETER keep_alive 5":       "seed 7, noted",
		"FROM m\nPARAMETER seed 7\nPARAMETER format json":        "seed 7, noted",
		"FROM m\nPARAMETER seed 7\nPARAMETER numa true":          "seed 7, noted",
		"FROM m\nPARAMETER seed 7\nPARAMETER mirostat_tau hot":   "seed 7, unread",
		"FROM m\nPARAMETER seed 7\nPARAMETER license MIT":        "seed 7",
		"FROM m\nPARAMETER seed 7\nPARAMETER from x":             "seed 7, noted",
		"FROM m\nPARA\u00a0METER top_k 3\nPARAMETER seed 7":      "seed 7, unread",
		"FROM m\nPARAMETER see\u00a0d 8\nPARAMETER seed 7":       "seed 7, noted",
		"FROM m\n\u200bPARAMETER seed \u200b7\u00a0":             "seed 7",
		"FROM m\n\u200b\u200bPARAMETER seed 8\nPARAMETER seed 7": "seed 7, unread",
	} {
		in, err := Import([]byte(text), "Modelfile", Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := "seed <nil>"
		if in.Places()["seed"] != "" {
			got = fmt.Sprint("seed ", in.Config.Value("seed"))
		}
		if len(in.Notes) > 0 {
			got += ", noted"
		} else if len(in.Unread) > 0 {
			got += ", unread"
		}
		if got != want {
			t.Errorf("%q: %s (%v, %v), want %s", text, got, in.Notes, in.Unread, want)
		}
	}
}

// What is spread into settings and cannot be followed is named, wherever the
// settings stand, and the rest is read.
func TestSpreadIsNamed(t *testing.T) {
	for _, text := range []string{
		"SamplingParams(**base, temperature=0.5)",
		"SamplingParams(temperature=0.5, structured_outputs=StructuredOutputsParams(**base))",
		"sampling_params = {'temperature': 0.5, **base}",
		"llm.generate(x, sampling_params=dict(temperature=0.5, **base))",
		"client.completions.create(model='m', prompt='x', extra_body={'temperature': 0.5, **base})",
	} {
		in, err := Import([]byte(text), "f.py", Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if in.Config.Value("temperature") != 0.5 || len(in.Unread) != 1 || in.Unread[0].Key != "**base" {
			t.Errorf("%s: temperature %v, unread %v", text, in.Config.Value("temperature"), in.Unread)
		}
	}
}

// A limit that is none is not the one that stands where the key is left out.
func TestNoLimitIsNotTheDefault(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit bool
	}{
		{"SamplingParams(temperature=0.5)", true},
		{"SamplingParams(temperature=0.5, max_tokens=None)", false},
		{`{"model": "m", "prompt": "x", "min_p": 0.1, "max_tokens": null}`, false},
		{`{"text": "x", "sampling_params": {"temperature": 0.5}}`, true},
		{`{"text": "x", "sampling_params": {"temperature": 0.5, "max_new_tokens": null}}`, false},
	} {
		in, err := Import([]byte(c.text), "f", Options{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := slices.Contains(in.Implied, "max_new_tokens"); got != c.limit {
			t.Errorf("%s: max_new_tokens implied %t, want %t", c.text, got, c.limit)
		}
	}
}

// -1 is how some engines write top_k off; below it they refuse the request.
func TestTopKBelowMinusOneIsNotOff(t *testing.T) {
	for _, from := range []*Format{&vllm, &sglang} {
		for value, off := range map[string]bool{"-1": true, "-2": false, "-7": false} {
			in, err := Import([]byte(`{"temperature":0.5,"top_k":`+value+`}`), "x.json", Options{From: from})
			if err != nil {
				t.Fatal(err)
			}
			if _, set := in.Config.Lookup("top_k"); set != off || len(in.Unread) > 0 == off {
				t.Errorf("%s: top_k %s: set is %v, unread %v", from.Name, value, set, in.Unread)
			}
		}
	}
}
