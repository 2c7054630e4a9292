package presets

import (
	"fmt"

	"logitscope/sampling"
	"logitscope/sampling/param"
)

// Diff says in words how two configurations differ by their effective values:
// "top_k 40 → off: A's default". The names are how to call the two.
func Diff(a, b sampling.Config, nameA, nameB string) []string {
	var out []string
	for _, key := range a.Differences(b) {
		p, _ := param.Lookup(key)
		line := fmt.Sprintf("%s %s → %s", key, p.Format(a.Value(key)), p.Format(b.Value(key)))
		inA, inB := isSet(a, key), isSet(b, key)
		switch {
		case !inA && !inB:
			line += ": both are defaults, of other engines"
		case !inA:
			line += ": " + nameA + "'s is a default"
		case !inB:
			line += ": " + nameB + "'s is a default"
		}
		out = append(out, line)
	}
	return out
}

// isSet reports whether somebody set a parameter, and not an engine's default.
func isSet(c sampling.Config, key string) bool {
	s, ok := c.Lookup(key)
	return ok && s.Origin != sampling.FromDefault
}
