package tui

import (
	"fmt"
	"math"
	"time"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/viz"
)

// knobList are the parameters that the controls list: all of the table but the hidden
// ones, and last the two that stay in view.
var knobList = func() []*sampling.Param {
	var list, last []*sampling.Param
	params := sampling.Params()
	for i := range params {
		switch p := &params[i]; {
		case p.Hidden:
		case p.Key == "max_new_tokens" || p.Key == "seed":
			last = append(last, p)
		default:
			list = append(list, p)
		}
	}
	return append(list, last...)
}()

// fixedKnobs is how many knobs at the end of the list are always in view.
const fixedKnobs = 2

// selected returns the knob that keys act on.
func (m *board) selected() *sampling.Param { return knobList[m.knob] }

// selectKnob selects the knob called key.
func (m *board) selectKnob(key string) {
	for i, p := range knobList {
		if p.Key == key {
			m.knob = i
		}
	}
}

// frac returns where v stands on p's slider, 0 to 1.
func frac(p *sampling.Param, v any) float64 {
	x, ok := number(v)
	if !ok || p.Hi <= p.Lo {
		return 0
	}
	if p.Log {
		lo := logLo(p)
		return math.Log(math.Max(x, lo)/lo) / math.Log(p.Hi/lo)
	}
	return (x - p.Lo) / (p.Hi - p.Lo)
}

// atFrac returns the value at a place of p's slider.
func atFrac(p *sampling.Param, f float64) float64 {
	x := p.Lo + f*(p.Hi-p.Lo)
	if p.Log {
		lo := logLo(p)
		x = lo * math.Pow(p.Hi/lo, f)
	}
	if p.Step > 0 {
		x = math.Round(x/p.Step) * p.Step
	}
	return math.Round(x*1e9) / 1e9
}

// logLo is the low end of a logarithmic track, which cannot begin at 0.
func logLo(p *sampling.Param) float64 { return math.Max(p.Lo, p.Step) }

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	}
	return 0, false
}

// hasSlider reports whether p is drawn as a track.
func hasSlider(p *sampling.Param) bool {
	return p.Step > 0 && p.Hi > p.Lo && (p.Kind == sampling.Int || p.Kind == sampling.Float)
}

// set gives key a value, as the user does. It reports whether it was taken;
// if not, the help line says why.
func (m *board) set(key string, v any) bool {
	l := m.lane()
	base := l.shownConfig()
	cfg, err := base.With(key, v, sampling.FromYou)
	if err != nil {
		m.complain(viz.FirstLine(err.Error()))
		return false
	}
	p, _ := sampling.Lookup(key)
	what := fmt.Sprintf("%s %s → %s", key, valueWords(p, base.Value(key)), valueWords(p, cfg.Value(key)))
	return m.apply(cfg, l.shownPreset(), key, what)
}

// apply puts cfg in force: for the next token, or as a what-if on the step
// looked back at, which is the last one if the text has ended. key joins quick changes of one knob into one undo.
func (m *board) apply(cfg sampling.Config, preset int, key, what string) bool {
	l := m.lane()
	if cfg.Equal(l.shownConfig()) && preset == l.shownPreset() {
		return true
	}
	s, err := l.compile(cfg, preset)
	if err != nil {
		m.complain(err.Error())
		return false
	}
	if v := l.view; v.Phase == engine.Done && l.look.at == 0 && len(v.Steps) > 0 && v.Beam == nil && v.Draft == nil {
		l.lookAt(len(v.Steps))
	}
	if l.look.at > 0 {
		m.tryAt(l, s)
		return true
	}
	if l.view.Phase == engine.Done {
		l.eng.Post(engine.Advance{N: 0}) // a search that may go on under s waits to be told
	}
	now := time.Now()
	if key == "" || key != m.change.key || now.Sub(m.change.at) > time.Second/2 {
		l.remember(l.snapshot(what, -1))
	}
	m.change = lastChange{key, now}
	l.config, l.preset = cfg, preset
	l.tune(s)
	return true
}

// tryAt shows the step looked back at under s: as it was, where s has the
// values that it was made under.
func (m *board) tryAt(l *lane, s *engine.Settings) {
	c := l.committed(l.look.at)
	switch {
	case c != nil && c.Settings != nil && sameValues(s.Config(), c.Settings.Config()):
		l.lookAt(l.look.at)
		return
	case c == nil || c.Row == nil:
		l.look.under, l.look.tried = s, nil
		m.say(fmt.Sprintf("kept; it shows as soon as step %d is computed again", l.look.at))
		return
	}
	t, err := l.view.Retrace(l.look.at-1, s)
	if err != nil {
		m.complain(viz.FirstLine(err.Error()))
	}
	before := l.step()
	l.look.under, l.look.tried = s, t
	l.settle(before)
}

// valueWords is a value of p as the screen shows it; a constraint goes by its
// kind.
func valueWords(p *sampling.Param, v any) string {
	if text, ok := v.(string); ok && p.Key == "constraint" && !p.IsOff(v) {
		return kindName(text)
	}
	return p.Format(v)
}

// nudge moves the selected knob by steps of its slider.
func (m *board) nudge(steps int) {
	p := m.selected()
	l := m.lane()
	old := l.shownConfig().Value(p.Key)
	v := p.Nudge(old, steps)
	if p.Format(v) == p.Format(old) {
		switch {
		case !hasSlider(p) && p.Kind > sampling.Choice:
			m.say(p.Key + ": enter types a value")
		default:
			m.say(p.Key + ": " + p.Format(old) + " is the end of its range; enter types any allowed value")
		}
		return
	}
	m.set(p.Key, v)
}

// knobOff gives the selected knob its off value.
func (m *board) knobOff() {
	p := m.selected()
	if p.Off == nil {
		m.say("0: " + p.Key + " has no off value; enter types a value")
		return
	}
	if p.IsOff(m.lane().shownConfig().Value(p.Key)) {
		m.say(p.Key + " is off already")
		return
	}
	m.set(p.Key, p.Off)
}

// knobReset gives the selected knob the value that the preset has, or leaves
// it to the engine.
func (m *board) knobReset() {
	l := m.lane()
	p := m.selected()
	cfg := l.shownConfig().Without(p.Key)
	preset := l.shownPreset()
	if preset >= 0 {
		if s, ok := m.book.presets()[preset].Config.Lookup(p.Key); ok {
			var err error
			if cfg, err = cfg.With(p.Key, s.Value, s.Origin); err != nil {
				m.complain(err.Error())
				return
			}
		}
	}
	if cfg.Equal(l.shownConfig()) {
		m.say("backspace: " + p.Key + " is as the preset has it")
		return
	}
	m.apply(cfg, preset, "", p.Key+" back to the preset")
}

// takePreset puts preset i in force from the very next token.
func (m *board) takePreset(i int) {
	l := m.lane()
	if i >= len(m.book.presets()) {
		m.say(fmt.Sprintf("%d: no preset of your own there yet; %d are in the list", i+1, len(m.book.presets())))
		return
	}
	p := m.book.presets()[i]
	cfg := withPreset(l.shownConfig(), p)
	if cfg.Equal(l.shownConfig()) && l.shownPreset() == i {
		m.say(p.Name + " is in force already")
		return
	}
	diff := differences(l.shownConfig(), cfg)
	if !m.apply(cfg, i, "", "preset "+p.Name) {
		return
	}
	m.say(viz.SomeOf(p.Name+": ", diff, m.noticeWidth()))
}

// differences says in words what changes from a to b: "temperature 0.70→0.90".
func differences(a, b sampling.Config) []string {
	var parts []string
	for _, p := range knobList {
		if sameSetting(a, b, p.Key) {
			continue
		}
		parts = append(parts, p.Key+" "+valueWords(p, a.Value(p.Key))+"→"+valueWords(p, b.Value(p.Key)))
	}
	if len(parts) == 0 {
		return []string{"nothing changes"}
	}
	return parts
}

// noticeWidth is how many cells a notice has, less what compare puts in front
// of one that is true of all lanes.
func (m *board) noticeWidth() int {
	if m.beside {
		return m.room - len("all 4 lanes: ")
	}
	return m.room
}

// kindName names the notation of a stored constraint, or the constraint itself
// if it cannot be read.
func kindName(stored string) string {
	if c, err := constrain.Parse(stored); err == nil {
		if k, ok := constrain.KindOf(c.Type); ok {
			return k.Name
		}
	}
	return viz.Cut(stored, 20)
}
