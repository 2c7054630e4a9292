package tui

import (
	"fmt"
	"strings"
	"sync/atomic"

	"logitscope/sampling"
)

// A presetBook finds presets by name for the rules of schedules. Settings are
// compiled in the background while the list may change.
type presetBook struct{ list atomic.Pointer[[]Preset] }

func (b *presetBook) set(list []Preset) { b.list.Store(&list) }

// presets lists them: built-in ones first, tame to wild, then the user's by
// name.
func (b *presetBook) presets() []Preset {
	if list := b.list.Load(); list != nil {
		return *list
	}
	return nil
}

// find returns the settings of a preset. The error lists the names there are.
func (b *presetBook) find(name string) (sampling.Config, error) {
	var names []string
	for _, p := range b.presets() {
		if p.Name == name {
			return p.Config, nil
		}
		names = append(names, p.Name)
	}
	return sampling.Config{}, fmt.Errorf("%s: no such preset; %s", name, strings.Join(names, ", "))
}

// A Preset is a named configuration that one key puts in force.
type Preset struct {
	Name, About string
	Config      sampling.Config
	User        bool // the user's own
}
