package picker

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// modelView picks a model for the lane and says what the present one is.
type modelView struct {
	lanes *run.Lanes
	open  func(spec string) (models.Model, error) // nil if no other model can be opened
	list  kit.List                                // of names; the last line types one
	names []string                                // what can be opened without typing
	facts []models.Fact
	of    models.Model // facts are of it
	top   int          // first fact shown
	field *kit.Field   // a name being typed, nil if none is
	wait  string       // being opened
}

// modelNames are the models that every program has.
var modelNames = []string{"fable", "fable-draft"}

// anotherForms are the names that can be typed.
var anotherForms = []string{"FILE.gguf", "ollama:NAME", "llama-server:URL", "vllm:URL", "openai:MODEL@URL", "sglang:URL", "ollama-api:NAME", "table:FILE", "tape:FILE"}

// New picks among names, and the model files of the working folder.
// open opens a model; it is nil where none can be opened.
func New(host kit.Host, lanes *run.Lanes, names []string, open func(string) (models.Model, error)) (kit.View, tea.Cmd) {
	v := &modelView{lanes: lanes, open: open, names: slices.Clone(names)}
	if len(names) == 0 {
		v.names = slices.Clone(modelNames)
	}
	door := host.Files()
	look := func() tea.Msg { return filesMsg{v, door.Models()} }
	return v, tea.Batch(v.describe(host), look)
}

// A filesMsg brings the model files of the working folder.
type filesMsg struct {
	of    *modelView
	files []string
}

// A factsMsg brings what a model is.
type factsMsg struct {
	of   models.Model
	list []models.Fact
}

// describe asks for the facts of the lane's model, which looks through its
// whole vocabulary.
func (v *modelView) describe(host kit.Host) tea.Cmd {
	model := host.Lane().Model
	return func() tea.Msg { return factsMsg{model, models.Describe(model)} }
}

// A modelMsg brings a model that was asked for.
type modelMsg struct {
	of    *modelView
	name  string
	lane  int
	model models.Model
	err   error
}

// openModel opens the model called name for the lane.
func (v *modelView) openModel(host kit.Host, name string) tea.Cmd {
	if v.open == nil {
		host.Complain("no other model can be opened here")
		return nil
	}
	if v.wait != "" {
		host.Say("still opening " + v.wait)
		return nil
	}
	v.wait = name
	open, id := v.open, host.Lane().ID
	return func() tea.Msg {
		model, err := open(name)
		return modelMsg{v, name, id, model, err}
	}
}

// Follow takes results and new views; see [kit.Follower].
func (v *modelView) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case filesMsg:
		if msg.of == v {
			v.names = append(v.names, msg.files...)
		}
	case factsMsg:
		if msg.of == host.Lane().Model {
			v.of, v.facts, v.top = msg.of, msg.list, 0
		}
	case modelMsg:
		if msg.of != v {
			return nil
		}
		v.wait = ""
		if msg.err != nil {
			host.Complain(viz.FirstLine(msg.err.Error()))
			return nil
		}
		v.lanes.Own(msg.model)
		cmd := v.lanes.ChangeModel(msg.lane, msg.model)
		return tea.Batch(cmd, v.describe(host))
	}
	return nil
}

// Frame titles the box; see [kit.Overlay].
func (v *modelView) Frame(host kit.Host) viz.Frame {
	info := host.Lane().Model.Info()
	return viz.Frame{Title: "model · " + viz.Printable(strings.TrimSpace(info.Name+" "+info.Quant), host.Screen().ASCII()), Right: "M · esc"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *modelView) Size(host kit.Host) (int, int) {
	return 100, max(min(host.Screen().H-4, 30), 10)
}

// Hints are what the footer offers; see [kit.View].
func (v *modelView) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActOpen, kit.ActDown, kit.ActRight, kit.ActClose}
}

// Footer words the hints; see [kit.Footed].
func (v *modelView) Footer(kit.Host) []kit.Hint {
	if v.field != nil {
		return []kit.Hint{{Keys: "enter", Word: "opens it"}, {Keys: "esc", Word: "leaves it"}}
	}
	return []kit.Hint{{ID: kit.ActOpen, Word: "load it"}, {ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActRight10, Keys: "pgup pgdn", Word: "details"}, {ID: kit.ActClose}}
}

// Act takes the actions it names; see [kit.View].
func (v *modelView) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	n := len(v.names) + 1
	switch a.ID {
	case kit.ActUp, kit.ActDown, kit.ActFirst, kit.ActLast:
		v.list.Act(a, n, v.listRows(host))
	case kit.ActRight, kit.ActLeft, kit.ActRight10, kit.ActLeft10:
		d, _ := a.Columns(len(v.facts))
		to := min(max(v.top+d, 0), max(len(v.facts)-1, 0))
		if to == v.top {
			host.Say("no more details that way")
		}
		v.top = to
	case kit.ActOpen:
		if v.list.At < len(v.names) {
			return v.openModel(host, v.names[v.list.At]), true
		}
		f := kit.NewField("")
		v.field = &f
	case kit.ActCopy:
		var b strings.Builder
		for _, f := range v.facts {
			fmt.Fprintf(&b, "%s\t%s\n", f.Name, f.Value)
		}
		return host.Copy("the details", b.String(), "logitscope-model.txt"), true
	case kit.ActZoom, kit.ActPane, kit.ActPaneBack, kit.ActTake, kit.ActInspect:
		host.Say(a.First() + ": ↑↓ choose a model, enter loads it")
	default:
		return nil, false
	}
	return nil, true
}

// listRows is how many names are shown at once.
func (v *modelView) listRows(host kit.Host) int {
	return min(len(v.names)+1, max((host.Screen().Box(v.Size(host)).H-4)/3, 2))
}

// Draw draws the view; see [kit.View].
func (v *modelView) Draw(c *viz.Canvas, host kit.Host) {
	muted := viz.Ink{Role: viz.Muted}
	n := min(len(v.names)+1, max((c.H-2)/3, 2))
	top := min(max(v.list.At-n+1, 0), len(v.names)+1-n)
	for y := range n {
		i := top + y
		ink := viz.Ink{}
		if i == v.list.At {
			c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		if i < len(v.names) {
			name := viz.Printable(v.names[i], c.ASCII)
			x := c.Put(3, y, viz.CutWords(name, c.W-16), ink)
			if v.wait == v.names[i] {
				c.Put(x+2, y, "opening …", muted)
			}
			continue
		}
		if v.field != nil {
			v.field.Draw(c, c.Put(3, y, "name: ", viz.Ink{Role: viz.Focus}), y)
			continue
		}
		c.Put(3, y, viz.SomeOf("another: ", anotherForms, c.W-4), ink)
		if v.wait != "" && !slices.Contains(v.names, v.wait) {
			c.Put(3, y, viz.Fit("opening "+viz.Printable(v.wait, c.ASCII)+" …", c.W-4), muted)
		}
	}
	if v.of != host.Lane().Model {
		c.Put(1, n+1, "reading the details …", muted)
		return
	}
	v.drawFacts(c.Sub(viz.Rect{X: 0, Y: n + 1, W: c.W, H: c.H - n - 1}))
}

// drawFacts draws the details from the first shown on. Those that do not fit
// are counted in the last line, a detail of several lines as long as any of
// them is missing.
func (v *modelView) drawFacts(c *viz.Canvas) {
	muted := viz.Ink{Role: viz.Muted}
	y := 0
	for i := v.top; i < len(v.facts); i++ {
		f := v.facts[i]
		lines := viz.WrapWords(viz.OneLine(f.Value, c.ASCII), max(c.W-19, 8))
		room := c.H - y
		if i < len(v.facts)-1 {
			room-- // the count may come next
		}
		c.Fit(1, y, 15, viz.Printable(f.Name, c.ASCII), muted)
		for k, line := range lines[:max(min(len(lines), room), 0)] {
			c.Put(17, y+k, line, viz.Ink{})
		}
		if len(lines) > room {
			c.Sub(viz.Rect{X: 0, Y: c.H - 1, W: c.W, H: 1}).Clear()
			c.Put(1, c.H-1, fmt.Sprintf("⋮ %d more · pgdn", len(v.facts)-i), muted)
			return
		}
		y += len(lines)
	}
}

// Key takes a model's name.
func (v *modelView) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	return kit.AskKey(&v.field, k, func(name string) (tea.Cmd, bool) {
		if name == "" {
			host.Say("enter: type a name first")
			return nil, false
		}
		return v.openModel(host, host.Files().Expand(name)), false
	})
}
