package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/viz"
)

// nameField types the name of a branch.
type nameField struct {
	born  int // the text that is named
	field field
}

func openName(m *Model) (view, tea.Cmd) {
	l := m.lane()
	v := &nameField{born: l.born}
	list := l.limbs()
	i := 0
	if t, ok := m.screen.view.(*timeline); ok {
		list, i = t.selected(m)
	} else {
		for k := range list {
			if list[k].index < 0 {
				i = k
			}
		}
	}
	v.born, v.field = list[i].born, newField(m.limbName(l, list, i))
	return v, nil
}

func (v *nameField) frame(*Model) viz.Frame {
	return viz.Frame{Title: "name of this branch", Right: "enter takes it · esc"}
}
func (v *nameField) size(*Model) (int, int)              { return 60, 4 }
func (v *nameField) hints(*Model) []string               { return []string{"close"} }
func (v *nameField) act(*Model, *action) (tea.Cmd, bool) { return nil, true }

func (v *nameField) draw(c *viz.Canvas, m *Model) {
	v.field.draw(c, c.Put(1, 0, "name ", viz.Ink{Role: viz.Focus}), 0)
	c.Put(1, 1, viz.CutTitle("empty: named by what set it apart · the timeline lists it by this name", c.W-2), viz.Ink{Role: viz.Muted})
}

func (v *nameField) key(m *Model, k tea.KeyMsg) (tea.Cmd, bool) {
	switch k.Type {
	case tea.KeyEsc:
		m.closeTop()
	case tea.KeyEnter:
		m.closeTop()
		l := m.lane()
		name := strings.TrimSpace(v.field.text())
		if l.born == v.born {
			l.name = name
		}
		for i := range l.branches {
			if l.branches[i].born == v.born {
				l.branches[i].name = name
			}
		}
	default:
		v.field.key(k)
	}
	return nil, true
}
