package tui

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"logitscope/ui/tui/kit"

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
// out. The error names the line.
func (k *keymap) rebind(r io.Reader, file string) error {
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		f := strings.Fields(s.Text())
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		a := k.byID[kit.ID(f[0])]
		if a == nil {
			return fmt.Errorf("%s:%d: no action %q; %s", file, n, f[0], strings.Join(k.ids(), ", "))
		}
		keys := f[1:]
		for i, name := range keys {
			switch name {
			case "space":
				keys[i] = " "
			case "ctrl+c":
				return fmt.Errorf("%s:%d: ctrl+c always quits and cannot be given away", file, n)
			}
			if other := k.find(keystroke(keys[i])); other != nil {
				other.Rekey(without(other.Keys(), keys[i]))
			}
		}
		a.Rekey(keys)
	}
	return s.Err()
}

// ids lists the actions as a keys file names them.
func (k *keymap) ids() []string {
	out := make([]string, len(k.list))
	for i, a := range k.list {
		out[i] = string(a.ID)
	}
	return out
}

func without(list []string, x string) []string {
	var out []string
	for _, s := range list {
		if s != x {
			out = append(out, s)
		}
	}
	return out
}
