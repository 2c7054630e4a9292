package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

// A limit beyond the context of the model that is named is not in force.
func TestConfigShowLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, inForce string }{{"1", "1"}, {"511", "511"}, {"512", "512"}, {"513", "512"}, {"1024", "512"}, {"2147483647", "512"}} {
		out, errs, code := try(t, "", "config", "show", "--model", "fable", "--max-new-tokens", c.asked)
		if want := "max_new_tokens " + c.asked + " " + c.inForce + " flag"; code != console.ExitDone || !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("no %q in\n%s%s", want, out, errs)
		}
	}
}

func TestConfigShow(t *testing.T) {
	t.Parallel()
	out, errs, code := try(t, "", "config", "show", "--preset", "chat", "--temperature", "0.005", "--order", "vllm")
	if code != console.ExitDone || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	rows := map[string][]string{}
	for line := range strings.SplitSeq(out, "\n") {
		if f := strings.Fields(line); len(f) > 3 {
			rows[f[0]] = f
		}
	}
	for key, want := range map[string]string{"temperature": "0.005 0.01 flag", "top_k": "50 50 preset", "min_p": "– off default"} {
		if got := strings.Join(rows[key][1:4], " "); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	out, _, _ = try(t, "", "config", "show", "--preset", "chat", "--top-k", "7", "--as-file")
	again, _, _ := try(t, out, "config", "show", "--config", "-", "--as-file")
	var a, b struct{ Config map[string]any }
	if json.Unmarshal([]byte(out), &a) != nil || json.Unmarshal([]byte(again), &b) != nil || a.Config["top_k"] != 7.0 || len(a.Config) != len(b.Config) {
		t.Errorf("%s%s", out, again)
	}
}

func TestConfigExport(t *testing.T) {
	t.Parallel()
	out, errs, code := try(t, "", "config", "export", "--preset", "chat", "--to", "vllm")
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != console.ExitDone || v["temperature"] != 0.7 || v["max_tokens"] != 1024.0 || errs != "written as vllm reads it (commit 00388f6573cc)\n" {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	out, errs, code = try(t, "", "config", "export", "--preset", "chat", "--to", "ollama")
	if code != console.ExitDone || !strings.Contains(out, "PARAMETER repeat_penalty 1.05\n") ||
		!strings.Contains(errs, "does not translate (2)") || !strings.Contains(errs, "top_k acts before temperature there") || !strings.Contains(errs, "older tokens are free again") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	// --strict fails for what changes the text, and for nothing else.
	for _, tt := range []struct {
		args string
		code int
	}{
		{"--preset chat --to vllm", console.ExitDone},
		{"--preset chat --to ollama", console.ExitFailed},
		{"--preset neutral --to llama.cpp", console.ExitDone}, // defaults overruled are no loss
		{"--preset chat --to logitscope", console.ExitDone},
		{"--top-k 20 --to openai", console.ExitFailed},
		{"--preset chat --seed 7 --to vllm", console.ExitFailed},
	} {
		out, errs, code := try(t, "", append([]string{"config", "export", "--strict"}, strings.Fields(tt.args)...)...)
		if code != tt.code || out == "" {
			t.Errorf("%s: exit %d, want %d: %s", tt.args, code, tt.code, errs)
		}
	}
	for _, tt := range []struct{ args, want string }{
		{"--to tgi", "--to tgi: no such format; transformers, transformers-python, vllm, vllm-python, vllm-serve, sglang, llama.cpp, "},
		{"", "--to : no such format"},
		{"--to vllm --top-p 2", "0 to 1"},
		{"--to vllm --check", "--check needs a prompt"},
	} {
		out, errs, code := try(t, "", append([]string{"config", "export"}, strings.Fields(tt.args)...)...)
		if code != console.ExitUsage || out != "" || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q", tt.args, code, errs)
		}
	}
}

func TestConfigExportCheck(t *testing.T) {
	t.Parallel()
	args := strings.Fields("config export --preset chat --check --prompt Once --max-new-tokens 90 --seed 3 --report json --to")
	check := func(to string) (steps, same, first, tv float64) {
		t.Helper()
		out, errs, code := try(t, "", append(args, to)...)
		var r struct {
			To    string
			Text  string `json:"content"`
			Lost  []map[string]any
			Check map[string]float64
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != console.ExitDone || r.To != to || r.Text == "" || len(r.Check) == 0 {
			t.Fatalf("%s: exit %d, %v: %s%s", to, code, err, out, errs)
		}
		return r.Check["steps"], r.Check["same_token"], r.Check["first_difference"], r.Check["mean_tv"]
	}
	if steps, same, first, tv := check("vllm"); steps != 64 || same != 64 || first != 0 || tv > 1e-5 {
		t.Errorf("vllm: %v steps, %v same, first %v, distance %v; want the same law", steps, same, first, tv)
	}
	if steps, same, first, tv := check("ollama"); steps != 64 || same == 64 || first < 27 || tv < 1e-3 {
		t.Errorf("ollama: %v steps, %v same, first %v, distance %v; want another law on the last 64 of 90", steps, same, first, tv)
	}
	_, errs, code := try(t, "", strings.Fields("config export --preset chat --check --prompt Once --max-new-tokens 10 --to ollama")...)
	if code != console.ExitDone || !strings.Contains(errs, "check: the last 10 steps under ollama's rules") || !strings.Contains(errs, "mean total variation 0.") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// A check sees what the target loses of a constraint, all or a part of it: a
// distribution without the mask, or under another, is not the same.
func TestConfigExportCheckSeesTheConstraint(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args  string
		exact bool
	}{
		{"--regex [0-9]+ --to ollama", false},
		{"--regex [0-9]+ --to vllm", true},
		{"--json --to vllm", true},
		{"--json --to openai", false},
		{"--regex Z --regex-search --to vllm", false},
	} {
		args := "config export --top-k 0 --seed 3 --check --prompt Once --max-new-tokens 4 --report json " + tt.args
		out, errs, code := try(t, "", strings.Fields(args)...)
		var r struct {
			Check struct {
				Largest float64 `json:"largest_tv"`
			}
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != console.ExitDone || (r.Check.Largest < 1e-4) != tt.exact {
			t.Errorf("%s: exit %d, largest distance %v, %s%v; exact is %v", tt.args, code, r.Check.Largest, errs, err, tt.exact)
		}
	}
}

func TestConfigImport(t *testing.T) {
	t.Parallel()
	out, errs, code := try(t, "{\"temperature\": 0.6,\n\"pad_token_id\": 0,\n\"frobnicate\": 1}", "config", "import")
	for _, want := range []string{"read as generation_config.json", "do_sample false, top_k 50", "pad_token_id (line 2)", "unknown: frobnicate (line 3)"} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is not in %s", want, errs)
		}
	}
	if code != console.ExitDone || !strings.Contains(out, `"temperature": 0.6`) {
		t.Errorf("exit %d: %s", code, out)
	}
	for _, tt := range []struct{ text, from, want string }{
		{"hello", "", "no settings in a format that is known"},
		{"{}", "yaml", "--from yaml: no such format"},
		{"{\n\"temperature\":", "vllm", "standard input: line 2: the object ends too early"},
		{"{\"temperature\": 1,\n", "", "standard input: line 1: the object ends too early"},
		{"{\"name\": \"x\",\n\"config\": 5}", "", "standard input: line 2: config: must be an object of parameters"},
		{"{\"top_k\": 1,\n\"order\": \"vllm\", \"max_new_tokens\": 2,\n\"top_k\": 2}", "", "standard input: line 3: top_k is given twice"},
	} {
		args := []string{"config", "import"}
		if tt.from != "" {
			args = append(args, "--from", tt.from)
		}
		out, errs, code := try(t, tt.text, args...)
		if code != console.ExitUsage || out != "" || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%q: exit %d, %q, want %q", tt.text, code, errs, tt.want)
		}
	}
}

// What cannot be read is named with its line, and the rest is read; with
// --strict it is an error.
func TestConfigImportReadsTheRest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, said, read string }{
		{"{\n\"temperature\": 1,\n\"top_p\": 7, \"order\": \"vllm\", \"max_new_tokens\": 5}", "line 3: top_p = 7: out of range, 0 to 1", `"max_new_tokens": 5`},
		{"FROM x\nPARAMETER top_k many\nPARAMETER top_p 0.5", "line 2: top_k = many: not a number", `"top_p": 0.5`},
		{"FROM x\nPARAMETER\nPARAMETER top_p 0.5", "line 2: PARAMETER: it has no value", `"top_p": 0.5`},
		{"from vllm import SamplingParams\nSamplingParams(top_p=0.5,\ntemperature=T)", "line 3: temperature = T: a name, not read", `"top_p": 0.5`},
		{"from vllm import SamplingParams\nSamplingParams(top_p=0.5, repitition_penalty=1.1)", "repitition_penalty (line 2): repetition_penalty is meant?", `"top_p": 0.5`},
	} {
		out, errs, code := try(t, tt.text, "config", "import")
		if code != console.ExitDone || !strings.Contains(errs, tt.said) || !strings.Contains(out, tt.read) {
			t.Errorf("%q: exit %d, %q\n%s", tt.text, code, errs, out)
		}
		if _, errs, code := try(t, tt.text, "config", "import", "--strict"); code != console.ExitFailed {
			t.Errorf("%q: --strict: exit %d, %q", tt.text, code, errs)
		}
	}
	const two = "from vllm import SamplingParams\na = SamplingParams(top_p=0.5)\nb = SamplingParams(top_p=0.6)"
	for call, want := range map[string]string{"1": `"top_p": 0.5`, "2": `"top_p": 0.6`} {
		if out, errs, _ := try(t, two, "config", "import", "--call", call); !strings.Contains(out, want) || !strings.Contains(errs, "another call, not read") {
			t.Errorf("--call %s: %s%s", call, out, errs)
		}
	}
	if _, errs, code := try(t, two, "config", "import", "--call", "3"); code != console.ExitUsage || !strings.Contains(errs, "the file has 2 calls") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// ggufWith returns a model file that holds nothing but these settings.
func ggufWith(settings ...any) string {
	var b bytes.Buffer
	put := func(v any) { binary.Write(&b, binary.LittleEndian, v) }
	text := func(s string) { put(uint64(len(s))); b.WriteString(s) }
	b.WriteString("GGUF")
	put(uint32(3))
	put(uint64(0))
	put(uint64(len(settings)/2 + 1))
	text("general.architecture")
	put(uint32(8))
	text("llama")
	for i := 0; i < len(settings); i += 2 {
		text(settings[i].(string))
		switch v := settings[i+1].(type) {
		case int32:
			put(uint32(5))
			put(v)
		case float32:
			put(uint32(6))
			put(math.Float32bits(v))
		case string:
			put(uint32(8))
			text(v)
		}
	}
	b.Write(make([]byte, 64))
	return b.String()
}

func TestConfigImportModelFile(t *testing.T) {
	t.Parallel()
	file := write(t, "m.gguf", ggufWith("general.sampling.temp", float32(0.7), "general.sampling.top_k", int32(20), "general.sampling.penalty_last_n", int32(-1), "general.sampling.flavour", "mint"))
	out, errs, code := try(t, "", "config", "import", file)
	if code != console.ExitDone || !strings.Contains(out, `"temperature": 0.7,`) || !strings.Contains(out, `"top_k": 20`) || !strings.Contains(out, `"repeat_last_n": 0`) || !strings.Contains(errs, "unknown: general.sampling.flavour") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if out, errs, code := try(t, "", "config", "diff", file, "neutral"); code != console.ExitDone || !strings.Contains(out, "top_k 20 → off") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	_, errs, code = try(t, "", "config", "import", write(t, "n.gguf", ggufWith()))
	if code != console.ExitUsage || !strings.Contains(errs, "recommends no settings") {
		t.Errorf("exit %d: %s", code, errs)
	}
	_, errs, code = try(t, "", "config", "import", write(t, "o.gguf", ggufWith("general.sampling.top_p", float32(7))))
	if code != console.ExitUsage || !strings.Contains(errs, "top_p: 7: out of range") || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func TestConfigDiff(t *testing.T) {
	t.Parallel()
	a := write(t, "generation_config.json", `{"do_sample": true, "temperature": 0.6, "top_k": 20, "pad_token_id": 0}`)
	b := write(t, "Modelfile", "FROM x\nPARAMETER temperature 0.6\nPARAMETER top_p 0.8\n")
	out, errs, code := try(t, "", "config", "diff", a, b)
	for _, want := range []string{"top_k 20 → 40: B's is a default", "top_p off → 0.80: A's is a default", "order transformers → ollama", "what ollama makes of A:\n", "what transformers makes of B:\n  order  temperature acts before top_k there"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s%s", want, out, errs)
		}
	}
	if code != console.ExitDone || strings.Contains(out, "temperature off") {
		t.Errorf("exit %d: %s", code, out)
	}
	_, errs, code = try(t, "", "config", "diff", "chat", "nobody")
	if code != console.ExitUsage || !strings.Contains(errs, "nobody: no such file, and no such preset; factual, chat") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// A pipe is read once, so looking for a model file in it would lose its start.
func TestConfigFromAPipe(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	io.WriteString(w, `{"top_k": 7, "order": "vllm"}`)
	w.Close()
	name := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip("the platform names no open files")
	}
	if out, errs, code := try(t, "", "config", "show", "--config", name, "--as-file"); code != console.ExitDone || !strings.Contains(out, `"top_k": 7`) {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
}
