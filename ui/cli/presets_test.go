package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/presets"
	"logitscope/ui/cli/console"
)

// tryIn is try with a folder of presets and settings that outlives it.
func tryIn(t *testing.T, configDir, in string, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	env := map[string]string{"LOGITSCOPE_CONFIG_DIR": configDir, "LOGITSCOPE_CACHE_DIR": t.TempDir()}
	code = Run(context.Background(), console.System{Args: args, In: strings.NewReader(in), Out: &o, Err: &e, Getenv: func(k string) string { return env[k] }})
	return o.String(), e.String(), code
}

// Wherever a preset may be named, who names none is told of all, also of those
// of their own; and a file that import writes has the name of a preset.
func TestPresetsAreNamed(t *testing.T) {
	dir := t.TempDir()
	if _, errs, code := tryIn(t, dir, "", "config", "presets", "save", "mine", "--top-k", "5"); code != console.ExitDone {
		t.Fatal(errs)
	}
	for _, line := range []string{"run --prompt a --preset nope", "bench --prompt a --config nope", "bench --prompt a --lane nope", "config diff nope chat", "bench --prompt a --grid preset=nope"} {
		if _, errs, code := tryIn(t, dir, "", strings.Fields(line)...); code != console.ExitUsage || !strings.Contains(errs, "greedy, mine") {
			t.Errorf("%s: exit %d, %s", line, code, errs)
		}
	}
	for _, name := range []string{"../x", "日本", "chat", "con"} {
		out, errs, code := try(t, `{"temperature":0.5}`, "config", "import", "--name", name)
		if code != console.ExitUsage || out != "" || !strings.HasPrefix(errs, "logitscope: --name ") {
			t.Errorf("--name %s: exit %d, %q, %q", name, code, out, errs)
		}
	}
}

func TestPresetCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	do := func(want string, args ...string) string {
		t.Helper()
		out, errs, code := tryIn(t, dir, "", append([]string{"config", "presets"}, args...)...)
		if code != console.ExitDone || !strings.Contains(out+errs, want) {
			t.Errorf("config presets %q: exit %d, %s%s, want %q", args, code, out, errs, want)
		}
		return out
	}
	file := strings.TrimSpace(do("mine.json", "save", "mine", "--preset", "chat", "--temperature", "0.6", "--about", "for support"))
	p, err := presets.Decode(strings.NewReader(readText(t, file)), file)
	if err != nil || p.Name != "mine" || p.About != "for support" || p.Config.Float("temperature") != 0.6 || p.Config.Int("top_k") != 50 {
		t.Errorf("%v: %+v", err, p)
	}
	out := do("mine", "list")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 6 || strings.Join(strings.Fields(lines[5]), " ") != "mine yours for support" || out != do("chat") {
		t.Errorf("%s", out)
	}
	if out, errs, code := tryIn(t, dir, "", "config", "show", "--preset", "mine"); code != console.ExitDone || !strings.Contains(out, "0.60") {
		t.Errorf("--preset mine: %s%s", out, errs)
	}
	do("mine.json", "save", "mine", "--temperature", "0.9", "--force")
	do("support.json", "rename", "mine", "support")
	do("brings it back", "delete", "support")
	if out := do("chat", "list"); strings.Contains(out, "support") {
		t.Errorf("%s", out)
	}
	do("support.json", "restore", "support")
	do("mine.json", "restore", "mine") // what save --force wrote over
	if out := do("mine", "list"); !strings.Contains(out, "support") {
		t.Errorf("%s", out)
	}
	do("lined.json", "save", "lined", "--top-k", "5", "--about", "a\nb")
	do("a↵b\n", "list") // one line each, whatever it says
	// What import writes can be saved.
	imported, _, _ := try(t, "FROM x\nPARAMETER temperature 0.4\nPARAMETER top_k 7\n", "config", "import")
	if out, errs, code := tryIn(t, dir, imported, "config", "presets", "save", "fromfile", "--config", "-"); code != console.ExitDone {
		t.Errorf("%s%s", out, errs)
	}
	if out, _, _ := tryIn(t, dir, "", "config", "diff", "fromfile", "chat"); !strings.Contains(out, "top_k 7 → 50") {
		t.Errorf("%s", out)
	}
}

func TestPresetCommandErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tryIn(t, dir, "", "config", "presets", "save", "mine", "--top-k", "3")
	tryIn(t, dir, "", "config", "presets", "save", "other", "--top-k", "4")
	for _, tt := range []struct {
		args string
		want []string
	}{
		{"save", []string{"one name"}},
		{"save a/b --top-k 3", []string{`"a/b"`, "letters a to z, digits, - and _"}},
		{"save ../x --top-k 3", []string{"letters a to z"}},
		{"save chat --top-k 3", []string{"chat is a built-in preset"}},
		{"save new", []string{"nothing is set", "--set"}},
		{"save mine --top-k 3", []string{"mine: a preset of that name is there already", "--force"}},
		{"save new --top-k x", []string{"--top-k x", "want a whole number"}},
		{"save new --schedule x", []string{"schedule: rule 1 (x)"}},
		{"rename mine", []string{"the name and the new name"}},
		{"rename nobody new", []string{"nobody: no preset of yours; mine, other"}},
		{"rename chat new", []string{"chat is built in and stays"}},
		{"rename mine greedy", []string{"greedy is a built-in preset"}},
		{"rename mine other", []string{"other: a preset of that name is there already", "--force"}},
		{"delete nobody", []string{"nobody: no preset of yours; mine, other"}},
		{"delete chat", []string{"chat is built in"}},
		{"delete", []string{"one name"}},
		{"restore mine", []string{"mine: no deleted preset; there are none"}},
		{"lst", []string{"lst: no such command", "list", "save", "rename", "delete", "restore"}},
	} {
		out, errs, code := tryIn(t, dir, "", append([]string{"config", "presets"}, strings.Fields(tt.args)...)...)
		if code != console.ExitUsage || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, stdout %q, stderr %q; want exit 2 and one line on stderr", tt.args, code, out, errs)
		}
		for _, w := range tt.want {
			if !strings.Contains(errs, w) {
				t.Errorf("%s: %q does not say %q", tt.args, errs, w)
			}
		}
	}
}

// A broken file is named, with the line, and stops nothing.
func TestBrokenPresetFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tryIn(t, dir, "", "config", "presets", "save", "mine", "--top-k", "3")
	file := filepath.Join(dir, "presets", "bad.json")
	if err := os.WriteFile(file, []byte("{\"name\": \"bad\",\n\"config\": {\n\"top_p\": 7}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, code := tryIn(t, dir, "", "config", "presets")
	if code != console.ExitDone || !strings.Contains(out, "mine") || strings.Contains(out, "bad") || !strings.Contains(errs, file+":3: top_p: 7 is out of range, 0 to 1") || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if _, errs, code := tryIn(t, dir, "", "run", "--prompt", "Once", "--preset", "mine", "--max-new-tokens", "1"); code != console.ExitDone || errs != "" {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A preset whose file is broken is not said to be none.
func TestBrokenPresetNamesItsFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "presets", "x.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"name":"x","config":5}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, errs, code := tryIn(t, dir, "", "run", "--prompt", "x", "--preset", "x")
	want := "logitscope: --preset x: " + file + `:1: config: an object of parameters such as {"temperature": 0.7}` + "\n"
	if code != console.ExitUsage || errs != want {
		t.Errorf("exit %d, %q, want %q", code, errs, want)
	}
}
