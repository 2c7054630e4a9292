package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// viewKnobs are the few parameters that a view lets change in one line.
type viewKnobs struct {
	keys []string
	at   int
}

// param is the selected one.
func (k *viewKnobs) param() *sampling.Param {
	p, _ := sampling.Lookup(k.keys[k.at])
	return p
}

// move selects another one.
func (k *viewKnobs) move(d int) { k.at = (k.at + d + len(k.keys)) % len(k.keys) }

// act takes the actions that change the selected one.
func (k *viewKnobs) act(m *Model, a *kit.Action) (tea.Cmd, bool) {
	switch a.ID {
	case kit.ActLower, kit.ActLeft:
		k.nudge(m, -1)
	case kit.ActRaise, kit.ActRight:
		k.nudge(m, 1)
	case kit.ActLeft10:
		k.nudge(m, -10)
	case kit.ActRight10:
		k.nudge(m, 10)
	case kit.ActOff:
		p := k.param()
		if p.Off == nil {
			m.Say("0: " + p.Key + " has no off value")
			break
		}
		m.Set(p.Key, p.Off)
	case kit.ActReset:
		l := m.Lane()
		if _, set := l.Config.Lookup(k.param().Key); !set {
			m.Say("backspace: " + k.param().Key + " is at its default")
			break
		}
		m.Apply(l.Config.Without(k.param().Key), l.Preset, "", k.param().Key+" back to its default")
	default:
		return nil, false
	}
	return nil, true
}

// nudge moves the selected one by steps.
func (k *viewKnobs) nudge(m *Model, steps int) {
	p := k.param()
	old := m.Lane().Config.Value(p.Key)
	v := p.Nudge(old, steps)
	if n, ok := old.(int64); ok && p.Step == 0 { // no slider, yet a number
		v = min(max(n+int64(steps), int64(p.Min)), int64(p.Max))
	}
	if p.Format(v) == p.Format(old) {
		m.Say(p.Key + ": " + p.Format(old) + " is the end of its range")
		return
	}
	m.Set(p.Key, v)
}

// draw draws the selected one with its slider and the others in words, in one
// line.
func (k *viewKnobs) draw(c *viz.Canvas, y int, m *Model, focused bool) {
	p := k.param()
	cfg := m.Lane().Config
	ink := viz.Ink{}
	if focused {
		ink = ink.With(viz.Bold)
	}
	c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
	x := c.Put(3, y, p.Key, ink) + 1
	v := cfg.Value(p.Key)
	if run.HasSlider(p) {
		w := min(max(c.W/6, 8), 20)
		viz.Slider(c.Sub(viz.Rect{X: x, Y: y, W: w, H: 1}), run.Frac(p, v), p.IsOff(v), viz.Ink{Role: viz.Focus})
		x += w + 1
	}
	x = c.Put(x, y, p.Format(v), ink) + 3
	var rest []string
	for i, key := range k.keys {
		if i != k.at {
			q, _ := sampling.Lookup(key)
			rest = append(rest, key+" "+q.Format(cfg.Value(key)))
		}
	}
	if room := c.W - x - 1; room > 8 {
		c.Put(x, y, viz.CutTitle(strings.Join(rest, " · "), room), viz.Ink{Role: viz.Muted})
	}
}
