package chat

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// golden holds templates in the manner of the common families, conversations,
// and what Jinja2 3.1 makes of them with Hugging Face's settings.
type golden struct {
	Templates     map[string]string
	Conversations map[string]struct {
		Messages []map[string]any
		Tools    []json.RawMessage
	}
	Cases []struct {
		Template, Conversation string
		Generation             bool
		Out, Raised            string
	}
}

func loadGolden(t testing.TB) (g golden) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

func messages(list []map[string]any) (out []Message) {
	for _, m := range list {
		msg := Message{Fields: map[string]any{}}
		for k, v := range m {
			switch k {
			case "role":
				msg.Role = v.(string)
			case "content":
				msg.Content = v.(string)
			default:
				msg.Fields[k] = v
			}
		}
		out = append(out, msg)
	}
	return out
}

var now = time.Date(2026, 3, 7, 9, 5, 4, 0, time.UTC)

func TestGolden(t *testing.T) {
	g := loadGolden(t)
	if len(g.Cases) < 150 {
		t.Fatalf("only %d cases", len(g.Cases))
	}
	for _, c := range g.Cases {
		conv := g.Conversations[c.Conversation]
		got, err := Render(g.Templates[c.Template], messages(conv.Messages), Options{
			AddGenerationPrompt: c.Generation, BOS: "<s>", EOS: "</s>", Tools: conv.Tools, Now: now, Timeout: time.Minute,
		})
		var refused *Error
		switch {
		case c.Raised != "":
			if !errors.As(err, &refused) || refused.Message != c.Raised {
				t.Errorf("%s on %s: %q, %v; want it refused with %q", c.Template, c.Conversation, got, err, c.Raised)
			}
		case err != nil:
			t.Errorf("%s on %s: %v", c.Template, c.Conversation, err)
		case got != c.Out:
			t.Errorf("%s on %s, generation prompt %v (- want, + got):\n%s", c.Template, c.Conversation, c.Generation, cmp.Diff(c.Out, got))
		}
	}
}

func user(content string) []Message { return []Message{{Role: "user", Content: content}} }

// What a template must not be able to do: each is refused in time, with an
// error of one line, and without memory out of proportion.
func TestHostileTemplates(t *testing.T) {
	grow := func(step string) string {
		return `{% set ns = namespace(s="xxxxxxxx", l=[1]) %}{% for i in range(9999) %}{% for j in range(9999) %}` + step + `{% endfor %}{% endfor %}`
	}
	for name, c := range map[string]struct{ template, want string }{
		"loop of 10^9":          {`{% for i in range(1000000000) %}x{% endfor %}`, "range has more than"},
		"nested loops":          {grow(`x`), ""},
		"nested loops, empty":   {grow(``), ""},
		"doubling a text":       {grow(`{% set ns.s = ns.s ~ ns.s %}`), "larger than"},
		"doubling a list":       {grow(`{% set ns.l = ns.l + ns.l %}`), "larger than"},
		"doubling a tree":       {grow(`{% set ns.l = [ns.l, ns.l] %}{{ ns.l }}`), ""},
		"append to itself":      {grow(`{% do ns.l.append(ns.l) %}`), ""},
		"doubling by replace":   {grow(`{% set ns.s = ns.s | replace("x", ns.s) %}`), "larger than"},
		"doubling by a method":  {grow(`{% set ns.s = ns.s.replace("x", ns.s) %}`), "larger than"},
		"doubling by join":      {grow(`{% set ns.s = ns.s | join(ns.s) %}`), "larger than"},
		"doubling by a block":   {grow(`{% set s %}{{ ns.s }}{{ ns.s }}{% endset %}{% set ns.s = s %}`), "larger than"},
		"holding itself":        {`{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}`, "larger than"},
		"holding itself deeply": {`{% set ns = namespace() %}{% set ns.a = {"b": [ns]} %}{{ ns|tojson }}`, "larger than"},
		"recursive macro":       {`{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}`, "deep"},
		"doubling macro":        {`{% macro f(x) %}{{ f(x ~ x) }}{% endmacro %}{{ f("xxxxxxxxxxxxxxxx") }}`, ""},
		"macro that writes":     {`{% macro f() %}{% for i in range(9999) %}{% for j in range(9999) %}xxxxxxxxxxxxxxxx{% endfor %}{% endfor %}{% endmacro %}{{ f() }}`, ""},
		"multiplication":        {`{{ "x" * 1000000000 }}`, "multiplication"},
		"recursive loop":        {`{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}`, "recursive"},
		"division by zero":      {`{{ 1 % 0 }}`, ""},
		"include":               {`{% include "/etc/passwd" %}`, "include"},
		"import":                {`{% import "/etc/passwd" as x %}`, "import"},
		"from import":           {`{% from "/etc/passwd" import x %}`, "from"},
		"extends":               {`{% extends "/etc/passwd" %}`, "extends"},
		"padding":               {`{{ "x"|center(1000000000) }}`, "center"},
		"indent":                {`{{ "x"|indent(1000000000) }}`, "indent"},
		"tojson indent":         {`{{ [1]|tojson(indent=1000000000) }}`, "indent"},
		"too long":              {strings.Repeat("x", maxTemplate+1), "bytes"},
		"deep brackets":         {`{{ ` + strings.Repeat("(", 60_000) + ` }}`, "parts"},
		"long sum":              {`{{ 1` + strings.Repeat("+1", 60_000) + ` }}`, "parts"},
		"deep ifs":              {strings.Repeat("{%if 1%}", 16_000), ""},
		"deep ifs, closed":      {strings.Repeat("{%if 1%}", 6_000) + strings.Repeat("{%endif%}", 6_000), "-"},
		"no end":                {`{{ x`, "no end"},
		"no end of raw":         {`{% raw %}x`, "endraw"},
		"raw and raw":           {`{% raw %}` + strings.Repeat("{%", 60_000), "endraw"},
		"brackets":              {`{{ (1] }}`, ""},
		"empty tag":             {`{% %}`, "empty"},
		"unknown filter":        {`{{ 1|nosuch }}`, "nosuch"},
		"unknown tag":           {`{% nosuch %}`, "nosuch"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		timeout := 100 * time.Millisecond
		if c.want != "" { // another bound is met first, however slow the machine
			timeout = time.Minute
		}
		out, err := Render(c.template, user("Hi"), Options{Timeout: timeout})
		runtime.ReadMemStats(&after)
		switch {
		case c.want == "-":
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case err == nil:
			t.Errorf("%s: no error, %d bytes", name, len(out))
		case strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: error %q, want one line with %q", name, err, c.want)
		}
		if grown := after.Sys - before.Sys; grown > 512<<20 {
			t.Errorf("%s: took %d MiB from the system", name, grown>>20)
		}
	}
}

func TestRaise(t *testing.T) {
	_, err := Render(`{% for m in messages %}{% if m.role != "system" %}{{ raise_exception("no " ~ m.role) }}{% endif %}{% endfor %}`, user("x"), Options{})
	var refused *Error
	if !errors.As(err, &refused) || refused.Message != "no user" {
		t.Errorf("got %v", err)
	}
}

func TestVars(t *testing.T) {
	got, err := Render(`{{ enable_thinking }} {{ messages[0].name }} {{ strftime_now("%A %-d %B %Y, %j %H:%M:%S %p %%") }}`,
		[]Message{{Role: "user", Content: "x", Fields: map[string]any{"name": "Ana"}}},
		Options{Vars: map[string]any{"enable_thinking": false}, Now: now})
	if want := "False Ana Saturday 7 March 2026, 066 09:05:04 AM %"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if _, err := Render("x", nil, Options{Tools: []json.RawMessage{[]byte("{")}}); err == nil || !strings.Contains(err.Error(), "tool 0") {
		t.Errorf("a broken tool gave %v", err)
	}
}

// Renderings do not share anything.
func TestParallel(t *testing.T) {
	g := loadGolden(t)
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for _, name := range []string{"qwen25", "macros", "llama3"} {
				if _, err := Render(g.Templates[name], user("Hi"), Options{Timeout: time.Minute}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// FuzzRender: any template gives a text or an error of one line.
func FuzzRender(f *testing.F) {
	g := loadGolden(f)
	for _, t := range g.Templates {
		f.Add(t, "Hi")
	}
	f.Add(`{{ messages[-1]['content'][-1] if messages else [1,(2 if x else 3)][0] }}`, "<|im_end|>")
	f.Fuzz(func(t *testing.T, template, content string) {
		_, err := Render(template, []Message{{Role: "system", Content: "s"}, {Role: "user", Content: content}},
			Options{AddGenerationPrompt: true, BOS: "<s>", EOS: "</s>", Timeout: 500 * time.Millisecond})
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("error of several lines: %q", err)
		}
	})
}

func BenchmarkRender(b *testing.B) {
	g := loadGolden(b)
	conv := messages(g.Conversations["system"].Messages)
	for b.Loop() {
		if _, err := Render(g.Templates["qwen25"], conv, Options{AddGenerationPrompt: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// Single expressions, and what Jinja2 writes for them.
func TestExpressions(t *testing.T) {
	data, err := os.ReadFile("testdata/expressions.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]string
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	conv := []Message{{Role: "system", Content: " Be kind. "}, {Role: "user", Content: "Hi"}, {Role: "assistant", Content: "Yo"}}
	for _, c := range cases {
		got, err := Render("{{ "+c[0]+" }}", conv, Options{AddGenerationPrompt: true, BOS: "<s>", EOS: "</s>", Timeout: time.Minute})
		if err != nil || got != c[1] {
			t.Errorf("{{ %s }} = %q, %v; want %q", c[0], got, err, c[1])
		}
	}
}
