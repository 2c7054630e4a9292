package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// nameField types the name of a branch.
type nameField struct {
	born  int // the text that is named
	field kit.Field
}

func openName(m *Model) (kit.View, tea.Cmd) {
	l := m.Lane()
	v := &nameField{born: l.Born}
	list := l.Limbs()
	i := 0
	if t, ok := m.screen.View.(*timeline); ok {
		list, i = t.selected(m)
	} else {
		for k := range list {
			if list[k].Index < 0 {
				i = k
			}
		}
	}
	v.born, v.field = list[i].Born, kit.NewField(m.LimbName(l, list, i))
	return v, nil
}

func (v *nameField) Frame(kit.Host) viz.Frame {
	return viz.Frame{Title: "name of this branch", Right: "enter takes it · esc"}
}
func (v *nameField) Size(kit.Host) (int, int)                  { return 60, 4 }
func (v *nameField) Hints(kit.Host) []kit.ID                   { return []kit.ID{kit.ActClose} }
func (v *nameField) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }

func (v *nameField) Draw(c *viz.Canvas, _ kit.Host) {
	v.field.Draw(c, c.Put(1, 0, "name ", viz.Ink{Role: viz.Focus}), 0)
	c.Put(1, 1, viz.CutTitle("empty: named by what set it apart · the timeline lists it by this name", c.W-2), viz.Ink{Role: viz.Muted})
}

func (v *nameField) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	m := host.(*Model)
	switch k.Type {
	case tea.KeyEsc:
		m.Close()
	case tea.KeyEnter:
		m.Close()
		l := m.Lane()
		name := strings.TrimSpace(v.field.Text())
		if l.Born == v.born {
			l.Name = name
		}
		for i := range l.Branches {
			if l.Branches[i].Born == v.born {
				l.Branches[i].Name = name
			}
		}
	default:
		v.field.Key(k)
	}
	return nil, true
}
