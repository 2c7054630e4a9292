package grid

import (
	"context"
	"fmt"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/bench"
	"logitscope/ui/tui/disk"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A sweeping is a sweep under way.
type sweeping struct {
	stop   context.CancelFunc
	done   chan struct{}
	news   chan struct{} // holds one element while there is something new
	mu     sync.Mutex
	now    bench.Progress
	fresh  map[int]bench.Point // that got a text since the screen took them, by their place
	report *bench.Grid
	err    error
}

// start runs the sweep in the background. Its points are computed here, off
// the screen's own time.
func start(back *run.Background, door *disk.Door, p *bench.SweepPlan) *sweeping {
	ctx, cancel := context.WithCancel(back.Ctx)
	s := &sweeping{stop: cancel, done: make(chan struct{}), news: make(chan struct{}, 1), fresh: map[int]bench.Point{}}
	back.Go(func() {
		defer close(s.done)
		g, err := bench.NewGrid(p)
		if err != nil {
			s.err = err
			return
		}
		r, err := door.Sweep(ctx, p, bench.Options{Workers: 1, Progress: func(now bench.Progress) {
			i := now.Newest.Config
			g.Cells[i] = g.With(now.Newest)
			s.mu.Lock()
			s.now, s.fresh[i] = now, g.Cells[i]
			s.mu.Unlock()
			select {
			case s.news <- struct{}{}:
			default:
			}
		}})
		s.mu.Lock()
		s.report, s.err = r, err
		s.mu.Unlock()
	})
	return s
}

func (s *sweeping) progress() bench.Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// take moves the points that got a text into r.
func (s *sweeping) take(r *bench.Grid) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, p := range s.fresh {
		r.Cells[i] = p
	}
	clear(s.fresh)
}

// A sweptMsg says that a sweep has come on, or ended.
type sweptMsg struct {
	of   *sweeping
	over bool
}

// wait returns what waits for the next text, or the end.
func (s *sweeping) wait() tea.Cmd {
	return func() tea.Msg {
		select {
		case <-s.done:
			return sweptMsg{s, true}
		case <-s.news:
			return sweptMsg{s, false}
		}
	}
}

// run starts the sweep that is set up.
func (v *View) run(host kit.Host) tea.Cmd {
	if v.busy != nil {
		host.Say("r: a sweep is running; esc stops it")
		return nil
	}
	p, err := v.setup.plan(host.Lane())
	if err != nil {
		host.Complain(viz.FirstLine(err.Error()))
		return nil
	}
	if n, most := texts(p, v.setup.tokens); host.Lane().Model.Info().Server != "" && !v.setup.asked {
		v.setup.asked = true
		host.Say(fmt.Sprintf("%s texts, at most %s tokens from the server: r goes on", viz.Count(n), viz.Count(most)))
		return nil
	}
	empty, err := bench.NewGrid(p)
	if err != nil {
		host.Complain(viz.FirstLine(err.Error()))
		return nil
	}
	v.setup.asked = false
	v.before = Kept{v.r, v.model}
	v.show(Kept{empty, host.Lane().Model})
	v.busy = start(v.lanes.Background, host.Files(), p)
	host.Say("")
	return v.busy.wait()
}

// Follow takes what a sweep has come to; see [kit.Follower].
func (v *View) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	m, ok := msg.(sweptMsg)
	if !ok || m.of != v.busy || v.busy == nil {
		return nil
	}
	v.busy.take(v.r)
	if !m.over {
		return v.busy.wait()
	}
	s := v.busy
	v.end()
	switch {
	case s.report != nil:
		v.r.Cells, v.r.Axes = s.report.Cells, s.report.Axes // with what is known of whole axes
	case s.err != nil:
		host.Complain("sweep: " + viz.FirstLine(s.err.Error()))
	}
	return nil
}

// end forgets the sweep under way. What it computed stays; the map before
// comes back if that is nothing.
func (v *View) end() {
	v.busy.take(v.r)
	v.busy = nil
	if v.r.Done() == 0 {
		if v.r = nil; v.before.Map != nil {
			v.show(v.before)
		} else {
			v.rows = true
		}
	}
	v.before = Kept{}
}

// Leave stops a sweep under way; see [kit.Leaver].
func (v *View) Leave(kit.Host) {
	if v.busy != nil {
		v.busy.stop()
		v.end()
	}
	*v.kept = Kept{v.r, v.model}
}
