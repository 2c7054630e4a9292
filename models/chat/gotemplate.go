package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// Bounds of a template, which comes with a model and is not trusted.
const (
	maxGoTemplate = 128 << 10
	maxGoOutput   = 4 << 20
	maxGoRounds   = 100_000 // of its loops, all together
)

var (
	errGoRounds = fmt.Errorf("its loops run more than %d times", maxGoRounds)
	errGoOutput = fmt.Errorf("it writes more than %d MiB", maxGoOutput>>20)
)

// RenderGo returns the prompt that Ollama would make of a conversation with a
// model's template and its own system message, which holds where the
// conversation begins with none. The error is one line.
func RenderGo(source, system string, turns []models.Message, now time.Time) (string, error) {
	if len(source) > maxGoTemplate {
		return "", fmt.Errorf("template: has %d bytes, at most %d are read", len(source), maxGoTemplate)
	}
	g := &goTemplate{}
	t, err := template.New("template").Option("missingkey=zero").Funcs(g.funcs(now)).Parse(source)
	if err != nil {
		return "", errors.New(oneLine(err.Error()))
	}
	if t.Tree == nil {
		return "", errors.New("template: is empty")
	}
	if len(t.Templates()) > 1 {
		return "", errors.New("template: has templates inside, which are not read")
	}
	root := t.Tree.Root
	if !mentions(root, "Messages") && !mentions(root, "Response") {
		root.Nodes = append(root.Nodes, action("{{.Response}}"))
	}
	guard(root)
	if system != "" && (len(turns) == 0 || turns[0].Role != "system") {
		turns = append([]models.Message{{Role: "system", Content: system}}, turns...)
	}
	if err := g.run(t, merged(turns)); err != nil {
		for _, own := range []error{errGoRounds, errGoOutput} {
			if errors.Is(err, own) {
				err = fmt.Errorf("template: %w", own)
			}
		}
		return "", errors.New(oneLine(err.Error()))
	}
	return g.out.String(), nil
}

// merged joins turns of one role that follow each other.
func merged(turns []models.Message) []goTurn {
	var out []goTurn
	for _, m := range turns {
		if n := len(out); n > 0 && out[n-1].Role == m.Role && m.Role != "tool" {
			out[n-1].Content += "\n\n" + m.Content
			continue
		}
		out = append(out, goTurn{Role: m.Role, Content: m.Content})
	}
	return out
}

type goTemplate struct {
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
		guardRound: func() (string, error) {
			if g.rounds++; g.rounds > maxGoRounds {
				return "", errGoRounds
			}
			return "", nil
		},
	}
}

// guardRound is a name that no template can call by accident.
const guardRound = "round__"

// run executes the template in the way its kind is used.
func (g *goTemplate) run(t *template.Template, turns []goTurn) error {
	if mentions(t.Tree.Root, "Messages") {
		var system []string
		for _, m := range turns {
			if m.Role == "system" {
				system = append(system, m.Content)
			}
		}
		return t.Execute(g, map[string]any{"System": strings.Join(system, "\n\n"), "Messages": turns, "Tools": nil, "Response": ""})
	}
	var now struct{ system, prompt, response string }
	execute := func() error {
		err := t.Execute(g, map[string]any{"System": now.system, "Prompt": now.prompt, "Response": now.response})
		now.system, now.prompt, now.response = "", "", ""
		return err
	}
	for _, m := range turns {
		var err error
		switch m.Role {
		case "system":
			if now.prompt != "" || now.response != "" {
				err = execute()
			}
			now.system = m.Content
		case "user":
			if now.response != "" {
				err = execute()
			}
			now.prompt = m.Content
		case "assistant":
			now.response = m.Content
		}
		if err != nil {
			return err
		}
	}
	open(t.Tree.Root)
	return execute()
}

// open takes away what stands after the first .Response of a template, where
// the model goes on. It reports whether there is one.
func open(list *ast.ListNode) bool {
	if list == nil {
		return false
	}
	for i, n := range list.Nodes {
		var b *ast.BranchNode
		switch n := n.(type) {
		case *ast.IfNode:
			b = &n.BranchNode
		case *ast.WithNode:
			b = &n.BranchNode
		case *ast.RangeNode:
			b = &n.BranchNode
		}
		cut := b == nil && mentions(n, "Response")
		if b != nil {
			if cut = open(b.List); cut {
				b.ElseList = nil
			} else {
				cut = open(b.ElseList)
			}
		}
		if cut {
			list.Nodes = list.Nodes[:i+1]
			return true
		}
	}
	return false
}

// mentions reports whether a template names a field anywhere.
func mentions(n ast.Node, field string) bool {
	found := false
	walkNodes(n, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FieldNode:
			found = found || slices.Contains(n.Ident, field)
		case *ast.VariableNode:
			found = found || slices.Contains(n.Ident, field)
		}
	})
	return found
}

// walkNodes calls f with every node below n and with n.
func walkNodes(n ast.Node, f func(ast.Node)) {
	f(n)
	branch := func(b *ast.BranchNode) {
		walkNodes(b.Pipe, f)
		walkNodes(b.List, f)
		if b.ElseList != nil {
			walkNodes(b.ElseList, f)
		}
	}
	switch n := n.(type) {
	case *ast.ListNode:
		for _, c := range n.Nodes {
			walkNodes(c, f)
		}
	case *ast.IfNode:
		branch(&n.BranchNode)
	case *ast.WithNode:
		branch(&n.BranchNode)
	case *ast.RangeNode:
		branch(&n.BranchNode)
	case *ast.ActionNode:
		walkNodes(n.Pipe, f)
	case *ast.PipeNode:
		for _, c := range n.Cmds {
			walkNodes(c, f)
		}
	case *ast.CommandNode:
		for _, a := range n.Args {
			walkNodes(a, f)
		}
	case *ast.ChainNode:
		walkNodes(n.Node, f)
	}
}

// guard counts the rounds of every loop.
func guard(root *ast.ListNode) {
	walkNodes(root, func(n ast.Node) {
		if r, ok := n.(*ast.RangeNode); ok {
			r.List.Nodes = slices.Insert(r.List.Nodes, 0, action("{{"+guardRound+"}}"))
		}
	})
}

// action makes an action of source, which has one.
func action(source string) ast.Node {
	trees, err := ast.Parse("guard", source, "", "", map[string]any{guardRound: 0})
	if err != nil {
		panic(err) // the sources are those here
	}
	return trees["guard"].Root.Nodes[0]
}
