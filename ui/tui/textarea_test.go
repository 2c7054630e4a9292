package tui

import (
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

func typed(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }

// Text keeps every byte through the components, which drop control
// characters and broken bytes on their own.
func TestHold(t *testing.T) {
	for _, s := range []string{
		"", "plain", "a\tb\r\nc", "\x1b]0;x\a", "\x00\x7f\u0085", "\xff\xc3(", "\ufffd", "\U000f0009\U000f01ff\U000f0200", "日本\u202e語",
	} {
		if got := release(hold(s, "\n")); got != s {
			t.Errorf("release(hold(%q)) = %q", s, got)
		}
		a, f := newTextArea(s), newField(s)
		if a.text() != s || a.at() != len(s) {
			t.Errorf("text area of %q holds %q, cursor at %d of %d", s, a.text(), a.at(), len(s))
		}
		if f.text() != s || f.at() != len(s) {
			t.Errorf("field of %q holds %q, cursor at %d of %d", s, f.text(), f.at(), len(s))
		}
	}
	if err := quick.Check(func(b []byte) bool {
		a := newTextArea(string(b))
		return release(hold(string(b), "")) == string(b) && a.text() == string(b)
	}, nil); err != nil {
		t.Error(err)
	}
}

// A line that is pasted into a field becomes one line; alt and a letter type
// nothing.
func TestFieldKeys(t *testing.T) {
	f := newField("one two")
	if !f.key(typed("\nthree\t")) || f.text() != "one two three " {
		t.Errorf("pasted: %q", f.text())
	}
	if k := typed("x"); f.key(tea.KeyMsg{Type: k.Type, Runes: k.Runes, Alt: true}) || f.text() != "one two three " {
		t.Errorf("alt+x: %q", f.text())
	}
	for _, c := range []struct{ key, want string }{
		{"ctrl+w", "one two "}, {"home", "one two "}, {"delete", "ne two "}, {"end", "ne two "}, {"left", "ne two "},
		{"backspace", "ne tw "}, {"ctrl+u", " "}, {"up", " "}, {"tab", " "},
	} {
		f.key(keyMsg(c.key))
		if f.text() != c.want {
			t.Errorf("after %s: %q, want %q", c.key, f.text(), c.want)
		}
	}
}

// Every change of a text area can be taken back and made again; what is
// pasted and what is typed in one go are one change each.
func TestTextAreaUndo(t *testing.T) {
	a := newTextArea("first\nsecond")
	texts := []string{a.text()}
	change := func(keys ...tea.KeyMsg) {
		for _, k := range keys {
			if !a.key(k) {
				t.Errorf("%q changed nothing", k)
			}
		}
		texts = append(texts, a.text())
	}
	change(typed("\r\nthree\nfour"))
	change(typed("a"), typed("b"), typed("c"))
	change(tea.KeyMsg{Type: tea.KeyEnter})
	change(tea.KeyMsg{Type: tea.KeyCtrlU})
	change(typed("last"))
	if want := "first\nsecond\nthree\nfourabc" + "last"; a.text() != want {
		t.Errorf("text %q, want %q", a.text(), want)
	}
	for i := len(texts) - 2; i >= 0; i-- {
		a.key(tea.KeyMsg{Type: tea.KeyCtrlZ})
		if a.text() != texts[i] {
			t.Fatalf("undone to %q, want %q", a.text(), texts[i])
		}
	}
	if a.key(tea.KeyMsg{Type: tea.KeyCtrlZ}); a.said == "" {
		t.Error("nothing said where nothing is left to undo")
	}
	for _, want := range texts[1:] {
		if a.key(tea.KeyMsg{Type: tea.KeyCtrlY}); a.text() != want {
			t.Fatalf("made again %q, want %q", a.text(), want)
		}
	}
}

// The cursor goes to any byte that begins a character, and up and down by the
// lines of the screen.
func TestTextAreaCursor(t *testing.T) {
	text := "日本語 and\tmore\n\n" + strings.Repeat("long ", 30) + "\x1bend\nlast"
	a := newTextArea(text)
	for at := range text {
		if a.goTo(at); a.at() != at {
			t.Errorf("cursor at %d, want %d", a.at(), at)
		}
	}
	a.w = 20
	a.goTo(0)
	for range 30 {
		a.key(tea.KeyMsg{Type: tea.KeyDown})
	}
	if want := strings.LastIndex(text, "last"); a.at() != want {
		t.Errorf("down led to %d, want %d", a.at(), want)
	}
	lines := len(wrapLines(text, a.w))
	for range lines - 1 {
		a.key(tea.KeyMsg{Type: tea.KeyUp})
	}
	if a.at() != 0 {
		t.Errorf("up led to %d", a.at())
	}
}

// Looking for the word before the first one ends, though the component's own
// search does not.
func TestTextAreaWordLeft(t *testing.T) {
	for _, s := range []string{"", "  ", "\n\n", "  word"} {
		a := newTextArea(s)
		done := make(chan struct{})
		go func() {
			for range 3 {
				a.key(tea.KeyMsg{Type: tea.KeyLeft, Alt: true})
			}
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Fatalf("alt+left never ends in %q", s)
		}
	}
}

// A text of more lines than the component holds is refused whole, never cut.
func TestTextAreaLimit(t *testing.T) {
	a := newTextArea("head\n")
	if a.key(typed(strings.Repeat("x\n", maxLines))) || a.text() != "head\n" || a.said == "" {
		t.Errorf("%d bytes, said %q", len(a.text()), a.said)
	}
	if a.replace(strings.Repeat("x\n", maxLines)); a.text() != "head\n" || a.said == "" {
		t.Errorf("replaced: %d bytes, said %q", len(a.text()), a.said)
	}
	if a.replace(strings.Repeat("x\n", maxLines-1)); a.said != "" || a.input.LineCount() != maxLines {
		t.Errorf("%d lines, said %q", a.input.LineCount(), a.said)
	}
	if a.key(tea.KeyMsg{Type: tea.KeyEnter}) || a.said == "" {
		t.Error("one line too many was taken")
	}
}

func BenchmarkTypeIntoLongPrompt(b *testing.B) {
	a := newTextArea(strings.Repeat("Once upon a time there was a fox.\n", 3000))
	for b.Loop() {
		a.key(typed("x"))
	}
}

// The cursor moves and deletes by characters as they are read: an emoji of
// several code points and a letter with its accent are one each.
func TestEditingByClusters(t *testing.T) {
	const family, accent, flag = "👩‍👩‍👧", "e\u0301", "🇧🇷"
	text := "a" + family + accent + "\n" + flag + "\xffz"
	a := newTextArea(text)
	stops := []int{}
	for range 9 {
		stops = append(stops, a.at())
		a.key(tea.KeyMsg{Type: tea.KeyLeft})
	}
	// From the end: z, the stray byte, the flag, the line's end, é, the family, a.
	n := len(text)
	want := []int{n, n - 1, n - 2, n - 2 - len(flag), n - 3 - len(flag), 1 + len(family), 1, 0, 0}
	if !slices.Equal(stops, want) {
		t.Errorf("left goes through %v, want %v", stops, want)
	}
	for range 2 {
		a.key(tea.KeyMsg{Type: tea.KeyRight})
	}
	if a.at() != 1+len(family) {
		t.Errorf("two to the right is byte %d, want %d", a.at(), 1+len(family))
	}
	a.key(tea.KeyMsg{Type: tea.KeyBackspace})
	a.key(tea.KeyMsg{Type: tea.KeyDelete})
	if got := a.text(); got != "a\n"+flag+"\xffz" {
		t.Errorf("after backspace and delete %q", got)
	}
	a.key(tea.KeyMsg{Type: tea.KeyCtrlZ})
	if got := a.text(); got != "a"+accent+"\n"+flag+"\xffz" {
		t.Errorf("one undo gives %q", got)
	}
	f := newField("x" + family + accent)
	for _, c := range []struct{ key, want string }{
		{"backspace", "x" + family}, {"left", "x" + family}, {"delete", "x"}, {"backspace", ""}, {"backspace", ""},
	} {
		if f.key(keyMsg(c.key)); f.text() != c.want {
			t.Errorf("field after %s: %q, want %q", c.key, f.text(), c.want)
		}
	}
}

// ctrl+l makes room for another text, and one undo brings the old one back.
func TestEmptyText(t *testing.T) {
	a := newTextArea("one\ntwo")
	if !a.key(tea.KeyMsg{Type: tea.KeyCtrlL}) || a.text() != "" {
		t.Errorf("left over: %q", a.text())
	}
	if a.key(tea.KeyMsg{Type: tea.KeyCtrlL}) || a.said == "" {
		t.Error("nothing is said of an empty text")
	}
	if a.key(tea.KeyMsg{Type: tea.KeyCtrlZ}); a.text() != "one\ntwo" {
		t.Errorf("undone to %q", a.text())
	}
}
