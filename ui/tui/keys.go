package tui

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// An action is one thing the user can ask for. The table of actions is the
// single source for keys, help, footer and command palette; its binding holds
// the keys as Bubble Tea names them, the first of which the footer shows, and
// their help.
type action struct {
	id string // as a keys file names it
	key.Binding
	hint  string // in the footer: "run/pause"; empty leaves it out
	group string // heading it belongs to in the palette
	run   func(m *Model) tea.Cmd
}

// bind returns a binding of keys, if any, with its words for help overlay and
// palette.
func bind(words string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(keyNames(keys), words))
}

// rekey gives the action other keys; its words stay.
func (a *action) rekey(keys []string) { a.Binding = bind(a.words(), keys...) }

// words say what the action does.
func (a *action) words() string { return a.Help().Desc }

// A keymap finds the action of a key.
type keymap struct {
	byID map[string]*action
	list []*action
}

// newKeymap builds a keymap from a table. It panics if two actions share a
// key or an id: the table is wrong then.
func newKeymap(table []action) *keymap {
	k := &keymap{byID: make(map[string]*action)}
	for i := range table {
		a := table[i]
		if k.byID[a.id] != nil {
			panic("tui: two actions are called " + a.id)
		}
		for _, name := range a.Keys() {
			if other := k.find(keystroke(name)); other != nil {
				panic("tui: key " + name + " belongs to " + other.id + " and " + a.id)
			}
		}
		k.byID[a.id] = &a
		k.list = append(k.list, &a)
	}
	return k
}

// A keystroke is a key by its name.
type keystroke string

func (k keystroke) String() string { return string(k) }

// find returns the action a key is bound to, nil if to none.
func (k *keymap) find(pressed fmt.Stringer) *action {
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
		a := k.byID[f[0]]
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
				other.rekey(without(other.Keys(), keys[i]))
			}
		}
		a.rekey(keys)
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

// keyNames returns keys as the help shows them.
func keyNames(keys []string) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = keyName(k)
	}
	return strings.Join(names, " ")
}

// first returns the key of a that the footer shows, empty if it has none.
func (a *action) first() string {
	if len(a.Keys()) == 0 {
		return ""
	}
	return keyName(a.Keys()[0])
}
