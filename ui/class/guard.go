package class

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// errInternal says that a session ended by a fault of the program.
var errInternal = errors.New("an internal error ended this session; the others go on")

// A screen is what a session shows.
type screen interface {
	Init() tea.Cmd
	Update(tea.Msg) tea.Cmd
	Draw() sheet
}

// A guarded screen is one as Bubble Tea takes it. It shows its sheets itself,
// and ends its own session where the screen panics, and nothing else: Bubble
// Tea would print the fault to the teacher's screen, or take the whole program
// along. What a session may not ask of the process, to suspend it or to run
// something, is dropped by [onlyOwn].
type guarded struct {
	screen  screen
	paint   *painter
	waiting bool        // a paintMsg is on its way
	fail    func(error) // ends the session
}

// A paintMsg says that the next frame may be shown.
type paintMsg struct{}

// failed ends the session if a panic is under way.
func (g *guarded) failed() {
	if p := recover(); p != nil {
		g.fail(fmt.Errorf("%w (%v)", errInternal, p))
	}
}

// Init shows the first frame; see [tea.Model].
func (g *guarded) Init() (cmd tea.Cmd) {
	defer g.failed()
	cmd = g.screen.Init()
	g.show()
	return g.guard(cmd)
}

// Update takes a message, and shows the frame after it; see [tea.Model].
func (g *guarded) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	m = g
	defer g.failed()
	if _, ok := msg.(paintMsg); ok {
		g.waiting = false
	} else {
		cmd = g.guard(g.screen.Update(msg))
	}
	if g.waiting {
		return g, cmd
	}
	wait := g.paint.due()
	if wait <= 0 {
		g.show()
		return g, cmd
	}
	g.waiting = true
	return g, tea.Batch(cmd, tea.Tick(wait, func(time.Time) tea.Msg { return paintMsg{} }))
}

// show draws the screen. A terminal that takes nothing holds this session
// alone.
func (g *guarded) show() {
	if err := g.paint.show(g.screen.Draw()); err != nil {
		g.fail(errLeft)
	}
}

// View returns nothing: the frame is on its way; see [tea.Model].
func (g *guarded) View() string { return "" }

// guard returns cmd so that a panic in it, or in one that it brings, ends the
// session alone.
func (g *guarded) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.failed()
		msg = cmd()
		// A sequence has a type of Bubble Tea's own; it and a batch are lists
		// of commands.
		v := reflect.ValueOf(msg)
		if !v.IsValid() || v.Kind() != reflect.Slice || v.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
			return msg
		}
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			list.Index(i).Set(reflect.ValueOf(g.guard(v.Index(i).Interface().(tea.Cmd))))
		}
		return list.Interface()
	}
}

// safely runs f; a panic in it ends the session.
func safely(fail func(error), f func()) {
	defer (&guarded{fail: fail}).failed()
	f()
}

// onlyOwn lets through what a session may ask for itself. The rest acts on the
// whole process: suspending it, or running another program.
func onlyOwn(_ tea.Model, msg tea.Msg) tea.Msg {
	if t := reflect.TypeOf(msg); t == suspendType || t == execType {
		return nil
	}
	return msg
}

var (
	suspendType = reflect.TypeFor[tea.SuspendMsg]()
	execType    = reflect.TypeOf(tea.Exec(nil, nil)()) // has no name of its own
)
