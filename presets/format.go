package presets

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/sampling"
	"logitscope/sampling/constrain"
)

// A Format is the shape in which another engine takes its settings.
type Format struct {
	Name   string // as named on the command line: "vllm"
	About  string // one line
	Engine string // the order whose rules apply there
	File   string // what a file of it is usually called

	limit string // when a text ends there if no limit is given, where that is early

	fields  []field
	aside   []string // keys that are known and say nothing about how tokens are chosen
	implied []entry  // what the engine assumes where a file is silent and the order's defaults differ
	read    func(data []byte) ([]entry, error)
	write   func(values []entry) string
	refine  func(in *Imported) error // what no table can say, after all entries

	// greedy says in the format's own words that the best token is always
	// taken, for engines without do_sample.
	greedy func(c sampling.Config) sampling.Config
	// constraint writes a constraint, and says in which way the target means
	// less or more by it; nil if there is no place for one.
	constraint func(s constrain.Spec) (e entry, lost string, err error)
	// closes says that a schema with properties and no additionalProperties
	// allows no others there.
	closes bool
}

// A field ties a key of a format to a parameter.
type field struct {
	theirs string
	ours   string
	in     func(v any) (any, error) // their value to ours; nil: the same
	out    func(v any) (any, error) // ours to theirs; nil: the same
	also   []string                 // other spellings that are read
	once   bool                     // read, but never written: another field carries it
}

// An entry is one setting as a file gives it.
type entry struct {
	key   string
	value any
	line  int // from 1; 0 if unknown
}

// formats are all of them, in the order in which they are listed.
var formats []*Format

// init and not a literal: the formats' functions look the table up again.
func init() {
	formats = []*Format{&transformers, &llamaCLI, &llamaServer, &vllm, &ollama, &openai, &own}
}

// Formats returns the formats that settings can be exchanged in.
func Formats() []*Format { return slices.Clone(formats) }

// FormatNames lists their names.
func FormatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// FormatNamed returns the format of that name. The error lists the names
// there are.
func FormatNamed(name string) (*Format, error) {
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s: no such format; %s", name, strings.Join(FormatNames(), ", "))
}

// field returns the field of one of the format's own keys.
func (f *Format) field(key string) *field {
	for i := range f.fields {
		if x := &f.fields[i]; x.theirs == key || slices.Contains(x.also, key) {
			return x
		}
	}
	return nil
}

// takes returns the field that carries one of our parameters, nil if the
// format has no word for it.
func (f *Format) takes(ours string) *field {
	for i := range f.fields {
		if f.fields[i].ours == ours && !f.fields[i].once {
			return &f.fields[i]
		}
	}
	return nil
}

// order returns the rules that apply to settings in the format.
func (f *Format) order() sampling.Order {
	o, err := sampling.ParseOrder(f.Engine)
	if err != nil {
		panic(err) // a fault of the table
	}
	return o
}

// zeroTemperature says greedy as temperature 0.
func zeroTemperature(c sampling.Config) sampling.Config {
	return c.Without("do_sample").MustWith("temperature", 0.0, sampling.FromFile)
}

// same makes fields whose keys and values are the parameters' own.
func same(keys ...string) []field {
	out := make([]field, len(keys))
	for i, k := range keys {
		out[i] = field{theirs: k, ours: k}
	}
	return out
}
