package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/viz"
)

// A view is something that fills the screen between header and help line, or
// an overlay that lies over one. It reads the model while it draws and changes it only
// in act and key.
type view interface {
	// draw fills c, which is exactly the view's inside. It changes nothing.
	draw(c *viz.Canvas, m *Model)

	// act takes an action, or reports false to leave it to what lies below.
	act(m *Model, a *action) (tea.Cmd, bool)

	// hints are the ids of the actions the footer offers, most useful first.
	hints(m *Model) []string
}

// An overlay is a view in a box of its own.
type overlay interface {
	view

	// frame returns the titles of the box, and size how large it wants to be,
	// box included; it is given less where the window is smaller.
	frame(m *Model) viz.Frame
	size(m *Model) (w, h int)
}

// A typist is a view with a text field open: it gets every key but ctrl+c
// before the keymap does, and reports false for those it leaves.
type typist interface {
	key(m *Model, k tea.KeyMsg) (tea.Cmd, bool)
}

// A clicker is a view that takes mouse events, in cells of its own canvas.
type clicker interface {
	mouse(m *Model, x, y int, e tea.MouseMsg) (tea.Cmd, bool)
}

// A scrubber is a view that the pointer can be dragged over, in cells of its
// own canvas.
type scrubber interface {
	scrub(m *Model, x, y int)
}

// A follower is a view that is told when a lane has a new view, and of
// messages only it can recognise.
type follower interface {
	follow(m *Model, msg tea.Msg) tea.Cmd
}

// A headed view has its own parts of the header.
type headed interface {
	header(m *Model, k class) (left, right []headerPart)
}

// A helper is a view with a help line of its own while nothing was said. It
// returns an empty text to leave the line as it is elsewhere.
type helper interface {
	help(m *Model) (string, viz.Ink)
}

// A footed view words its hints itself.
type footed interface {
	footer(m *Model) []hint
}

// A viewEntry is how a view is opened: new returns it, or nil after saying
// why it cannot be opened now.
type viewEntry struct {
	title string
	new   func(m *Model) (view, tea.Cmd)
}

// views is the table of everything that can be opened by name.
var views map[string]viewEntry

func init() {
	views = map[string]viewEntry{
		"help":       {"help", func(m *Model) (view, tea.Cmd) { return &helpView{}, nil }},
		"commands":   {"commands", newPalette},
		"examples":   {"examples", newExamples},
		"prompt":     {"prompt", newEditor},
		"value":      {"value", newValueField},
		"find":       {"find", newFinder},
		"values":     {"effective values", newValues},
		"engines":    {"same settings, four engines", newEngines},
		"draw":       {"draw 1,000", newDraws},
		"stages":     {"pipeline", newStages},
		"penalties":  {"penalties", newPenalties},
		"since":      {"since the switch", newSince},
		"compare":    {"compare", openCompare},
		"timeline":   {"timeline and branches", openTimeline},
		"sweep":      {"sweep", newSweepView},
		"name":       {"name of a branch", openName},
		"predict":    {"predict", openPredict},
		"beam":       {"beam search", newBeam},
		"draft":      {"speculative decoding", newSpec},
		"model":      {"model", newModelView},
		"export":     {"write out", newExport},
		"import":     {"import settings", newImport},
		"proof":      {"prove it", newProof},
		"constraint": {"structured output", newConstraint},
		"source":     {"constraint", newSourceEditor},
	}
}

// open shows the view called id. If it is already the top overlay or the
// current view, it is closed instead.
func (m *Model) open(id string) tea.Cmd {
	if m.topID() == id {
		m.closeTop()
		return nil
	}
	e, ok := views[id]
	if !ok {
		m.Say("no view is called " + id)
		return nil
	}
	v, cmd := e.new(m)
	if v == nil {
		return cmd
	}
	if _, over := v.(overlay); over {
		m.overlays = append(m.overlays, opened{id, v})
	} else {
		m.leaveScreen()
		m.show(opened{id, v})
		m.overlays = nil // what lay over the last view was about that one
	}
	return cmd
}

// An opened view remembers the name it was opened by.
type opened struct {
	id string
	view
}

// top returns what gets keys first: the uppermost overlay, else the view that
// fills the screen.
func (m *Model) top() view {
	if n := len(m.overlays); n > 0 {
		return m.overlays[n-1].view
	}
	return m.screen.view
}

func (m *Model) topID() string {
	if n := len(m.overlays); n > 0 {
		return m.overlays[n-1].id
	}
	return m.screen.id
}

// closeTop closes the uppermost overlay, else goes back to the lab.
func (m *Model) closeTop() {
	if n := len(m.overlays); n > 0 {
		m.overlays = m.overlays[:n-1]
		return
	}
	m.leaveScreen()
	m.show(opened{"lab", &labView{}})
}

// show makes o what fills the screen.
func (m *Model) show(o opened) {
	m.screen = o
	m.Beside = o.id == "compare"
}

// A leaver is a view that puts something back when it is left.
type leaver interface{ leave(m *Model) }

// leaveScreen tells the view that fills the screen that it is left.
func (m *Model) leaveScreen() {
	if v, ok := m.screen.view.(leaver); ok {
		v.leave(m)
	}
}

// wheelMoves moves the selection of a view that fills the screen.
func wheelMoves(m *Model, e tea.MouseMsg) (tea.Cmd, bool) {
	switch e.Button {
	case tea.MouseButtonWheelUp:
		return m.act("up"), true
	case tea.MouseButtonWheelDown:
		return m.act("down"), true
	}
	return nil, false
}
