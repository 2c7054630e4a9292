package run

import (
	"context"
	"runtime"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
)

// A Notice is what the help line says until the next key. It is empty while
// nothing was said.
type Notice struct {
	Text string
	Warn bool // it says what went wrong
}

// Say puts one sentence into the help line until the next key.
func (n *Notice) Say(s string) { n.Text, n.Warn = s, false }

// Complain is say for what went wrong.
func (n *Notice) Complain(s string) { n.Text, n.Warn = s, true }

// Lanes are the runs on the screen, which of them keys act on, and
// what the keys do to it. It belongs to the screen's goroutine.
type Lanes struct {
	Notice
	Selection
	Tempo
	Style
	*Background
	Room  int  // cells that a notice has
	ascii bool // names of tokens are ASCII

	FPS    int            // most views a second taken from a lane
	Draft  engine.Draft   // for speculative decoding; the zero value is none
	Gate   *engine.Gate   // shares the cores among the lanes
	Book   *Book          // the presets there are
	Memory *engine.Budget // of rows and traces, of all lanes and the texts that were left
	Rows   int            // tokens that rows should name at least, for a recording; see [engine.Options]
	Frugal bool           // nothing is computed that no key asked for: many labs share the machine

	All    []*Lane
	Parked []*Lane // taken out of the comparison, newest last
	Cur    int     // the lane that keys act on
	Beside bool    // the lanes stand side by side on the screen
	Side   Comparison

	slots  [2]*slot // A and B
	slot   int
	taken  map[string]any // values of knobs taken out with x
	Effect effectCache

	Cued func(*Lane) // is told of every change of a lane's cues; nil for none

	metered bool // a server's counts are looked at from time to time
}

// fewWeights is up to how many numbers a model has that is asked for what a view
// shows beside the run without a key for it.
const fewWeights = 50e6

// Unasked reports whether l's model is asked without a key: it runs here and is
// soon done.
func (ls *Lanes) Unasked(l *Lane) bool {
	info := l.Model.Info()
	return !ls.Frugal && info.Server == "" && !info.Caps.Recorded && info.Params > 0 && info.Params <= fewWeights
}

// New returns no lanes yet. Lanes run until ctx ends.
func New(ctx context.Context, presets []Preset, draft engine.Draft, fps int, ascii bool) *Lanes {
	ls := &Lanes{
		Background: newBackground(ctx), Tempo: Tempo{Pace: startPace, Fastest: len(Paces) - 1},
		FPS: fps, Draft: draft, Book: new(Book), ascii: ascii, taken: make(map[string]any),
		Memory: engine.NewBudget(memoryBytes),
		Gate:   engine.NewGate(max(1, runtime.GOMAXPROCS(0)-1)), // one core is the screen's
	}
	if ls.FPS <= 0 {
		ls.FPS = 30
	}
	ls.Book.Set(presets)
	return ls
}

// Lane returns the lane that keys act on.
func (ls *Lanes) Lane() *Lane { return ls.All[ls.Cur] }

// NewLane returns a lane that shares with the others what lanes share. It runs
// once it is started.
func (ls *Lanes) NewLane(id int, m models.Model, draft engine.Draft, cfg sampling.Config, preset int) *Lane {
	return NewLane(id, m, engine.Options{Draft: draft, Gate: ls.Gate, Memory: ls.Memory, Rows: ls.Rows, Greedy: true}, cfg, preset, ls.Book)
}

// StartLane runs l in the background and asks for its views.
func (ls *Lanes) StartLane(l *Lane) tea.Cmd {
	ctx, stop := context.WithCancel(ls.Ctx)
	l.Stop = stop
	ls.Go(func() { l.Done <- l.run(ctx) })
	return tea.Batch(ls.NextView(l, time.Time{}), ls.watchMeter(l))
}

// Warm makes ready in the background what a constraint on l would wait for.
func (ls *Lanes) Warm(l *Lane) {
	ls.Go(l.Comp.Warm)
}

// NextView waits until a frame after last has passed, then for whatever view
// is newest. One is outstanding per lane, which keeps views in order and the
// screen's pace apart from the lane's.
func (ls *Lanes) NextView(l *Lane, last time.Time) tea.Cmd {
	wait := time.Until(last.Add(time.Second / time.Duration(ls.FPS)))
	views, ctx, id := l.Eng.Views(), ls.Ctx, l.ID
	return func() tea.Msg {
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return nil
			}
		}
		select {
		case v, ok := <-views:
			return ViewMsg{id, v, ok, time.Now()}
		case <-ctx.Done():
			return nil
		}
	}
}

// A ViewMsg is a lane's newest view; ok is false once the lane has ended.
type ViewMsg struct {
	Lane int
	View engine.View
	OK   bool
	At   time.Time
}

// ByID returns the lane of that number, parked ones too; nil if there is none.
func (ls *Lanes) ByID(id int) *Lane {
	for _, l := range ls.All {
		if l.ID == id {
			return l
		}
	}
	for _, l := range ls.Parked {
		if l.ID == id {
			return l
		}
	}
	return nil
}

// A slot is one of the two settings that a flips between.
type slot struct {
	config sampling.Config
	preset int
}

// SetPresets makes list the presets; what refers to one by its place points at
// it still, or at none.
func (ls *Lanes) SetPresets(list []Preset) {
	old := ls.Book.List()
	ls.Book.Set(list)
	move := func(i *int) {
		if *i < 0 || *i >= len(old) {
			*i = -1
			return
		}
		p := &old[*i]
		*i = slices.IndexFunc(list, func(q Preset) bool { return q.Name == p.Name && q.User == p.User })
	}
	for _, l := range append(slices.Clone(ls.All), ls.Parked...) {
		move(&l.Preset)
		for _, s := range [][]Snapshot{l.Undo, l.Redo} {
			for k := range s {
				move(&s[k].Preset)
			}
		}
	}
	for _, s := range ls.slots {
		if s != nil {
			move(&s.preset)
		}
	}
}
