package tui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/lesson"
	"logitscope/ui/store"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// What a guest's lab may take of this machine.
const (
	guestMemory = 4 << 20 // bytes of rows and traces
	guestPace   = 3       // the fastest, in run.Paces: five tokens a second
	guestFPS    = 4
)

// A Guest is a lab for somebody at another machine. It has no files, opens no
// other model and keeps nothing; several guests share one gate. It is a model
// for a program that somebody else runs.
type Guest struct {
	m      *Model
	cancel context.CancelFunc
	tasks  []bool // of the lesson that it opened with, done or not
}

// NewGuest returns a lab for the terminal that w describes; gate shares the
// cores among all guests. Of opt only the model, the prompt, the settings, the
// presets, the lesson and the terminal count. The caller must close it.
func NewGuest(ctx context.Context, opt Options, w Window, dark bool, gate *engine.Gate) *Guest {
	given := opt.Lessons
	opt = Options{
		Model: opt.Model, Draft: opt.Draft, Prompt: opt.Prompt, PromptTokens: opt.PromptTokens, Talk: opt.Talk, Ends: opt.Ends,
		Config: opt.Config, PresetName: opt.PresetName, Presets: opt.Presets, Output: opt.Output,
		NoMouse: true, FPS: guestFPS, Environ: []string{},
		share: &share{gate: gate, memory: engine.NewBudget(guestMemory), pace: guestPace},
	}
	g := &Guest{}
	if l := given.Open; l != nil {
		g.tasks = make([]bool, len(l.Tasks))
		opt.Lessons = Lessons{List: []*lesson.Lesson{l}, Open: l, Start: given.Start, Preset: given.Preset, Fixed: true, Kept: g.kept}
	}
	ctx, g.cancel = context.WithCancel(ctx)
	g.m = newModel(ctx, opt, nil, viz.NewPalette(dark, w.Depth, w.ASCII), newKeymap(actions()))
	g.m.take(tea.WindowSizeMsg{Width: w.W, Height: w.H})
	return g
}

// A share is a lab's part of this machine.
type share struct {
	gate   *engine.Gate
	memory *engine.Budget
	pace   int // the fastest, in run.Paces
}

// keepTo gives the lanes their share; nil leaves them all there is.
func (m *Model) keepTo(s *share) {
	if s != nil {
		m.Gate, m.Memory, m.Fastest, m.Pace, m.Frugal = s.gate, s.memory, s.pace, min(m.Pace, s.pace), true
	}
}

// Init starts the lanes; see [tea.Model].
func (g *Guest) Init() tea.Cmd { return g.m.Init() }

// Update takes one message; see [tea.Model].
func (g *Guest) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := g.m.Update(msg)
	return g, cmd
}

// View returns the frame; see [tea.Model].
func (g *Guest) View() string { return g.m.View() }

// Picture is the lab in w by h cells, as a look over the shoulder.
func (g *Guest) Picture(w, h int) *viz.Canvas {
	return g.m.sized(Window{W: w, H: h, ASCII: g.m.pal.ASCII}).draw()
}

// Close stops the lanes.
func (g *Guest) Close() {
	g.cancel()
	g.m.End()
}

// Tasks are those of the lesson that it was opened with, and whether each is
// done.
func (g *Guest) Tasks() []bool { return slices.Clone(g.tasks) }

// kept takes a change of what was done of the lesson; nothing is kept beyond
// the session.
func (g *Guest) kept(_, _ string, task int, change func(*store.TaskProgress)) {
	var p store.TaskProgress
	if change(&p); task >= 0 && task < len(g.tasks) && p.Done != nil {
		g.tasks[task] = true
	}
}

// notForGuests are views that work on this machine's files, or keep it busy
// for long beside the lanes, which share one core.
var notForGuests = map[kit.ViewID]bool{kit.ViewBench: true, kit.ViewVote: true, kit.ViewSweep: true, kit.ViewSeeds: true, kit.ViewModel: true,
	kit.ViewRead: true, kit.ViewCache: true, kit.ViewLayers: true}

// closed reports whether a view is not for who is at this screen.
func (m *Model) closed(id kit.ViewID) bool { return m.opt.share != nil && notForGuests[id] }
