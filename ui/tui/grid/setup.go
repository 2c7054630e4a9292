package grid

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/bench"
	"logitscope/sampling"
	"logitscope/sampling/param"
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

// around is how many values there are on each side of the knob's own, aside
// of that of the knob changed before it, and stride how many steps of a slider
// lie between two.
const (
	around = 3
	aside  = 1
	stride = 4
)

// newSetup begins with the selected knob, its value and three on each side, and
// the knob that was changed before it.
func newSetup(l *run.Lane, p *param.Param) setup {
	s := setup{seeds: 4, tokens: 40}
	if p.Kind >= param.Text || !run.HasSlider(p) {
		if p, _ = param.Lookup("temperature"); p == nil {
			return s
		}
	}
	s.axes[0] = axisAround(l, p, around)
	if q := l.ChangedBefore(p.Key); q != nil && q.Kind < param.Text && run.HasSlider(q) {
		s.axes[1] = axisAround(l, q, aside)
	}
	return s
}

// axisAround is the axis of a knob's value and n on each side of it.
func axisAround(l *run.Lane, p *param.Param, n int) string {
	at := l.ShownConfig().Value(p.Key)
	var values []string
	for k := -n; k <= n; k++ {
		v := p.Nudge(at, k*stride)
		if _, err := (sampling.Config{}).With(p.Key, v, sampling.FromYou); err != nil {
			continue
		}
		text := number(v)
		if n := len(values); n == 0 || values[n-1] != text {
			values = append(values, text)
		}
	}
	return p.Key + "=" + strings.Join(values, ",")
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
	return kit.AskKey(&s.field, k, func(text string) (tea.Cmd, bool) {
		if text != "" {
			if _, err := bench.ParseAxis(text); err != nil {
				host.Complain(viz.FirstLine(err.Error()))
				return nil, true
			}
		}
		s.axes[s.at-rowFirst] = text
		return nil, false
	})
}

// drawSummary draws the setup in two lines, while keys act on the map.
func (v *View) drawSummary(c *viz.Canvas, host kit.Host) {
	s := &v.setup
	words := "▸ " + strings.Join(strings.Fields(s.axes[0]+"   "+s.axes[1]), "   ▸ ")
	words += fmt.Sprintf("   seeds %d   tokens %d   ", s.seeds, s.tokens)
	long := words
	if p, err := s.plan(host.Lane()); err == nil {
		n, _ := texts(p, s.tokens)
		long += fmt.Sprintf("r runs it: %s texts", viz.Count(n))
	}
	muted := viz.Ink{Role: viz.Muted}
	c.Put(1, 0, viz.CutWords(viz.Printable(viz.FirstFit(c.W-2, long, words+"r runs it", words), c.ASCII), c.W-2), viz.Ink{})
	c.Put(1, 1, viz.CutSentence("Started with H on the selected knob: its value ± three steps; type any list. What is computed stays.", c.W-2), muted)
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
