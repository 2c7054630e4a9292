package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"logitscope/ui/cli/console"
)

// The tests open a model hundreds of times and keep little of it: the heap is
// small, and collected less often.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// try runs the command line and returns what it wrote and its exit code.
func try(t *testing.T, in string, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	env := map[string]string{"LOGITSCOPE_CONFIG_DIR": t.TempDir(), "LOGITSCOPE_CACHE_DIR": t.TempDir()}
	code = Run(context.Background(), console.System{Args: args, In: strings.NewReader(in), Out: &o, Err: &e, Getenv: func(k string) string { return env[k] }})
	return o.String(), e.String(), code
}

// lines reads jsonl.
func lines(t *testing.T, out string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("no JSON object: %s", line)
		}
		all = append(all, m)
	}
	return all
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Wrong use is exit code 2 and one line that names what is wrong and what is
// allowed; nothing goes to standard output.
func TestWrongUse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args string
		want []string
	}{
		{"", []string{"the lab needs a terminal", "run"}},
		{"--foo", []string{"--foo"}},
		{"jump", []string{"jump", "no such command", "run", "compare"}},
		{"run", []string{"--prompt", "--prompt-file", "--prompt-tokens"}},
		{"run x", []string{"x"}},
		{"run --prompt x --format xml", []string{"--format", "text or jsonl"}},
		{"run --prompt x --temperature 3 --order vllm", []string{"temperature", "3", "0 to 2 under vllm"}},
		{"run --prompt x --set top_k=many", []string{"--set", "top_k", "whole number"}},
		{"run --prompt x --set repeat_penalty=2", []string{"repeat_penalty", "repetition_penalty"}},
		{"run --prompt x --set temperature", []string{"key=value"}},
		{"run --prompt x --preset chatty", []string{"--preset chatty", "factual, chat, creative, neutral, greedy"}},
		{"run --prompt x --model fabel.gguf", []string{"--model fabel.gguf", "no such file", "fable"}},
		{"run --prompt x --model nope:thing", []string{"--model nope:thing", "table:FILE"}},
		{"run --prompt x --num-beams 0", []string{"--num-beams 0", "1 to"}},
		{"run --prompt x --num-beams 4 --num-beam-groups 3", []string{"num_beam_groups"}},
		{"run --prompt x --num-beams 2 --num-return-sequences 3", []string{"num_return_sequences"}},
		{"run --prompt x --num-assistant-tokens 0", []string{"--num-assistant-tokens 0", "1 to 16"}},
		{"run --prompt x --draft table:testdata/markov2_a.json --num-assistant-tokens 2", []string{"--draft", "12", "4096"}},
		{"run --prompt x --draft ngram --num-beams 2", []string{"--draft ngram", "num_beams 1"}},
		{"run --prompt x --draft ngram --penalty-alpha 0.5", []string{"--draft ngram", "penalty_alpha 0"}},
		{"run --prompt x --json --regex a", []string{"--json and --regex"}},
		{"run --prompt x --regex (", []string{"--regex: line 1, column 1"}},
		{"run --prompt x --top 99", []string{"--top", "0 to 40"}},
		{"run --prompt-tokens 1,4096", []string{"--prompt-tokens", "0 to 4095"}},
		{"run --prompt-file nope.txt", []string{"--prompt-file nope.txt", "no such file"}},
		{"run --prompt x --config nope.json", []string{"--config nope.json", "no such file"}},
		{"run --prompt x --context -1", []string{"--context"}},
		{"run --prompt x --context 99999999999999999999", []string{"--context 99999999999999999999: want a whole number"}},
		{"run --prompt x --json=maybe", []string{"--json maybe: want true or false"}},
		{"run --prompt x --top-k many", []string{"logitscope: --top-k many: want a whole number, 0 to 2147483647"}},
		{"run --prompt x --top-k -1", []string{"logitscope: --top-k -1: -1 is out of range, 0 to 2147483647"}},
		{"run --prompt x --early-stopping maybe", []string{"logitscope: --early-stopping maybe: maybe is not one of false, true, never"}},
		{"run --prompt x --do-sample=maybe", []string{"logitscope: --do-sample maybe: want true or false"}},
		{"run --prompt x --kv-type q8", []string{"--kv-type", "f32 or f16"}},
		{"run --prompt x --arith fast", []string{`--arith must be one of exact, llama.cpp, llama.cpp-old, not "fast"`}},
		{"run --prompt x --flash-attn on", []string{"--flash-attn on: only with --arith llama.cpp"}},
		{"run --prompt x --arith llama.cpp --flash-attn maybe", []string{"--flash-attn maybe: on or off"}},
		{"run --model table:../../models/table/testdata/tiny6.json --prompt-tokens 0 --arith llama.cpp", []string{"--arith llama.cpp: only for a model that runs here, not "}},
		{"models logits table:../../models/table/testdata/tiny6.json --tokens 0 --arith llama.cpp", []string{"--arith llama.cpp: only for a model that runs here"}},
		{"models logits fable --tokens 0 --arith none", []string{"--arith must be one of exact, llama.cpp, llama.cpp-old, not"}},
		{"compare --lane chat --lane chat,arith=ggml", []string{"--lane chat,arith=ggml: --arith must be one of exact, llama.cpp, llama.cpp-old, not"}},
		{"compare --lane chat --lane chat,flash-attn=on", []string{"--lane chat,flash-attn=on: --flash-attn on: only with --arith llama.cpp"}},
		{"compare --lane chat", []string{"--lane", "2 to 4"}},
		{"score --text cli_test.go --against chat,x", []string{"logitscope: --against chat,x: x: want key=value"}},
		{"score --text cli_test.go --against chat,top_p=2", []string{"logitscope: --against chat,top_p=2: top_p"}},
		{"compare --lane chat --lane greedy --format jsonl --prompt x --top 99", []string{"--top 99: 0 to 40"}},
		{"compare --lane chat --lane chat,model= --format jsonl --prompt x", []string{"--lane chat,model=: model= needs a name"}},
		{"compare --lane chat --lane chatty", []string{"--lane chatty", "chat"}},
		{"compare --lane chat --lane chat,top_p=2", []string{"--lane chat,top_p=2", "0 to 1"}},
		{"trace --engine sglang", []string{"--engine sglang", "transformers, llama.cpp, vllm, ollama, ollama-go"}},
		{"run --prompt x --set foo=1", []string{"--set foo=1", "config show --all"}},
		{"constrain", []string{"--json-schema FILE"}},
		{"models", []string{"list, info, logits, tokenize, render, pull"}},
		{"models info", []string{"logitscope: models info: want one model"}},
		{"run --model table:testdata/markov2_a.json --prompt-tokens 1 --json", []string{`--json: "vocabulary": its tokens spell no complete text`}},
		{"compare --model table:testdata/markov2_a.json --prompt-tokens 1 --lane chat --lane chat,constraint=json --format jsonl", []string{`--lane chat,constraint=json: constraint: "vocabulary"`}},
		{"models logits fable --tokens 1,x", []string{"--tokens", "0 to 4095"}},
		{"models logits fable --tokens 1 --prompt x", []string{"one of --tokens and --prompt"}},
		{"models logits fable", []string{"one of --tokens and --prompt"}},
		{"models logits nope --tokens 1", []string{"nope: no such file"}},
		{"models info nope.gguf", []string{"nope.gguf: no such file"}},
		{"models tokenize nope", []string{"nope: no such file"}},
		{"run --prompt x --model table:nope", []string{"--model table:nope: file does not exist"}},
		{"run --chat --prompt-tokens 1", []string{"--chat: it is about a conversation"}},
		{"run --prompt x --json --set constraint=json", []string{"--json and --set constraint: one constraint at a time"}},
		{"run --prompt x --regex-search", []string{"--regex-search: it goes with --regex"}},
		{"run --prompt x --any-order --json", []string{"--any-order: it goes with --json-schema"}},
		{"run --prompt x --whitespace any", []string{"--whitespace: it goes with --json, --json-object, --json-schema"}},
		{"run --prompt x --penalty-alpha 0.5 --top-k 0", []string{"top_k: 0 is out of range, 2 or more with penalty_alpha"}},
		{"run --prompt x --logit-bias 4096=5", []string{"logit_bias: token 4096 is out of range, 0 to 4095 for fable"}},
		{"compare --lane chat --lane chat,logit_bias=4096=5 --prompt x --format jsonl", []string{"--lane chat,logit_bias=4096=5: logit_bias: token 4096"}},
		{"compare --lane chat --lane= --format jsonl", []string{`--lane : it begins with a preset's name; "": no such preset; factual`}},
	} {
		out, errs, code := try(t, "", strings.Fields(tt.args)...)
		if code != console.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("logitscope %s: exit %d, stdout %q, stderr %q; want exit 2 and one line on stderr", tt.args, code, out, errs)
		}
		for _, w := range tt.want {
			if !strings.Contains(errs, w) {
				t.Errorf("logitscope %s: %q does not say %q", tt.args, errs, w)
			}
		}
	}
}

func TestEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	_, errs, code := try(t, "", "run", "--prompt", "x", "--order", "vllm", "--set", "temperature=3", "--set", "min_p=0.2", "--set", "presence_penalty=5")
	if code != console.ExitUsage || !strings.Contains(errs, "temperature") || !strings.Contains(errs, "presence_penalty") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func TestRunText(t *testing.T) {
	t.Parallel()
	out, errs, code := try(t, "", "run", "--prompt", "The capital of France is", "--temperature", "0", "--max-new-tokens", "2")
	if out != " Paris.\n" || errs != "" || code != console.ExitDone {
		t.Errorf("%q, %q, exit %d", out, errs, code)
	}
	again, _, _ := try(t, "The capital of France is", "run", "--prompt-file", "-", "--temperature", "0", "--max_new_tokens", "2")
	if again != out {
		t.Errorf("from standard input: %q", again)
	}
}

// A search writes one text, the one that won.
func TestBeamText(t *testing.T) {
	t.Parallel()
	args := []string{"run", "--prompt", "Once upon a time", "--num-beams", "4", "--max-new-tokens", "12"}
	out, errs, code := try(t, "", args...)
	records, _, _ := try(t, "", append(args, "--format", "jsonl")...)
	all := lines(t, records)
	if code != console.ExitDone || out != all[len(all)-1]["text"].(string)+"\n" {
		t.Errorf("exit %d, %q, %q; the winner is %v", code, out, errs, all[len(all)-1]["text"])
	}
}

func TestRunRecords(t *testing.T) {
	t.Parallel()
	out, _, code := try(t, "", "run", "--prompt", "The capital of France is", "--preset", "chat", "--seed", "42", "--max-new-tokens", "3", "--format", "jsonl", "--top", "4")
	all := lines(t, out)
	if code != console.ExitDone || len(all) != 5 {
		t.Fatalf("exit %d, %d lines", code, len(all))
	}
	run, step, end := all[0], all[1], all[4]
	if run["type"] != "run" || run["version"] != 2.0 || run["order"] != "transformers" || run["seed"] != 42.0 ||
		run["model"].(map[string]any)["vocab"] != 4096.0 || run["config"].(map[string]any)["temperature"] != 0.7 {
		t.Errorf("run: %v", run)
	}
	if step["type"] != "step" || step["pos"] != 6.0 || step["piece"] == "" || len(step["top"].([]any)) != 4 {
		t.Errorf("step: %v", step)
	}
	u := step["u"].(float64)
	if !(u >= 0 && u < 1) {
		t.Errorf("u = %v", u)
	}
	names := ""
	for _, s := range step["stages"].([]any) {
		names += s.(map[string]any)["name"].(string) + " "
	}
	if names != "repetition_penalty temperature top_k top_p " {
		t.Errorf("stages %s", names)
	}
	cut := step["top"].([]any)[3].(map[string]any)
	if cut["removed_by"] != "top_p" || cut["prob"] != 0.0 {
		t.Errorf("the fourth token: %v", cut)
	}
	if end["type"] != "end" || end["reason"] != "length" || end["tokens"] != 3.0 || end["decode_tokens_per_s"].(float64) <= 0 {
		t.Errorf("end: %v", end)
	}
}

// Contrastive search says before each token what it chose from.
func TestContrastiveRecords(t *testing.T) {
	t.Parallel()
	model := write(t, "toy.json", `{"kind":"markov1","vocab":["<eos>","a","b"],"eos_id":0,"bos_id":0,
		"logits":[[0,0,0],[-2,0.7,0],[-2,0,0.5]],"emb":[[1,0],[0,1],[1,-1]]}`)
	out, errs, code := try(t, "", "run", "--model", "table:"+model, "--prompt-tokens", "1", "--set", "penalty_alpha=0.6",
		"--top-k", "2", "--max-new-tokens", "2", "--format", "jsonl")
	all := lines(t, out)
	if code != console.ExitDone || len(all) != 6 {
		t.Fatalf("exit %d, %d lines, %q", code, len(all), errs)
	}
	for i, at := range []int{1, 3} {
		c, step := all[at], all[at+1]
		if c["type"] != "contrastive" || c["step"] != float64(i) || len(c["candidates"].([]any)) != 2 || c["chosen"] != step["token"] {
			t.Errorf("step %d: %v before %v", i, c, step)
		}
		if step["entropy_bits"].(float64) <= 0 {
			t.Errorf("step %d: no entropy: %v", i, step)
		}
	}
}

func TestBeamRecords(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/beam_a.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Settings map[string]any
		Prompt   []int32
		Outputs  []struct {
			Tokens []int32
			Score  float64
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "--model", "table:testdata/markov2_a.json", "--prompt-tokens", "1,8", "--format", "jsonl"}
	for k, v := range golden.Settings {
		args = append(args, "--set", fmt.Sprintf("%s=%v", k, v))
	}
	out, errs, code := try(t, "", args...)
	if code != console.ExitDone {
		t.Fatal(errs)
	}
	steps, beams := 0, 0
	for _, m := range lines(t, out) {
		switch m["type"] {
		case "beam_step":
			steps++
		case "beam":
			want := golden.Outputs[beams]
			beams++
			if m["rank"] != float64(beams) || math.Abs(m["score"].(float64)-want.Score) > 1e-6 || fmt.Sprint(m["tokens"]) != fmt.Sprint(want.Tokens) {
				t.Errorf("beam %d: %v, want %v", beams, m, want)
			}
		}
	}
	if steps != 8 || beams != 4 {
		t.Errorf("%d steps, %d beams", steps, beams)
	}
}

func TestSpeculativeRecords(t *testing.T) {
	t.Parallel()
	args := []string{"run", "--prompt", "Once upon a time", "--temperature", "0", "--max-new-tokens", "40", "--format", "jsonl"}
	plain, _, _ := try(t, "", args...)
	out, errs, code := try(t, "", append(args, "--draft", "fable-draft", "--num-assistant-tokens", "4")...)
	if code != console.ExitDone {
		t.Fatal(errs)
	}
	emitted, steps := 0, 0
	for _, m := range lines(t, out) {
		switch m["type"] {
		case "speculative":
			emitted += len(m["emitted"].([]any))
			if n := len(m["accept_prob"].([]any)); n != len(m["u"].([]any)) || int(m["accepted"].(float64)) > n {
				t.Errorf("%v", m)
			}
		case "step":
			steps++
		}
	}
	a, b := lines(t, plain), lines(t, out)
	if steps != 40 || emitted != 40 || a[len(a)-1]["text"] != b[len(b)-1]["text"] {
		t.Errorf("%d steps, %d emitted, %v", steps, emitted, b[len(b)-1])
	}
}

// Several drafts write the text that is written without any, and their lines
// name what was tested.
func TestSeveralDraftsRecords(t *testing.T) {
	t.Parallel()
	args := []string{"run", "--prompt", "Once upon a time", "--temperature", "0", "--max-new-tokens", "24", "--format", "jsonl"}
	plain, _, _ := try(t, "", args...)
	want := lines(t, plain)
	for _, more := range [][]string{{"--draft-method", "specinfer", "--num-drafts", "2"}, {"--draft-method", "spectr", "--draft", "self:3"}, {"--draft", "lookahead"}, {"--draft", "ngram", "--draft-method", "specinfer"}} {
		out, errs, code := try(t, "", append(args[:len(args):len(args)], more...)...)
		if code != console.ExitDone {
			t.Fatal(errs)
		}
		got, rounds := lines(t, out), 0
		for _, m := range got {
			if m["type"] != "speculative" {
				continue
			}
			rounds++
			tested := 0
			places, _ := m["tested"].([]any)
			for _, p := range places {
				tested += len(p.([]any))
			}
			if n := len(m["accept_prob"].([]any)); n != tested || n != len(m["u"].([]any)) || len(m["branches"].([]any)) == 0 {
				t.Errorf("%v: %v", more, m)
			}
			if i := slices.Index(more, "--draft-method"); i >= 0 && m["rule"] != more[i+1] || i < 0 && m["rule"] != nil {
				t.Errorf("%v: rule %v", more, m["rule"])
			}
		}
		if a, b := want[len(want)-1]["text"], got[len(got)-1]["text"]; rounds == 0 || a != b {
			t.Errorf("%v: %d rounds, %q, want %q", more, rounds, b, a)
		}
	}
	for _, c := range [][]string{
		{"--draft-method", "tree", "--draft-method tree: tree is not one of chain, specinfer, spectr"},
		{"--num-drafts", "17", "--num-drafts 17: 17 is out of range, 1 to 16"},
		{"--draft", "lookahead2", "lookahead2"},
		{"--draft-tree", "5,5", "draft_tree: 5,5 has more than 16 branches"},
		{"--lookahead-ngram", "1", "--lookahead-ngram 1: 1 is out of range, 2 to 8"},
	} {
		out, errs, code := try(t, "", append(args[:len(args):len(args)], c[0], c[1], "--num-assistant-tokens", "4")...)
		if code == console.ExitDone || !strings.Contains(errs, c[2]) {
			t.Errorf("%v: exit %d, %s%.80s", c[:2], code, errs, out)
		}
	}
}

// TestSQLFormatInHelp runs the example that help has for --sql, and files that
// are SQL instead.
func TestSQLFormatInHelp(t *testing.T) {
	t.Parallel()
	out, _, _ := try(t, "", "constrain", "--help")
	if !strings.Contains(out, `{"tables":{"users":["id","name"]},"aliases":{"u":"users"}}`) {
		t.Errorf("help has no example of the format:\n%s", out)
	}
	var inputs []string
	for _, m := range regexp.MustCompile(`(?m)^  echo '(\{"(?:tables|id)":?.*\})' [>|].*tables\.json$`).FindAllStringSubmatch(out, -1) {
		inputs = append(inputs, m[1])
	}
	if len(inputs) != 2 {
		t.Fatalf("%d lines of the example: %q", len(inputs), inputs)
	}
	out, errs, code := try(t, inputs[1], "constrain", "--sql", write(t, "tables.json", inputs[0]))
	if code != console.ExitDone || !strings.Contains(out, `"accepted":true`) {
		t.Errorf("the example: exit %d, %s%s", code, out, errs)
	}
	for _, ddl := range []string{"CREATE TABLE users (id INTEGER)", "create table\n users(id)", "\n-- tables\nCREATE TABLE a(b);", "SELECT 1"} {
		_, errs, code := try(t, "", "run", "--prompt", "x", "--sql", write(t, "schema.sql", ddl))
		if code != console.ExitUsage || !strings.Contains(errs, "is SQL; list the tables as JSON instead") {
			t.Errorf("%q: exit %d, %s", ddl, code, errs)
		}
	}
}

func TestConstrainCommand(t *testing.T) {
	t.Parallel()
	in := `{"id":1,"text":"abc"}` + "\n" + `{"id":"b","hex":"6131"}` + "\n" + `{"id":3}` + "\n" + `{"id":4,"text":""}` + "\n"
	out, _, code := try(t, in, "constrain", "--regex", "[a-z]+")
	want := `{"id":1,"accepted":true,"dead_at":null}
{"id":"b","accepted":false,"dead_at":1}
{"id":3,"error":"line 3: must have one of text and hex"}
{"id":4,"accepted":false,"dead_at":null}
`
	if out != want || code != console.ExitFailed {
		t.Errorf("exit %d\n%s", code, out)
	}
	vocab := write(t, "vocab.json", `["61","6162","31","7a7a"]`)
	out, _, _ = try(t, `{"id":1,"text":"a"}`, "constrain", "--regex", "a(b|z)*", "--vocab", vocab)
	if out != `{"id":1,"accepted":true,"dead_at":null,"allowed":[3],"eos":true}`+"\n" {
		t.Errorf("%s", out)
	}
	out, _, code = try(t, "", "constrain", "--json-schema", write(t, "cut.json", `{"type":`))
	if code != console.ExitUsage || out != `{"refused":[{"pointer":"","keyword":"syntax","reason":"line 1, column 9: the JSON text ends too early"}]}`+"\n" {
		t.Errorf("exit %d: %s", code, out)
	}
	out, _, code = try(t, `{"hex":"6"}`, "constrain", "--regex", "a")
	if code != console.ExitFailed || !strings.Contains(out, "line 1: hex: ") {
		t.Errorf("exit %d: %s", code, out)
	}
	out, _, code = try(t, "", "constrain", "--regex", "(?=a)b")
	if code != console.ExitUsage || !strings.Contains(out, `"refused":[{"pointer"`) {
		t.Errorf("exit %d: %s", code, out)
	}
}

// JSON that is checked may hold whitespace that no model is let write.
func TestConstrainWhitespace(t *testing.T) {
	t.Parallel()
	schema := write(t, "s.json", `{"type":"array"}`)
	in := `{"text":" [ 1,\n\n2 ]\n"}` + "\n" + `{"text":"[1, 2]"}` + "\n" + `{"text":"[1,2]"}` + "\n"
	for _, source := range []string{"--json", "--json-schema=" + schema} {
		for whitespace, want := range map[string][3]bool{"": {true, true, true}, "any": {true, true, true}, "bounded": {false, true, true}, "compact": {false, false, true}} {
			args := []string{"constrain", source}
			if whitespace != "" {
				args = append(args, "--whitespace", whitespace)
			}
			out, errs, _ := try(t, in, args...)
			for i, l := range lines(t, out) {
				if l["accepted"] != want[i] {
					t.Errorf("%s %q, line %d: %v %s", source, whitespace, i+1, l, errs)
				}
			}
		}
	}
	if _, errs, code := try(t, "", "constrain", "--json", "--whitespace", "some"); code != console.ExitUsage || !strings.Contains(errs, "any, bounded, compact") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// What a flag brings along does not reach the terminal as it is.
func TestErrorsHaveNoControlCharacters(t *testing.T) {
	t.Parallel()
	_, errs, code := try(t, "", "run", "--prompt", "x", "--preset", "a\x1b[31mb\u202ec")
	if code != console.ExitUsage || strings.ContainsAny(errs, "\x1b\u202e") || !strings.Contains(errs, "31mb") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// A text cut by its budget says so: 1100 looks like a number of 10 digits.
func TestRunSaysThatAConstraintIsNotMet(t *testing.T) {
	t.Parallel()
	args := []string{"run", "--prompt", "Once", "--regex", "[0-9]{20}", "--seed", "1", "--max-new-tokens"}
	out, errs, code := try(t, "", append(args, "2")...)
	if code != console.ExitFailed || len(out) < 3 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "max_new_tokens") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	if out, errs, code := try(t, "", append(args, "20")...); code != console.ExitDone || len(out) != 21 || errs != "" {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}

// So does the text of a search. Two tokens of the built-in model are 2 to 4 of
// the 20 digits.
func TestSearchSaysThatAConstraintIsNotMet(t *testing.T) {
	t.Parallel()
	for _, search := range [][]string{{"--num-beams", "3"}, {"--penalty-alpha", "0.6", "--top-k", "4"}, {"--num-beams", "3", "--beam-rule", "legacy"}} {
		args := append([]string{"run", "--prompt", "Once", "--regex", "[0-9]{20}"}, search...)
		out, errs, code := try(t, "", append(args, "--max-new-tokens", "2")...)
		digits := len(strings.TrimSpace(out))
		want := fmt.Sprintf("logitscope: the text does not meet its constraint: max_new_tokens was too small (bytes missing: %d)\n", 20-digits)
		if code != console.ExitFailed || digits < 2 || digits > 4 || errs != want {
			t.Errorf("%v: exit %d, %q, %q", search, code, out, errs)
		}
		if out, errs, code := try(t, "", append(args, "--max-new-tokens", "20")...); code != console.ExitDone || len(out) != 21 || errs != "" {
			t.Errorf("%v: exit %d, %q, %q", search, code, out, errs)
		}
	}
}

func TestRunUnderAConstraint(t *testing.T) {
	t.Parallel()
	for seed := range 8 {
		out, errs, code := try(t, "", "run", "--prompt", "List the numbers: ", "--json", "--max-new-tokens", "30", "--temperature", "1.5", "--seed", fmt.Sprint(seed), "--format", "jsonl")
		if code != console.ExitDone {
			t.Fatal(errs)
		}
		all := lines(t, out)
		end := all[len(all)-1]
		if !json.Valid([]byte(end["text"].(string))) {
			t.Errorf("seed %d: %v", seed, end)
		}
		if c := all[1]["constraint"].(map[string]any); c["allowed"].(float64) < 1 || c["mass"].(float64) <= 0 {
			t.Errorf("constraint: %v", c)
		}
	}
}

func TestModelsCommands(t *testing.T) {
	t.Parallel()
	out, _, code := try(t, "\"Hello world\"\n\"\"\n", "models", "tokenize", "fable")
	if code != console.ExitDone || strings.Count(out, "\n") != 2 || !strings.HasSuffix(out, "{\"tokens\":[]}\n") {
		t.Errorf("tokenize: exit %d, %q", code, out)
	}
	out, _, code = try(t, "", "models", "logits", "table:testdata/markov2_a.json", "--tokens", "1,8", "--all")
	var l struct {
		Tokens []int32
		Logits [][]float32
	}
	if err := json.Unmarshal([]byte(out), &l); err != nil || code != console.ExitDone || len(l.Logits) != 2 || len(l.Logits[0]) != 12 {
		t.Errorf("logits: %v, exit %d, %s", err, code, out)
	}
	last, _, _ := try(t, "", "models", "logits", "table:testdata/markov2_a.json", "--tokens", "1,8")
	var one struct{ Logits []float32 }
	if err := json.Unmarshal([]byte(last), &one); err != nil || fmt.Sprint(one.Logits) != fmt.Sprint(l.Logits[1]) {
		t.Errorf("last position: %v", last)
	}
	out, _, code = try(t, "", "models", "info", "fable", "--json")
	var info map[string]any
	if err := json.Unmarshal([]byte(out), &info); err != nil || code != console.ExitDone || info["architecture"] != "llama" || info["vocabulary"] != 4096.0 {
		t.Errorf("info: exit %d, %s", code, out)
	}
	out, _, code = try(t, "", "models", "list")
	if code != console.ExitDone || !strings.Contains(out, "fable") || !strings.Contains(out, "toy") {
		t.Errorf("list: exit %d, %s", code, out)
	}
}

func TestTraceCommand(t *testing.T) {
	t.Parallel()
	in := `{"id":"a","engine":"transformers","vocab":3,"logits":{"kind":"inline","values":[2,1,"-inf"]},"prompt_tokens":[],"generated_tokens":[],"settings":{"do_sample":true,"top_k":1}}
not json
{"id":"c","engine":"vllm","vocab":2,"logits":{"kind":"inline","values":[1,1]},"prompt_tokens":[],"generated_tokens":[],"settings":{"temperature":9}}
`
	out, _, code := try(t, in, "trace")
	all := lines(t, out)
	if code != console.ExitFailed || len(all) != 3 || fmt.Sprint(all[0]["survivors"]) != "[0]" || all[1]["error"] == nil || all[2]["error"] == nil {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestHelpHasExamples(t *testing.T) {
	t.Parallel()
	for _, cmd := range []string{"", "run", "compare", "trace", "constrain", "models", "models info", "models logits", "models tokenize", "models pull", "config", "sweep"} {
		out, _, code := try(t, "", append(strings.Fields(cmd), "--help")...)
		if code != console.ExitDone || len(out) < 100 {
			t.Errorf("%s --help: exit %d, %d bytes", cmd, code, len(out))
		}
	}
	if out, _, _ := try(t, "", "--version"); !strings.HasPrefix(out, "logitscope ") {
		t.Errorf("--version: %q", out)
	}
	if out, _, code := try(t, "", "completion", "bash"); code != console.ExitDone || !strings.Contains(out, "logitscope") {
		t.Error("no shell completion")
	}
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	var o, e bytes.Buffer
	w := &stopAfter{w: &o, cancel: cancel, lines: 20}
	code := Run(ctx, console.System{
		Args: strings.Fields("run --prompt Once --max-new-tokens 400 --format jsonl --set min_new_tokens=400"), In: strings.NewReader(""), Out: w, Err: &e,
		Getenv: func(string) string { return "" },
	})
	all := lines(t, o.String())
	if end := all[len(all)-1]; code != console.ExitInterrupted || end["reason"] != "interrupted" {
		t.Errorf("exit %d, end %v", code, end)
	}
}

// stopAfter cancels a context after so many lines were written.
type stopAfter struct {
	w      *bytes.Buffer
	cancel func()
	lines  int
}

func (s *stopAfter) Write(p []byte) (int, error) {
	if s.lines -= bytes.Count(p, []byte("\n")); s.lines <= 0 {
		s.cancel()
	}
	return s.w.Write(p)
}

// A value after a switch, where "=" belongs, is answered with the switch's
// name, for every switch of every command.
func TestValueAfterASwitch(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, command := range []string{"", "run", "compare", "sweep", "config show", "bench"} {
		var e bytes.Buffer
		cmd, _, err := newRoot(console.System{Out: io.Discard, Err: &e, Getenv: func(string) string { return "" }}).Find(strings.Fields(command))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal != "" && f.Name != "help" && f.Name != "version" && f.Name != "licenses" {
				names = append(names, f.Name)
			}
		})
		for k, name := range names {
			for i, value := range []string{"true", "false", "1", "0"} {
				if testing.Short() && i != k%4 {
					continue
				}
				tried++
				_, errs, code := try(t, "", append(strings.Fields(command), "--"+name, value)...)
				if want := "--" + name + " " + value + ": it is a switch; --" + name + "=" + value; code != console.ExitUsage || !strings.Contains(errs, want) {
					t.Errorf("%s --%s %s: exit %d, %q", command, name, value, code, errs)
				}
			}
		}
	}
	t.Logf("%d cases", tried)
	if tried < 20 {
		t.Errorf("only %d cases", tried)
	}
}

// A seed that the engine does not take as it is, is named on standard error,
// once, by every command that draws.
func TestSeedsBeyondTheEngine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ order, seed, want string }{
		{"llama.cpp", "4294967296", "logitscope: llama.cpp keeps 32 bits of a seed: 4294967296 acts as 0\n"},
		{"llama.cpp", "4294967294", ""},
		{"transformers", "4294967296", ""},
	} {
		for _, args := range [][]string{
			{"run", "--prompt", "x", "--max-new-tokens", "1"},
			{"compare", "--prompt", "x", "--max-new-tokens", "1", "--format", "jsonl", "--lane", "chat", "--lane", "creative"},
		} {
			_, errs, code := try(t, "", append(args, "--order", c.order, "--seed", c.seed)...)
			if code != console.ExitDone || errs != c.want {
				t.Errorf("%s, order %s, seed %s: exit %d, %q, want %q", args[0], c.order, c.seed, code, errs, c.want)
			}
		}
	}
}

// TestLogitsSayTheirArithmetic: another engine's numbers are named, the exact
// ones are not.
func TestLogitsSayTheirArithmetic(t *testing.T) {
	t.Parallel()
	for arith, want := range map[string]string{"exact": `{"tokens":[0,5],"logits":[`, "llama.cpp": `{"tokens":[0,5],"arith":{"name":"llama.cpp","kv_type":"f16"},"logits":[`} {
		if out, errs, _ := try(t, "", "models", "logits", "fable", "--tokens", "0,5", "--arith", arith); !strings.HasPrefix(out, want) {
			t.Errorf("%s: %.80s %s, want %s", arith, out, errs, want)
		}
	}
}
