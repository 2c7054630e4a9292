package sampling

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/sampling/param"
)

// An Order is whose rules apply and in which order the stages run. It is a
// comparable value; the zero value is transformers' order.
//
// An order is written as an engine's name, or as a list of stages such as
// "top_k,top_p,temperature". A list runs on the definitions of the engine
// named before a colon, as in "transformers:top_k,temperature", and on
// llama.cpp's if none is named, since that engine takes such lists itself.
// Stages that a list does not name are off; the list "none" names none. What a list cannot move (biases,
// bans, the constraint) comes first, as in every engine.
type Order struct {
	base string // engine; empty means transformers
	list string // the stages, comma separated; empty means the engine's own order
}

// Orders returns the order of every engine.
func Orders() []Order {
	out := make([]Order, len(engines))
	for i, e := range engines {
		out[i] = Order{base: e.Name}
	}
	return out
}

// ParseOrder reads an order as [Order.Name] writes it. The error names what
// is allowed.
func ParseOrder(s string) (Order, error) {
	s = strings.TrimSpace(s)
	if e := engineByName(strings.ToLower(s)); e != nil {
		return Order{base: e.Name}, nil
	}
	base, list := listEngine().Name, s
	if i := strings.IndexByte(s, ':'); i >= 0 {
		base, list = strings.ToLower(strings.TrimSpace(s[:i])), s[i+1:]
		if engineByName(base) == nil {
			return Order{}, fmt.Errorf("order: no engine %q; %s", base, engineNames())
		}
	}
	names := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ';' })
	if len(names) == 0 {
		return Order{}, fmt.Errorf("order: %q; %s, or a list of stages such as top_k,top_p,temperature", s, engineNames())
	}
	return orderOf(engineByName(base), names)
}

// orderNames are the values of the parameter order.
type orderNames struct{}

func (orderNames) Read(text string) (string, error) {
	o, err := ParseOrder(text)
	return o.Name(), err
}

func (orderNames) String() string {
	return engineNames() + ", or a list of stages such as top_k,top_p,temperature"
}

func orderOf(e *Engine, names []string) (Order, error) {
	if len(names) == 1 && strings.EqualFold(strings.TrimSpace(names[0]), noStages) {
		return Order{base: e.Name, list: noStages}, nil
	}
	var stages []string
	for _, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		found := e.resolve(name)
		if found == nil {
			return Order{}, fmt.Errorf("order: no stage %q; %s, or a list of %s",
				name, engineNames(), strings.Join(movableStages(), ", "))
		}
		for _, n := range found {
			if slices.Contains(stages, n) {
				return Order{}, fmt.Errorf("order: stage %s is listed twice", n)
			}
			stages = append(stages, n)
		}
	}
	// What picks the token comes last, wherever the list names it.
	if i := slices.Index(stages, "adaptive_p"); i >= 0 {
		stages = append(slices.Delete(stages, i, i+1), "adaptive_p")
	}
	return Order{base: e.Name, list: strings.Join(stages, ",")}, nil
}

// Name returns the order as [ParseOrder] reads it.
func (o Order) Name() string {
	switch {
	case o.list == "":
		return o.Engine()
	case o.base == listEngine().Name:
		return o.list
	}
	return o.base + ":" + o.list
}

// String returns the name.
func (o Order) String() string { return o.Name() }

// Engine returns the name of the engine whose definitions apply.
func (o Order) Engine() string {
	if o.base == "" {
		return engines[0].Name
	}
	return o.base
}

// Custom returns the list of stages, or nil for an engine's own order.
func (o Order) Custom() []string {
	switch o.list {
	case "":
		return nil
	case noStages:
		return []string{}
	}
	return strings.Split(o.list, ",")
}

// noStages is the list that names no stage.
const noStages = "none"

// Stages returns the stages that can be moved, in order of application,
// whether their settings switch them on or not.
func (o Order) Stages() []string {
	if o.list != "" {
		return o.Custom()
	}
	var names []string
	for _, d := range o.engine().Stages {
		if d.Movable {
			names = append(names, d.Name)
		}
	}
	return names
}

// WithStages returns the custom order that runs the given stages on the
// definitions of o's engine. The error names a stage that does not exist or
// is listed twice.
func (o Order) WithStages(names []string) (Order, error) {
	if len(names) == 0 {
		return Order{base: o.Engine(), list: noStages}, nil
	}
	if slices.Equal(names, (Order{base: o.base}).Stages()) {
		return Order{base: o.base}, nil
	}
	return orderOf(o.engine(), names)
}

// Default returns the value that o's engine gives a parameter nobody set.
func (o Order) Default(p *param.Param) any {
	if v, ok := o.engine().Defaults[p.Key]; ok {
		return v
	}
	return p.Default
}

// Supports reports whether the order does anything with a parameter.
func (o Order) Supports(key string) bool {
	p, ok := param.Lookup(key)
	if !ok {
		return false
	}
	if !isStageKey(p.Key) {
		return true
	}
	return slices.ContainsFunc(o.defs(), func(d *Stage) bool { return d.reads(key) }) || o.inChain(key)
}

// inChain reports whether a chain that takes the place of the stages reads a
// parameter which the stages do not have.
func (o Order) inChain(key string) bool {
	for _, c := range o.engine().Chains {
		for _, d := range c.Stages {
			if d.reads(key) && !slices.ContainsFunc(o.engine().Stages, func(own *Stage) bool { return own.reads(key) }) {
				return true
			}
		}
	}
	return false
}

// StageOf returns the name of the stage that reads a parameter under this
// order, or the empty string.
func (o Order) StageOf(key string) string {
	p, ok := param.Lookup(key)
	if !ok || p.Stage == "" || !o.Supports(key) {
		return ""
	}
	if d := o.Reads(key); d != nil {
		return d.Name
	}
	return p.Stage
}

func (o Order) engine() *Engine { return engineByName(o.Engine()) }

// Order returns the order of c: what the key "order" says, or transformers'.
func (c Config) Order() Order {
	s, ok := c.set["order"]
	if !ok {
		return Order{base: engines[0].Name}
	}
	o, err := ParseOrder(s.Value.(string))
	if err != nil {
		return Order{base: engines[0].Name}
	}
	return o
}
