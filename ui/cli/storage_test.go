package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/ui/cli/console"
)

func TestStorage(t *testing.T) {
	t.Parallel()
	config, cache := t.TempDir(), t.TempDir()
	run := func(args ...string) (out, errs string, code int) {
		var o, e bytes.Buffer
		env := map[string]string{"LOGITSCOPE_CONFIG_DIR": config, "LOGITSCOPE_CACHE_DIR": cache, "LOGITSCOPE_STATE_DIR": filepath.Join(config, "state")}
		code = Run(context.Background(), console.System{Args: args, In: strings.NewReader(""), Out: &o, Err: &e, Getenv: func(k string) string { return env[k] }})
		return o.String(), e.String(), code
	}
	if err := os.MkdirAll(filepath.Join(cache, "sweeps"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{filepath.Join(config, "history.json"): 7, filepath.Join(cache, "sweeps", "a"): 2000, filepath.Join(cache, "mine"): 3} {
		if err := os.WriteFile(name, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, _, code := run("storage")
	for _, want := range []string{"history", "7 B", "1.95 KiB", filepath.Join(cache, "sweeps")} {
		if code != console.ExitDone || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, out)
		}
	}
	for _, args := range [][]string{{}, {"everything"}, {"history", "x"}} {
		if _, errs, code := run(append([]string{"storage", "delete"}, args...)...); code != console.ExitUsage || !strings.Contains(errs, "history") {
			t.Errorf("%q: exit %d, %s", args, code, errs)
		}
	}
	if _, errs, code := run("storage", "delete", "sweeps"); code != console.ExitDone || !strings.Contains(errs, "deleted sweeps: 1 file, 1.95 KiB") {
		t.Errorf("exit %d, %s", code, errs)
	}
	if _, err := os.Stat(filepath.Join(config, "history.json")); err != nil {
		t.Error("what was not named is gone")
	}
	run("storage", "delete", "all")
	if _, err := os.Stat(filepath.Join(config, "history.json")); err == nil {
		t.Error("the history is left")
	}
	if _, err := os.Stat(filepath.Join(cache, "mine")); err != nil {
		t.Error("a file that is none of the program's is gone")
	}
}

// A value of any length gives a line that can be read, with what is wrong.
func TestLongValuesAreShortened(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", 50_000)
	for _, args := range [][]string{
		{"run", "--temperature", long}, {"run", "--preset", long}, {"run", "--order", long}, {"run", "--set", long}, {"run", "--set", long + "=1"}, {"run", "--" + long}, {long},
		{"run", "--model", long}, {"models", "info", long}, {"config", "import", long}, {"config", "export", "--to", long}, {"config", "import", "--from", long}, {"config", "diff", long, "chat"},
		{"sweep", "--prompt", "x", "--grid", long}, {"sweep", "--prompt", "x", "--grid", "top_k=" + long}, {"compare", "--prompt", "x", "--lane", long, "--lane", "chat"}, {"run", "--prompt", "x", "--regex", "(" + long},
		{"run", "--prompt", "x", "--json-schema", long}, {"run", "--schedule", long}, {"run", "--prompt-tokens", long}, {"storage", "delete", long}, {"config", "presets", "save", long}, {"score", "--text", long}, {"replay", long},
	} {
		_, errs, code := try(t, "", args...)
		if code == console.ExitDone || len(errs) == 0 || len(errs) > 1100 || strings.Count(errs, "\n") != 1 {
			t.Errorf("%.60q: exit %d, %d bytes in %d lines: %.200s", args, code, len(errs), strings.Count(errs, "\n"), errs)
		}
	}
}
