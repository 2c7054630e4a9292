package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"
	ast "text/template/parse"
	"time"

	"logitscope/models"
)

// Ollama's models carry templates in Go's template language. Two kinds are in
// use: those that go over .Messages themselves, and older ones that write one
// exchange of .System, .Prompt and .Response, and are executed for each.

// goTurn is a message as those templates see it.
type goTurn struct {
	Role, Content, Thinking string
	Images, ToolCalls       []any
	ToolName, ToolCallID    string
}

// goTools are the tools of a conversation, of which there are none here.
type goTools []any

// String is what a template writes of them.
func (goTools) String() string { return "null" }

// Bounds of a template, which comes with a model and is not trusted.
const (
	maxGoTemplate = 128 << 10
	maxGoOutput   = 4 << 20
	maxGoRounds   = 100_000 // of its loops, all together
	goCall        = 100     // rounds that a call of a template inside counts as
)

var (
	errGoRounds = fmt.Errorf("its loops run more than %d times, a template inside counted %d times", maxGoRounds, goCall)
	errGoOutput = fmt.Errorf("it writes more than %d MiB", maxGoOutput>>20)
)

// RenderGo returns the prompt that Ollama would make of a conversation with a
// model's template, its own system message, which holds where the conversation
// begins with none, and the model's own messages before the conversation's.
// The error is one line.
func RenderGo(source, system string, first, turns []models.Message, now time.Time) (string, error) {
	if len(source) > maxGoTemplate {
		return "", fmt.Errorf("template: has %d bytes, at most %d are read", len(source), maxGoTemplate)
	}
	g := &goTemplate{}
	t, err := template.New("").Option("missingkey=zero").Funcs(g.funcs(now)).Parse(source)
	if err != nil {
		return "", errors.New(oneLine(err.Error()))
	}
	g.names = map[string]bool{}
	for _, t := range t.Templates() {
		if err := names(t.Root, g.names); err != nil {
			return "", err
		}
	}
	if root := t.Root; !g.names["messages"] && !g.names["response"] {
		root.Nodes = append(root.Nodes, action("{{.Response}}"))
	}
	g.thinks = thinks(t.Root)
	for _, t := range t.Templates() {
		guard(t.Root)
	}
	var all []models.Message
	if system != "" && (len(turns) == 0 || !strings.EqualFold(turns[0].Role, "system")) {
		all = append(all, models.Message{Role: "system", Content: system})
	}
	if err := g.run(t, append(append(all, first...), turns...)); err != nil {
		for _, own := range []error{errGoRounds, errGoOutput} {
			if errors.Is(err, own) {
				err = fmt.Errorf("template: %w", own)
			}
		}
		return "", errors.New(oneLine(err.Error()))
	}
	return g.out.String(), nil
}

// merged joins turns of one role that follow each other, and returns all
// system messages beside them.
func merged(turns []models.Message) (system string, out []*goTurn) {
	var systems []string
	for _, m := range turns {
		role := strings.ToLower(m.Role)
		if role == "system" {
			systems = append(systems, m.Content)
		}
		if n := len(out); n > 0 && out[n-1].Role == role && role != "tool" {
			out[n-1].Content += "\n\n" + m.Content
			continue
		}
		out = append(out, &goTurn{Role: role, Content: m.Content})
	}
	return strings.Join(systems, "\n\n"), out
}

type goTemplate struct {
	names  map[string]bool // of all fields and variables, in small letters
	thinks bool            // a model that thinks, and is asked to
	out    bytes.Buffer
	rounds int
}

// Write keeps what the template writes, up to a bound.
func (g *goTemplate) Write(p []byte) (int, error) {
	if g.out.Len()+len(p) > maxGoOutput {
		return 0, errGoOutput
	}
	return g.out.Write(p)
}

func (g *goTemplate) funcs(now time.Time) template.FuncMap {
	day := func(t time.Time) func(...string) string {
		return func(...string) string { return t.Format(time.DateOnly) }
	}
	return template.FuncMap{
		"json": func(v any) string {
			b, _ := json.Marshal(v)
			return string(b)
		},
		"currentDate":      day(now),
		"yesterdayDate":    day(now.AddDate(0, 0, -1)),
		"toTypeScriptType": func(any) string { return "any" },
		guardRound:         g.round,
	}
}

// round counts n rounds.
func (g *goTemplate) round(n int) (string, error) {
	if g.rounds += n; g.rounds > maxGoRounds {
		return "", errGoRounds
	}
	return "", nil
}

// guardRound is a name that no template can call by accident.
const guardRound = "round__"

// values adds to what a template sees what all of them see.
func (g *goTemplate) values(v map[string]any) map[string]any {
	v["Think"], v["IsThinkSet"], v["ThinkLevel"] = g.thinks, g.thinks, ""
	if g.thinks {
		v["ThinkLevel"] = "medium"
	}
	return v
}

// run executes the template in the way its kind is used.
func (g *goTemplate) run(t *template.Template, turns []models.Message) error {
	system, list := merged(turns)
	if g.names["messages"] {
		return t.Execute(g, g.values(map[string]any{"System": system, "Messages": list, "Tools": goTools(nil), "Response": ""}))
	}
	var now struct{ system, prompt, response string }
	execute := func(t *template.Template) error {
		err := t.Execute(g, g.values(map[string]any{"System": now.system, "Prompt": now.prompt, "Response": now.response}))
		now.system, now.prompt, now.response = "", "", ""
		return err
	}
	for _, m := range list {
		var err error
		switch m.Role {
		case "system":
			if now.prompt != "" || now.response != "" {
				err = execute(t)
			}
			now.system = m.Content
		case "user":
			if now.response != "" {
				err = execute(t)
			}
			now.prompt = m.Content
		case "assistant":
			now.response = m.Content
		}
		if err != nil {
			return err
		}
	}
	last, err := g.open(t)
	if err != nil {
		return err
	}
	return execute(last)
}

// open returns the template without what stands after its first .Response,
// where the model goes on. As Ollama executes it, it has no functions of its
// own, no templates beside it, and "<no value>" for what it does not find.
func (g *goTemplate) open(t *template.Template) (*template.Template, error) {
	root := t.Root.CopyList()
	var c cutter
	c.list(root)
	if c.err != nil {
		return nil, c.err
	}
	return template.New("").Funcs(template.FuncMap{guardRound: g.round}).AddParseTree("", &ast.Tree{Root: root})
}
