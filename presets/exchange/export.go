package exchange

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/sampling/inert"
	"logitscope/sampling/param"
)

// Exported is a configuration in another engine's words.
type Exported struct {
	Target *Target
	Text   string
	Lost   []Loss
	// Config is what the target will do with Text, under its own rules and
	// defaults.
	Config sampling.Config
}

// Export writes c for another engine: what was set, and what the target's own
// defaults would otherwise change. It never fails for a setting: what cannot
// be said is listed in Lost, each with its consequence.
func Export(c sampling.Config, to *Target) (Exported, error) {
	x, out, err := export(c, to, nil)
	if err != nil || to == &ownTarget {
		return out, err
	}
	// What is left out may have kept something else from acting there.
	leave := map[string]inert.Inert{}
	for more := x.silent(out.Config); len(more) > 0; more = x.silent(out.Config) {
		maps.Copy(leave, more)
		if x, out, err = export(c, to, leave); err != nil {
			return out, err
		}
	}
	x.compare(out.Config)
	out.Lost = x.lost
	return out, nil
}

// export writes c for another engine without the settings in leave.
func export(c sampling.Config, to *Target, leave map[string]inert.Inert) (*exporter, Exported, error) {
	x := &exporter{source: c, from: c.Order(), to: to, target: to.Format.order(), leave: leave}
	if to == &ownTarget {
		x.target = x.from
	}
	x.c = x.inTheirWords(x.inForce(c))
	for i := range param.All() {
		x.param(&param.All()[i])
	}
	x.constraint()
	x.stages()
	out := Exported{Target: to, Text: to.write(x.values)}
	in, err := Import([]byte(out.Text), to.Name, Options{From: to.Format})
	switch {
	case err == nil:
		out.Config = in.Config
	case len(x.values) == 0: // nothing to say: the target's own defaults
		out.Config, err = sampling.Config{}.MustWith("order", x.target.Name(), sampling.FromFile), nil
	}
	return x, out, err
}

// An exporter builds one export.
type exporter struct {
	source       sampling.Config // as it came
	c            sampling.Config // with greedy said in the target's way
	from, target sampling.Order
	to           *Target
	leave        map[string]inert.Inert // keys that are not written, and why they have no effect here
	values       []carrier.Entry
	lost         []Loss
}

func (x *exporter) lose(key string, reason Reason, format string, args ...any) {
	x.lost = append(x.lost, Loss{key, reason, fmt.Sprintf(format, args...)})
}

// inForce returns c with the values that the source's engine makes of those
// it changes, for a target that would take them as they are.
func (x *exporter) inForce(c sampling.Config) sampling.Config {
	if x.from.Engine() == x.target.Engine() {
		return c
	}
	p, err := sampling.Compile(c, anyVocab{})
	if err != nil {
		return c
	}
	effective := p.Effective()
	for _, n := range p.Adjusted() {
		i := slices.IndexFunc(effective, func(e sampling.Effective) bool { return e.Key == n.Key })
		if next, err := c.With(n.Key, effective[i].InForce, effective[i].Origin); err == nil {
			c = next
		}
	}
	return c
}

// inTheirWords says greedy decoding as the target does.
func (x *exporter) inTheirWords(c sampling.Config) sampling.Config {
	switch greedy := !c.Bool("do_sample"); {
	case x.to == &ownTarget:
		return c
	case greedy && x.to.greedy != nil:
		return x.to.greedy(c)
	case x.to.Format == &transformers && c.Float("temperature") == 0:
		return c.Without("temperature").MustWith("do_sample", false, sampling.FromFile)
	case x.to.Format == &transformers:
		// generate() does not sample unless it is told to.
		return c.MustWith("do_sample", !greedy, sampling.FromFile)
	}
	return c
}

// param writes one parameter, or says why not.
func (x *exporter) param(p *param.Param) {
	if p.Key == "order" || p.Key == "constraint" {
		return
	}
	s, set := x.c.Lookup(p.Key)
	v := x.c.Value(p.Key)
	f := x.to.takes(p.Key)
	if x.to == &ownTarget {
		if set {
			x.put(f, p, s.Value)
		}
		return
	}
	if m := x.to.takes(p.Master); m != nil && p.Key != p.Master && slices.Contains(splits[m.theirs], p.Key) {
		return // written with its master
	}
	acts := x.acts(p, v)
	why, leave := x.leave[p.Key]
	switch {
	case p.Key == "schedule":
		if acts {
			x.lose(p.Key, Absent, "%s keeps one set of settings for a whole text: the rules are left out", x.to.Name)
		}
	case p.Key == "max_new_tokens" && !set && x.to.limit != "":
		x.lose(p.Key, Default, "not set, and %s", x.to.limit)
	case f == nil:
		// What the penalties look at is told with them.
		if acts && (set || p.Off != nil) && p.Key != "do_sample" && (p.Key != "repeat_last_n" || x.from.Engine() == x.target.Engine() && !carrier.SameValue(v, x.to.assumes(p))) {
			x.lose(p.Key, Absent, "%s has no such setting: %s is left out", x.to.Name, p.Format(v))
		}
	case p.Stage != "" && !x.to.Format.supports(p.Key):
		if acts {
			x.lose(p.Key, Absent, "%s takes it and does nothing with it: %s is left out", x.to.Name, p.Format(v))
		}
	case p.Stage != "" && p.Off == nil && !x.from.Supports(p.Key):
		// A detail of something that does not exist here: the target keeps its own.
	case leave:
		x.lose(p.Key, Unused, "%s has no effect here (%s); it is left out, since %s would apply it", p.Format(v), why.Why(), x.to.Name)
		if !p.IsOff(x.to.assumes(p)) {
			x.put(f, p, p.Off)
		}
	case set && x.masterOn(p):
		x.put(f, p, v)
	case acts && !carrier.SameValue(v, x.to.assumes(p)):
		x.put(f, p, v)
	case p.IsOff(v) && x.target.Supports(p.Key) && !p.IsOff(x.to.assumes(p)):
		if x.put(f, p, v) {
			x.lose(p.Key, Default, "%s's own default is %s: written as off, or it would act", x.to.Name, p.Format(x.to.assumes(p)))
		}
	}
}

// acts reports whether p changes anything under the source's rules.
func (x *exporter) acts(p *param.Param, v any) bool {
	if p.IsOff(v) || p.Stage != "" && !x.from.Supports(p.Key) || !x.masterOn(p) {
		return false
	}
	_, set := x.c.Lookup(p.Key)
	return set || p.Stage != "" && (p.Off != nil || x.detail(p) && !carrier.SameValue(v, x.to.assumes(p)))
}

// detail reports whether p is a detail of something that is on: it counts
// although it was not set, where the target assumes another value.
func (x *exporter) detail(p *param.Param) bool {
	if p.Key == "repeat_last_n" {
		d := x.from.Reads("repetition_penalty")
		return d != nil && d.Window != "" && slices.ContainsFunc(penalties, func(key string) bool {
			q, _ := param.Lookup(key)
			return !q.IsOff(x.c.Value(key))
		})
	}
	return p.Master != ""
}

// penalties are what repeat_last_n is a detail of.
var penalties = []string{"repetition_penalty", "frequency_penalty", "presence_penalty"}

// masterOn reports whether the parameter that switches p on is on.
func (x *exporter) masterOn(p *param.Param) bool {
	m, ok := param.Lookup(p.Master)
	return !ok || m.Off == nil || !m.IsOff(x.c.Value(m.Key))
}

// put writes a value in the target's words. It reports whether that could be
// done.
func (x *exporter) put(f *field, p *param.Param, v any) bool {
	under, err := sampling.Config{}.MustWith("order", x.target.Name(), sampling.FromFile).With(p.Key, v, sampling.FromFile)
	if err == nil && x.to != &ownTarget {
		err = under.Validate()
	}
	theirs := v
	switch {
	case err != nil:
	case f.join != nil:
		theirs = f.join(x.c)
	case f.out != nil:
		theirs, err = f.out(v)
	}
	var some errSome
	if errors.As(err, &some) {
		x.lose(p.Key, Range, "%s", some)
		err = nil
	}
	if err != nil {
		text := strings.TrimPrefix(err.Error(), p.Key+": ")
		if p.Stage != "" {
			text += fmt.Sprintf("; %s goes on with %s", x.to.Name, p.Format(x.to.assumes(p)))
		}
		x.lose(p.Key, Range, "%s is left out: %s", p.Format(v), text)
		return false
	}
	x.values = append(x.values, carrier.Entry{Key: f.theirs, Value: theirs, Ours: p.Key})
	return true
}

// constraint writes what the text must fit.
func (x *exporter) constraint() {
	text := x.c.Text("constraint")
	if text == "" {
		return
	}
	if x.to == &ownTarget {
		p, _ := param.Lookup("constraint")
		x.put(x.to.takes("constraint"), p, text)
		return
	}
	s, err := constrain.Parse(text)
	if err == nil && x.to.constraint == nil {
		err = fmt.Errorf("%s settings have no place for one", x.to.Name)
	}
	var e carrier.Entry
	var lost string
	if err == nil {
		e, lost, err = x.to.constraint(s)
	}
	if err != nil {
		x.lose("constraint", Absent, "%s: the text is not held to it there", constrain.Bare(err))
		return
	}
	x.values = append(x.values, e)
	if lost != "" {
		x.lose("constraint", Meaning, "%s", lost)
	}
	x.lost = append(x.lost, detailsOf(s, x.to)...)
}

// stages writes the order of the stages where the target takes one.
func (x *exporter) stages() {
	f := x.to.takes("order")
	if f == nil || f.out == nil {
		if s, set := x.c.Lookup("order"); set && x.to == &ownTarget {
			x.values = append(x.values, carrier.Entry{Key: "order", Value: s.Value})
		}
		return
	}
	if x.from == x.target {
		return // its own order is its default
	}
	p, err := sampling.Compile(x.source, anyVocab{})
	if err != nil {
		return
	}
	var names []string
	if slices.Contains(p.StageNames(), "greedy") && x.from.Custom() == nil {
		return // no cut takes the best token out, so its own order will do
	}
	for _, n := range p.StageNames() {
		name := canonical(n)
		if hasStage(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	if v, err := f.out(x.target.Engine() + ":" + strings.Join(names, ",")); err == nil {
		x.values = append(x.values, carrier.Entry{Key: f.theirs, Value: v})
	}
}

// canonical is a stage's name where engines have several for one.
func canonical(stage string) string {
	switch stage {
	case "repetition_penalty", "frequency_penalty", "presence_penalty", "penalties":
		return "penalties"
	case "dynatemp", "dynamic_temperature", "temperature", "greedy":
		return "temperature"
	}
	return stage
}
