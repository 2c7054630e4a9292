package tui

import (
	"fmt"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
)

// togglePin follows the token under the cursor wherever it ranks, or stops.
func (m *board) togglePin() {
	l := m.lane()
	if l.step() == nil || l.row == models.NoToken {
		m.say("p: no token to pin yet")
		return
	}
	m.pinToken(l.row)
}

func (m *board) pinToken(id int32) {
	l := m.lane()
	name := l.piece(id, m.ascii)
	snap := l.snapshot("pin "+name, -1)
	var pins []int32
	found := false
	for _, p := range l.pins {
		if p == id {
			found = true
			continue
		}
		pins = append(pins, p)
	}
	switch {
	case found:
		m.say("unpinned " + name)
	case len(pins) >= sampling.MaxPins:
		m.say(fmt.Sprintf("p: %d tokens are pinned already; unpin one first", len(pins)))
		return
	default:
		pins = append(pins, id)
		m.say("pinned " + name + " (★)")
	}
	l.remember(snap)
	l.setPins(pins)
}

func (l *lane) setPins(pins []int32) {
	l.pins = pins
	l.eng.Post(engine.Pin{IDs: pins})
}
