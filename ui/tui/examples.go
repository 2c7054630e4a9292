package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// An example is a prompt whose distribution has a known shape.
type example struct {
	prompt string
	preset string // put in force with it; empty leaves what is there
	shape  string // what kind of distribution it has
	watch  string // what to look at
}

// examples are prompts for the built-in model, from near-certain to wide open.
var examples = []example{
	{"The capital of France is", "neutral", "near-certain: 58% Paris", "raise temperature until ␣Copenhagen (0.234%) gets a visible bar"},
	{"Once upon a time", "neutral", "there 66%, a comma 32%", "top_p 0.9 keeps two tokens; lower it to 0.6 and the story always begins alike"},
	{"Once upon a time there was a little fox. Its name was", "neutral", "wide open: none over 4.6%", "top_k against top_p: which of them cuts more where nothing is likely?"},
	{"The capital of France is", "greedy", "one sentence for ever", "run it: greedy repeats itself; then raise repetition_penalty and see which token gives way"},
	{"User: Hello! Who are you?\nAssistant:", "chat", "chat: three ways to begin", "s writes other answers with other seeds; temperature 0 always gives the same one"},
	{"Extract the person's name and age from: Ana Silva is 41 years old.\n", "factual", "JSON: 83% {\" and 17% {", "braces and quotes are nearly certain, the name is copied: where does the entropy rise?"},
	{"List the names of users older than 30.\nSELECT", "factual", "SQL: 99.7% name", "temperature 1.5 still writes SQL for a while: sure tokens hardly move"},
	{"def add(a, b):", "factual", "code: short and sure", "presence_penalty pushes away the parameter names that the code needs"},
	{"Once upon a time there was a little fox who lived in the", "chat", "a story, open and closed", "step through it: which words could have been others, and which could not?"},
}

// exampleList chooses one of the examples.
type exampleList struct{ list kit.List }

func newExamples(*Model) (kit.View, tea.Cmd) { return &exampleList{}, nil }

func (e *exampleList) Frame(kit.Host) viz.Frame { return viz.Frame{Title: "examples", Right: "E"} }
func (e *exampleList) Size(kit.Host) (int, int) { return 80, len(examples) + 4 }
func (e *exampleList) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActOpen, kit.ActDown, kit.ActClose}
}
func (e *exampleList) rows(m *Model) int { return max(m.Screen().Box(e.Size(m)).H-4, 1) }

func (e *exampleList) Draw(c *viz.Canvas, _ kit.Host) {
	shapeW := 27
	h := max(c.H-2, 1)
	for y := 0; y < h && e.list.Top+y < len(examples); y++ {
		i := e.list.Top + y
		x := examples[i]
		ink := viz.Ink{}
		if i == e.list.At {
			c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		name := viz.Label(x.prompt, c.ASCII)
		name = strings.NewReplacer("␣", " ", "_", " ").Replace(name)
		if x.preset == "greedy" {
			name += "   (greedy)"
		}
		room := c.W - 5 - shapeW
		if room < 20 {
			room = c.W - 4
		}
		c.Fit(3, y, room, name, ink)
		if room < c.W-4 {
			c.Put(4+room, y, viz.CutTitle(x.shape, c.W-room-5), viz.Ink{Role: viz.Muted})
		}
	}
	c.Put(1, c.H-1, viz.CutTitle("watch: "+examples[e.list.At].watch, c.W-2), viz.Ink{})
}

func (e *exampleList) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	m := host.(*Model)
	if e.list.Act(a, len(examples), e.rows(m)) {
		return nil, true
	}
	switch a.ID {
	case kit.ActOpen, kit.ActRun:
		m.Close()
		return m.takeExample(e.list.At), true
	case kit.ActClose, kit.ActExamples, kit.ActQuit, kit.ActHelp, kit.ActCommands:
		return nil, false
	}
	return nil, true
}

// mouse takes a click on an example.
func (e *exampleList) Mouse(host kit.Host, x, y int, ev tea.MouseMsg) (tea.Cmd, bool) {
	m := host.(*Model)
	i := e.list.Top + y
	if ev.Button != tea.MouseButtonLeft || y < 0 || y >= e.rows(m) || i >= len(examples) {
		return nil, false
	}
	if i == e.list.At {
		m.Close()
		return m.takeExample(i), true
	}
	e.list.At = i
	return nil, true
}

// takeExample starts on example i, under its preset.
func (m *Model) takeExample(i int) tea.Cmd {
	x := examples[i]
	l := m.Lane()
	l.Look = run.Lookback{}
	for k, p := range m.Book.List() {
		if p.Name == x.preset {
			m.Apply(run.WithPreset(l.Config, p), k, "", "preset "+p.Name)
		}
	}
	m.Say("watch: " + x.watch)
	return tea.Batch(m.remember(x.prompt), m.ReadPrompts(x.prompt, false))
}
