package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

func TestScoreText(t *testing.T) {
	t.Parallel()
	text := write(t, "a.txt", " Paris")
	out, errs, code := try(t, "", "score", "--text", text, "--prompt", "The capital of France is", "--preset", "neutral", "--report", "json")
	var r scored
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != console.ExitDone || len(r.Tokens) != 1 || r.Tokens[0].ID != 3693 || math.Abs(math.Exp(*r.Tokens[0].Logprob)-0.59) > 0.01 || r.Impossible != 0 {
		t.Errorf("exit %d: %s%s %v", code, out, errs, err)
	}
	// On standard input, one a line.
	out, _, _ = try(t, " Paris", "score", "--text", "-", "--prompt", "The capital of France is", "--preset", "neutral", "--format", "jsonl")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 2 || !strings.Contains(lines[0], `"piece":" Paris"`) || !strings.Contains(lines[1], `"type":"summary"`) {
		t.Errorf("%s", out)
	}
	// The settings cut what is unlikely, and say so.
	out, _, _ = try(t, " Rome", "score", "--text", "-", "--prompt", "The capital of France is", "--preset", "neutral", "--top-k", "2")
	if !strings.Contains(out, "top_k") || !strings.Contains(out, "1 impossible") {
		t.Errorf("%s", out)
	}
	// An empty text has no means.
	out, _, _ = try(t, "", "score", "--text", "-", "--report", "json")
	if !strings.Contains(out, `"tokens":[]`) || !strings.Contains(out, `"bits_per_token":null`) || !strings.Contains(out, `"impossible":0`) {
		t.Errorf("%s", out)
	}
	// What A's flags set is A's alone.
	out, _, _ = try(t, "a little fox", "score", "--text", "-", "--preset", "neutral", "--top-k", "5", "--against", "neutral", "--report", "json")
	r = scored{}
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Distance == nil || r.Distance.ImpossibleAB != 0 || r.Distance.ImpossibleBA != len(r.Tokens) || r.Against.Impossible != 0 || r.Weights != nil {
		t.Errorf("%s", out)
	}
	// Two models of one vocabulary.
	out, _, _ = try(t, "a little fox", "score", "--text", "-", "--preset", "neutral", "--against", "neutral,model=fable-draft", "--report", "json")
	if r = (scored{}); json.Unmarshal([]byte(out), &r) != nil || r.Weights == nil || *r.Weights.KL <= 0 || *r.Weights.P99 < *r.Weights.Median {
		t.Errorf("%s", out)
	}
	for _, tt := range []struct{ args, want string }{
		{"", "--text FILE, or --logprobs FILE"},
		{"--text x --logprobs y", "one of them"},
		{"--text " + text + " --format yaml", `--format "yaml": must be table or jsonl`},
		{"--text " + text + " --report yaml", `--report "yaml": must be json`},
		{"--text " + text + " --against nobody", "nobody: no such preset"},
		{"--text " + text + " --against chat,top_p=7", "0 to 1"},
		{"--text " + text + " --regex a", "constraint"},
		{"--text " + filepath.Join(t.TempDir(), "none"), "no such file"},
		{"--logprobs y --against chat", "--against goes with --text"},
	} {
		out, errs, code := try(t, "", append([]string{"score"}, strings.Fields(tt.args)...)...)
		if code != console.ExitUsage || out != "" || !strings.Contains(errs, tt.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %s%s, want %q", tt.args, code, out, errs, tt.want)
		}
	}
}

// The values that an independent program gives for texts under the float32
// weights, which this repository does not carry.
func TestScoreGolden(t *testing.T) {
	t.Parallel()
	shared := filepath.Join("..", "..", "..", "shared")
	model, cases := filepath.Join(shared, "models", "fable.f32.gguf"), filepath.Join(shared, "golden", "score", "cases.jsonl")
	data, err := os.ReadFile(cases)
	if _, missing := os.Stat(model); err != nil || missing != nil {
		t.Skip("the float32 weights and the values for them are not beside the checkout")
	}
	type golden struct {
		ID, File, Prompt  string
		Settings, Against map[string]any
		Expect            scored
		Fragile           any `json:"fragile_steps"`
	}
	for line := range strings.Lines(string(data)) {
		var c golden
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if len(c.Expect.Tokens) > 600 && testing.Short() {
			continue
		}
		args := []string{"score", "--model", model, "--text", filepath.Join(filepath.Dir(cases), c.File), "--preset", "neutral", "--report", "json"}
		if c.Prompt != "" {
			args = append(args, "--prompt", c.Prompt)
		}
		for k, v := range c.Settings {
			args = append(args, "--set", k+"="+strings.Trim(mustJSON(v), `"`))
		}
		if c.Against != nil {
			spec := "neutral"
			for k, v := range c.Against {
				spec += "," + k + "=" + mustJSON(v)
			}
			args = append(args, "--against", spec)
		}
		out, errs, code := try(t, "", args...)
		var got scored
		if err := json.Unmarshal([]byte(out), &got); err != nil || code != console.ExitDone || len(got.Tokens) != len(c.Expect.Tokens) {
			t.Errorf("%s: exit %d, %s", c.ID, code, errs)
			continue
		}
		for i, want := range c.Expect.Tokens {
			g := got.Tokens[i]
			if g.ID != want.ID || math.Abs(*g.Logprob-*want.Logprob) > 2e-4 || math.Abs(*g.Entropy-*want.Entropy) > 2e-4 || (g.Final == nil) != (want.Final == nil) || g.Final != nil && math.Abs(*g.Final-*want.Final) > 5e-5 || (g.CutBy == nil) != (want.CutBy == nil) || g.CutBy != nil && *g.CutBy != *want.CutBy {
				t.Errorf("%s: token %d: %s, want %s", c.ID, i+1, mustJSON(g), mustJSON(want))
				break
			}
		}
		if c.Expect.Distance == nil || c.Fragile != nil {
			continue
		}
		a, b := got.Distance, c.Expect.Distance
		if math.Abs(*a.TV-*b.TV) > 1e-5 || math.Abs(*a.JS-*b.JS) > 1e-5 || a.ImpossibleAB != b.ImpossibleAB || a.ImpossibleBA != b.ImpossibleBA || (a.KLab == nil) != (b.KLab == nil) || a.KLab != nil && math.Abs(*a.KLab-*b.KLab) > 1e-5 {
			t.Errorf("%s: distance %s, want %s", c.ID, mustJSON(a), mustJSON(b))
		}
	}
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// A scored is what score --report json prints, as its docs say.
type scored struct {
	Tokens []struct {
		ID      int32    `json:"id"`
		Logprob *float64 `json:"logprob"`
		Rank    *int     `json:"rank"`
		Entropy *float64 `json:"entropy"`
		Final   *float64 `json:"final"`
		CutBy   *string  `json:"cut_by"`
	} `json:"tokens"`
	BitsPerToken *float64 `json:"bits_per_token"`
	BitsPerByte  *float64 `json:"bits_per_byte"`
	Perplexity   *float64 `json:"perplexity"`
	Impossible   int      `json:"impossible"`
	FinalBits    *float64 `json:"final_bits_per_token"`
	Distance     *struct {
		TV           *float64 `json:"tv_mean"`
		KLab         *float64 `json:"kl_ab"`
		KLba         *float64 `json:"kl_ba"`
		ImpossibleAB int      `json:"impossible_ab"`
		ImpossibleBA int      `json:"impossible_ba"`
		JS           *float64 `json:"js_mean"`
		SameTop      *float64 `json:"same_top"`
	} `json:"distance"`
	Against *struct {
		Impossible int      `json:"impossible"`
		FinalBits  *float64 `json:"final_bits_per_token"`
		Bits       *float64 `json:"bits_per_token"`
	} `json:"against"`
	Weights *struct {
		KL      *float64 `json:"kl_mean"`
		Median  *float64 `json:"kl_median"`
		P99     *float64 `json:"kl_p99"`
		SameTop *float64 `json:"same_top"`
	} `json:"weights"`
}

// The page, the windows of llama.cpp's tool, and the steps that differ most.
func TestScoreForms(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("Once upon a time there was a little fox who lived in the old forest. ", 40)
	run := func(args ...string) string {
		t.Helper()
		out, errs, code := try(t, text, append([]string{"score", "--text", "-", "--preset", "chat"}, args...)...)
		if code != console.ExitDone {
			t.Fatalf("%v: exit %d: %s", args, code, errs)
		}
		return out
	}
	page := run("--report", "html", "--against", "creative")
	for _, want := range []string{"<!doctype html>", "read in 2 windows", "Against the second law", "</html>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	type report struct {
		Tokens []json.RawMessage
		Differ []struct {
			Token int
			TV    float64
			Rows  []struct {
				Raw      float64
				OtherRaw float64 `json:"other_raw"`
			}
		} `json:"most_different"`
		PerByte float64 `json:"bits_per_byte"`
	}
	read := func(args ...string) (r report) {
		t.Helper()
		if err := json.Unmarshal([]byte(run(append(args, "--report", "json")...)), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	whole := read("--against", "creative", "--differ", "7")
	if len(whole.Differ) != 7 {
		t.Fatalf("%d of the most different steps, want 7", len(whole.Differ))
	}
	for i, d := range whole.Differ {
		if i > 0 && d.TV > whole.Differ[i-1].TV || len(d.Rows) < 5 || d.Rows[0].Raw != d.Rows[0].OtherRaw || d.Token < 1 || d.Token > len(whole.Tokens) {
			t.Errorf("step %d: %+v", i, d)
		}
	}
	// Of each whole context of 512 the tool scores 255.
	chunks := read("--windows", "llama.cpp")
	if n := (len(whole.Tokens) + 1) / 512 * 255; len(chunks.Tokens) != n || n == 0 {
		t.Errorf("%d tokens are scored, want %d", len(chunks.Tokens), n)
	}
	for _, tt := range []struct{ args, want string }{
		{"--windows all", `--windows "all": must be half or llama.cpp`},
		{"--differ -1", "--differ -1: must be 0 to 1000"},
		{"--report pdf", `--report "pdf": must be json or html`},
	} {
		_, errs, code := try(t, text, append([]string{"score", "--text", "-"}, strings.Fields(tt.args)...)...)
		if code != console.ExitUsage || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit %d, %q", tt.args, code, errs)
		}
	}
}

// What a run wrote has, read again by its token ids, the run's numbers to the
// last bit.
func TestScoreOfARunByItsTokens(t *testing.T) {
	t.Parallel()
	settings := []string{"--preset", "creative", "--prompt", "Once upon a time"}
	out, errs, code := try(t, "", append([]string{"run", "--max-new-tokens", "30", "--format", "jsonl"}, settings...)...)
	if code != console.ExitDone {
		t.Fatal(errs)
	}
	type number struct {
		Token      int32
		Logprob    float32
		RawLogprob float32 `json:"raw_logprob"`
		Rank       int
		Entropy    float32 `json:"entropy_bits"`
	}
	var ids []string
	var steps []number
	for line := range strings.Lines(out) {
		var s struct {
			Type string
			number
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		if s.Type == "step" {
			ids, steps = append(ids, strconv.Itoa(int(s.Token))), append(steps, s.number)
		}
	}
	out, errs, code = try(t, "", append([]string{"score", "--text-tokens", strings.Join(ids, ","), "--report", "json"}, settings...)...)
	var r struct {
		Tokens []struct {
			ID      int32
			Logprob float32
			Rank    int
			Entropy float32
			Final   float64
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != console.ExitDone || len(r.Tokens) != 30 {
		t.Fatalf("exit %d, %v, %d tokens: %s", code, err, len(r.Tokens), errs)
	}
	for i, x := range r.Tokens {
		s := steps[i]
		if x.ID != s.Token || x.Logprob != s.RawLogprob || x.Rank != s.Rank || x.Entropy != s.Entropy || math.Abs(x.Final-math.Exp(float64(s.Logprob))) > 1e-9 {
			t.Errorf("token %d: %+v, the run had %+v", i+1, x, s)
		}
	}
	for _, tt := range []struct{ args, want string }{
		{"--text-tokens 1,99999", "--text-tokens 1,99999: ids from 0 to 4095"},
		{"--text-tokens 1 --text x", "--text and --text-tokens: one of them"},
	} {
		_, errs, code := try(t, "", append([]string{"score"}, strings.Fields(tt.args)...)...)
		if code != console.ExitUsage || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit %d, %q", tt.args, code, errs)
		}
	}
}
