package record

import "logitscope/sampling"

// Origins say who set values, by key: in the words of [sampling.Origin]. A key
// that is missing was set by a file.
type Origins map[string]string

// originNames are the words of the origins there are.
var originNames = func() map[string]sampling.Origin {
	out := map[string]sampling.Origin{}
	for o := sampling.FromDefault; o <= sampling.FromYou; o++ {
		out[o.String()] = o
	}
	return out
}()

// originsOf returns who set the keys of cfg that only lets pass.
func originsOf(cfg sampling.Config, only func(key string) bool) Origins {
	var out Origins
	for _, key := range cfg.Keys() {
		if s, _ := cfg.Lookup(key); only(key) && s.Origin != sampling.FromFile {
			if out == nil {
				out = Origins{}
			}
			out[key] = s.Origin.String()
		}
	}
	return out
}

// apply returns cfg with the origins o.
func (o Origins) apply(cfg sampling.Config) sampling.Config {
	for _, key := range cfg.Keys() {
		origin, ok := originNames[o[key]]
		if !ok {
			continue
		}
		s, _ := cfg.Lookup(key)
		if next, err := cfg.With(key, s.Value, origin); err == nil {
			cfg = next
		}
	}
	return cfg
}
