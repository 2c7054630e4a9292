package tui

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/script"
	"logitscope/viz"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// An entry is a row of the table of actions, which is the single source for
// keys, help, footer and command palette: run is what the action means where
// no view takes it.
type entry struct {
	kit.Action
	run func(m *Model) tea.Cmd
}

// A keymap finds the action of a key.
type keymap struct {
	byID map[kit.ID]*entry
	list []*entry
}

// newKeymap builds a keymap from a table. It panics if two actions share a
// key or an id: the table is wrong then.
func newKeymap(table []entry) *keymap {
	k := &keymap{byID: make(map[kit.ID]*entry)}
	for i := range table {
		a := table[i]
		if k.byID[a.ID] != nil {
			panic("tui: two actions are called " + string(a.ID))
		}
		for _, name := range a.Keys() {
			if other := k.find(keystroke(name)); other != nil {
				panic("tui: key " + name + " belongs to " + string(other.ID) + " and " + string(a.ID))
			}
		}
		k.byID[a.ID] = &a
		k.list = append(k.list, &a)
	}
	return k
}

// A keystroke is a key by its name.
type keystroke string

func (k keystroke) String() string { return string(k) }

// find returns the action a key is bound to, nil if to none.
func (k *keymap) find(pressed fmt.Stringer) *entry {
	for _, a := range k.list {
		if key.Matches(pressed, a.Binding) {
			return a
		}
	}
	return nil
}

// rebind reads lines "action key key …" and gives the keys to the action
// instead of those it had. An empty line or one that starts with # is left
// out, and so is a line that is wrong, which is returned.
// The first line may say the version of the form, as "version 1".
func (k *keymap) rebind(r io.Reader, file string) (wrong []error) {
	s := bufio.NewScanner(r)
	n := 1
	for ; s.Scan(); n++ {
		f := strings.Fields(s.Text())
		if len(f) == 0 || f[0][0] == '#' {
			continue
		}
		if f[0] == "version" {
			if v := strings.Join(f[1:], " "); v != keysVersion {
				wrong = append(wrong, fmt.Errorf("%s:%d: version: %s is of a newer program, this one reads %s; the keys stay as they are built in", file, n, viz.Cut(v, 20), keysVersion))
				return wrong
			}
			continue
		}
		if err := k.rebindLine(f[0], f[1:]); err != nil {
			wrong = append(wrong, fmt.Errorf("%s:%d: %w", file, n, err))
		}
	}
	if err := s.Err(); err != nil {
		wrong = append(wrong, fmt.Errorf("%s:%d: %w", file, n, err))
	}
	return wrong
}

// keysVersion is the version of a keys file.
const keysVersion = "1"

// rebindLine gives keys to the action called id.
func (k *keymap) rebindLine(id string, keys []string) error {
	a := k.byID[kit.ID(id)]
	if a == nil {
		return fmt.Errorf("no action %q; %s", viz.Cut(id, 40), strings.Join(k.ids(), ", "))
	}
	for i, name := range keys {
		switch {
		case name == "space":
			keys[i] = " "
		case name == "ctrl+c":
			return errors.New("ctrl+c always quits and cannot be given away")
		case !isKeyName(name):
			return fmt.Errorf("no key %q; keys are written as the help shows them, such as x, Z, space, enter, pgup, ctrl+k, alt+x, shift+up, f5", viz.Cut(name, 40))
		}
	}
	for _, name := range keys {
		if other := k.find(keystroke(name)); other != nil {
			other.Rekey(slices.DeleteFunc(slices.Clone(other.Keys()), func(s string) bool { return s == name }))
		}
	}
	a.Rekey(keys)
	return nil
}

// altKey stands before the name of a key that is pressed with alt.
const altKey = "alt+"

// isKeyName reports whether a terminal may report a key by that name.
func isKeyName(name string) bool {
	if rest, ok := strings.CutPrefix(name, altKey); ok && rest != "" {
		name = rest
	}
	k, ok := script.Key(name)
	return ok && (k.Type != tea.KeyRunes || unicode.IsPrint(k.Runes[0]))
}

// ids lists the actions as a keys file names them.
func (k *keymap) ids() []string {
	out := make([]string, len(k.list))
	for i, a := range k.list {
		out[i] = string(a.ID)
	}
	return out
}
