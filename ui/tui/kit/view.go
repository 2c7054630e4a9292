package kit

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/goal"
	"logitscope/viz"
)

// A View is something that fills the screen between header and help line, or
// an overlay that lies over one. It reads the host while it draws and changes
// things only in Act and in the methods of the contracts below.
type View interface {
	// Draw fills c, which is exactly the view's inside. It changes nothing.
	Draw(c *viz.Canvas, h Host)

	// Act takes an action, or reports false for one it does not name.
	Act(h Host, a *Action) (tea.Cmd, bool)

	// Hints are the actions that the footer offers, most useful first.
	Hints(h Host) []ID
}

// An Overlay is a view in a box of its own.
type Overlay interface {
	View

	// Frame returns the titles of the box, and Size how large it wants to be,
	// box included; it is given less where the window is smaller.
	Frame(h Host) viz.Frame
	Size(h Host) (wide, high int)
}

// A Typist is a view with a text field open: it gets every key but ctrl+c
// before the keymap does, and reports false for those it leaves.
type Typist interface {
	Key(h Host, k tea.KeyMsg) (tea.Cmd, bool)
}

// A Writer is a typist that takes back what was typed with ctrl+z, which
// elsewhere suspends the program.
type Writer interface {
	Typist
	Undoes()
}

// A Clicker is a view that takes mouse events, in cells of its own canvas. A
// turn of the wheel that it does not take moves as up and down do.
type Clicker interface {
	Mouse(h Host, x, y int, e tea.MouseMsg) (tea.Cmd, bool)
}

// A Scrubber is a view that the pointer can be dragged over, in cells of its
// own canvas.
type Scrubber interface {
	Scrub(h Host, x, y int)
}

// A Follower is a view that is told when a lane has a new view (a
// [run.ViewMsg]), and of messages only it can recognise.
type Follower interface {
	Follow(h Host, msg tea.Msg) tea.Cmd
}

// A Headed view has its own parts of the header.
type Headed interface {
	Header(h Host, k Class) (left, right []HeaderPart)
}

// A Helper is a view with a help line of its own while nothing was said. It
// returns an empty text to leave the line as it is elsewhere.
type Helper interface {
	Help(h Host) (string, viz.Ink)
}

// A Footed view words its hints itself.
type Footed interface {
	Footer(h Host) []Hint
}

// A Leaver is a view that puts something back when it is left.
type Leaver interface {
	Leave(h Host)
}

// A Lender is a view in which some of the lab's own actions mean what they
// mean in the lab. Without it none of them acts on the panes that the view
// hides.
type Lender interface {
	// Lends lists those actions.
	Lends(h Host) []ID
}

// A Witness is a view that has seen something that a lesson may ask for.
type Witness interface {
	// Witness returns what was seen since the view was opened.
	Witness() goal.Facts
}

// A Denier words what a key is answered with that means nothing in the view:
// "not in a sweep; esc goes to the lab". The router puts the key in front.
type Denier interface {
	NotHere(h Host) string
}

// A HeaderPart is a piece of the header; parts of higher rank give way first.
type HeaderPart struct {
	Text string
	Rank int
	Ink  viz.Ink
}

// A Hint is one entry of the footer.
type Hint struct {
	ID   ID     // action, or empty for text alone
	Keys string // shown instead of the action's first key
	Word string // shown instead of the action's hint
}
