//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/creack/pty"

	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/remote/remotetest"
	"logitscope/ui/cli/console"
)

// evil is a text with everything that steers a terminal: OSC 52, which writes
// the clipboard, CSI, C1 controls, DEL, a change of direction and a bell.
const evil = "a\x1b]52;c;cm0gLXJm\x07b\x1b[2Jc\u009bdd\x7fe\u202ef\u2066g\u0090h\rk\x08l"

// atTerminal runs the command line at a terminal and returns what that got.
func atTerminal(t *testing.T, dir, in string, args ...string) string {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal: ", err)
	}
	got := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(master)
		got <- b
	}()
	env := map[string]string{"LOGITSCOPE_CONFIG_DIR": dir, "LOGITSCOPE_CACHE_DIR": filepath.Join(dir, "cache"), "OLLAMA_HOST": "127.0.0.1:1", "OLLAMA_MODELS": dir}
	Run(context.Background(), console.System{Args: args, In: strings.NewReader(in), Out: slave, Err: slave, Getenv: func(k string) string { return env[k] }})
	io.WriteString(slave, "END")
	slave.Close()
	b := <-got
	master.Close()
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

// steering returns the characters of text that a terminal may obey.
func steering(text string) (bad []rune) {
	for _, r := range text {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			bad = append(bad, r)
		}
	}
	return bad
}

// hostileServer serves fable with every text of its pages made evil.
func hostileServer(t *testing.T) string {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := remotetest.LlamaServer(m, remotetest.Options{Name: "fable" + evil})
	var poison func(v any) any
	poison = func(v any) any {
		switch v := v.(type) {
		case string:
			return v + evil
		case map[string]any:
			for k := range v {
				v[k] = poison(v[k])
			}
		case []any:
			for i := range v {
				v[i] = poison(v[i])
			}
		}
		return v
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		var v map[string]any
		if (r.URL.Path == "/props" || rec.Code != 200) && json.Unmarshal(rec.Body.Bytes(), &v) == nil {
			b, _ := json.Marshal(poison(v))
			rec.Body = bytes.NewBuffer(b)
		}
		w.WriteHeader(rec.Code)
		w.Write(rec.Body.Bytes())
	}))
	t.Cleanup(func() { srv.Close(); m.Close() })
	return srv.URL
}

// hostileFile is fable with evil texts in its metadata and its vocabulary.
func hostileFile(t *testing.T, dir string) string {
	b, err := os.ReadFile("../../models/fable/fable.q8_0.gguf")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"general.name\x08\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00fable", "\x1b]52;"}, {"User: ", "\x1b[2J\x07\x7f"}} {
		i := bytes.Index(b, []byte(c[0]))
		if i < 0 {
			t.Fatalf("fable has no %q", c[0])
		}
		copy(b[i+len(c[0])-len(c[1]):], c[1])
	}
	for _, c := range [][2]string{{"\x04\x00\x00\x00\x00\x00\x00\x00Ġof", "\x1b[2J"}, {"\x07\x00\x00\x00\x00\x00\x00\x00Ġthere", "\x1b]52;ab"}} {
		b = bytes.ReplaceAll(b, []byte(c[0]), []byte(c[0][:len(c[0])-len(c[1])]+c[1]))
	}
	path := filepath.Join(dir, "evil\x1b[2J\u202e.gguf")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNothingSteersTheTerminal gives every command that writes text models,
// presets, settings, servers and arguments whose every text is hostile, at a
// real terminal, and counts what that might obey.
func TestNothingSteersTheTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, server := hostileFile(t, dir), "llama-server:"+hostileServer(t)
	quoted, _ := json.Marshal(evil)
	q := string(quoted)
	os.MkdirAll(filepath.Join(dir, "presets"), 0o700)
	preset := `{"name":"p1","about":` + q + `,"config":{"temperature":0.5,"stop":[` + q + `]}}`
	for name, text := range map[string]string{"presets/p1.json": preset, "presets/p2.json": strings.Replace(preset, `"p1"`, q, 1), "presets/" + evil + ".json": "{" + q} {
		os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, "\x00", "")), []byte(text), 0o600)
	}
	config := filepath.Join(dir, "config.json")
	os.WriteFile(config, []byte(`{"temperature":0.5,"stop":[`+q+`],`+q+`:1}`), 0o600)
	bad := filepath.Join(dir, "bad\x1b[2J.json")
	os.WriteFile(bad, []byte(`{"temperature":`+q+`}`), 0o600)
	commands := [][]string{
		{"models", "info", file}, {"models", "info", file, "--json"}, {"models", "info", server}, {"models", "info", server, "--json"}, {"models", "info", evil},
		{"models", "info", "ollama:" + evil}, {"models", "info", "table:" + bad}, {"models", "info", "llama-server:http://" + evil}, {"models", "info", "ollama-api:" + evil},
		{"models", "list"}, {"models", "logits", file, "--prompt", evil}, {"models", "logits", evil, "--tokens", evil}, {"models", "tokenize", file}, {"models", "tokenize", server},
		{"models", "pull", "hf:" + evil}, {"models", "pull", "hf:a/b/" + evil + ".gguf"},
		{"config", "show", "--preset", "p1"}, {"config", "show", "--config", config}, {"config", "show", "--config", bad}, {"config", "show", "--preset", "p1", "--as-file"}, {"config", "show", "--preset", "p1", "--all"}, {"config", "show", "--preset", evil},
		{"config", "show", "--stop", q}, {"config", "presets", "list"}, {"config", "presets", "save", evil}, {"config", "presets", "rename", "p1", evil}, {"config", "presets", "delete", evil},
		{"config", "import", config}, {"config", "import", bad}, {"config", "import", config, "--name", "x"}, {"config", "import", file}, {"config", "diff", config, bad}, {"config", "diff", evil, config},
		{"trace"}, {"stats"}, {"stats", evil}, {"constrain", "--regex", evil}, {"constrain", "--grammar", q}, {"constrain", "--choice", q}, {"constrain", evil},
		{evil}, {"--" + evil}, {"run", "--" + evil}, {"run", "--temperature", evil, "--prompt", "x"},
	}
	for _, to := range []string{"llama.cpp", "ollama", "vllm", "transformers", evil} {
		commands = append(commands, []string{"config", "export", "--preset", "p1", "--to", to}, []string{"config", "export", "--preset", "p1", "--to", to, "--report"})
	}
	for _, m := range []string{file, server, "fable"} {
		runs := [][]string{nil, {"--format", "jsonl"}, {"--preset", "p1"}, {"--prompt-file", evil}, {"--grammar", evil}, {"--stop", q}}
		if m == server && testing.Short() { // connecting to it takes most of the time
			runs = runs[:2]
		}
		for _, more := range runs {
			commands = append(commands, append([]string{"run", "--model", m, "--prompt", evil + " Once", "--max-new-tokens", "20", "--temperature", "3"}, more...))
		}
		if m == server && testing.Short() {
			continue
		}
		commands = append(commands, []string{"compare", "--model", m, "--prompt", evil, "--lane", "factual", "--lane", "p1", "--max-new-tokens", "5", "--format", "jsonl"},
			[]string{"sweep", "--format", "csv", "--model", m, "--prompt", evil, "--grid", "temperature=0.5,1", "--max-new-tokens", "5", "--dir", filepath.Join(dir, "sweep")})
	}
	refused := 0
	in := q + "\n" + `{"id":` + q + `,"text":` + q + `}` + "\n" + evil + "\n"
	for _, args := range commands {
		got := atTerminal(t, dir, in, args...)
		if args[0] == "sweep" {
			got = strings.ReplaceAll(got, "\r\x1b[K", "") // its own bar
		}
		if bad := steering(got); len(bad) > 0 {
			t.Errorf("%q wrote %d characters that steer a terminal: %.80q in %.600q", args, len(bad), string(bad), got)
		}
		if strings.HasPrefix(got, "logitscope: ") {
			refused++
		}
		if !strings.HasSuffix(got, "END") || len(got) < 5 {
			t.Errorf("%q wrote nothing", args)
		}
	}
	if done := len(commands) - refused; done < 35 {
		t.Errorf("only %d of %d command lines did something", done, len(commands))
	}
}
