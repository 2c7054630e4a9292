package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"logitscope/models/chat/jinja/python"
)

// golden holds templates in the manner of the common families, conversations,
// and what Jinja2 3.1 makes of them with Hugging Face's settings.
type golden struct {
	Templates     map[string]string
	Conversations map[string]struct {
		Messages []Message
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

var now = time.Date(2026, 3, 7, 9, 5, 4, 0, time.UTC)

func tokens(bos, eos string) Tokens { return Tokens{&bos, &eos} }

func parse(t testing.TB, source string) *Template {
	t.Helper()
	p, err := Parse(source, tokens("<s>", "</s>"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// request is what transformers is given for a conversation.
func request(t testing.TB, messages []Message, tools []json.RawMessage, generation bool) Request {
	r := Request{Messages: &python.List{}, Generation: generation, Now: now}
	for _, m := range messages {
		r.Messages.Items = append(r.Messages.Items, m.fields)
	}
	for _, raw := range tools {
		v, err := python.FromJSON(raw)
		if err != nil {
			t.Fatal(err)
		}
		r.Tools = append(r.Tools, v)
	}
	return r
}

func TestGolden(t *testing.T) {
	g := loadGolden(t)
	if len(g.Cases) < 150 {
		t.Fatalf("only %d cases", len(g.Cases))
	}
	for _, c := range g.Cases {
		conv := g.Conversations[c.Conversation]
		got, err := parse(t, g.Templates[c.Template]).RenderRequest(t.Context(), request(t, conv.Messages, conv.Tools, c.Generation))
		var refused *Refusal
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
	conv := []Message{Text("system", " Be kind. "), Text("user", "Hi"), Text("assistant", "Yo")}
	for _, c := range cases {
		got, err := parse(t, "{{ "+c[0]+" }}").Render(t.Context(), Conversation{Messages: conv})
		if err != nil || got != c[1] {
			t.Errorf("{{ %s }} = %q, %v; want %q", c[0], got, err, c[1])
		}
	}
}

// The templates of well-known families, which are not part of this project,
// and what transformers' settings of Jinja2 make of them.
func TestRealTemplates(t *testing.T) {
	dir := "../../../shared/golden/chat"
	f, err := os.Open(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Skip("the templates of others are not here: ", err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var c struct {
			ID, Template string
			Messages     []json.RawMessage
			Tools        []json.RawMessage
			Kwargs       json.RawMessage
			Generation   bool    `json:"add_generation_prompt"`
			Open         bool    `json:"continue_final_message"`
			BOS          *string `json:"bos_token"`
			EOS          *string `json:"eos_token"`
			Expect       *string
			Error, Kind  string
		}
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(filepath.Join(dir, c.Template))
		if err != nil {
			t.Fatal(err)
		}
		got, err := func() (string, error) {
			p, err := Parse(string(source), Tokens{c.BOS, c.EOS})
			if err != nil {
				return "", err
			}
			r := request(t, nil, c.Tools, c.Generation)
			for _, m := range c.Messages {
				v, err := python.FromJSON(m)
				if err != nil {
					return "", err
				}
				r.Messages.Items = append(r.Messages.Items, v)
			}
			vars, err := python.FromJSON(c.Kwargs)
			if err != nil {
				return "", err
			}
			r.Vars, r.Open = vars.(*python.Dict), c.Open
			return p.RenderRequest(t.Context(), r)
		}()
		switch {
		case c.Expect == nil:
			if err == nil || c.Kind == "raised" && !strings.Contains(err.Error(), c.Error) {
				t.Errorf("%s: %.80q, %v; want an error: %s", c.ID, got, err, c.Error)
			}
		case err != nil || got != *c.Expect:
			t.Errorf("%s: %v (- want, + got):\n%s", c.ID, err, cmp.Diff(*c.Expect, got))
		}
	}
}

func TestRefusal(t *testing.T) {
	p := parse(t, `{% for m in messages %}{% if m.role != "system" %}{{ raise_exception("no " ~ m.role) }}{% endif %}{% endfor %}`)
	_, err := p.Render(t.Context(), Conversation{Messages: []Message{Text("user", "x")}})
	var refused *Refusal
	if !errors.As(err, &refused) || refused.Message != "no user" {
		t.Errorf("got %v", err)
	}
}

func TestVars(t *testing.T) {
	var m Message
	if err := json.Unmarshal([]byte(`{"role": "user", "name": "Ana", "content": "x"}`), &m); err != nil {
		t.Fatal(err)
	}
	r := request(t, []Message{m}, nil, false)
	r.Vars = python.NewDict()
	r.Vars.Set("enable_thinking", false)
	p := parse(t, `{{ enable_thinking }} {{ messages[0].name }} {{ strftime_now("%A %-d %B %Y, %j %H:%M:%S %p %%") }}`)
	got, err := p.RenderRequest(t.Context(), r)
	if want := "False Ana Saturday 7 March 2026, 066 09:05:04 AM %"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	if _, err := p.Render(t.Context(), Conversation{Messages: []Message{m}, Tools: []json.RawMessage{[]byte("{")}}); err == nil || !strings.Contains(err.Error(), "tool 0") {
		t.Errorf("a broken tool gave %v", err)
	}
}

// A message that stays open ends the prompt, with or without its blanks as the
// template has it.
func TestOpen(t *testing.T) {
	last := func(content string) Conversation {
		return Conversation{Messages: []Message{Text("user", "Hi"), Text("assistant", content)}, Open: true}
	}
	for _, c := range []struct{ template, content, want string }{
		{`{% for m in messages %}<{{ m.role }}>{{ m.content }}<end>{% endfor %}`, "Well, ", "<user>Hi<end><assistant>Well, "},
		{`{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}<end>{% endfor %}`, "Well, ", "<user>Hi<end><assistant>Well,"},
		{`{% for m in messages %}{{ m.content | upper }}{% endfor %}`, "Well", ""},
		{`nothing`, "Well", ""},
	} {
		got, err := parse(t, c.template).Render(t.Context(), last(c.content))
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q, %v; want %q", c.template, got, err, c.want)
		}
	}
}

// A message comes back as it was read, its keys in their order.
func TestMessageJSON(t *testing.T) {
	const data = `[{"content": "Hi", "role": "user", "z": 1.0, "a": [null, true]}, {"role": "assistant", "content": [{"type": "text", "text": "Yo"}, {"type": "image"}, {"type": "text", "text": "!"}]}, {"role": "assistant", "content": null, "tool_calls": []}]`
	list, err := ReadMessages([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(list)
	if want := strings.NewReplacer(": ", ":", ", ", ",").Replace(data); err != nil || string(out) != want {
		t.Errorf("%v (- want, + got):\n%s", err, cmp.Diff(want, string(out)))
	}
	var got []string
	for _, m := range list {
		got = append(got, m.Role(), m.Content())
	}
	if diff := cmp.Diff([]string{"user", "Hi", "assistant", "Yo!", "assistant", ""}, got); diff != "" {
		t.Error(diff)
	}
	if !Text("user", "x").plain() || list[0].plain() || list[1].plain() {
		t.Error("only a role and a text is plain")
	}
	changed, _ := json.Marshal(list[0].With("system", "Be kind"))
	if want := `{"content":"Be kind","role":"system","z":1.0,"a":[null,true]}`; string(changed) != want {
		t.Errorf("got %s, want %s", changed, want)
	}
}

// What is wrong with messages and tools is said in one line that names where.
func TestBadInput(t *testing.T) {
	for data, want := range map[string]string{
		``:                                  "messages: ",
		`{}`:                                "messages: must be a list",
		`[]`:                                "messages: the list is empty",
		`[1]`:                               "message 0: must be an object",
		`[{"content": "x"}]`:                "message 0: role: must be a text",
		`[{"role": 1, "content": "x"}]`:     "message 0: role: must be a text",
		`[{"role": "user"}]`:                "message 0: content: must be",
		`[{"role": "user", "content": 1}]`:  "message 0: content: must be a text, a list",
		`[{"role": "user", "content": {}}]`: "message 0: content: must be a text, a list",
		`[{"role": "user", "content": "a"}, {"role": "user", "content": [1]}]`: "message 1: content: part 0: must be an object",
		`[{"role": "user", "content": [{"text": "x"}]}]`:                       "message 0: content: part 0: type",
		`[{"role": "user", "content": [{"type": "text"}]}]`:                    "message 0: content: part 0: text",
		`[{"role": "user", "content": "\ud800"}]`:                              "surrogate",
	} {
		if _, err := ReadMessages([]byte(data)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", data, err, want)
		}
	}
	for data, want := range map[string]string{`{}`: "tools: must be a list", `[1]`: "tool 0: must be an object", `[{]`: "tools: ", `null`: "tools: must"} {
		if _, err := ReadTools([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", data, err, want)
		}
	}
	p := parse(t, `{% for m in messages %}{% if m.role == "judge" %}{% endif %}{% endfor %}`)
	for role, ok := range map[string]bool{"user": true, "judge": true, "robot": false, "": false} {
		_, err := p.Render(t.Context(), Conversation{Messages: []Message{Text("user", "x"), Text(role, "y")}})
		if (err == nil) != ok || !ok && !strings.Contains(err.Error(), "message 1: role: unknown") {
			t.Errorf("role %q: %v", role, err)
		}
	}
	if _, err := p.Render(t.Context(), Conversation{}); err == nil {
		t.Error("no message: no error")
	}
}

// Ten megabytes of text are rendered, in one message and in many.
func TestLarge(t *testing.T) {
	p := parse(t, `{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}{% if "</think>" in m.content %}{{ m.content.split("</think>")[-1].lstrip("\n") }}{% endif %}<end>
{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}`)
	big := strings.Repeat("wörd ", 2_000_000)
	many := make([]Message, 10_000)
	for i := range many {
		many[i] = Text("user", big[:1002])
	}
	for _, list := range [][]Message{{Text("user", big)}, many} {
		out, err := p.Render(t.Context(), Conversation{Messages: list})
		if err != nil || len(out) < 10_000_000 {
			t.Errorf("%d messages: %d bytes, %v", len(list), len(out), err)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	g := loadGolden(b)
	p := parse(b, g.Templates["qwen25"])
	conv := Conversation{Messages: g.Conversations["system"].Messages}
	for b.Loop() {
		if _, err := p.Render(context.Background(), conv); err != nil {
			b.Fatal(err)
		}
	}
}
