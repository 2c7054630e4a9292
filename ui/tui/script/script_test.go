package script

import (
	"strings"
	"testing"
)

// What is no command, and a command without what it needs, is answered with
// the line and what there is.
func TestLineNamesWhatIsWrong(t *testing.T) {
	p := &Player{Verbs: map[string]func(string) error{"frame": func(string) error { return nil }}}
	for line, want := range map[string]string{
		"fly 3":    "fly 3: no such command; size, start, keys, type, steps, beams, rounds, together, off, tuned, done, frame",
		"steps":    `steps: want a number, as in "steps 3"`,
		"beams -1": `beams -1: want a number, as in "beams 3"`,
		"size 80":  `size 80: want the columns and lines of the window, as in "size 80 24"`,
	} {
		if err := p.Line(line); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
	for _, line := range []string{"", "# a remark", "frame one"} {
		if err := p.Line(line); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
	if err := p.Play(strings.NewReader("# one\n\nfly\n")); err == nil || !strings.HasPrefix(err.Error(), "line 3: fly: no such command") {
		t.Errorf("a script: %v", err)
	}
}

// A key is known by its name; what is not a name is typed.
func TestKeyMsg(t *testing.T) {
	for name, want := range map[string]string{"space": " ", "enter": "enter", "esc": "esc", "shift+left": "shift+left", "a": "a", "ü": "ü", "ctrl+c": "ctrl+c"} {
		if got := KeyMsg(name).String(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
