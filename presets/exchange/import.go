package exchange

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/sampling/value"
)

// Imported is what was read from another engine's settings.
type Imported struct {
	Format  *Format
	Config  sampling.Config
	Implied []string         // parameters that the file leaves out and the engine's reading of it sets
	Acts    []Key            // keys that choose tokens or end a text, and are no parameter here
	Aside   []Key            // keys that choose no token as they stand
	Unknown []Key            // keys nobody knows
	Unread  []carrier.Unread // values that would have been settings and could not be read
	Notes   []string         // what was read in a way worth saying
	Calls   int              // how many calls, commands, services or sections of the file hold settings; one of them was read

	name   string
	places map[string]string // where each parameter stands, in the file's own word for it
}

// A Key is a key of a file, as the file spells it.
type Key struct {
	Name    string
	Line    int    // from 1; 0 if unknown
	Suggest string // for an unknown key: the known one that is probably meant, "" for none
}

// String is the key with its line.
func (k Key) String() string {
	s := carrier.WithLine(k.Name, k.Line)
	if k.Suggest != "" {
		s += ": " + k.Suggest + " is meant?"
	}
	return s
}

// Unreadable returns an error that names the values that could not be read, nil
// where there are none.
func (in *Imported) Unreadable() error {
	var errs []error
	for _, u := range in.Unread {
		line := u.Line
		u.Line = 0
		errs = append(errs, fmt.Errorf("%s%s", at(in.name, line), u))
	}
	return errors.Join(errs...)
}

// Strict returns an error that names all that was not understood, nil where
// all was.
func (in *Imported) Strict() error {
	errs := []error{in.Unreadable()}
	for _, k := range in.Unknown {
		line := k.Line
		k.Line = 0
		errs = append(errs, fmt.Errorf("%s%s: an unknown key", at(in.name, line), k))
	}
	return errors.Join(errs...)
}

// Place says where a parameter was set: file, line and key.
func (in *Imported) Place(key string) string { return in.places[key] }

// Places returns where each parameter that the file sets stands, by its key.
func (in *Imported) Places() map[string]string { return maps.Clone(in.places) }

// MaxFile bounds what is read as settings.
const MaxFile = 1 << 20

// Options say how to read settings. The zero value finds out by itself.
type Options struct {
	From *Format // whose words they are; nil: found out
	Call int     // which of several calls, commands, sections or objects to read, from 1; 0 is 1
}

// Import reads settings in any of the formats. name is the file's name, for errors and, where it says what the file
// is, for the format. What can be read is read, and the rest is listed in the
// result. The error is for text that holds no settings at all.
func Import(data []byte, name string, opt Options) (*Imported, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%slarger than %d bytes", at(name, 0), MaxFile)
	}
	s, err := read(carrier.TrimBOM(data), name, opt)
	if err != nil {
		return nil, fmt.Errorf("%s%w", at(name, 0), err)
	}
	in := &Imported{Format: s.format, name: name, places: map[string]string{}, Calls: max(s.calls, 1)}
	in.take(s)
	return in, nil
}

// ImportDefaults reads the sampling settings that a model recommends: under
// the keys of GGUF files, or of the engine called of if that is not empty.
// Nothing is read into what it does not say.
func ImportDefaults(values map[string]any, of string) (*Imported, error) {
	f := ggufKeys
	if of != "" {
		named, err := FormatNamed(of)
		if err != nil {
			return nil, err
		}
		f = *named
		f.implied, f.recommends = nil, true
	}
	s := &source{format: &f}
	for k, v := range values {
		s.entries = append(s.entries, carrier.Entry{Key: k, Value: asWritten(v)})
	}
	slices.SortFunc(s.entries, func(a, b carrier.Entry) int { return strings.Compare(a.Key, b.Key) })
	in := &Imported{Format: &f, name: "the model file", places: map[string]string{}}
	in.take(s)
	var errs []error
	for _, u := range in.Unread {
		errs = append(errs, fmt.Errorf("%s: %s: %s: %s", in.name, u.Key, u.Text, u.Why))
	}
	return in, errors.Join(errs...)
}

// asWritten returns a number as its author wrote it: files hold 32 bits, and
// 0.7 is meant where 0.699999988 is stored.
func asWritten(v any) any {
	f, ok := v.(float64)
	if x, single := v.(float32); single {
		f, ok = float64(x), true
	}
	if !ok || float64(float32(f)) != f {
		return v
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', -1, 32), 64)
	if err != nil {
		return v
	}
	return short
}

// take sorts the entries of s and sets what they set.
func (in *Imported) take(s *source) {
	f := in.Format
	if f.prepare != nil {
		f.prepare(s)
	}
	in.Unread, in.Notes = s.unread, s.notes
	var assumed []assumption
	if f.implied != nil {
		for _, a := range f.implied(s) {
			if !s.has(a.ours) && (a.with == "" || s.has(a.with)) {
				assumed = append(assumed, a)
			}
		}
	}
	for _, e := range s.entries {
		in.apply(e)
	}
	for _, a := range assumed {
		if _, set := in.Config.Lookup(a.ours); set || slices.ContainsFunc(in.Unread, func(u carrier.Unread) bool { return f.setsOurs(u.Key, a.ours) }) {
			continue
		}
		in.Config = in.Config.MustWith(a.ours, a.value, sampling.FromDefault)
		if !a.quiet {
			in.Implied = append(in.Implied, a.ours)
		}
	}
	if _, set := in.Config.Lookup("order"); !set && f != &own && !f.recommends {
		in.Config = in.Config.MustWith("order", f.Engine, sampling.FromFile)
	}
	if c, err := f.bring(in.Config); err == nil {
		in.Config = c
	}
	slices.SortStableFunc(in.Unread, func(a, b carrier.Unread) int { return a.Line - b.Line })
}

func (f *Format) setsOurs(key, ours string) bool {
	x := f.field(key)
	return x != nil && x.sets(ours)
}

// apply puts one entry where it belongs.
func (in *Imported) apply(e carrier.Entry) {
	f := in.Format
	key := Key{Name: e.Key, Line: e.Line}
	x := f.field(e.Key)
	if e.Idle {
		in.Aside = append(in.Aside, key)
		return
	}
	if e.Spread() {
		in.skip(e, carrier.WhyUnreadable(e.Value.(carrier.Unreadable)))
		return
	}
	if x == nil {
		neutral, acts := f.acting(e.Key)
		switch {
		case acts && idle(e.Value, neutral):
			in.Aside = append(in.Aside, key)
		case acts:
			in.Acts = append(in.Acts, key)
		case f.setsAside(e.Key):
			in.Aside = append(in.Aside, key)
		default:
			key.Suggest = f.suggest(e.Key)
			in.Unknown = append(in.Unknown, key)
		}
		return
	}
	if e.Value == nil {
		in.Aside = append(in.Aside, key) // null: nothing is set
		return
	}
	if u, dark := carrier.FirstUnreadable(e.Value); dark {
		in.skip(e, carrier.WhyUnreadable(u))
		return
	}
	if x.split != nil {
		list, err := x.split(e.Value)
		if err != nil {
			in.skip(e, err.Error())
			return
		}
		for _, s := range list {
			in.set(e, s.key, s.value)
		}
		return
	}
	v := e.Value
	if x.in != nil {
		var err error
		if v, err = x.in(v); err != nil {
			in.skip(e, err.Error())
			return
		}
		if v == nil {
			in.Aside = append(in.Aside, key)
			return
		}
	}
	in.set(e, x.ours, carrier.Decoded(v))
}

// set gives one of our parameters its value.
func (in *Imported) set(e carrier.Entry, ours string, v any) {
	old, had := in.Config.Lookup(ours)
	if had && gathers(ours) {
		v = gather(old.Value, v)
	}
	cfg, err := in.Config.With(ours, v, sampling.FromFile)
	if err != nil {
		in.skip(e, bare(err, ours))
		return
	}
	if now, _ := cfg.Lookup(ours); had && !gathers(ours) && !carrier.SameValue(old.Value, now.Value) {
		in.Notes = append(in.Notes, carrier.WithLine(e.Key, e.Line)+" takes the place of "+in.places[ours])
	}
	in.Config, in.places[ours] = cfg, at(in.name, e.Line)+e.Key
}

// bare is an error of a parameter without its name: the key of the file
// stands before it.
func bare(err error, ours string) string {
	var r *param.RangeError
	if errors.As(err, &r) {
		return "out of range, " + r.Allowed
	}
	return strings.TrimPrefix(err.Error(), ours+": ")
}

func (in *Imported) skip(e carrier.Entry, why string) {
	text := e.Text
	if text == "" {
		text = carrier.PlainJSON(e.Value)
	}
	in.Unread = append(in.Unread, carrier.Unread{Line: e.Line, Key: e.Key, Text: text, Why: why})
}

// gathers reports whether entries of a parameter add up, as repeated flags.
func gathers(key string) bool {
	return key == "stop" || key == "dry_sequence_breakers" || key == "logit_bias" || key == "bad_words" || key == "eos_token_id"
}

func gather(old, v any) any {
	var out []any
	switch old := old.(type) {
	case []string:
		for _, s := range old {
			out = append(out, s)
		}
	case []int32:
		for _, id := range old {
			out = append(out, int64(id))
		}
	case []value.TokenBias:
		for _, b := range old {
			if b.Tokens == nil {
				out = append(out, []any{b.Text, b.Bias})
				continue
			}
			ids := make([]any, len(b.Tokens))
			for i, id := range b.Tokens {
				ids[i] = int64(id)
			}
			out = append(out, []any{ids, b.Bias})
		}
	}
	switch v := v.(type) {
	case []any:
		return append(out, v...)
	case []string:
		for _, s := range v {
			out = append(out, s)
		}
		return out
	}
	return append(out, v)
}

func at(name string, line int) string {
	switch {
	case name == "" && line == 0:
		return ""
	case line == 0:
		return name + ": "
	}
	return fmt.Sprintf("%s:%d: ", name, line)
}
