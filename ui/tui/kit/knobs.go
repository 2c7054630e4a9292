package kit

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/sampling/param"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Knobs are the few parameters that a view lets change in one line.
type Knobs struct {
	Keys []string
	at   int
}

// Param is the selected one.
func (k *Knobs) Param() *param.Param {
	p, _ := param.Lookup(k.Keys[k.at])
	return p
}

// Move selects another one.
func (k *Knobs) Move(d int) { k.at = (k.at + d + len(k.Keys)) % len(k.Keys) }

// Act takes the actions that change the selected one.
func (k *Knobs) Act(h Host, a *Action) (tea.Cmd, bool) {
	switch a.ID {
	case ActLower, ActLeft:
		k.nudge(h, -1)
	case ActRaise, ActRight:
		k.nudge(h, 1)
	case ActLeft10:
		k.nudge(h, -10)
	case ActRight10:
		k.nudge(h, 10)
	case ActOff:
		p := k.Param()
		if p.Off == nil {
			h.Say("0: " + p.Key + " has no off value")
			break
		}
		h.Set(p.Key, p.Off)
	case ActReset:
		l := h.Lane()
		if _, set := l.Config.Lookup(k.Param().Key); !set {
			h.Say("backspace: " + k.Param().Key + " is at its default")
			break
		}
		h.Apply(l.Config.Without(k.Param().Key), l.Preset, "", k.Param().Key+" back to its default")
	default:
		return nil, false
	}
	return nil, true
}

// nudge moves the selected one by steps.
func (k *Knobs) nudge(h Host, steps int) {
	p := k.Param()
	old := h.Lane().Config.Value(p.Key)
	v := p.Nudge(old, steps)
	if n, ok := old.(int64); ok && p.Step == 0 { // no slider, yet a number
		v = min(max(n+int64(steps), int64(p.Min)), int64(p.Max))
	}
	if p.Format(v) == p.Format(old) {
		h.Say(p.Key + ": " + p.Format(old) + " is the end of its range")
		return
	}
	h.Set(p.Key, v)
}

// Draw draws the selected one with its slider and the others in words, in one
// line.
func (k *Knobs) Draw(c *viz.Canvas, y int, h Host, focused bool) {
	p := k.Param()
	cfg := h.Lane().Config
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
	for i, key := range k.Keys {
		if i != k.at {
			q, _ := param.Lookup(key)
			rest = append(rest, key+" "+q.Format(cfg.Value(key)))
		}
	}
	if room := c.W - x - 1; room > 8 {
		c.Put(x, y, viz.CutTitle(strings.Join(rest, " · "), room), viz.Ink{Role: viz.Muted})
	}
}
