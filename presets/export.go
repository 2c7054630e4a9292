package presets

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/sampling"
)

// A LossKind says in which way a setting does not carry over.
type LossKind string

const (
	Ignored LossKind = "ignored" // the target has no such setting
	Refused LossKind = "refused" // the target does not take this value
	Moved   LossKind = "order"   // the target's stages run in another order
	Counted LossKind = "window"  // the target counts other tokens
	Default LossKind = "default" // the target's own default had to be overruled
	Seed    LossKind = "seed"    // the target draws with another generator
	Reads   LossKind = "meaning" // the target means something else by it
)

// A Loss is something that does not translate, and what follows from it.
type Loss struct {
	Key  string   `json:"key"`
	Kind LossKind `json:"kind"`
	Text string   `json:"text"`
}

// Lossy reports whether the text will be decoded differently because of it. A
// default that was overruled is worth knowing and loses nothing.
func (l Loss) Lossy() bool { return l.Kind != Default }

// Exported is a configuration in another engine's words.
type Exported struct {
	Format *Format
	Text   string
	Lost   []Loss
	// Config is what the target will do with Text, under its own rules and
	// defaults.
	Config sampling.Config
}

// Export writes c for another engine: what was set, and what the target's own
// defaults would otherwise change. It never fails for a setting: what cannot
// be said is listed in Lost, each with its consequence.
func Export(c sampling.Config, to *Format) (Exported, error) {
	x := exporter{source: c, from: c.Order(), to: to, target: to.order()}
	if to == &own {
		x.target = x.from
	}
	x.c = x.inTheirWords(c)
	for i := range sampling.Params() {
		x.param(&sampling.Params()[i])
	}
	x.constraint()
	x.stages()
	out := Exported{Format: to, Text: to.write(x.values)}
	in, err := Import([]byte(out.Text), to.Name, to)
	if err != nil {
		return out, err
	}
	out.Config = in.Config
	x.compare(out.Config)
	out.Lost = x.lost
	return out, nil
}

// An exporter builds one export.
type exporter struct {
	source       sampling.Config // as it came
	c            sampling.Config // with greedy said in the target's way
	from, target sampling.Order
	to           *Format
	values       []entry
	lost         []Loss
}

func (x *exporter) lose(key string, kind LossKind, format string, args ...any) {
	x.lost = append(x.lost, Loss{key, kind, fmt.Sprintf(format, args...)})
}

// inTheirWords says greedy decoding as the target does.
func (x *exporter) inTheirWords(c sampling.Config) sampling.Config {
	switch greedy := !c.Bool("do_sample"); {
	case x.to == &own:
		return c
	case greedy && x.to.greedy != nil:
		return x.to.greedy(c)
	case x.to == &transformers && c.Float("temperature") == 0:
		return c.Without("temperature").MustWith("do_sample", false, sampling.FromFile)
	case x.to == &transformers:
		// generate() does not sample unless it is told to.
		return c.MustWith("do_sample", !greedy, sampling.FromFile)
	}
	return c
}

// param writes one parameter, or says why not.
func (x *exporter) param(p *sampling.Param) {
	if p.Key == "order" || p.Key == "constraint" {
		return
	}
	s, set := x.c.Lookup(p.Key)
	v := x.c.Value(p.Key)
	f := x.to.takes(p.Key)
	if x.to == &own {
		if set {
			x.put(f, p, s.Value)
		}
		return
	}
	acts := x.acts(p, v)
	switch {
	case f == nil:
		if acts && p.Key != "do_sample" {
			x.lose(p.Key, Ignored, "%s has no such setting: %s is left out", x.to.Name, p.Format(v))
		}
	case set && !acts && !p.IsOff(v) && p.Stage != "" && x.target.Supports(p.Key) && !x.from.Supports(p.Key):
		x.lose(p.Key, Ignored, "%s has no effect under %s; it is left out, since %s would apply it", p.Format(v), x.from.Name(), x.to.Name)
	case set && x.masterOn(p):
		x.put(f, p, v)
	case acts && !sameValue(v, x.target.Default(p)):
		x.put(f, p, v)
	case p.IsOff(v) && x.target.Supports(p.Key) && !p.IsOff(x.target.Default(p)):
		if x.put(f, p, v) {
			x.lose(p.Key, Default, "%s's own default is %s: written as off, or it would act", x.to.Name, p.Format(x.target.Default(p)))
		}
	}
}

// acts reports whether p changes anything under the source's rules.
func (x *exporter) acts(p *sampling.Param, v any) bool {
	if p.IsOff(v) || p.Stage != "" && !x.from.Supports(p.Key) || !x.masterOn(p) {
		return false
	}
	_, set := x.c.Lookup(p.Key)
	return set || p.Stage != "" && p.Off != nil
}

// masterOn reports whether the parameter that switches p on is on.
func (x *exporter) masterOn(p *sampling.Param) bool {
	m, ok := sampling.Lookup(p.Master)
	return !ok || m.Off == nil || !m.IsOff(x.c.Value(m.Key))
}

// put writes a value in the target's words. It reports whether that could be
// done.
func (x *exporter) put(f *field, p *sampling.Param, v any) bool {
	under, err := sampling.Config{}.MustWith("order", x.target.Name(), sampling.FromFile).With(p.Key, v, sampling.FromFile)
	if err == nil && x.to != &own {
		err = under.Validate()
	}
	theirs := v
	if err == nil && f.out != nil {
		theirs, err = f.out(v)
	}
	if err != nil {
		text := strings.TrimPrefix(err.Error(), p.Key+": ")
		x.lose(p.Key, Refused, "%s is left out: %s", p.Format(v), text)
		return false
	}
	x.values = append(x.values, entry{key: f.theirs, value: theirs})
	return true
}

// constraint writes what the text must fit.
func (x *exporter) constraint() {
	text := x.c.Text("constraint")
	if text == "" {
		return
	}
	if x.to == &own {
		p, _ := sampling.Lookup("constraint")
		x.put(x.to.takes("constraint"), p, text)
		return
	}
	kind, value, err := constraintOf(text)
	if err == nil && x.to.constraint == nil {
		err = fmt.Errorf("%s settings have no place for one", x.to.Name)
	}
	var e entry
	if err == nil {
		e, err = x.to.constraint(kind, value)
	}
	if err != nil {
		x.lose("constraint", Ignored, "%v: the text is not held to it there", err)
		return
	}
	x.values = append(x.values, e)
}

// stages writes the order of the stages where the target takes one.
func (x *exporter) stages() {
	f := x.to.takes("order")
	if f == nil || f.out == nil {
		if s, set := x.c.Lookup("order"); set && x.to == &own {
			x.values = append(x.values, entry{key: "order", value: s.Value})
		}
		return
	}
	if x.from.Engine() == "llama.cpp" && x.from.Custom() == nil {
		return // its own order is its default
	}
	p, err := sampling.Compile(x.source, nil)
	if err != nil {
		return
	}
	var names []string
	for _, n := range p.StageNames() {
		name := canonical(n)
		if slices.ContainsFunc(llamaStages, func(s struct{ theirs, ours string }) bool { return s.ours == name }) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	if v, err := f.out("llama.cpp:" + strings.Join(names, ",")); err == nil {
		x.values = append(x.values, entry{key: f.theirs, value: v})
	}
}

// canonical is a stage's name where engines have several for one.
func canonical(stage string) string {
	switch stage {
	case "repetition_penalty", "frequency_penalty", "presence_penalty", "penalties":
		return "penalties"
	case "dynatemp", "dynamic_temperature", "temperature":
		return "temperature"
	}
	return stage
}

// compare says what the target does differently with the same values.
func (x *exporter) compare(target sampling.Config) {
	if x.to == &own || x.from.Engine() == x.target.Engine() && x.from.Custom() == nil && target.Order() == x.from {
		return
	}
	x.compareOrder(target)
	x.comparePenalties(target)
	_, set := x.source.Lookup("seed")
	if set && x.source.Bool("do_sample") && x.to.takes("seed") != nil && x.from.Engine() != x.target.Engine() {
		x.lose("seed", Seed, "another generator: the same seed gives other text")
	}
}

// compareOrder finds the first pair of stages that change places.
func (x *exporter) compareOrder(target sampling.Config) {
	a, errA := sampling.Compile(x.source, nil)
	b, errB := sampling.Compile(target, nil)
	if errA != nil || errB != nil {
		return
	}
	here, there := names(a), names(b)
	for i, first := range here {
		for _, second := range here[i+1:] {
			p, q := slices.Index(there, first), slices.Index(there, second)
			if p >= 0 && q >= 0 && p > q {
				x.lose("order", Moved, "%s acts before %s there, after it here: other tokens survive", second, first)
				return
			}
		}
	}
}

func names(p *sampling.Pipeline) []string {
	var out []string
	for _, n := range p.StageNames() {
		if n = canonical(n); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// counts says which tokens an engine's penalties look at.
func counts(o sampling.Order, key string, n int) string {
	switch o.Engine() {
	case "llama.cpp", "ollama":
		return fmt.Sprintf("the last %d tokens, prompt included", n)
	case "transformers", "vllm":
		if key == "repetition_penalty" {
			return "all tokens, prompt included"
		}
		return "all tokens of the output, not the prompt"
	}
	return "nothing"
}

func (x *exporter) comparePenalties(target sampling.Config) {
	for _, key := range []string{"repetition_penalty", "frequency_penalty", "presence_penalty"} {
		p, _ := sampling.Lookup(key)
		if p.IsOff(target.Value(key)) || p.IsOff(x.source.Value(key)) || !x.from.Supports(key) {
			continue
		}
		here := counts(x.from, key, x.source.Int("repeat_last_n"))
		there := counts(target.Order(), key, target.Int("repeat_last_n"))
		if here != there {
			x.lose(key, Counted, "there it counts %s; here it counts %s", there, here)
		}
	}
}

func sameValue(a, b any) bool { return plainJSON(a) == plainJSON(b) }
