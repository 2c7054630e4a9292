package tui

import (
	"context"
	"runtime"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
)

// A notice is what the help line says until the next key. It is empty while
// nothing was said.
type notice struct {
	text string
	warn bool // it says what went wrong
}

// say puts one sentence into the help line until the next key.
func (n *notice) say(s string) { n.text, n.warn = s, false }

// complain is say for what went wrong.
func (n *notice) complain(s string) { n.text, n.warn = s, true }

// A board is the runs on the screen: lanes, which of them keys act on, and
// what the keys do to it. It belongs to the screen's goroutine.
type board struct {
	notice
	room  int  // cells that a notice has
	ascii bool // names of tokens are ASCII

	ctx   context.Context
	wg    *sync.WaitGroup // the lanes' goroutines
	fps   int             // most views a second taken from a lane
	draft engine.Draft    // for speculative decoding; the zero value is none
	gate  *engine.Gate    // shares the cores among the lanes
	book  *presetBook     // the presets there are
	owned []models.Model  // opened by the screen, closed when it ends

	lanes  []*lane
	parked []*lane // taken out of the comparison, newest last
	cur    int     // the lane that keys act on
	beside bool    // the lanes stand side by side on the screen
	cmp    comparison
	pace   int // index in paces

	knob  int // index in knobList
	stage int // selected stage of the pipeline

	slots  [2]*slot // A and B
	slot   int
	taken  map[string]any // values of knobs taken out with x
	effect effectCache
	change lastChange

	metered bool // a server's counts are looked at from time to time
}

// newBoard returns a board without lanes. Lanes run until ctx ends; wg counts
// their goroutines.
func newBoard(ctx context.Context, wg *sync.WaitGroup, presets []Preset, draft engine.Draft, fps int, ascii bool) *board {
	m := &board{
		ctx: ctx, wg: wg, fps: fps, draft: draft, book: new(presetBook), ascii: ascii, pace: startPace, taken: make(map[string]any),
		gate: engine.NewGate(max(1, runtime.GOMAXPROCS(0)-1)), // one core is the screen's
	}
	if m.fps <= 0 {
		m.fps = 30
	}
	m.book.set(presets)
	return m
}

// lane returns the lane that keys act on.
func (m *board) lane() *lane { return m.lanes[m.cur] }

// startLane runs l in the background and asks for its views.
func (m *board) startLane(l *lane) tea.Cmd {
	ctx, stop := context.WithCancel(m.ctx)
	l.stop = stop
	m.wg.Add(1)
	go func() {
		defer m.wg.Done()
		l.done <- l.run(ctx)
	}()
	return tea.Batch(m.nextView(l, time.Time{}), m.watchMeter(l))
}

// nextView waits until a frame after last has passed, then for whatever view
// is newest. One is outstanding per lane, which keeps views in order and the
// screen's pace apart from the lane's.
func (m *board) nextView(l *lane, last time.Time) tea.Cmd {
	wait := time.Until(last.Add(time.Second / time.Duration(m.fps)))
	views, ctx, id := l.eng.Views(), m.ctx, l.id
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
			return viewMsg{id, v, ok, time.Now()}
		case <-ctx.Done():
			return nil
		}
	}
}

// A viewMsg is a lane's newest view; ok is false once the lane has ended.
type viewMsg struct {
	lane int
	view engine.View
	ok   bool
	at   time.Time
}

func (m *board) laneByID(id int) *lane {
	for _, l := range m.lanes {
		if l.id == id {
			return l
		}
	}
	for _, l := range m.parked {
		if l.id == id {
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

// lastChange joins quick changes of one knob into one undo.
type lastChange struct {
	key string
	at  time.Time
}
