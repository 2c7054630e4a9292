package tui

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// An action is one thing the user can ask for. The table of actions is the
// single source for keys, help, footer and command palette.
type action struct {
	id    string   // as a keys file names it
	keys  []string // as Bubble Tea names them; the first is shown in the footer
	hint  string   // in the footer: "run/pause"; empty leaves it out
	help  string   // in the help overlay and the palette
	group string   // heading it belongs to in the palette
	run   func(m *Model) tea.Cmd
}

// A keymap finds the action of a key.
type keymap struct {
	byKey map[string]*action
	byID  map[string]*action
	list  []*action
}

// newKeymap builds a keymap from a table. It panics if two actions share a
// key or an id: the table is wrong then.
func newKeymap(table []action) *keymap {
	k := &keymap{byKey: make(map[string]*action), byID: make(map[string]*action)}
	for i := range table {
		a := table[i]
		if k.byID[a.id] != nil {
			panic("tui: two actions are called " + a.id)
		}
		a.keys = append([]string(nil), a.keys...)
		k.byID[a.id] = &a
		k.list = append(k.list, &a)
		for _, key := range a.keys {
			if other := k.byKey[key]; other != nil {
				panic("tui: key " + key + " belongs to " + other.id + " and " + a.id)
			}
			k.byKey[key] = &a
		}
	}
	return k
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
		a := k.byID[f[0]]
		if a == nil {
			return fmt.Errorf("%s:%d: no action %q; %s", file, n, f[0], strings.Join(k.ids(), ", "))
		}
		for _, key := range a.keys {
			delete(k.byKey, key)
		}
		a.keys = nil
		for _, key := range f[1:] {
			if key == "space" {
				key = " "
			}
			if key == "ctrl+c" {
				return fmt.Errorf("%s:%d: ctrl+c always quits and cannot be given away", file, n)
			}
			if other := k.byKey[key]; other != nil {
				other.keys = without(other.keys, key)
			}
			k.byKey[key] = a
			a.keys = append(a.keys, key)
		}
	}
	return s.Err()
}

// ids lists the actions as a keys file names them.
func (k *keymap) ids() []string {
	out := make([]string, len(k.list))
	for i, a := range k.list {
		out[i] = a.id
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

// keyName returns a key as the screen shows it.
func keyName(key string) string {
	switch key {
	case " ":
		return "space"
	case "right":
		return "→"
	case "left":
		return "←"
	case "up":
		return "↑"
	case "down":
		return "↓"
	}
	return strings.NewReplacer("shift+right", "shift+→", "shift+left", "shift+←").Replace(key)
}

// shown returns the keys of a as the help shows them.
func (a *action) shown() string {
	names := make([]string, len(a.keys))
	for i, k := range a.keys {
		names[i] = keyName(k)
	}
	return strings.Join(names, " ")
}

// first returns the key of a that the footer shows, empty if it has none.
func (a *action) first() string {
	if len(a.keys) == 0 {
		return ""
	}
	return keyName(a.keys[0])
}
