package sampling

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"logitscope/sampling/luck"
	"logitscope/sampling/param"
	"logitscope/sampling/row"
	"logitscope/sampling/watermark"
)

// A Vocab is what a pipeline needs to know about a model's tokens.
type Vocab interface {
	Size() int
	Encode(text string) []int32
	Piece(id int32) string // bytes; need not be whole UTF-8
	EOG() []int32          // tokens that end the text
	HasPiece(id int32) bool
}

// An Action is a stage as it is built: it narrows or changes a row, looking at
// what a step is decided from.
type Action interface{ apply(r *step) }

// A step is a row on its way through the stages, with what they look at
// besides.
type step struct {
	row.Row
	in      Input
	state   *State
	mt      *[2]luck.MT
	second  []float64  // log probabilities of the second row
	err     error      // why a stage cannot do its work
	final   finalStage // makes the draw in place of the engine's; may be nil
	before  []float32  // the probabilities before it
	counts  []int32
	maskBuf []uint64

	green        watermark.Scratch
	context, own []int32 // of a watermark: the last tokens, and its candidates in their own lists
}

// A cut is a stage that looks at the row alone.
type cut struct{ of row.Cut }

// OnRow returns the action of a cut, which looks at the row alone.
func OnRow(c row.Cut) Action { return cut{c} }

func (c cut) apply(r *step) { c.of.Apply(&r.Row) }

// countOf returns how many of the best tokens a stage keeps, 0 if it does not
// go by their number.
func countOf(s Action) int {
	if c, ok := s.(cut); ok {
		if k, ok := c.of.(row.Counted); ok {
			return k.Count()
		}
	}
	return 0
}

// A weightUse says what a stage has to do with the exponentials of the row:
// it reads them, makes others necessary, or leaves so few tokens that they
// may as well be computed anew.
type weightUse uint8

const (
	editsFew weightUse = iota
	readsWeights
	scales
	leavesFew
)

// A Note says in a line what an engine made of a setting.
type Note struct {
	Key  string
	Text string // "vllm raises temperature 0.005 to 0.01"
}

// A Builder holds the settings while a pipeline is compiled. A stage that is
// being built sees those that it names alone; the others have their defaults.
type Builder struct {
	c       Config
	order   Order
	eng     *Engine
	def     *Stage // being built; nil for the engine's own adjustments
	v       Vocab
	values  map[string]any // in force, after the engine's adjustments
	notes   []Note
	greedy  bool
	keep    int // tokens every cut leaves
	plain   bool
	errs    []error
	encoded map[string][]int32
}

func (b *Builder) value(key string) any {
	if v, ok := b.values[key]; ok {
		return v
	}
	if s, ok := b.c.set[key]; ok && b.sees(key) {
		return s.Value
	}
	if v, ok := b.eng.Defaults[key]; ok {
		return v
	}
	p, ok := param.Lookup(key)
	if !ok {
		panic("sampling: no parameter " + key)
	}
	return p.Default
}

// given reports whether somebody set a parameter that what is built reads.
func (b *Builder) given(key string) bool { _, ok := b.c.set[key]; return ok && b.sees(key) }

// sees reports whether what is being built reads a parameter that only some
// stages do.
func (b *Builder) sees(key string) bool {
	if b.def == nil || !isStageKey(key) {
		return b.order.Supports(key)
	}
	return b.def.reads(key)
}

// Float, Float32, Int, Bool, Text and IDs return the value in force of a parameter
// whose kind has that type.
func (b *Builder) Float(key string) float64   { return b.value(key).(float64) }
func (b *Builder) Float32(key string) float32 { return float32(b.Float(key)) }
func (b *Builder) Int(key string) int         { return int(b.value(key).(int64)) }
func (b *Builder) Bool(key string) bool       { return b.value(key).(bool) }
func (b *Builder) Text(key string) string     { return b.value(key).(string) }
func (b *Builder) IDs(key string) []int32     { return b.value(key).([]int32) }
func (b *Builder) set(key string, v any)      { b.values[key] = v }
func (b *Builder) note(key, format string, a ...any) {
	b.notes = append(b.notes, Note{key, fmt.Sprintf(format, a...)})
}

// Format returns the value in force of a key as the screen shows it.
func (b *Builder) Format(key string) string {
	p, _ := param.Lookup(key)
	return p.Format(b.value(key))
}

// eos returns the tokens that end the text.
func (b *Builder) eos() []int32 {
	ids := b.IDs("eos_token_id")
	if len(ids) == 0 && b.v != nil {
		ids = b.v.EOG()
	}
	return append(slices.Clone(ids), b.IDs("stop_token_ids")...)
}

// encode returns the tokens of a text of a setting.
func (b *Builder) encode(key, text string) []int32 {
	if ids, ok := b.encoded[text]; ok {
		return ids
	}
	if b.v == nil {
		b.errs = append(b.errs, fmt.Errorf("%s: the text %q needs a vocabulary; token ids do not", key, text))
		return nil
	}
	ids := b.v.Encode(text)
	if b.encoded == nil {
		b.encoded = make(map[string][]int32)
	}
	b.encoded[text] = ids
	return ids
}

// Compile makes a pipeline of the settings of c under c's order. Every
// problem is reported, joined: values out of range, values the engine
// refuses, texts that need a vocabulary. v may be nil. Who compiles often for
// one vocabulary passes what [Prepare] made of it.
func Compile(c Config, v Vocab) (*Pipeline, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	o := c.Order()
	b := &Builder{c: c, order: o, eng: o.engine(), v: v, values: make(map[string]any)}
	b.greedy = !b.Bool("do_sample")
	if b.eng.Adjust != nil {
		b.eng.Adjust(b)
	}
	b.takeSeed()
	b.keep = b.tokensToKeep()
	p := &Pipeline{cfg: c, order: o, eng: b.eng, greedy: b.greedy, seed: b.value("seed").(uint64), keep: b.keep, v: v}
	p.repair = b.Bool("remove_invalid_values") && o.Supports("remove_invalid_values")
	p.draw = b.takeLuck()
	p.eos = b.eos()
	p.checkAfter = b.eng.ChecksAfter
	switch b.value("draw_order") {
	case "mask_first":
		p.checkAfter = false
	case "draw_then_check":
		p.checkAfter = true
	}
	p.addStages(b, o)
	if v != nil {
		p.vocab, p.noPiece = v.Size(), noPieces(v)
	}
	p.notes, p.values, p.plain = b.notes, b.values, b.plain
	if n := len(p.stages) + 3; n > MaxStages {
		b.errs = append(b.errs, fmt.Errorf("order: %d stages are on, at most %d are supported", n, MaxStages))
	}
	if len(b.errs) > 0 {
		return nil, errors.Join(b.errs...)
	}
	return p, nil
}

func (p *Pipeline) addStages(b *Builder, o Order) {
	defs := o.defs()
	if b.eng.Instead != nil {
		if p.instead = b.eng.Instead(b); p.instead != nil {
			defs = p.instead.Stages
		}
	}
	for _, d := range defs {
		if b.greedy && d.Warper {
			continue
		}
		b.def = d
		s, setting := d.Build(b)
		if s == nil {
			continue
		}
		label := cmp.Or(d.Short, d.Name)
		if setting != "" {
			label += " " + setting
		}
		p.stages = append(p.stages, planned{def: d, label: label, setting: setting, s: s})
		if !d.Warper {
			p.procs = len(p.stages)
		}
	}
	b.def = nil
	if b.greedy {
		p.stages = append(p.stages, planned{def: greedyDef, label: "greedy", s: cut{row.Greedy{}}})
	}
	// Walk back: after each stage, are its exponentials what is read next?
	exact := true // the draw reads them
	for i := len(p.stages) - 1; i >= 0; i-- {
		p.stages[i].exact = exact
		switch p.stages[i].def.weights {
		case readsWeights:
			exact = true
		case scales, leavesFew:
			exact = false
		}
	}
	p.rawExact = exact
}

// defs returns the stages of the order.
func (o Order) defs() []*Stage {
	e := o.engine()
	if o.list == "" {
		return e.Stages
	}
	var defs []*Stage
	for _, d := range e.Stages {
		if !d.Movable {
			defs = append(defs, d)
		}
	}
	for _, name := range o.Custom() {
		if d := e.find(name); d != nil {
			defs = append(defs, d)
		}
	}
	return defs
}

// takeSeed notes what the engine makes of a seed that it does not take: of a
// longer one it keeps the low bits, and one that asks for chance is kept here.
func (b *Builder) takeSeed() {
	seed, s := b.value("seed").(uint64), b.eng.Seeds
	switch err := b.eng.checkSeed(seed); {
	case err == nil:
	case seed > s.Max():
		b.note("seed", "%s keeps %d bits of a seed: %d acts as %d", b.eng.Name, s.Bits, seed, seed&s.Max())
		b.set("seed", seed&s.Max())
	default:
		b.note("seed", "%s reads %d as a random seed; here it is a seed like others", b.eng.Name, seed)
	}
}

// tokensToKeep returns how many tokens every cut leaves.
func (b *Builder) tokensToKeep() int {
	if n := b.Int("min_tokens_to_keep"); n > 0 {
		return n
	}
	if b.Int("num_beams") > 1 && b.eng.BeamKeepsEnd {
		if n := len(b.IDs("eos_token_id")); n > 0 {
			return n + 1
		}
		if b.v != nil && len(b.v.EOG()) > 0 {
			return len(b.v.EOG()) + 1
		}
		return 2
	}
	return 0
}

// WithRaw is With for a value as an engine's own interface takes it: it is
// held to the engine's range alone, not to the table's, and an engine that
// reads an odd value its own way gets to do so.
func (c Config) WithRaw(key string, v any, o Origin) (Config, error) {
	p, ok := param.Lookup(key)
	if !ok {
		return c, param.Unknown(key)
	}
	val, err := p.Convert(v)
	if err != nil {
		return c, err
	}
	set := make(map[string]Setting, len(c.set)+1)
	for k, s := range c.set {
		set[k] = s
	}
	set[key] = Setting{Value: val, Origin: o, raw: true}
	return Config{set}, nil
}

// refuses reports a setting that o's engine turns down.
func (o Order) refuses(p *param.Param, c Config) error {
	s := c.set[p.Key]
	var f float64
	switch v := s.Value.(type) {
	case float64:
		f = v
	case int64:
		f = float64(v)
	default:
		return nil
	}
	e := o.engine()
	if d := o.Reads(p.Key); !o.Supports(p.Key) || e.RefusesBuilt && !c.Bool("do_sample") && d != nil && d.Warper {
		return nil // a stage that is not built refuses nothing
	}
	for _, r := range e.Refusals {
		if r.Key == p.Key && (!r.Raw || s.raw) && !r.OK(f) {
			return &param.RangeError{Key: p.Key, Value: s.Value, Allowed: r.Allowed + " under " + e.Name}
		}
	}
	return nil
}
