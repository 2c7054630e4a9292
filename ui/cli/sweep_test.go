package cli

import (
	"bytes"
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"logitscope/models/llama"
	"logitscope/ui/cli/console"
)

const sweepArgs = "sweep --prompt Once --grid temperature=0.1:1.3:0.4 --grid top_p=0.8,1 --seeds 3 --max-new-tokens 12"

func TestSweepTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := append(strings.Fields(sweepArgs), "--dir", dir)
	out, errs, code := try(t, "", args...)
	lines := strings.Split(out, "\n")
	if code != console.ExitDone || errs != "" || len(lines) != 13 {
		t.Fatalf("exit %d, %q, %d lines\n%s", code, errs, len(lines), out)
	}
	if f := strings.Fields(lines[0]); f[0] != "temperature" || f[1] != "top_p" || f[2] != "tokens" || f[3] != "perplexity" || !strings.HasSuffix(lines[0], "ended by") {
		t.Errorf("head %q", lines[0])
	}
	for i, want := range []string{"0.1 0.8", "0.1 1.0", "0.5 0.8", "0.5 1.0", "0.9 0.8", "0.9 1.0", "1.3 0.8", "1.3 1.0"} {
		if f := strings.Fields(lines[1+i]); f[0]+" "+f[1] != want || f[2] != "12.0" || !strings.HasSuffix(lines[1+i], "length 3") {
			t.Errorf("line %d: %q, want %s", i, lines[1+i], want)
		}
	}
	if !strings.HasPrefix(lines[10], "8 cells of 3 texts (seeds 42 to 44)") {
		t.Errorf("%q", lines[10])
	}
	if again, _, _ := try(t, "", args...); again != out {
		t.Error("from the disk: another table")
	}
	if fresh, _, _ := try(t, "", append(args, "--fresh", "--workers", "1")...); fresh != out {
		t.Error("decoded again: another table")
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl")); len(files) != 1 {
		t.Errorf("%d logs on disk, want 1", len(files))
	}
}

func TestSweepRecords(t *testing.T) {
	t.Parallel()
	out, errs, code := try(t, "", append(strings.Fields(sweepArgs), "--grid", "mirostat=0,2", "--format", "jsonl")...)
	all := lines(t, out)
	if code != console.ExitDone || len(all) != 17 || all[0]["type"] != "sweep" || !strings.Contains(errs, "mirostat: no effect: transformers has no mirostat") {
		t.Fatalf("exit %d, %d lines, %s", code, len(all), errs)
	}
	cell := all[1]
	texts := cell["texts"].([]any)
	perplexity := cell["metrics"].(map[string]any)["perplexity"].(map[string]any)
	if cell["type"] != "cell" || cell["at"].(map[string]any)["temperature"] != 0.1 || len(texts) != 3 || perplexity["mean"].(float64) < 1 || perplexity["n"] != 3.0 {
		t.Errorf("%v", cell)
	}
	// A text is the one that run writes with the cell's settings and its seed.
	alone, _, _ := try(t, "", strings.Fields("run --prompt Once --temperature 0.1 --top-p 0.8 --seed 43 --max-new-tokens 12 --format jsonl")...)
	ends := lines(t, alone)
	if got := texts[1].(map[string]any); got["seed"] != 43.0 || got["text"] != ends[len(ends)-1]["text"] {
		t.Errorf("%v, run writes %v", got, ends[len(ends)-1])
	}
	out, errs, code = try(t, "", append(strings.Fields(sweepArgs), "--format", "csv")...)
	if code != console.ExitDone || errs != "" || strings.Count(out, "\n") != 9 || !strings.HasPrefix(out, "temperature,top_p,texts,tokens,") {
		t.Errorf("exit %d: %s%s", code, errs, out)
	}
}

func TestSweepWrongUse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args string
		want []string
	}{
		{"sweep --prompt x", []string{"--grid temperature="}},
		{"sweep --grid top_k=1", []string{"--prompt"}},
		{"sweep --prompt x --grid top_k", []string{"--grid top_k", "key=from:to:step"}},
		{"sweep --prompt x --grid topk=1", []string{"topk", "top_k is meant"}},
		{"sweep --prompt x --grid top_p=0.5:1.5:0.5", []string{"--grid top_p", "1.5", "0 to 1"}},
		{"sweep --prompt x --order vllm --grid temperature=1,3", []string{"--grid temperature=3", "0 to 2 under vllm"}},
		{"sweep --prompt x --grid seed=1,2", []string{"seed"}},
		{"sweep --prompt x --grid top_k=1 --grid top_k=2", []string{"top_k: two axes"}},
		{"sweep --prompt x --grid top_k=1 --seeds 0", []string{"--seeds 0", "1 to 10000"}},
		{"sweep --prompt x --grid top_k=1 --seed 18446744073709551615", []string{"--seed", "at most 18446744073709551608"}},
		{"sweep --prompt x --grid top_k=1 --format xml", []string{"--format xml", "table, csv, jsonl or lab"}},
		{"sweep --prompt x --grid top_k=1 --workers -2", []string{"--workers"}},
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

// Interrupted, a sweep says what it keeps, and the same command goes on.
func TestSweepInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked atomic.Int64
	url := serve(t, func(m *llama.Model) http.Handler {
		server := vllm(-1)(m)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/completions" && asked.Add(1) == 40 { // the first texts are on disk
				cancel()
			}
			server.ServeHTTP(w, r)
		})
	})
	args := append(strings.Fields("sweep --prompt Once --grid temperature=0.2,0.5,0.8 --seeds 2 --max-new-tokens 12 --workers 1"), "--model", "vllm:"+url, "--dir", dir)
	var out, errs bytes.Buffer
	code := Run(ctx, console.System{Args: args, In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(string) string { return "" }})
	if code != console.ExitInterrupted || out.Len() > 0 || !strings.Contains(errs.String(), "of 6 texts are kept in "+dir) || strings.Count(errs.String(), "\n") != 1 {
		t.Fatalf("exit %d, stdout %q, stderr %q", code, out.String(), errs.String())
	}
	if _, errs, code := try(t, "", args...); code != console.ExitDone || strings.Contains(errs, "logitscope:") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// A folder that cannot be made is told with its flag.
func TestSweepDirThatIsAFile(t *testing.T) {
	t.Parallel()
	file := write(t, "f", "")
	_, errs, code := try(t, "", append(strings.Fields(sweepArgs), "--dir", file)...)
	if want := "logitscope: --dir " + file + ": not a directory\n"; code != console.ExitFailed || errs != want {
		t.Errorf("exit %d, %q, want %q", code, errs, want)
	}
}
