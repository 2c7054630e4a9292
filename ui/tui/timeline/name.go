package timeline

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// nameField types the name of a branch.
type nameField struct {
	born  int // the text that is named
	field kit.Field
}

// NewName opens the field for the text selected in t, or for the present one
// where t is nil.
func NewName(host kit.Host, lanes *run.Lanes, t *View) (kit.View, tea.Cmd) {
	l := host.Lane()
	v := &nameField{born: l.Born}
	list := l.Limbs()
	i := 0
	if t != nil {
		list, i = t.selected(host)
	} else {
		for k := range list {
			if list[k].Index < 0 {
				i = k
			}
		}
	}
	v.born, v.field = list[i].Born, kit.NewField(lanes.LimbName(l, list, i))
	return v, nil
}

// Frame titles the box; see [kit.Overlay].
func (v *nameField) Frame(host kit.Host) viz.Frame {
	return viz.Frame{Title: "name of this branch", Right: "enter takes it · esc"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *nameField) Size(host kit.Host) (int, int) { return 60, 4 }

// Hints are what the footer offers; see [kit.View].
func (v *nameField) Hints(host kit.Host) []kit.ID { return []kit.ID{kit.ActClose} }

// Act takes the actions it names; see [kit.View].
func (v *nameField) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }

// Draw draws the view; see [kit.View].
func (v *nameField) Draw(c *viz.Canvas, host kit.Host) {
	v.field.Draw(c, c.Put(1, 0, "name ", viz.Ink{Role: viz.Focus}), 0)
	c.Put(1, 1, viz.CutTitle("empty: named by what set it apart · the View lists it by this name", c.W-2), viz.Ink{Role: viz.Muted})
}

// Key takes what is typed; see [kit.Typist].
func (v *nameField) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	switch k.Type {
	case tea.KeyEsc:
		host.Close()
	case tea.KeyEnter:
		host.Close()
		l := host.Lane()
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
