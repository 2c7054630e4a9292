package sampling

import (
	"errors"
	"maps"
	"slices"

	"logitscope/sampling/param"
	"logitscope/sampling/value"
)

// An Origin says who set a value.
type Origin uint8

const (
	FromDefault Origin = iota // nobody: the engine's own default
	FromModel                 // the model's file or server
	FromPreset                // a preset
	FromFile                  // a configuration file
	FromFlag                  // the command line
	FromYou                   // a control on the screen
)

// String returns the origin as the screen names it.
func (o Origin) String() string {
	return [...]string{"default", "model file", "preset", "file", "flag", "you"}[o]
}

// A Setting is a value and who set it.
type Setting struct {
	Value  any // of the type its parameter's kind names
	Origin Origin
	raw    bool // held to the engine's range alone
}

// A Config holds the parameters that were set, by key. What is not set is
// left to the engine that [Config.Order] names. A Config is immutable: With
// and Without return changed copies. The zero value sets nothing.
type Config struct {
	set map[string]Setting
}

// With returns a copy of c in which key has the value v. It accepts every
// form a file or flag may use (a float64 for a whole number, a string, a JSON
// array) and stores the one type its [param.Kind] names. The error names the key
// and what is allowed.
func (c Config) With(key string, v any, o Origin) (Config, error) {
	p, ok := param.Lookup(key)
	if !ok {
		return c, param.Unknown(key)
	}
	val, err := p.Normalise(v)
	if err != nil {
		return c, err
	}
	set := maps.Clone(c.set)
	if set == nil {
		set = make(map[string]Setting)
	}
	set[key] = Setting{Value: val, Origin: o}
	return Config{set}, nil
}

// MustWith is With for values known to be valid; it panics on an error.
func (c Config) MustWith(key string, v any, o Origin) Config {
	d, err := c.With(key, v, o)
	if err != nil {
		panic(err)
	}
	return d
}

// Without returns a copy of c in which key is not set.
func (c Config) Without(key string) Config {
	if _, ok := c.set[key]; !ok {
		return c
	}
	set := maps.Clone(c.set)
	delete(set, key)
	return Config{set}
}

// Merge returns c with everything that over sets on top.
func (c Config) Merge(over Config) Config {
	if len(over.set) == 0 {
		return c
	}
	set := maps.Clone(c.set)
	if set == nil {
		set = make(map[string]Setting, len(over.set))
	}
	maps.Copy(set, over.set)
	return Config{set}
}

// Lookup returns the setting of key and whether it is set.
func (c Config) Lookup(key string) (Setting, bool) {
	s, ok := c.set[key]
	return s, ok
}

// Keys returns the keys that are set, in the order of the parameter table.
func (c Config) Keys() []string {
	var keys []string
	for _, p := range param.All() {
		if _, ok := c.set[p.Key]; ok {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// Equal reports whether c and d set the same keys to the same values,
// whoever set them.
func (c Config) Equal(d Config) bool {
	return maps.EqualFunc(c.set, d.set, func(a, b Setting) bool { return value.Equal(a.Value, b.Value) })
}

// Differences returns the keys whose values in force differ between c and d,
// whoever set them, in the order of the parameter table.
func (c Config) Differences(d Config) []string {
	var keys []string
	for _, p := range param.All() {
		if !value.Equal(c.Value(p.Key), d.Value(p.Key)) {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// Value returns the value of key in force: the one set, else the default of
// the engine that c's order names. It panics if there is no such parameter.
func (c Config) Value(key string) any {
	if s, ok := c.set[key]; ok {
		return s.Value
	}
	p, ok := param.Lookup(key)
	if !ok {
		panic("sampling: no parameter " + key)
	}
	return c.Order().Default(p)
}

// Float, Int, Uint, Bool, Text and Strings return the value in force of a key
// whose kind has that type. They panic if key is of another kind.
func (c Config) Float(key string) float64    { return c.Value(key).(float64) }
func (c Config) Int(key string) int          { return int(c.Value(key).(int64)) }
func (c Config) Uint(key string) uint64      { return c.Value(key).(uint64) }
func (c Config) Bool(key string) bool        { return c.Value(key).(bool) }
func (c Config) Text(key string) string      { return c.Value(key).(string) }
func (c Config) Strings(key string) []string { return c.Value(key).([]string) }

// TokenIDs returns the token ids that the value in force of key is about, in a
// list, in sequences or in biases.
func (c Config) TokenIDs(key string) (ids []int32) {
	switch v := c.Value(key).(type) {
	case []int32:
		return v
	case [][]int32:
		return slices.Concat(v...)
	case []value.TokenBias:
		for _, b := range v {
			ids = append(ids, b.Tokens...)
		}
	}
	return ids
}

// Validate reports everything that is wrong with c under its order, joined:
// values out of the parameter's range and values the engine refuses.
func (c Config) Validate() error {
	var errs []error
	for _, key := range c.Keys() {
		p, _ := param.Lookup(key)
		if err := p.Check(c.set[key].Value); err != nil && !c.set[key].raw {
			errs = append(errs, err)
			continue
		}
		if err := c.Order().refuses(p, c); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
