package run

import (
	"fmt"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
)

// TogglePin follows the token under the cursor wherever it ranks, or stops.
func (ls *Lanes) TogglePin() {
	l := ls.Lane()
	if l.Step() == nil || l.Row == models.NoToken {
		ls.Say("p: no token to pin yet")
		return
	}
	ls.PinToken(l.Row)
}

// PinToken pins token id, or unpins it.
func (ls *Lanes) PinToken(id int32) {
	l := ls.Lane()
	name := l.Piece(id, ls.ascii)
	snap := l.Snapshot("pin "+name, -1)
	var pins []int32
	found := false
	for _, p := range l.Pins {
		if p == id {
			found = true
			continue
		}
		pins = append(pins, p)
	}
	switch {
	case found:
		ls.Say("unpinned " + name)
	case len(pins) >= sampling.MaxPins:
		ls.Say(fmt.Sprintf("p: %d tokens are pinned already; unpin one first", len(pins)))
		return
	default:
		pins = append(pins, id)
		ls.Say("pinned " + name + " (★)")
	}
	l.Remember(snap)
	l.setPins(pins)
}

func (l *Lane) setPins(pins []int32) {
	l.Pins = pins
	l.Eng.Post(engine.Pin{IDs: pins})
}
