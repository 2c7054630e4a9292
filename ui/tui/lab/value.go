package lab

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// valueField types the value of one parameter.
type valueField struct {
	lanes *run.Lanes
	param *param.Param
	field kit.Field
	typed bool // a key was typed: until then the value is replaced whole
	err   string
}

// NewValue opens a field for the value of the selected knob.
func NewValue(host kit.Host, lanes *run.Lanes) (kit.View, tea.Cmd) {
	p := lanes.Selected()
	v := host.Lane().ShownConfig().Value(p.Key)
	text := p.Format(v)
	if p.Kind > param.Choice && p.Kind != param.List { // what is shown of these is not how they are written
		text = ""
		if s, ok := v.(string); ok {
			text = s
		}
	}
	return &valueField{lanes: lanes, param: p, field: kit.NewField(text)}, nil
}

// Frame titles the box; see [kit.Overlay].
func (v *valueField) Frame(kit.Host) viz.Frame {
	return viz.Frame{Title: v.param.Key, Right: "enter takes it · esc"}
}

// Size is how large the box wants to be; see [kit.Overlay].
func (v *valueField) Size(kit.Host) (int, int) { return 80, 6 }

// Hints are what the footer offers; see [kit.View].
func (v *valueField) Hints(kit.Host) []kit.ID { return []kit.ID{kit.ActClose} }

// Act takes the actions it names; see [kit.View].
func (v *valueField) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }

// Draw draws the view; see [kit.View].
func (v *valueField) Draw(c *viz.Canvas, host kit.Host) {
	now := host.Lane().ShownConfig().Value(v.param.Key)
	v.field.Draw(c, c.Put(1, 0, v.param.Key+" ", viz.Ink{Role: viz.Focus}), 0)
	c.Put(1, 1, viz.CutTitle("now "+viz.Printable(v.param.Format(now), c.ASCII)+choices(v.param), c.W-2), viz.Ink{Role: viz.Muted})
	c.Put(1, 2, viz.CutTitle(v.param.Help, c.W-2), viz.Ink{})
	if v.err != "" {
		c.Put(1, 3, viz.CutTitle("! "+viz.Printable(v.err, c.ASCII), c.W-2), viz.Ink{Role: viz.Warning})
		return
	}
	c.Put(1, 3, viz.CutTitle(valueForms[v.param.Kind], c.W-2), viz.Ink{Role: viz.Muted})
}

// valueForms say how a value of a kind is written.
var valueForms = map[param.Kind]string{
	param.List: `texts with commas between; ␣ or a blank is a space · or "quoted", or a JSON list`,
	param.Bias: `token=bias with commas between; ␣ or a blank is a space · or "quoted"=bias, or JSON`,
}

// choices lists what a parameter of few values may be.
func choices(p *param.Param) string {
	if len(p.Choices) == 0 {
		return ""
	}
	return " · " + strings.Join(p.Choices, ", ")
}

// Key takes what is typed; see [kit.Typist].
func (v *valueField) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	v.err = ""
	switch k.Type {
	case tea.KeyEsc:
		host.Close()
		return nil, true
	case tea.KeyTab:
		for _, ch := range v.param.Choices {
			if strings.HasPrefix(ch, v.field.Text()) {
				v.field = kit.NewField(ch)
				break
			}
		}
		return nil, true
	case tea.KeyEnter:
		val, err := v.param.Parse(v.field.Text())
		if err == nil {
			_, err = host.Lane().ShownConfig().With(v.param.Key, val, sampling.FromYou)
		}
		if err != nil {
			v.err = viz.FirstLine(err.Error())
			return nil, true
		}
		host.Close()
		v.lanes.Each(func() {
			if host.Set(v.param.Key, val) {
				host.Say(v.param.Key + " " + v.param.Format(val))
			}
		})
		return v.lanes.WantEffect(), true
	}
	if !v.typed && (k.Type == tea.KeyRunes || k.Type == tea.KeySpace) {
		v.field = kit.NewField("")
	}
	v.typed = true
	v.field.Key(k)
	return nil, true
}
