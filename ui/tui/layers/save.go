package layers

import (
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/store"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A savedMsg says what became of the files.
type savedMsg struct{ say string }

// mostCopies is how many looks at one position can be saved beside each other.
const mostCopies = 100

// save writes what is shown into files of the folder the program runs in.
func (v *View) save(h kit.Host) tea.Cmd {
	in := v.seen()
	if in == nil || !v.look.Ready {
		h.Say("y: nothing has been seen yet")
		return nil
	}
	vocab := v.lane.Vocab()
	name := func(id int32) string { return viz.Label(vocab.Piece(id), h.Screen().ASCII()) }
	begin := fmt.Sprintf("layers-position%d", len(in.Tokens)-1)
	files, err := in.Files(begin, name)
	if err != nil {
		h.Complain("y: " + err.Error())
		return nil
	}
	door := h.Files()
	return func() tea.Msg {
		for n := 1; n < mostCopies; n++ {
			free := begin
			if n > 1 {
				free = fmt.Sprintf("%s-%d", begin, n)
			}
			done := 0
			var err error
			for _, f := range files {
				if err = door.Write(free+f.Name[len(begin):], f.Data, false); err != nil {
					break
				}
				done++
			}
			switch {
			case err == nil:
				return savedMsg{fmt.Sprintf("saved ./%s-lens.npy, -lens.csv, -attention.npy and -attention.csv", free)}
			case !errors.Is(err, store.ErrExists) || done > 0:
				return savedMsg{"y: " + err.Error()}
			}
		}
		return savedMsg{"y: there are too many of " + begin + " already"}
	}
}
