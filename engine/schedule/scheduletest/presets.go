// Package scheduletest holds what the tests of schedules share.
package scheduletest

import (
	"fmt"

	"logitscope/sampling"
)

// Presets are what the rules of the tests may name: hot and cold.
func Presets(name string) (sampling.Config, error) {
	for _, p := range []struct {
		name string
		set  []any
	}{
		{"hot", []any{"temperature", 2.0, "max_new_tokens", 7, "repetition_penalty", 1.2}},
		{"cold", []any{"temperature", 0.2, "top_k", 2}},
	} {
		if p.name == name {
			c := sampling.Config{}
			for i := 0; i < len(p.set); i += 2 {
				c = c.MustWith(p.set[i].(string), p.set[i+1], sampling.FromPreset)
			}
			return c, nil
		}
	}
	return sampling.Config{}, fmt.Errorf("%s: no such preset; hot, cold", name)
}
