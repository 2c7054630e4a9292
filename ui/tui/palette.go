package tui

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/prompt"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A command is a line of the palette: an action, or a knob to set.
type command struct {
	name, key string
	words     string // also found by these
	run       func(m *Model) tea.Cmd
}

// palette finds any command by a word of its name.
type palette struct {
	field kit.Field
	list  kit.List
	all   []command
}

func newPalette(m *Model) (kit.View, tea.Cmd) {
	return &palette{field: kit.NewField(""), all: m.commands()}, nil
}

// commands lists everything that can be done, from the table of actions and
// the table of parameters.
func (m *Model) commands() []command {
	var out []command
	for _, a := range m.keys.list {
		if a.ID == kit.ActCommands {
			continue
		}
		help := a.Words()
		if i := slices.Index(kit.Presets[:], a.ID); i >= len(m.Book.List()) {
			continue
		} else if i >= 0 {
			help = "preset " + m.Book.List()[i].Name + ": " + m.Book.List()[i].About
		}
		out = append(out, command{help, a.First(), string(a.ID) + " " + a.Hint, a.run})
	}
	for _, p := range run.Knobs {
		key := p.Key
		pick := func(f func(m *Model) tea.Cmd) func(m *Model) tea.Cmd {
			return func(m *Model) tea.Cmd { m.SelectKnob(key); m.lab.ShowKnob(); return f(m) }
		}
		out = append(out, command{key + ": set a value", "enter", "", pick(func(m *Model) tea.Cmd { return m.Open(kit.ViewValue) })})
		if p.Off != nil {
			out = append(out, command{key + ": off", "0", "", pick(func(m *Model) tea.Cmd { m.KnobOff(); return nil })})
		}
		out = append(out, command{key + ": what it changes at this step", "i", "", pick(func(m *Model) tea.Cmd {
			m.lab.FocusControls()
			return m.WantEffect()
		})})
	}
	for _, l := range m.course.Lessons {
		out = append(out, command{m.tutor.Name(l), "L", l.Section + " " + l.ID, func(m *Model) tea.Cmd { return m.openLesson(l) }})
	}
	for i, x := range prompt.Examples {
		name := strings.ReplaceAll(x.Prompt, "\n", " ") + " (" + x.Kind + ")"
		out = append(out, command{"example: " + name, "E", "", func(m *Model) tea.Cmd { return prompt.TakeExample(m, m.Lanes, m.prompts, i) }})
	}
	return out
}

// found returns the commands that hold every word typed, those that begin
// with it first.
func (p *palette) found() []command {
	words := strings.Fields(strings.ToLower(p.field.Text()))
	var out []command
	for _, c := range p.all {
		name := strings.ToLower(c.name + " " + c.words)
		ok := true
		for _, w := range words {
			ok = ok && strings.Contains(name, w)
		}
		if ok {
			out = append(out, c)
		}
	}
	if len(words) > 0 {
		sort.SliceStable(out, func(i, j int) bool {
			return strings.HasPrefix(strings.ToLower(out[i].name), words[0]) && !strings.HasPrefix(strings.ToLower(out[j].name), words[0])
		})
	}
	return out
}

// Frame titles the box; see [kit.Overlay].
func (p *palette) Frame(kit.Host) viz.Frame { return viz.Frame{Title: "commands"} }

// Size is how large the box wants to be; see [kit.Overlay].
func (p *palette) Size(host kit.Host) (int, int) {
	m := host.(*Model)
	return 80, max(min(m.h-4, 20), 10)
}

// Hints are what the footer offers; see [kit.View].
func (p *palette) Hints(_ kit.Host) []kit.ID {
	return []kit.ID{kit.ActOpen, kit.ActClose}
}
func (p *palette) rows(m *Model) int { return m.Screen().Box(p.Size(m)).H - 6 }

// Act takes the actions it names; see [kit.View].
func (p *palette) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }

// Draw draws the view; see [kit.View].
func (p *palette) Draw(c *viz.Canvas, _ kit.Host) {
	p.field.Draw(c, c.Put(1, 0, ": ", viz.Ink{Role: viz.Focus}), 0)
	list := p.found()
	h := c.H - 4
	top := min(p.list.Top, max(len(list)-h, 0))
	for y := 0; y < h && top+y < len(list); y++ {
		cm := list[top+y]
		ink := viz.Ink{}
		if top+y == p.list.At {
			c.Put(1, 2+y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		c.Fit(3, 2+y, c.W-12, viz.Printable(cm.name, c.ASCII), ink)
		c.Right(c.W-1, 2+y, cm.key, viz.Ink{Role: viz.Muted})
	}
	more := max(len(list)-h, 0)
	foot := "↑↓ choose · enter run · esc close · every action is listed here"
	switch {
	case len(list) == 0:
		foot = "no command has these words · esc close"
	case more > 0:
		foot = strconv.Itoa(more) + " more · " + foot
	}
	c.Put(1, c.H-1, viz.CutTitle(foot, c.W-2), viz.Ink{Role: viz.Muted})
}

// Key takes what is typed; see [kit.Typist].
func (p *palette) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	m := host.(*Model)
	if d := kit.MoveKey(k); d != 0 {
		p.list.Move(d, len(p.found()), p.rows(m))
		return nil, true
	}
	switch k.Type {
	case tea.KeyEsc:
		m.Close()
		return nil, true
	case tea.KeyTab:
		if list := p.found(); p.list.At < len(list) {
			p.field = kit.NewField(list[p.list.At].name)
		}
		return nil, true
	case tea.KeyEnter:
		list := p.found()
		if p.list.At >= len(list) {
			m.Say("no command has these words")
			return nil, true
		}
		m.Close()
		return tea.Batch(list[p.list.At].run(m), m.WantEffect()), true
	}
	if p.field.Key(k) {
		p.list = kit.List{}
	}
	return nil, true
}
