package run

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/sampling/param"
	"logitscope/sampling/value"
	"logitscope/viz"
)

// Knobs are the parameters that the controls list: all of the table but the hidden
// ones, and last the two that stay in view.
var Knobs = func() []*param.Param {
	var list, last []*param.Param
	params := param.All()
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

// FixedKnobs is how many knobs at the end of the list are always in view.
const FixedKnobs = 2

// Frac returns where v stands on p's slider, 0 to 1.
func Frac(p *param.Param, v any) float64 {
	x, ok := value.Number(v)
	if !ok || p.Hi <= p.Lo {
		return 0
	}
	if p.Log {
		lo := logLo(p)
		return math.Log(math.Max(x, lo)/lo) / math.Log(p.Hi/lo)
	}
	return (x - p.Lo) / (p.Hi - p.Lo)
}

// AtFrac returns the value at a place of p's slider.
func AtFrac(p *param.Param, f float64) float64 {
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
func logLo(p *param.Param) float64 { return math.Max(p.Lo, p.Step) }

// HasSlider reports whether p is drawn as a track.
func HasSlider(p *param.Param) bool {
	return p.Step > 0 && p.Hi > p.Lo && (p.Kind == param.Int || p.Kind == param.Float)
}

// Set gives key a value, as the user does. It reports whether it was taken;
// if not, the help line says why.
func (ls *Lanes) Set(key string, v any) bool {
	l := ls.Lane()
	base := l.ShownConfig()
	cfg, err := base.With(key, v, sampling.FromYou)
	if err != nil {
		ls.Complain(viz.FirstLine(err.Error()))
		return false
	}
	return ls.Apply(cfg, l.ShownPreset(), key, changeWords(key, base, cfg))
}

// changeWords says how key changes from a to b: "temperature 0.70 → 0.90".
func changeWords(key string, a, b sampling.Config) string {
	p, _ := param.Lookup(key)
	return fmt.Sprintf("%s %s → %s", key, ValueWords(p, a.Value(key)), ValueWords(p, b.Value(key)))
}

// Apply puts cfg in force: for the next token, or as a what-if on the step
// looked back at, which is the last one if the text has ended. key joins quick changes of one knob into one undo.
func (ls *Lanes) Apply(cfg sampling.Config, preset int, key, what string) bool {
	l := ls.Lane()
	if cfg.Equal(l.ShownConfig()) && preset == l.ShownPreset() {
		return true
	}
	s, err := l.Compile(cfg, preset)
	if err != nil {
		ls.Complain(err.Error())
		return false
	}
	if v := l.View; v.Phase == engine.Done && l.Look.At == 0 && len(v.Steps) > 0 && v.Beam == nil && v.Draft == nil {
		l.LookAt(len(v.Steps))
	}
	if l.Look.At > 0 {
		ls.tryAt(l, s)
		return true
	}
	if l.View.Phase == engine.Done {
		l.Eng.Post(engine.Advance{N: 0}) // a search that may go on under s waits to be told
	}
	l.rememberChange(cfg, key, what)
	l.Config, l.Preset = cfg, preset
	l.tune(s)
	return true
}

// rememberChange puts the present on the undo list before it changes to cfg.
// A change of key that follows another of it at once joins it.
func (l *Lane) rememberChange(cfg sampling.Config, key, what string) {
	now := time.Now()
	if n := len(l.Undo); key != "" && n > 0 && len(l.Redo) == 0 {
		if last := &l.Undo[n-1]; last.key == key && now.Sub(last.at) <= time.Second/2 {
			last.at, last.what = now, changeWords(key, last.config, cfg)
			if cfg.Equal(last.config) {
				l.Undo = l.Undo[:n-1] // nothing has changed after all
			}
			return
		}
	}
	s := l.Snapshot(what, -1)
	s.key, s.at = key, now
	l.Remember(s)
}

// tryAt shows the step looked back at under s: as it was, where s has the
// values that it was made under.
func (ls *Lanes) tryAt(l *Lane, s *engine.Settings) {
	c := l.Committed(l.Look.At)
	switch {
	case c != nil && c.Settings != nil && sameValues(s.Config(), c.Settings.Config()):
		l.LookAt(l.Look.At)
		return
	case c == nil || c.Row == nil:
		l.Look.Under, l.Look.Tried = s, nil
		ls.Say(fmt.Sprintf("kept; it shows as soon as step %s is computed again", viz.Count(l.Look.At)))
		return
	}
	t, err := l.View.Retrace(l.Look.At-1, s)
	if err != nil {
		ls.Complain(viz.FirstLine(err.Error()))
	}
	before := l.Step()
	l.Look.Under, l.Look.Tried = s, t
	l.settle(before)
}

// ValueWords is a value of p as the screen shows it; a constraint goes by its
// kind.
func ValueWords(p *param.Param, v any) string {
	if text, ok := v.(string); ok && p.Key == "constraint" && !p.IsOff(v) {
		return KindName(text)
	}
	return p.Format(v)
}

// ValueFit is ValueWords in w cells: no digit of a number is cut, a long one is
// written with an exponent.
func ValueFit(p *param.Param, v any, w int, ascii bool) string {
	text := viz.Printable(ValueWords(p, v), ascii)
	if viz.Width(text) <= w {
		return text
	}
	switch v := v.(type) {
	case float64:
		text = scientific(v, w)
	case int64:
		text = scientific(float64(v), w)
	}
	return viz.CutEnd(text, w, ascii)
}

// scientific writes v with an exponent, in fewer digits if w cells want it.
func scientific(v float64, w int) string {
	for digits := -1; ; digits-- {
		text := strconv.FormatFloat(v, 'e', digits, 64)
		at := strings.IndexByte(text, 'e')
		mantissa := text[:at]
		exponent, _ := strconv.Atoi(text[at+1:])
		text = mantissa + "e" + strconv.Itoa(exponent)
		if len(text) <= w || digits == 0 {
			return text
		}
		if digits < 0 {
			digits = len(mantissa)
		}
	}
}

// Nudge moves the selected knob by steps of its slider.
func (ls *Lanes) Nudge(steps int) {
	p := ls.Selected()
	l := ls.Lane()
	old := l.ShownConfig().Value(p.Key)
	v := p.Nudge(old, steps)
	if p.Format(v) == p.Format(old) {
		switch {
		case !HasSlider(p) && p.Kind > param.Choice:
			ls.Say(p.Key + ": enter types a value")
		default:
			ls.Say(p.Key + ": " + p.Format(old) + " is the end of its range; enter types any allowed value")
		}
		return
	}
	ls.Set(p.Key, v)
}

// KnobOff gives the selected knob its off value.
func (ls *Lanes) KnobOff() {
	p := ls.Selected()
	if p.Off == nil {
		ls.Say("0: " + p.Key + " has no off value; enter types a value")
		return
	}
	if p.IsOff(ls.Lane().ShownConfig().Value(p.Key)) {
		ls.Say(p.Key + " is off already")
		return
	}
	ls.Set(p.Key, p.Off)
}

// KnobReset gives the selected knob the value that the preset has, or leaves
// it to the engine.
func (ls *Lanes) KnobReset() {
	l := ls.Lane()
	p := ls.Selected()
	cfg := l.ShownConfig().Without(p.Key)
	preset := l.ShownPreset()
	if preset >= 0 {
		if s, ok := ls.Book.List()[preset].Config.Lookup(p.Key); ok {
			var err error
			if cfg, err = cfg.With(p.Key, s.Value, s.Origin); err != nil {
				ls.Complain(err.Error())
				return
			}
		}
	}
	if cfg.Equal(l.ShownConfig()) {
		ls.Say("backspace: " + p.Key + " is as the preset has it")
		return
	}
	ls.Apply(cfg, preset, "", p.Key+" back to the preset")
}

// TakePreset puts preset i in force from the very next token.
func (ls *Lanes) TakePreset(i int) {
	l := ls.Lane()
	if i >= len(ls.Book.List()) {
		ls.Say(fmt.Sprintf("%d: no preset of your own there yet; %d are in the list", i+1, len(ls.Book.List())))
		return
	}
	p := ls.Book.List()[i]
	cfg := WithPreset(l.ShownConfig(), p)
	if cfg.Equal(l.ShownConfig()) && l.ShownPreset() == i {
		ls.Say(p.Name + " is in force already")
		return
	}
	diff := Differences(l.ShownConfig(), cfg)
	if !ls.Apply(cfg, i, "", "preset "+p.Name) {
		return
	}
	ls.Say(viz.SomeOf(p.Name+": ", diff, ls.NoticeWidth()))
}

// Differences says in words what changes from a to b: "temperature 0.70→0.90".
func Differences(a, b sampling.Config) []string {
	var parts []string
	for _, p := range Knobs {
		if SameSetting(a, b, p.Key) {
			continue
		}
		parts = append(parts, p.Key+" "+ValueWords(p, a.Value(p.Key))+"→"+ValueWords(p, b.Value(p.Key)))
	}
	if len(parts) == 0 {
		return []string{"nothing changes"}
	}
	return parts
}

// NoticeWidth is how many cells a notice has, less what compare puts in front
// of one that is true of all lanes.
func (ls *Lanes) NoticeWidth() int {
	if ls.Beside {
		return ls.Room - len("all 4 lanes: ")
	}
	return ls.Room
}

// KindName names the notation of a stored constraint, or the constraint itself
// if it cannot be read.
func KindName(stored string) string {
	if c, err := constrain.Parse(stored); err == nil {
		if k, ok := constrain.KindOf(c.Type); ok {
			return k.Name
		}
	}
	return viz.Cut(stored, 20)
}
