package tui

import (
	"context"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/course"
	"logitscope/ui/tui/disk"
	"logitscope/ui/tui/files"
	"logitscope/ui/tui/grid"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/lanes"
	"logitscope/ui/tui/predict"
	"logitscope/ui/tui/prompt"
	"logitscope/ui/tui/replay"
	"logitscope/ui/tui/run"
	"logitscope/ui/tui/structure"
	"logitscope/ui/tui/tutor"
	"logitscope/ui/tui/verdicts"
	"logitscope/ui/tui/vote"
	"logitscope/viz"
)

// A Model is the state of the screen. Update writes it; drawing only reads.
type Model struct {
	opt  Options
	door *disk.Door // to files; nil, and closed, for a guest
	keys *keymap
	pal  *viz.Palette
	w, h int

	*run.Lanes
	bench  *verdicts.Room // prompts and configs, over all openings
	score  predict.Score  // of predicting, over all openings
	player *replay.Player // of a recording; nil where a model runs
	course *course.Course
	tutor  *tutor.Pane // the open lesson on the screen
	seated kit.ViewID  // the view that the lesson was last seated beside

	screen   opened   // what fills the screen below the header
	overlays []opened // the last one gets keys first

	lab *lab.View

	fresh bool // no key was pressed yet
	asked bool // quitting was asked for once

	dragsBar bool // the bar of a replay is held with the mouse

	prompts *prompt.Prompts
	sources *structure.Texts // constraints as they were typed
	presets *files.Presets   // the user's own
	sweeps  grid.Kept

	standing  kit.Standing // of the class, as it was last drawn
	windows   []Window     // that the class last looked at
	changes   int          // messages that may have changed what is shown
	published int          // of them, those that the class was shown

	panics []string // reports of what was rescued
	dirty  bool
	cache  *string // the frame, drawn when it is first asked for
}

// A laneEndedMsg says that a lane has ended by itself, and why.
type laneEndedMsg struct {
	lane int
	err  error
}

// onLaneEnded says why a lane ended. After a panic in it the program cannot
// be trusted to go on.
func (m *Model) onLaneEnded(msg laneEndedMsg) tea.Cmd {
	l := m.ByID(msg.lane)
	if l == nil || msg.err == nil {
		return nil
	}
	l.Ended = msg.err
	if _, ok := msg.err.(*run.PanicError); ok {
		return tea.Quit
	}
	m.Complain("lane " + strconv.Itoa(l.ID+1) + " has ended: " + viz.FirstLine(msg.err.Error()))
	return nil
}

// newModel returns the model of a program that is about to start.
func newModel(ctx context.Context, opt Options, door *disk.Door, pal *viz.Palette, keys *keymap) *Model {
	m := &Model{
		opt: opt, door: door, Lanes: run.New(ctx, opt.Presets, opt.Draft, opt.FPS, pal.ASCII), keys: keys, pal: pal,
		fresh: true, dirty: true, cache: new(string),
	}
	m.Cued = m.record
	m.keepTo(opt.share)
	m.bench = verdicts.NewRoom(m.Lanes, opt.Bench)
	m.prompts = prompt.New(m.Lanes, opt.OpenModel)
	m.lab = lab.New(m.Lanes, pal, func(id kit.ID) string { return m.keys.byID[id].First() })
	m.screen = opened{kit.ViewLab, m.lab}
	m.sources, m.presets = structure.NewTexts(opt.Written), files.NewPresets(m.Lanes, door)
	if r := opt.Replay; r != nil {
		m.player = replay.New(r.Name, r.Take)
	}
	m.course = m.newCourse(opt.Lessons)
	m.tutor = tutor.New(m.course, m.lessonRect, m.lessonOver)
	preset := -1
	m.Rows = opt.Rows
	for i, p := range opt.Presets {
		if p.Name == opt.PresetName {
			preset = i
		}
	}
	m.All = []*run.Lane{m.NewLane(0, opt.Model, opt.Draft, opt.Config, preset)}
	if len(opt.Lanes) > 0 {
		m.All = m.lanesOf(opt)
	}
	if len(m.All) > 1 {
		m.show(opened{kit.ViewCompare, lanes.New(m.Lanes, m.lab)})
	}
	if len(opt.Vote.Pairs) > 0 {
		if v, _ := vote.New(m, opt.Vote); v != nil {
			m.show(opened{kit.ViewVote, v})
		}
	}
	if opt.Sweep != nil {
		m.sweeps = grid.Kept{Map: opt.Sweep, Model: opt.Model}
		if v, _ := grid.New(m, m.Lanes, &m.sweeps); v != nil {
			m.show(opened{kit.ViewSweep, v})
		}
	}
	return m
}

// clock is what times passes over the weights.
func (m *Model) clock() time.Time {
	if m.opt.Clock != nil {
		return m.opt.Clock()
	}
	return time.Now()
}

// Init starts the lanes and the prompt.
func (m *Model) Init() tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range m.All {
		cmds = append(cmds, m.StartLane(l))
	}
	m.Warm(m.All[0])
	if m.opt.Class != nil {
		cmds = append(cmds, nextScene())
	}
	return tea.Batch(append(cmds, m.begin()...)...)
}

// begin puts the settings in force and reads the prompt, on lanes that run.
func (m *Model) begin() []tea.Cmd {
	var cmds []tea.Cmd
	if len(m.opt.Problems) > 0 {
		m.Complain(m.opt.Problems[0].Error())
	}
	for _, l := range m.All {
		s, err := l.Compile(l.Config, l.Preset)
		if err != nil {
			m.Complain(err.Error())
			return cmds
		}
		l.Settings = s
		switch {
		case m.opt.Lessons.Open != nil:
		case m.player != nil:
			l.Talk = m.opt.Talk
			m.startReplay()
		case m.opt.PromptTokens != nil && l.Model == m.opt.Model:
			cmds = append(cmds, func() tea.Msg {
				return run.PromptMsg{Lane: l.ID, Text: m.opt.Prompt, IDs: m.opt.PromptTokens, Talk: m.opt.Talk, Ends: m.opt.Ends}
			})
		case m.opt.Prompt != "":
			cmds = append(cmds, m.ReadPrompt(l, run.Asked{Text: m.opt.Prompt, Talk: m.opt.Talk}))
		}
	}
	if len(m.All) > 1 {
		m.Conduct()
	}
	if l := m.opt.Lessons.Open; l != nil {
		cmds = append(cmds, m.tutor.Open(l, m.opt.Lessons.Task))
	}
	if m.opt.Lessons.Choose {
		cmds = append(cmds, m.Open(kit.ViewLessons))
	}
	return cmds
}

// Update takes one message. A panic while it does so does not end the
// session.
func (m *Model) Update(msg tea.Msg) (same tea.Model, cmd tea.Cmd) {
	defer func() {
		if p := recover(); p != nil {
			m.rescue(p)
			same, cmd = m, m.goOn(msg)
		}
	}()
	if _, ok := msg.(sceneMsg); ok { // changes nothing by itself
		return m, m.onScene()
	}
	m.dirty = true
	m.changes++
	cmd = m.take(msg)
	m.seatLesson()
	return m, cmd
}

// take routes one message.
func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.Room = m.w - 2
		m.lab.Resize(m.w, m.h)
	case run.ViewMsg:
		return m.onView(msg)
	case tea.ResumeMsg: // the terminal's mouse is off since it was suspended
		if m.opt.NoMouse {
			return nil
		}
		return tea.EnableMouseCellMotion
	case tea.KeyMsg:
		return m.onKey(msg)
	case tea.MouseMsg:
		return m.onMouse(msg)
	case run.EffectMsg:
		return m.OnEffect(msg)
	case run.PromptMsg:
		return m.OnPrompt(msg)
	case prompt.AssistMsg:
		return m.prompts.OnAssist(msg)
	case heldMsg:
		return m.onHeld(msg)
	case laneEndedMsg:
		return m.onLaneEnded(msg)
	case run.MeterMsg:
		return run.MeterTick()
	case frameMsg:
		m.Side.Frame, m.Side.Due = time.Now(), false
		return nil
	case clipMsg:
		m.Say(msg.say)
		return nil
	case BringMsg:
		return m.onBring(msg.Push)
	}
	return m.tell(msg)
}

// tell gives msg to every open view that follows.
func (m *Model) tell(msg tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{m.bench.Take(m, msg), m.course.Follow(m, msg)}
	if m.player != nil {
		cmds = append(cmds, m.player.Follow(m, msg))
	}
	for _, o := range append([]opened{m.screen}, m.overlays...) {
		if f, ok := o.View.(kit.Follower); ok {
			cmds = append(cmds, f.Follow(m, msg))
		}
	}
	return tea.Batch(cmds...)
}

// onView takes a lane's newest view and asks for the next one.
func (m *Model) onView(msg run.ViewMsg) tea.Cmd {
	l := m.ByID(msg.Lane)
	if l == nil {
		return nil
	}
	if !msg.OK {
		return func() tea.Msg { return laneEndedMsg{l.ID, <-l.Done} }
	}
	return tea.Batch(m.NextView(l, msg.At), m.TakeView(msg), m.paceFrames())
}

// TakeView makes a lane's view the newest, without asking for the next one.
func (m *Model) TakeView(msg run.ViewMsg) tea.Cmd {
	m.dirty = true
	l := m.ByID(msg.Lane)
	if l == nil || !msg.OK {
		return m.tell(msg)
	}
	l.Take(msg.View)
	m.Tidy()
	m.record(l)
	return tea.Batch(m.WantEffect(), m.tell(msg))
}

// record gives a lane's view and cues to the recording, if there is one.
func (m *Model) record(l *run.Lane) {
	if m.opt.Record == nil {
		return
	}
	if err := m.opt.Record(Recorded{Lane: l.ID, Model: l.Model, View: l.View, Turns: l.TurnsOf(l.View.PromptText), Cues: l.Cues}); err != nil {
		m.Complain("the recording: " + viz.FirstLine(err.Error()))
	}
}

// Files is the door to files; see [kit.Host].
func (m *Model) Files() *disk.Door { return m.door }

// Runs are the lanes on the screen.
func (m *Model) Runs() *run.Lanes { return m.Lanes }

// suspend stops the program until fg brings it back, unless others need it.
func (m *Model) suspend() tea.Cmd {
	switch {
	case m.opt.Class != nil:
		m.Say("ctrl+z: the lab goes on; suspended it would leave the whole class standing")
	case m.opt.share != nil:
		m.Say("ctrl+z: this lab runs on the teacher's machine, and goes on")
	default:
		return tea.Suspend
	}
	return nil
}

// A frameMsg says that it is time to draw what lanes have sent.
type frameMsg struct{}

// paceFrames keeps the screen at its pace however many lanes send views: a
// view that comes too soon after the last is drawn with those after it.
func (m *Model) paceFrames() tea.Cmd {
	if len(m.All) < 2 {
		return nil
	}
	now := time.Now()
	wait := m.Side.Frame.Add(time.Second / time.Duration(m.FPS)).Sub(now)
	if wait <= 0 {
		m.Side.Frame = now
		return nil
	}
	m.dirty = false
	if m.Side.Due {
		return nil
	}
	m.Side.Due = true
	return tea.Tick(wait, func(time.Time) tea.Msg { return frameMsg{} })
}
