package presets

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"logitscope/sampling"
)

// Imported is what was read from another engine's settings.
type Imported struct {
	Format  *Format
	Config  sampling.Config
	Implied []string // keys that the file does not set and the engine's own reading of it does: "do_sample"
	Unknown []string // keys nothing is known of, each with its line
	Aside   []string // keys that say nothing about how tokens are chosen, each with its line
	Notes   []string // what was read in a way worth saying

	name   string            // the file's
	places map[string]string // where each parameter stands, in the file's own word for it
}

// Place says where a parameter was set: file, line and key.
func (in *Imported) Place(key string) string { return in.places[key] }

// Import reads settings in any of the formats; with from they are in that
// one. name is the file's name, for errors. Keys that are not known are
// listed, never an error; a value out of range is one, with line and key.
func Import(data []byte, name string, from *Format) (*Imported, error) {
	data = trimBOM(data)
	if from == nil {
		from = detect(data)
	}
	if from == nil {
		return nil, fmt.Errorf("%s: no settings in a format that is known (%s)", name, strings.Join(FormatNames(), ", "))
	}
	entries, err := from.read(data)
	if err != nil {
		return nil, fmt.Errorf("%s%w", at(name, 0), err)
	}
	in := &Imported{Format: from, name: name, places: map[string]string{}}
	return in, in.take(entries)
}

// ImportDefaults reads the sampling settings that a GGUF file recommends,
// under its own keys.
func ImportDefaults(values map[string]any) (*Imported, error) {
	var entries []entry
	for k, v := range values {
		entries = append(entries, entry{key: k, value: asWritten(v)})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	in := &Imported{Format: &ggufKeys, name: "the model file", places: map[string]string{}}
	return in, in.take(entries)
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

// take applies the entries to the configuration.
func (in *Imported) take(entries []entry) error {
	f := in.Format
	var errs []error
	given := map[string]bool{}
	for _, e := range entries {
		given[e.key] = true
		if err := in.apply(e, sampling.FromFile); err != nil {
			errs = append(errs, fmt.Errorf("%s%w", at(in.name, e.line), err))
		}
	}
	for _, e := range f.implied {
		x := f.field(e.key)
		if given[e.key] || slices.ContainsFunc(x.also, func(k string) bool { return given[k] }) {
			continue
		}
		if _, set := in.Config.Lookup(x.ours); set {
			continue
		}
		if err := in.apply(e, sampling.FromDefault); err != nil {
			return err
		}
		in.Implied = append(in.Implied, x.ours)
	}
	if len(errs) == 0 && f.refine != nil {
		if err := f.refine(in); err != nil {
			errs = append(errs, fmt.Errorf("%s%w", at(in.name, 0), err))
		}
	}
	if _, set := in.Config.Lookup("order"); len(errs) == 0 && !set && f != &own && f != &ggufKeys {
		in.Config = in.Config.MustWith("order", f.Engine, sampling.FromFile)
	}
	return errors.Join(errs...)
}

// apply puts one entry where it belongs.
func (in *Imported) apply(e entry, o sampling.Origin) error {
	f := in.Format
	x := f.field(e.key)
	if x == nil {
		list := &in.Unknown
		if slices.Contains(f.aside, e.key) {
			list = &in.Aside
		}
		*list = append(*list, withLine(e.key, e.line))
		return nil
	}
	if e.value == nil {
		return nil // null: not set
	}
	v := e.value
	if x.in == nil {
		v = decoded(v)
	} else {
		var err error
		if v, err = x.in(v); err != nil {
			return fmt.Errorf("%s: %w", e.key, err)
		}
		if v == nil {
			return nil
		}
	}
	old, set := in.Config.Lookup(x.ours)
	if set && gathers(x.ours) {
		v = gather(old.Value, v)
	}
	cfg, err := in.Config.With(x.ours, v, o)
	if err != nil {
		if e.key != x.ours {
			err = fmt.Errorf("%s: %w", e.key, err)
		}
		return err
	}
	if now, _ := cfg.Lookup(x.ours); set && !gathers(x.ours) && !sameValue(old.Value, now.Value) {
		in.Notes = append(in.Notes, withLine(e.key, e.line)+" takes the place of "+in.places[x.ours])
	}
	in.Config, in.places[x.ours] = cfg, at(in.name, e.line)+e.key
	return nil
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
	case []sampling.TokenBias:
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

func withLine(key string, line int) string {
	if line == 0 {
		return key
	}
	return fmt.Sprintf("%s (line %d)", key, line)
}
