package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/across"
	"logitscope/ui/tui/beams"
	"logitscope/ui/tui/cache"
	"logitscope/ui/tui/draft"
	"logitscope/ui/tui/files"
	"logitscope/ui/tui/grid"
	"logitscope/ui/tui/inspect"
	"logitscope/ui/tui/join"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/lanes"
	"logitscope/ui/tui/layers"
	"logitscope/ui/tui/picker"
	"logitscope/ui/tui/predict"
	"logitscope/ui/tui/prompt"
	"logitscope/ui/tui/reading"
	"logitscope/ui/tui/structure"
	"logitscope/ui/tui/timeline"
	"logitscope/ui/tui/vote"
	"logitscope/viz"
)

// A viewEntry is how a view is opened: new returns it, or nil after saying
// why it cannot be opened now.
type viewEntry struct {
	title string
	new   func(m *Model) (kit.View, tea.Cmd)
}

// views is the table of everything that can be opened by name.
var views map[kit.ViewID]viewEntry

func init() { // its functions look it up again
	views = map[kit.ViewID]viewEntry{
		kit.ViewHelp:     {"help", func(m *Model) (kit.View, tea.Cmd) { return &helpView{}, nil }},
		kit.ViewCommands: {"commands", newPalette},
		kit.ViewLessons:  {"lessons", openLessons},
		kit.ViewExamples: {"examples", func(m *Model) (kit.View, tea.Cmd) { return prompt.NewExamples(m, m.Lanes, m.prompts) }},
		kit.ViewPrompt:   {"prompt", func(m *Model) (kit.View, tea.Cmd) { return prompt.NewEditor(m, m.Lanes, m.prompts) }},
		kit.ViewValue: {"value", func(m *Model) (kit.View, tea.Cmd) {
			if m.Selected().Key == "constraint" { // it has an editor of its own
				return openSource(m)
			}
			return lab.NewValue(m, m.Lanes)
		}},
		kit.ViewFind:       {"find", func(m *Model) (kit.View, tea.Cmd) { return inspect.NewFinder(m, m.Lanes) }},
		kit.ViewValues:     {"effective values", func(m *Model) (kit.View, tea.Cmd) { return inspect.NewValues(m, m.Lanes, m.lab) }},
		kit.ViewEngines:    {"same settings, four engines", func(m *Model) (kit.View, tea.Cmd) { return inspect.NewEngines(m, m.Lanes) }},
		kit.ViewDraw:       {"draw 1,000", func(m *Model) (kit.View, tea.Cmd) { return inspect.NewDraws(m) }},
		kit.ViewStages:     {"pipeline", func(m *Model) (kit.View, tea.Cmd) { return inspect.NewStages(m, m.Lanes, m.lab) }},
		kit.ViewPenalties:  {"penalties", func(m *Model) (kit.View, tea.Cmd) { return inspect.NewPenalties(m, &m.Selection) }},
		kit.ViewSince:      {"since the switch", func(m *Model) (kit.View, tea.Cmd) { return inspect.NewSince(m) }},
		kit.ViewCompare:    {"compare", func(m *Model) (kit.View, tea.Cmd) { return lanes.Open(m, m.Lanes, m.lab) }},
		kit.ViewTimeline:   {"timeline and branches", openTimeline},
		kit.ViewCache:      {"prompt and cache", func(m *Model) (kit.View, tea.Cmd) { return cache.New(m, m.Lanes, m.clock) }},
		kit.ViewSweep:      {"sweep", func(m *Model) (kit.View, tea.Cmd) { return grid.New(m, m.Lanes, &m.sweeps) }},
		kit.ViewBench:      {"bench", func(m *Model) (kit.View, tea.Cmd) { return m.bench.Open(m) }},
		kit.ViewVote:       {"vote", openVote},
		kit.ViewName:       {"name of a branch", openName},
		kit.ViewCue:        {"cue", openCue},
		kit.ViewPredict:    {"predict", openPredict},
		kit.ViewLayers:     {"layers and attention", func(m *Model) (kit.View, tea.Cmd) { return layers.New(m, m.Background) }},
		kit.ViewLabs:       {"labs of their own", openLabs},
		kit.ViewJoin:       {"join", openJoin},
		kit.ViewBeam:       {"beam search", func(m *Model) (kit.View, tea.Cmd) { return beams.New(m, m.Lanes) }},
		kit.ViewDraft:      {"speculative decoding", func(m *Model) (kit.View, tea.Cmd) { return draft.New(m, m.Lanes, m.opt.OpenModel) }},
		kit.ViewModel:      {"model", func(m *Model) (kit.View, tea.Cmd) { return picker.New(m, m.Lanes, m.opt.Models, m.opt.OpenModel) }},
		kit.ViewExport:     {"write out", func(m *Model) (kit.View, tea.Cmd) { return files.NewExport(m, m.Lanes, m.presets) }},
		kit.ViewImport:     {"import settings", func(m *Model) (kit.View, tea.Cmd) { return files.NewImport(m.Lanes), nil }},
		kit.ViewSeeds:      {"lanes over seeds", func(m *Model) (kit.View, tea.Cmd) { return across.New(m, m.Lanes) }},
		kit.ViewRead:       {"read a text", func(m *Model) (kit.View, tea.Cmd) { return reading.New(m.Background), nil }},
		kit.ViewProof:      {"prove it", openProof},
		kit.ViewConstraint: {"structured output", func(m *Model) (kit.View, tea.Cmd) { return structure.New(m, m.Lanes, m.sources) }},
		kit.ViewSource:     {"constraint", openSource},
	}
}

func openPredict(m *Model) (kit.View, tea.Cmd) {
	return predict.New(m, predict.Lab{
		Score: &m.score,
		Text: func(c *viz.Canvas, h kit.Host) {
			at := h.(*Model) // this one, or as another window shows it
			f := at.lab.TextFrame(at.Lane())
			f.Focused = false
			at.lab.DrawText(viz.Box(c, f), at.Lane())
		},
		Pause: func() { m.AdvanceAll(0) },
		Back:  m.wayBack(),
		Class: m.voters(),
	})
}

// voters are the class as predict knows it; nil for none.
func (m *Model) voters() predict.Class {
	if m.opt.Class == nil {
		return nil
	}
	return m.opt.Class
}

// openJoin shows how to get into the class.
func openJoin(m *Model) (kit.View, tea.Cmd) {
	if m.opt.Class == nil {
		return join.New(m, m.opt.Join, nil)
	}
	return join.New(m, m.opt.Join, m.opt.Class)
}

// openLabs shows the own labs of the class.
func openLabs(m *Model) (kit.View, tea.Cmd) {
	if m.opt.Class == nil {
		return join.NewBoard(m, nil)
	}
	return join.NewBoard(m, m.opt.Class)
}

func openTimeline(m *Model) (kit.View, tea.Cmd) {
	return timeline.New(m, m.Lanes, timeline.Doors{
		Back:   m.wayBack(),
		Beside: func() { m.show(opened{kit.ViewCompare, lanes.New(m.Lanes, m.lab)}) },
	})
}

func openSource(m *Model) (kit.View, tea.Cmd) {
	over, _ := m.screen.View.(*structure.View)
	return structure.NewEditor(m, m.Lanes, m.sources, over)
}

func openCue(m *Model) (kit.View, tea.Cmd) {
	step := m.Lane().Looking()
	if t, ok := m.screen.View.(*timeline.View); ok {
		step = max(t.At(m), 1)
	}
	return lab.NewCue(m, m.Lanes, step)
}

func openName(m *Model) (kit.View, tea.Cmd) {
	t, _ := m.screen.View.(*timeline.View)
	return timeline.NewName(m, m.Lanes, t)
}

// wayBack returns what goes back to the view on the screen now, from one that
// is about to be shown: to the lanes side by side, else to the lab. What lies
// over the view that is left goes with it.
func (m *Model) wayBack() func() {
	from := m.screen
	return func() {
		m.dropOverlays(0)
		m.Close()
		if from.id == kit.ViewCompare {
			m.show(from)
		}
	}
}

// openVote opens the vote that the program was started for, else one on the
// bench's texts.
func openVote(m *Model) (kit.View, tea.Cmd) {
	opt := m.opt.Vote
	if len(opt.Pairs) == 0 {
		opt.Pairs, opt.Seed = m.bench.Pairs(), m.Lane().Config.Uint("seed")
		if opt.File = m.door.VotesOn(m.bench.Name()); opt.File == "" {
			m.Say("D: there is no folder to keep votes in")
			return nil, nil
		}
	}
	return vote.New(m, opt)
}

func openProof(m *Model) (kit.View, tea.Cmd) {
	s, ok := m.screen.View.(*draft.View)
	if !ok {
		m.Say("a proof is made in speculative decoding: S, then d")
		return nil, nil
	}
	return draft.NewProof(m, s)
}

// Open shows the view called id. If it is already the top overlay or the
// current view, it is closed instead.
func (m *Model) Open(id kit.ViewID) tea.Cmd {
	if m.topID() == id {
		m.Close()
		return nil
	}
	e, ok := views[id]
	if !ok {
		m.Say("no view is called " + string(id))
		return nil
	}
	if m.closed(id) {
		m.Say(e.title + ": not in this lab, which is another machine's")
		return nil
	}
	v, cmd := e.new(m)
	if v == nil {
		return cmd
	}
	if _, over := v.(kit.Overlay); over {
		m.overlays = append(m.overlays, opened{id, v})
	} else {
		m.dropOverlays(0) // what lay over the last view was about that one
		m.leaveScreen()
		m.show(opened{id, v})
	}
	return cmd
}

// An opened view remembers the name it was opened by.
type opened struct {
	id kit.ViewID
	kit.View
}

// top returns what gets keys first: the uppermost overlay, else the view that
// fills the screen.
func (m *Model) top() kit.View {
	if n := len(m.overlays); n > 0 {
		return m.overlays[n-1].View
	}
	return m.screen.View
}

func (m *Model) topID() kit.ViewID {
	if n := len(m.overlays); n > 0 {
		return m.overlays[n-1].id
	}
	return m.screen.id
}

// Close closes the uppermost overlay, else goes back to the lab.
func (m *Model) Close() {
	if n := len(m.overlays); n > 0 {
		m.dropOverlays(n - 1)
		return
	}
	m.leaveScreen()
	m.show(opened{kit.ViewLab, m.lab})
}

// show makes o what fills the screen.
func (m *Model) show(o opened) {
	m.screen = o
	m.Beside = o.id == kit.ViewCompare
}

// leaveScreen tells the view that fills the screen that it is left.
func (m *Model) leaveScreen() { m.leave(m.screen) }

// dropOverlays closes all overlays but the lowest n.
func (m *Model) dropOverlays(n int) {
	for len(m.overlays) > n {
		top := m.overlays[len(m.overlays)-1]
		m.overlays = m.overlays[:len(m.overlays)-1]
		m.leave(top)
	}
}

// leave tells a view that it is left.
func (m *Model) leave(o opened) {
	if v, ok := o.View.(kit.Leaver); ok {
		v.Leave(m)
	}
}
