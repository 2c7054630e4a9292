package timeline

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// NewName asks for a name of the text selected in t, or of the present one
// where t is nil.
func NewName(host kit.Host, lanes *run.Lanes, t *View) (kit.View, tea.Cmd) {
	list := host.Lane().Limbs()
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
	born := list[i].Born
	return kit.Question{
		Title: "name of this branch", Label: "name ", Wide: 60,
		Note: "empty: named by what set it apart · the timeline lists it by this name",
		Take: func(host kit.Host, name string) {
			l := host.Lane()
			if l.Born == born {
				l.Name = name
			}
			for i := range l.Branches {
				if l.Branches[i].Born == born {
					l.Branches[i].Name = name
				}
			}
		},
	}.Ask(lanes.LimbName(host.Lane(), list, i)), nil
}
