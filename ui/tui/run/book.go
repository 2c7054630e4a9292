package run

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"logitscope/sampling"
)

// A Book finds presets by name for the rules of schedules. Settings are
// compiled in the background while the list may change.
type Book struct{ list atomic.Pointer[[]Preset] }

// Set makes list the presets.
func (b *Book) Set(list []Preset) { b.list.Store(&list) }

// List lists them: built-in ones first, tame to wild, then the user's by
// name.
func (b *Book) List() []Preset {
	if list := b.list.Load(); list != nil {
		return *list
	}
	return nil
}

// find returns the settings of a preset. The error lists the names there are.
func (b *Book) find(name string) (sampling.Config, error) {
	var names []string
	for _, p := range b.List() {
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

// Index returns the place of the preset called name, -1 if there is none.
func (b *Book) Index(name string) int {
	return slices.IndexFunc(b.List(), func(p Preset) bool { return p.Name == name })
}
