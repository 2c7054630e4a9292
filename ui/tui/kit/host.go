package kit

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/sampling"
	"logitscope/ui/tui/disk"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A Host is the screen as a view sees it. All its methods belong to the
// screen's goroutine; while drawing, a view may only read.
type Host interface {
	// Lane returns the run that keys act on.
	Lane() *run.Lane

	// Say puts one sentence into the help line until the next key; Complain
	// does so for what went wrong.
	Say(string)
	Complain(string)

	// WhyNot says why l cannot go on.
	WhyNot(l *run.Lane) string

	// Open shows a view, or closes it if it is on top. Close closes the
	// uppermost overlay, else goes back to the lab.
	Open(ViewID) tea.Cmd
	Close()

	// Do does what an action means where no view takes it.
	Do(ID) tea.Cmd

	// Set gives one parameter a value, and Apply puts a configuration in
	// force, with the preset it came from (-1 for none) and the words that
	// undo shows. On a step of the past both are tried there only. They
	// report whether the settings were taken, after saying why not. Quick
	// changes under one key, if it is not empty, are undone as one.
	Set(key string, value any) bool
	Apply(cfg sampling.Config, preset int, key, what string) bool

	// Copy hands text to the terminal's clipboard, or saves it in file where
	// that cannot be.
	Copy(what, text, file string) tea.Cmd

	// Screen is how the screen looks now.
	Screen() Screen

	// Files is the door to files; it is nil, and closed, where the screen is
	// shown to a guest of this machine.
	Files() *disk.Door
}

// A Screen is the size of the screen and how it shows things. Drawing and
// mouse take their places from it alone.
type Screen struct {
	W, H    int
	Above   int // lines below the header that a lesson has
	Palette *viz.Palette
	box     func(w, h int) viz.Rect // where an overlay of that size stands

	// Under draws the screen without what lies over it; nil where it cannot.
	Under func() *viz.Canvas
}

// NewScreen returns a screen of w by h cells. box places an overlay that would
// be that large.
func NewScreen(w, h int, p *viz.Palette, box func(w, h int) viz.Rect) Screen {
	return Screen{W: w, H: h, Palette: p, box: box}
}

// Class is the size class of the window.
func (s Screen) Class() Class { return ClassOf(s.W, s.H) }

// Body is what a view other than the lab fills: all but header, help line and
// footer, and what a lesson has.
func (s Screen) Body() viz.Rect {
	return viz.Rect{X: 0, Y: 1 + s.Above, W: s.W, H: max(s.H-3-s.Above, 1)}
}

// Box is where an overlay that wants w by h cells stands, borders included.
func (s Screen) Box(w, h int) viz.Rect { return s.box(w, h) }

// ASCII reports whether only ASCII glyphs are drawn.
func (s Screen) ASCII() bool { return s.Palette.ASCII }
