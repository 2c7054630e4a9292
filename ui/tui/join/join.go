// Package join answers: how do I get into this class?
//
// [New] opens a card over whatever is on the screen, a question too: address, code, and the address as a
// QR code for the camera of a phone. The teacher locks the room there.
package join

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
	"rsc.io/qr"

	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A Card is what students have to know.
type Card struct {
	Web         string // URL; empty where there is no page
	SSH         string // command; empty where there is no SSH
	Code        string // empty where anybody gets in
	Fingerprint string // of the host key
	Notes       string // command for the teacher's notes; empty for none
	Exposed     bool   // every interface of this machine listens
}

// A Room is the class that is joined.
type Room interface {
	Standing() kit.Standing
	Lock(on bool)
}

// A View shows the card.
type View struct {
	card Card
	room Room
	code *qr.Code // nil where there is none
}

// New opens the card, or says why there is none.
func New(host kit.Host, card Card, room Room) (kit.View, tea.Cmd) {
	if room == nil {
		host.Say("join: there is no class; logitscope class opens one")
		return nil, nil
	}
	v := &View{card: card, room: room}
	if card.Web != "" {
		v.code, _ = qr.Encode(card.Web, qr.L) // an address always fits
	}
	return v, nil
}

// Act locks the room and lets in again; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if a.ID != kit.ActTake {
		return nil, false
	}
	lock := !v.room.Standing().Locked
	v.room.Lock(lock)
	if lock {
		host.Say("x: the class is locked: who is in stays in, nobody new gets in")
	} else {
		host.Say("x: the class is open again")
	}
	return nil, true
}

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(kit.Host) []kit.ID { return []kit.ID{kit.ActTake, kit.ActClose, kit.ActHelp} }

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(kit.Host) []kit.Hint {
	word := "locks the room"
	if v.room.Standing().Locked {
		word = "lets others in again"
	}
	return []kit.Hint{{ID: kit.ActTake, Word: word}, {ID: kit.ActClose, Word: "back to the lab"}, {ID: kit.ActHelp}}
}

// Help says what the room is like; see [kit.Helper].
func (v *View) Help(kit.Host) (string, viz.Ink) {
	s := v.room.Standing()
	words := fmt.Sprintf("%d here · %s in the last minute", s.Here, viz.Plural(s.Joins, "join"))
	if s.Locked {
		words += " · locked: nobody new gets in"
	}
	return words, viz.Ink{}
}

// Frame returns the titles of the card; see [kit.Overlay].
func (v *View) Frame(kit.Host) viz.Frame { return viz.Frame{Title: "join this class", Right: "esc"} }

// Size is all there is; see [kit.Overlay].
func (v *View) Size(host kit.Host) (wide, high int) {
	s := host.Screen()
	return s.W, s.H
}

// Draw draws the card; see [kit.View].
func (v *View) Draw(in *viz.Canvas, host kit.Host) {
	x := 1
	if w := v.drawCode(in, host.Screen()); w > 0 {
		x = w + 2
	}
	wide := max(in.W-x-1, 1)
	bold, muted := viz.Ink{}.With(viz.Bold), viz.Ink{Role: viz.Muted}
	y := 1
	put := func(head, text string, ink viz.Ink) {
		if text == "" {
			return
		}
		if y > 1 {
			y++
		}
		in.Put(x, y, viz.CutTitle(head, wide), muted)
		for _, s := range viz.Fold(text, wide, 3) {
			for r := []rune(s); len(r) > 0; r = r[min(wide, len(r)):] { // a word longer than the line goes on below
				y++
				in.Put(x, y, string(r[:min(wide, len(r))]), ink)
			}
		}
		y++
	}
	put("with a phone or a browser", v.card.Web, bold)
	put("or with a terminal", v.card.SSH, bold)
	put("code", v.card.Code, bold)
	put("host key", v.card.Fingerprint, viz.Ink{})
	put("your notes, in a second terminal", v.card.Notes, viz.Ink{})
	if v.card.Exposed {
		put("careful", "every network of this machine can reach this class", viz.Ink{Role: viz.Warning})
	}
	put("", "Nothing leaves this network; it ends with this program.", muted)
}

// quiet is the margin that a camera needs around the code.
const quiet = 2

// drawCode draws the QR code in half blocks, two of its rows a line, and
// returns how wide it is: 0 where it finds no room, or there are no blocks.
func (v *View) drawCode(c *viz.Canvas, s kit.Screen) int {
	if v.code == nil || s.ASCII() {
		return 0
	}
	side := v.code.Size + 2*quiet
	if c.W < side+30 || c.H < (side+1)/2 {
		return 0
	}
	// On a dark screen what is light in the code is drawn, on a light one what
	// is dark: cameras want dark on light.
	full := func(x, y int) bool { return v.code.Black(x-quiet, y-quiet) != s.Palette.Dark }
	for y := 0; y < side; y += 2 {
		for x := range side {
			top, low := full(x, y), y+1 < side && full(x, y+1)
			glyph := " "
			switch {
			case top && low:
				glyph = "█"
			case top:
				glyph = "▀"
			case low:
				glyph = "▄"
			}
			c.Put(1+x, y/2, glyph, viz.Ink{})
		}
	}
	return side
}
