package grid

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/bench"
	"logitscope/sampling"
	"logitscope/ui/tui/disk"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A setup is a sweep to be run from inside the lab: the selected knob and its
// neighbours, a second one if asked for, over texts of several seeds.
type setup struct {
	axes          [2]string // as on the command line: temperature=0.2,0.4; empty for none
	seeds, tokens int
	at            int        // the row that keys act on
	field         *kit.Field // an axis being typed, nil for none
	asked         bool       // a server's cost was shown
}

// The rows of a setup.
const (
	rowRun = iota
	rowFirst
	rowSecond
	rowSeeds
	rowTokens
	nRows
)

// around is how many values there are on each side of the knob's own, and
// stride how many steps of its slider lie between two.
const (
	around = 3
	stride = 4
)

// newSetup begins with the selected knob, its value and three on each side.
func newSetup(l *run.Lane, p *sampling.Param) setup {
	s := setup{seeds: 4, tokens: 40}
	if p.Kind >= sampling.Text || !run.HasSlider(p) {
		if p, _ = sampling.Lookup("temperature"); p == nil {
			return s
		}
	}
	at := l.ShownConfig().Value(p.Key)
	var values []string
	for k := -around; k <= around; k++ {
		v := p.Nudge(at, k*stride)
		if _, err := (sampling.Config{}).With(p.Key, v, sampling.FromYou); err != nil {
			continue
		}
		text := number(v)
		if n := len(values); n == 0 || values[n-1] != text {
			values = append(values, text)
		}
	}
	s.axes[0] = p.Key + "=" + strings.Join(values, ",")
	return s
}

// number writes a value as an axis is typed.
func number(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(math.Round(f*1e6)/1e6, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// plan is the sweep that is set up.
func (s *setup) plan(l *run.Lane) (*bench.SweepPlan, error) {
	p := &bench.SweepPlan{Text: l.Text, Prompt: l.Prompt}
	if len(p.Prompt) == 0 {
		return nil, fmt.Errorf("no prompt yet; e writes one, E has examples")
	}
	for _, spec := range s.axes {
		if strings.TrimSpace(spec) == "" {
			continue
		}
		a, err := bench.ParseAxis(spec)
		if err != nil {
			return nil, err
		}
		p.Axes = append(p.Axes, a)
	}
	if len(p.Axes) == 0 {
		return nil, fmt.Errorf("no axis: enter on a row types one, such as temperature=0.2:1.4:0.2")
	}
	base, err := l.Config.With("max_new_tokens", int64(s.tokens), sampling.FromYou)
	if err != nil {
		return nil, err
	}
	p.Base = base
	for k := range s.seeds {
		p.Seeds = append(p.Seeds, base.Uint("seed")+uint64(k))
	}
	// Its compiler is its own: that of the lane is the lane's.
	p.Backend = &bench.Backend{Name: l.Model.Info().Name, Model: l.Model, Compiler: engine.NewCompiler(l.Model)}
	return p, p.Check()
}

// texts is how many texts of how many tokens at most a sweep writes.
func texts(p *bench.SweepPlan, tokens int) (n, most int) {
	n = len(p.Seeds)
	for _, a := range p.Axes {
		n *= len(a.Values)
	}
	return n, n * tokens
}

// A sweeping is a sweep under way.
type sweeping struct {
	stop   context.CancelFunc
	done   chan struct{}
	news   chan struct{} // holds one element while there is something new
	mu     sync.Mutex
	now    bench.Progress
	report *bench.Grid
	err    error
}

// start runs the sweep in the background.
func start(ctx context.Context, wg *sync.WaitGroup, door *disk.Door, p *bench.SweepPlan) *sweeping {
	ctx, cancel := context.WithCancel(ctx)
	s := &sweeping{stop: cancel, done: make(chan struct{}), news: make(chan struct{}, 1)}
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer close(s.done)
		r, err := door.Sweep(ctx, p, bench.Options{Workers: 1, Progress: func(now bench.Progress) {
			s.mu.Lock()
			s.now = now
			s.mu.Unlock()
			select {
			case s.news <- struct{}{}:
			default:
			}
		}})
		s.mu.Lock()
		s.report, s.err = r, err
		s.mu.Unlock()
	}()
	return s
}

func (s *sweeping) progress() bench.Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
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
	v.setup.asked = false
	v.busy = start(v.lanes.Ctx, v.lanes.WG, host.Files(), p)
	host.Say("")
	return v.busy.wait()
}

// Follow takes what a sweep has come to; see [kit.Follower].
func (v *View) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	m, ok := msg.(sweptMsg)
	if !ok || m.of != v.busy || v.busy == nil {
		return nil
	}
	if !m.over {
		return v.busy.wait()
	}
	s := v.busy
	v.busy = nil
	switch {
	case s.err != nil && s.report == nil:
		host.Complain("sweep: " + viz.FirstLine(s.err.Error()))
	case s.report != nil && s.report.Done() > 0:
		v.show(s.report)
	}
	return nil
}

// Leave stops a sweep under way; see [kit.Leaver].
func (v *View) Leave(kit.Host) {
	if v.busy != nil {
		v.busy.stop()
		v.busy = nil
	}
}

// actSetup takes the actions of the rows of the setup.
func (v *View) actSetup(host kit.Host, a *kit.Action) bool {
	s := &v.setup
	switch a.ID {
	case kit.ActDown:
		s.at = (s.at + 1) % nRows
	case kit.ActUp:
		s.at = (s.at + nRows - 1) % nRows
	case kit.ActOpen:
		if s.at == rowFirst || s.at == rowSecond {
			f := kit.NewField(s.axes[s.at-rowFirst])
			s.field = &f
			return true
		}
		return false
	case kit.ActLower, kit.ActRaise, kit.ActLeft, kit.ActRight:
		d := 1
		if a.ID == kit.ActLower || a.ID == kit.ActLeft {
			d = -1
		}
		switch s.at {
		case rowSeeds:
			s.seeds = min(max(s.seeds+d, 2), 64)
		case rowTokens:
			s.tokens = min(max(s.tokens+20*d, 20), 2000)
		default:
			host.Say(a.First() + ": enter types a list of values, such as 0.2,0.4,0.6 or 0.2:1.4:0.2")
		}
	default:
		return false
	}
	return true
}

// Key takes what is typed; see [kit.Typist].
func (v *View) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	s := &v.setup
	if s.field == nil {
		return nil, false
	}
	switch k.Type {
	case tea.KeyEsc:
		s.field = nil
	case tea.KeyEnter, tea.KeyCtrlJ:
		text := strings.TrimSpace(s.field.Text())
		if text != "" {
			if _, err := bench.ParseAxis(text); err != nil {
				host.Complain(viz.FirstLine(err.Error()))
				return nil, true
			}
		}
		s.axes[s.at-rowFirst], s.field = text, nil
	default:
		s.field.Key(k)
	}
	return nil, true
}

// drawSetup draws the rows of the setup into c.
func (v *View) drawSetup(c *viz.Canvas, host kit.Host, focused bool) {
	s := &v.setup
	what := "run it"
	if p, err := s.plan(host.Lane()); err == nil {
		n, most := texts(p, s.tokens)
		what = fmt.Sprintf("run it: %s texts, at most %s tokens", viz.Count(n), viz.Count(most))
	} else {
		what += " · " + viz.FirstLine(err.Error())
	}
	none := func(s string) string {
		if s == "" {
			return "none; such as top_p=0.8,0.9,1"
		}
		return s
	}
	rows := [nRows]string{rowRun: what, rowFirst: "first knob    " + none(s.axes[0]), rowSecond: "second knob   " + none(s.axes[1]),
		rowSeeds: fmt.Sprintf("seeds         %d", s.seeds), rowTokens: fmt.Sprintf("tokens        %d", s.tokens)}
	for y, text := range rows {
		ink := viz.Ink{}
		if focused && y == s.at {
			c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		if s.field != nil && y == s.at {
			s.field.Draw(c, c.Put(3, y, viz.Cut(text, 14)+" ", viz.Ink{Role: viz.Focus}), y)
			continue
		}
		c.Put(3, y, viz.CutTitle(viz.Printable(text, c.ASCII), c.W-4), ink)
	}
}
