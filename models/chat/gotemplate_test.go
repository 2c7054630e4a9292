package chat

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"logitscope/models"
)

// TestGoTemplates renders what Ollama rendered, of templates of both kinds and
// conversations of many: a server (0.17.4) with "_debug_render_only", and the
// template package of 0.33.0-rc2, which refuses some.
func TestGoTemplates(t *testing.T) {
	for name, least := range map[string]int{"ollama.jsonl": 150, "ollama-0.33.jsonl": 60} {
		f, err := os.Open("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		n := 0
		for lines := bufio.NewScanner(f); lines.Scan(); n++ {
			var c struct {
				Name, Template, System, Want string
				Messages                     []models.Message
				Error                        bool
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			if got, err := RenderGo(c.Template, c.System, nil, c.Messages, time.Now()); (err != nil) != c.Error || got != c.Want {
				t.Errorf("%s, system %q, %v: %q, %v; want %q, an error: %v", c.Name, c.System, c.Messages, got, err, c.Want, c.Error)
			}
		}
		if n < least {
			t.Errorf("%s: %d cases, want %d", name, n, least)
		}
	}
}

// TestFirstMessages renders a model's own messages, which stand after its system
// message and before the conversation.
func TestFirstMessages(t *testing.T) {
	first := []models.Message{{Role: "user", Content: "1"}, {Role: "assistant", Content: "2"}}
	const source = "{{ range .Messages }}[{{ .Role }} {{ .Content }}]{{ end }}"
	for want, turns := range map[string][]models.Message{
		"[system S][user 1][assistant 2][user hi]": {{Role: "user", Content: "hi"}},
		"[user 1][assistant 2][system T][user hi]": {{Role: "System", Content: "T"}, {Role: "user", Content: "hi"}},
	} {
		if got, err := RenderGo(source, "S", first, turns, time.Now()); err != nil || got != want {
			t.Errorf("%v: %q, %v; want %q", turns, got, err, want)
		}
	}
}

// TestHostileGoTemplates renders templates that would run, grow or recurse for
// ever: each ends with one line that says why.
func TestHostileGoTemplates(t *testing.T) {
	turns := []models.Message{{Role: "user", Content: strings.Repeat("x", 1000)}}
	for source, want := range map[string]string{
		"{{ range 1000000000 }}{{ end }}{{ .Messages }}":                                                       "loops run more than",
		"{{ range 1000 }}{{ range 1000 }}{{ range 1000 }}{{ end }}{{ end }}{{ end }}{{ .Response }}":           "loops run more than",
		"{{ range 90000 }}{{ $.Prompt }}{{ end }}{{ .Response }}":                                              "writes more than",
		`{{ define "a" }}{{ template "a" . }}{{ template "a" . }}{{ end }}{{ template "a" . }}{{ .Messages }}`: "loops run more than",
		"{{ .Prompt":                         "unclosed action",
		"{{ nothing }}":                      "not defined",
		"{{ index .Messages 99 }}":           "index",
		"":                                   "", // writes the answer alone
		strings.Repeat("x", maxGoTemplate+1): "at most",
		"{{ .Prompt.Nope.Nope }}":            "can't evaluate",
	} {
		start := time.Now()
		_, err := RenderGo(source, "", nil, turns, start)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%.60q: %v, want %q", source, err, want)
		}
	}
}

func FuzzRenderGo(f *testing.F) {
	for _, s := range []string{"{{ .Prompt }}{{ .Response }}", "{{ range .Messages }}{{ .Role }}{{ end }}", "{{ if .System }}{{ with .Prompt }}{{ . }}{{ else }}{{ end }}{{ end }}", "{{ $x := 1 }}{{ printf \"%9d\" $x }}", "{{ break }}", "{{- /* a */ -}}"} {
		f.Add(s)
	}
	turns := []models.Message{{Role: "system", Content: "s"}, {Role: "user", Content: "u"}, {Role: "assistant", Content: "a"}, {Role: "user", Content: "v"}}
	f.Fuzz(func(t *testing.T, source string) {
		if _, err := RenderGo(source, "sys", nil, turns, time.Unix(0, 0)); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q", err)
		}
	})
}
