package class

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func namesOf(keys []tea.KeyMsg) string {
	var s []string
	for _, k := range keys {
		s = append(s, k.String())
	}
	return strings.Join(s, ",")
}

func TestKeyboard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"ab", "a,b"},
		{"\r\x03\x7f\t", "enter,ctrl+c,backspace,tab"},
		{"\x1b[A\x1b[B\x1bOC\x1b[D", "up,down,right,left"},
		{"\x1b[Z\x1b[5~\x1b[1;2C", "shift+tab,pgup,shift+right"},
		{"\x1b", "esc"},
		{"\x1b\x1b[A", "esc,up"},
		{"é日", "é,日"},
		{"\x1b[<0;3;4Mq", "q"},        // a mouse
		{"\x1b[31mx\x1b]0;", "x,0,;"}, // not a key
		{"\x1b[200~q\x1b[Aq\x1b[201~z", "[q\x1b[Aq],z"},
		{"\xff\xfeq", "q"},
		{" ", " "},
	} {
		var whole keyboard
		if got := namesOf(whole.read([]byte(c.in))); got != c.want {
			t.Errorf("%q: %s, want %s", c.in, got, c.want)
		}
	}
	// Whatever is cut in two is the same keys, but for a lone escape.
	const all = "a\x1b[A\x1b[1;2Cé\x1b[200~paste\x1b[201~日\x1b[5~"
	var whole keyboard
	want := namesOf(whole.read([]byte(all)))
	for i := range len(all) {
		if all[:i] != "" && all[i-1] == escape {
			continue
		}
		var k keyboard
		if got := namesOf(append(k.read([]byte(all[:i])), k.read([]byte(all[i:]))...)); got != want {
			t.Errorf("cut at %d: %s, want %s", i, got, want)
		}
	}
}

func FuzzKeyboard(f *testing.F) {
	f.Add([]byte("\x1b[200~abc\x1b[201~\x1b[A"), 3)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		if cut < 0 || cut > len(b) {
			cut = len(b) / 2
		}
		var k keyboard
		n := len(k.read(b[:cut])) + len(k.read(b[cut:]))
		if n > len(b) {
			t.Errorf("%d keys of %d bytes", n, len(b))
		}
		if len(k.rest) > longestSequence+len(b) || len(k.pasted) > maxPasted {
			t.Errorf("%d bytes kept, %d pasted", len(k.rest), len(k.pasted))
		}
	})
}

// However long what is pasted is, or a sequence that does not end, little of
// it is kept.
func TestKeyboardIsBounded(t *testing.T) {
	t.Parallel()
	var k keyboard
	keys := k.read([]byte("\x1b" + pasteStart + strings.Repeat("x", 3*longestRead)))
	if len(keys) > 0 || len(k.pasted) > maxPasted || len(k.rest) >= len(pasteEnd) {
		t.Errorf("%d keys, %d pasted, %d kept", len(keys), len(k.pasted), len(k.rest))
	}
	if keys = k.read([]byte(pasteEnd)); len(keys) != 1 || len(keys[0].Runes) != maxPasted || !keys[0].Paste {
		t.Errorf("%d keys", len(keys))
	}
	k = keyboard{}
	k.read([]byte("\x1b["))
	for range 100 {
		k.read([]byte(strings.Repeat("1;", 20)))
		if len(k.rest) > longestSequence {
			t.Fatalf("%d bytes of a sequence are kept", len(k.rest))
		}
	}
	if keys = k.read([]byte("q")); len(keys) != 1 || keys[0].String() != "q" {
		t.Errorf("after it: %v", keys)
	}
}
