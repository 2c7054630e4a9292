package join

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A Lab is a student's own, by the student's given name.
type Lab struct {
	Name  string
	Tasks []bool // of the lesson, done or not
}

// Desks are the own labs of a class.
type Desks interface {
	// Labs lists them by name.
	Labs() []Lab

	// Watch asks for pictures of one of them, w by h cells; empty for none.
	Watch(name string, w, h int)

	// Seen is the newest picture of the one that is watched, nil before it
	// came. It is never changed.
	Seen() *viz.Canvas
}

// A Board shows the own labs, students by tasks, and looks into one.
type Board struct {
	desks Desks
	list  []Lab
	at    int
	into  string // whose lab is looked into; empty for the list
}

// NewBoard opens the board, or says why there is none.
func NewBoard(host kit.Host, desks Desks) (kit.View, tea.Cmd) {
	if desks == nil {
		host.Say("labs: logitscope class --own gives students labs of their own")
		return nil, nil
	}
	v := &Board{desks: desks, list: desks.Labs()}
	if len(v.list) == 0 {
		host.Say("labs: nobody has a lab of their own; logitscope class --own, and a terminal")
		return nil, nil
	}
	return v, nil
}

// Follow takes what is new; see [kit.Follower].
func (v *Board) Follow(kit.Host, tea.Msg) tea.Cmd {
	v.list = v.desks.Labs()
	v.at = min(v.at, max(len(v.list)-1, 0))
	return nil
}

// Act chooses a lab, and looks into it; see [kit.View].
func (v *Board) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	v.Follow(host, nil)
	switch a.ID {
	case kit.ActDown:
		v.at = min(v.at+1, max(len(v.list)-1, 0))
	case kit.ActUp:
		v.at = max(v.at-1, 0)
	case kit.ActOpen:
		if v.at < len(v.list) {
			v.into = v.list[v.at].Name
			b := host.Screen().Body()
			v.desks.Watch(v.into, b.W, b.H)
		}
	case kit.ActClose:
		if v.into == "" {
			return nil, false
		}
		v.Leave(host)
	default:
		return nil, false
	}
	return nil, true
}

// Leave stops looking into a lab; see [kit.Leaver].
func (v *Board) Leave(kit.Host) {
	v.into = ""
	v.desks.Watch("", 0, 0)
}

// Hints are what the footer offers; see [kit.View].
func (v *Board) Hints(kit.Host) []kit.ID { return []kit.ID{kit.ActClose, kit.ActHelp} }

// Footer words the hints; see [kit.Footed].
func (v *Board) Footer(kit.Host) []kit.Hint {
	if v.into != "" {
		return []kit.Hint{{ID: kit.ActClose, Word: "back to the list"}, {ID: kit.ActHelp}}
	}
	return []kit.Hint{{ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActOpen, Word: "looks into it"}, {ID: kit.ActClose, Word: "back to the lab"}, {ID: kit.ActHelp}}
}

// Help says what is shown; see [kit.Helper].
func (v *Board) Help(kit.Host) (string, viz.Ink) {
	if v.into != "" {
		return v.into + "'s lab; keys do nothing there", viz.Ink{}
	}
	return "students by tasks: ✓ done, ○ open", viz.Ink{Role: viz.Muted}
}

// Draw draws the board; see [kit.View].
func (v *Board) Draw(c *viz.Canvas, _ kit.Host) {
	if v.into != "" {
		if seen := v.desks.Seen(); seen != nil {
			c.Copy(seen)
			return
		}
		c.Put(1, 0, "The lab comes in a moment.", viz.Ink{Role: viz.Muted})
		return
	}
	in := viz.Box(c, viz.Frame{Title: "labs of their own", Right: fmt.Sprint(len(v.list)), Focused: true})
	top := min(max(v.at-in.H+1, 0), max(len(v.list)-in.H, 0))
	for y := 0; y < in.H && top+y < len(v.list); y++ {
		l := v.list[top+y]
		ink := viz.Ink{}
		if top+y == v.at {
			in.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		in.Fit(3, y, nameWide, viz.Printable(l.Name, in.ASCII), ink)
		x, done := nameWide+5, 0
		for _, ok := range l.Tasks {
			glyph, ink := "○", viz.Ink{Role: viz.Muted}
			if ok {
				glyph, ink = "✓", viz.Ink{Role: viz.Chosen}
				done++
			}
			if x < in.W-10 {
				x = in.Put(x, y, glyph+" ", ink)
			}
		}
		if len(l.Tasks) > 0 {
			in.Right(in.W-1, y, fmt.Sprintf("%d of %d", done, len(l.Tasks)), viz.Ink{Role: viz.Muted})
		}
	}
}

// nameWide is the width of the longest name.
const nameWide = 16
