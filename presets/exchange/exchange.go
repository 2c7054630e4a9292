// Package exchange answers: what do another engine's settings say here, and
// how are ours said there?
//
// A file comes in a carrier (JSON, Python, a command line, YAML, INI, a
// Modelfile), which is read into entries: a key, a value and a line each. A
// [Format] is whose words they are; its one table of keys sorts every entry
// into a parameter of ours, a key that chooses tokens and is no parameter
// here, a key that has nothing to do with choosing tokens, or a key nobody
// knows. A [Target] is a form in which settings can be written. What does not
// carry over in either direction is a value ([carrier.Unread], [Loss]), never
// silence.
//
// One file holds one format; carriers have files of their own.
package exchange

import (
	"fmt"
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling"
	"logitscope/sampling/param"
)

// A Format is the words of one engine for its settings, whatever carries
// them: "vllm" is its Python, its request JSON and its server's flags.
type Format struct {
	Name   string // as named on the command line: "vllm"
	About  string // one line
	Engine string // the order whose rules apply to settings in it

	fields []field
	acts   map[string][]any // keys that choose tokens or end a text and are no parameter here, with the values at which they do nothing
	aside  []string         // keys that have nothing to do with choosing tokens
	kin    []*Format        // formats whose keys are read too: an API and its supersets

	// canon is a key as the tables have it, where it has several spellings by
	// rule; nil: keys stand as they are.
	canon func(key string) string

	// recommends means that values are what a model recommends, with no word
	// on the order of an engine.
	recommends bool

	// implied is what the engine assumes where a file is silent and the
	// defaults of its order differ.
	implied func(s *source) []assumption

	// prepare rewrites entries that say one thing together, before the table
	// is asked.
	prepare func(s *source)

	// brings are stages that the engine runs beyond those of its order.
	brings []brought

	// closes says that a schema with properties and no additionalProperties
	// allows no others there.
	closes bool
}

// A brought stage is one that an engine has beyond its order's, and after
// which stage it runs: the first of those that is there, else all; or before
// all.
type brought struct {
	stage string
	after []string
	first bool
}

// supports reports whether the engine does anything with a parameter.
func (f *Format) supports(key string) bool {
	return f.order().Supports(key) || slices.ContainsFunc(f.brings, func(b brought) bool {
		d := sampling.StageNamed(b.stage)
		return d != nil && slices.Contains(d.Keys, key)
	})
}

// bring puts the stages that the engine has of its own, and c sets, into c's
// order.
func (f *Format) bring(c sampling.Config) (sampling.Config, error) {
	for _, b := range f.brings {
		d := sampling.StageNamed(b.stage)
		p, ok := param.Lookup(d.Keys[0])
		if !ok || p.IsOff(c.Value(p.Key)) || c.Order().Supports(p.Key) {
			continue
		}
		stages := slices.Clone(c.Order().Stages())
		at := len(stages)
		if b.first {
			at = 0
		}
		for _, name := range slices.Backward(b.after) {
			if i := slices.Index(stages, name); i >= 0 {
				at = i + 1
			}
		}
		o, err := c.Order().WithStages(slices.Insert(stages, at, b.stage))
		if err != nil {
			return c, err
		}
		if c, err = c.With("order", o.Name(), sampling.FromFile); err != nil {
			return c, err
		}
	}
	return c, nil
}

// A field ties a key of a format to a parameter.
type field struct {
	theirs string
	ours   string
	in     func(v any) (any, error)       // their value to ours; nil: the same; a nil result: nothing is set
	out    func(v any) (any, error)       // ours to theirs; nil: the same
	split  func(v any) ([]setting, error) // for a key that sets several parameters
	join   func(c sampling.Config) any    // the value of such a key
	also   []string                       // other spellings that are read
	once   bool                           // read, but never written: another field carries it
}

// A setting is a value of one of our parameters.
type setting struct {
	key   string
	value any
}

// An assumption is a value that an engine takes for a parameter that a file
// leaves out.
type assumption struct {
	ours  string
	value any
	with  string // only where this parameter is set; "" for always
	quiet bool   // its off value, where the order's default is another: not worth saying
}

// A source is what a carrier holds.
type source struct {
	format  *Format
	kind    kind
	entries []carrier.Entry
	unread  []carrier.Unread // what the carrier could not read: another call, **names, a section
	notes   []string
	calls   int // places of the file that hold settings, this one included; 0 is one
}

// A kind is what sort of request a source is, where an engine's silence means
// something else by it.
type kind uint8

const (
	plainKind  kind = iota
	beamKind        // vLLM's BeamSearchParams
	callKind        // a call of generate, not a configuration
	promptKind      // a completion of a prompt, not of a conversation
	serveKind       // a server's command line
)

// has reports whether the source sets one of ours, read or not. A null sets
// nothing.
func (s *source) has(ours string) bool {
	return slices.ContainsFunc(s.entries, func(e carrier.Entry) bool {
		f := s.format.field(e.Key)
		return e.Value != nil && f != nil && f.sets(ours)
	})
}

func (f *field) sets(ours string) bool {
	if f.ours == ours {
		return true
	}
	return f.split != nil && slices.Contains(splits[f.theirs], ours)
}

// splits are the parameters that a key with several of them sets.
var splits = map[string][]string{
	"exponential_decay_length_penalty": {"exponential_decay_start", "exponential_decay_factor"},
	"watermarking_config":              {"watermark_bias", "watermark_ratio", "watermark_key", "watermark_scheme", "watermark_width"},
}

// get returns the last entry of a key.
func (s *source) get(key string) (carrier.Entry, bool) {
	for i := len(s.entries) - 1; i >= 0; i-- {
		if s.entries[i].Key == key {
			return s.entries[i], true
		}
	}
	return carrier.Entry{}, false
}

// silent reports whether a key stands there without a value: of a limit that
// is none, and not what stands where the key is left out.
func (s *source) silent(key string) bool {
	e, ok := s.get(key)
	return ok && e.Value == nil
}

// drop takes the entries of some keys out.
func (s *source) drop(keys ...string) {
	s.entries = slices.DeleteFunc(s.entries, func(e carrier.Entry) bool { return slices.Contains(keys, e.Key) })
}

// formats are all of them, in the order in which they are listed.
var formats = []*Format{
	&transformers, &vllm, &llamaCPP, &llamaServer, &ollama, &openai, &sglang, &tensorRT, &mlx, &koboldCPP, &sillyTavern,
	&textgen, &tabby, &lmStudio, &liteLLM, &openRouter, &own,
}

// Formats returns the formats that settings can be read in.
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

// order returns the rules that apply to settings in the format.
func (f *Format) order() sampling.Order {
	o, err := sampling.ParseOrder(f.Engine)
	if err != nil {
		panic(err) // a fault of the table
	}
	return o
}

// field returns the field of one of the format's own keys.
func (f *Format) field(key string) *field {
	key = f.canonical(key)
	for i := range f.fields {
		if x := &f.fields[i]; x.theirs == key || slices.Contains(x.also, key) {
			return x
		}
	}
	for _, k := range f.kin {
		if x := k.field(key); x != nil {
			return x
		}
	}
	if f == &own {
		return ownField(key)
	}
	return nil
}

func (f *Format) canonical(key string) string {
	if f.canon == nil {
		return key
	}
	return f.canon(key)
}

// acting returns the values at which a key that is not a parameter does nothing,
// and whether it is such a key.
func (f *Format) acting(key string) ([]any, bool) {
	key = f.canonical(key)
	if neutral, ok := f.acts[key]; ok {
		return neutral, true
	}
	for _, k := range f.kin {
		if neutral, ok := k.acting(key); ok {
			return neutral, true
		}
	}
	return nil, false
}

func (f *Format) setsAside(key string) bool {
	key = f.canonical(key)
	return slices.Contains(f.aside, key) || slices.ContainsFunc(f.kin, func(k *Format) bool { return k.setsAside(key) })
}

// keys returns every key that the format knows.
func (f *Format) keys() []string {
	var out []string
	for i := range f.fields {
		out = append(append(out, f.fields[i].theirs), f.fields[i].also...)
	}
	for k := range f.acts {
		out = append(out, k)
	}
	out = append(out, f.aside...)
	for _, k := range f.kin {
		out = append(out, k.keys()...)
	}
	return out
}

// same makes fields whose keys and values are the parameters' own.
func same(keys ...string) []field {
	out := make([]field, len(keys))
	for i, k := range keys {
		out[i] = field{theirs: k, ours: k}
	}
	return out
}
