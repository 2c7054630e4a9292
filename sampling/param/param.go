// Package param answers: what can be set, and what may each setting be?
// One table says so for sliders, flags, validation, help and files. What an
// engine makes of a parameter is package sampling's.
package param

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"logitscope/sampling/value"
)

// A Kind is the type of a parameter's value.
type Kind uint8

const (
	Bool   Kind = iota // bool
	Int                // int64
	Uint               // uint64
	Float              // float64
	Choice             // string, one of Param.Choices
	Text               // string
	List               // []string
	Bias               // []TokenBias
	IDs                // []int32, token ids
	Seqs               // [][]int32, sequences of token ids
)

// A Group is the part of decoding a parameter belongs to.
type Group uint8

const (
	Sampling Group = iota
	Penalty
	Limit
	Beam
	Speculative
	Other
)

// String returns the group's name.
func (g Group) String() string {
	return [...]string{"sampling", "penalty", "limit", "beam", "speculative", "other"}[g]
}

// A Param describes one parameter: what it is called, what it may be, and
// what it does. The table that [All] returns is the single source for
// sliders, flags, validation, help and files.
type Param struct {
	Key, Help    string
	Kind         Kind
	Min, Max     float64  // allowed by the table; an engine may allow less
	Open         bool     // Min itself is not allowed
	Lo, Hi, Step float64  // the slider's ends and step; Step 0 means no slider
	Log          bool     // the slider is logarithmic
	Off          any      // value at which it changes nothing; nil if there is none
	OffShown     bool     // the off value is shown as itself: it is one among others, and "off" would be read as 0
	Default      any      // value of engines that have no default of their own
	Choices      []string // of kind Choice
	Names        Names    // of kind Choice in place of Choices
	Stage        string   // stage it belongs to; empty if none
	Group        Group
	Master       string // key of the parameter that switches it on
	Unit         string
	Hidden       bool // settable, but not among the controls of the screen
}

// Names are the values of a choice that are not a fixed list.
type Names interface {
	Read(text string) (string, error) // returns the usual spelling of a value
	String() string                   // which ones there are, in words
}

// All returns the parameters in the order of the screen's list. The caller
// must not change them.
func All() []Param { return table }

// Lookup returns the parameter of a key.
func Lookup(key string) (*Param, bool) {
	i, ok := index[key]
	if !ok {
		return nil, false
	}
	return &table[i], true
}

// Add adds parameters, as an engine's registration does, and returns what
// takes them away again. It must not run beside anything that looks one up.
func Add(more []Param) (remove func()) {
	m := len(table)
	table = append(table[:m:m], more...)
	index = indexOf()
	return func() { table = table[:m]; index = indexOf() }
}

var index = indexOf()

func indexOf() map[string]int {
	m := make(map[string]int, len(table))
	for i := range table {
		m[table[i].Key] = i
	}
	return m
}

// Format returns v as the screen shows it: "0.70", "off", "50". It has at
// least as many decimals as the step.
func (p *Param) Format(v any) string {
	if p.IsOff(v) && !p.OffShown && p.Kind != Bool && p.Kind != Choice {
		return "off"
	}
	return value.Show(v, p.Step)
}

// IsOff reports whether v is the value at which the parameter changes
// nothing.
func (p *Param) IsOff(v any) bool {
	if p.Off == nil {
		return false
	}
	if value.Equal(p.Off, v) {
		return true
	}
	switch v := v.(type) {
	case []string:
		return len(v) == 0
	case []value.TokenBias:
		return len(v) == 0
	case []int32:
		return len(v) == 0
	case [][]int32:
		return len(v) == 0
	case float64:
		// The cuts that look at surprise are off from a value on.
		return p.Key == "xtc_threshold" && v > 0.5 || p.Key == "top_n_sigma" && v < 0
	}
	return false
}

// Nudge returns v moved by steps of the slider, kept between its ends. A
// switch flips, a choice moves on. Values without a slider stay as they are.
func (p *Param) Nudge(v any, steps int) any {
	switch v := v.(type) {
	case bool:
		return v != (steps%2 != 0)
	case string:
		if i := slices.Index(p.Choices, v); i >= 0 {
			return p.Choices[min(max(i+steps, 0), len(p.Choices)-1)]
		}
	case uint64:
		if steps < 0 {
			return v - min(v, uint64(-steps))
		}
		return v + min(math.MaxUint64-v, uint64(steps))
	case int64:
		return int64(math.Round(p.nudge(float64(v), steps, 1)))
	case float64:
		return p.nudge(v, steps, p.Step)
	}
	return v
}

// nudge moves a number by steps; on a logarithmic slider a step is a tenth of
// an octave and at least unit.
func (p *Param) nudge(v float64, steps int, unit float64) float64 {
	if p.Step == 0 {
		return v
	}
	lo, hi := min(p.Lo, v), max(p.Hi, v)
	if !p.Log {
		w := (math.Round(v/p.Step) + float64(steps)) * p.Step
		// Rounding to the step's decimals keeps 0.1 from becoming 0.1000…01.
		return min(max(value.Round(w, p.Step), lo), hi)
	}
	for ; steps > 0; steps-- {
		v = max(v+unit, value.Round(v*math.Pow(2, 0.125), unit))
	}
	for ; steps < 0; steps++ {
		v = min(v-unit, value.Round(v*math.Pow(2, -0.125), unit))
	}
	return min(max(value.Round(v, unit), lo), hi)
}

// allowed says in words which values the table allows.
func (p *Param) allowed() string {
	switch p.Kind {
	case Bool:
		return "true or false"
	case Choice:
		if p.Names != nil {
			return p.Names.String()
		}
		return strings.Join(p.Choices, ", ")
	case Text:
		return "a text"
	case List:
		return "a list of texts"
	case Bias:
		return `a list such as [[1234,-100],[" word",2]] or {"1234":-100}`
	case IDs:
		return "a list of token ids"
	case Seqs:
		return "a list of lists of token ids"
	}
	kind := "a whole number, "
	if p.Kind == Float {
		kind = "a number, "
	}
	return kind + value.RangeWords(p.Min, p.Max, p.Open)
}

func (p *Param) wrongForm(v any) error {
	hint := ""
	if s, ok := v.(string); ok && p.Kind == Float {
		with, ok := value.PointFor(s)
		if x, _ := value.Float(with); ok && p.Check(x) == nil {
			hint = "; the decimal point is a dot: " + with
		}
	}
	return fmt.Errorf("%s: want %s%s", p.Key, p.allowed(), hint)
}

// Check reports a value of the right type that the table does not allow.
func (p *Param) Check(v any) error {
	bad := false
	switch v := v.(type) {
	case float64:
		bad = p.outside(v)
	case int64:
		bad = p.outside(float64(v))
	case uint64:
		bad = p.Max < math.MaxUint64 && v >= uint64(p.Max) // of its own float64, or above
	case string:
		bad = p.Choices != nil && !slices.Contains(p.Choices, v)
	case []value.TokenBias:
		// Engines add it in float32, where it would be infinite.
		for _, b := range v {
			if math.Abs(b.Bias) > math.MaxFloat32 && value.Finite(b.Bias) {
				return &RangeError{p.Key, b.Bias, "-3.4e38 to 3.4e38, or ban"}
			}
		}
	}
	if !bad {
		return nil
	}
	words := p.allowed()
	if p.Kind == Int || p.Kind == Float {
		words = value.RangeWords(p.Min, p.Max, p.Open)
	}
	return &RangeError{p.Key, v, words}
}

func (p *Param) outside(f float64) bool {
	return !(f >= p.Min && f <= p.Max) || p.Open && f == p.Min
}
