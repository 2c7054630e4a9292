package kit

import (
	"slices"
	"strings"
	"testing"
	"testing/quick"

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
		a, f := NewTextArea(s), NewField(s)
		if a.Text() != s || a.At() != len(s) {
			t.Errorf("text area of %q holds %q, cursor at %d of %d", s, a.Text(), a.At(), len(s))
		}
		if f.Text() != s || f.At() != len(s) {
			t.Errorf("field of %q holds %q, cursor at %d of %d", s, f.Text(), f.At(), len(s))
		}
	}
	if err := quick.Check(func(b []byte) bool {
		a := NewTextArea(string(b))
		return release(hold(string(b), "")) == string(b) && a.Text() == string(b)
	}, nil); err != nil {
		t.Error(err)
	}
}

// A line that is pasted into a field becomes one line; alt and a letter type
// nothing.
func TestFieldKeys(t *testing.T) {
	f := NewField("one two")
	if !f.Key(typed("\nthree\t")) || f.Text() != "one two three " {
		t.Errorf("pasted: %q", f.Text())
	}
	if k := typed("x"); f.Key(tea.KeyMsg{Type: k.Type, Runes: k.Runes, Alt: true}) || f.Text() != "one two three " {
		t.Errorf("alt+x: %q", f.Text())
	}
	for _, c := range []struct{ key, want string }{
		{"ctrl+w", "one two "}, {"home", "one two "}, {"delete", "ne two "}, {"end", "ne two "}, {"left", "ne two "},
		{"backspace", "ne tw "}, {"ctrl+u", " "}, {"up", " "}, {"tab", " "},
	} {
		f.Key(keyMsg(c.key))
		if f.Text() != c.want {
			t.Errorf("after %s: %q, want %q", c.key, f.Text(), c.want)
		}
	}
}

// Every change of a text area can be taken back and made again; what is
// pasted and what is typed in one go are one change each.
func TestTextAreaUndo(t *testing.T) {
	a := NewTextArea("first\nsecond")
	texts := []string{a.Text()}
	change := func(keys ...tea.KeyMsg) {
		for _, k := range keys {
			if !a.Key(k) {
				t.Errorf("%q changed nothing", k)
			}
		}
		texts = append(texts, a.Text())
	}
	change(typed("\r\nthree\nfour"))
	change(typed("a"), typed("b"), typed("c"))
	change(tea.KeyMsg{Type: tea.KeyEnter})
	change(tea.KeyMsg{Type: tea.KeyCtrlU})
	change(typed("last"))
	if want := "first\nsecond\nthree\nfourabc" + "last"; a.Text() != want {
		t.Errorf("text %q, want %q", a.Text(), want)
	}
	for i := len(texts) - 2; i >= 0; i-- {
		a.Key(tea.KeyMsg{Type: tea.KeyCtrlZ})
		if a.Text() != texts[i] {
			t.Fatalf("undone to %q, want %q", a.Text(), texts[i])
		}
	}
	if a.Key(tea.KeyMsg{Type: tea.KeyCtrlZ}); a.Said == "" {
		t.Error("nothing said where nothing is left to undo")
	}
	for _, want := range texts[1:] {
		if a.Key(tea.KeyMsg{Type: tea.KeyCtrlY}); a.Text() != want {
			t.Fatalf("made again %q, want %q", a.Text(), want)
		}
	}
}

// The cursor goes to any byte that begins a character, and up and down by the
// lines of the screen.
func TestTextAreaCursor(t *testing.T) {
	text := "日本語 and\tmore\n\n" + strings.Repeat("long ", 30) + "\x1bend\nlast"
	a := NewTextArea(text)
	for at := range text {
		if a.GoTo(at); a.At() != at {
			t.Errorf("cursor at %d, want %d", a.At(), at)
		}
	}
	a.W = 20
	a.GoTo(0)
	for range 30 {
		a.Key(tea.KeyMsg{Type: tea.KeyDown})
	}
	if want := strings.LastIndex(text, "last"); a.At() != want {
		t.Errorf("down led to %d, want %d", a.At(), want)
	}
	lines := len(wrapLines(text, a.W))
	for range lines - 1 {
		a.Key(tea.KeyMsg{Type: tea.KeyUp})
	}
	if a.At() != 0 {
		t.Errorf("up led to %d", a.At())
	}
}

// Looking for the word before the first one ends, though the component's own
// search does not.
func TestTextAreaWordLeft(t *testing.T) {
	for _, s := range []string{"", "  ", "\n\n", "  word"} {
		a := NewTextArea(s)
		for range 3 {
			a.Key(tea.KeyMsg{Type: tea.KeyLeft, Alt: true})
		}
		if a.Text() != s || a.At() != 0 {
			t.Errorf("alt+left in %q: %q, at %d", s, a.Text(), a.At())
		}
	}
}

// A text of more lines than the component holds is refused whole, never cut.
func TestTextAreaLimit(t *testing.T) {
	a := NewTextArea("head\n")
	if a.Key(typed(strings.Repeat("x\n", MaxLines))) || a.Text() != "head\n" || a.Said == "" {
		t.Errorf("%d bytes, said %q", len(a.Text()), a.Said)
	}
	if a.Replace(strings.Repeat("x\n", MaxLines)); a.Text() != "head\n" || a.Said == "" {
		t.Errorf("replaced: %d bytes, said %q", len(a.Text()), a.Said)
	}
	if a.Replace(strings.Repeat("x\n", MaxLines-1)); a.Said != "" || a.input.LineCount() != MaxLines {
		t.Errorf("%d lines, said %q", a.input.LineCount(), a.Said)
	}
	if a.Key(tea.KeyMsg{Type: tea.KeyEnter}) || a.Said == "" {
		t.Error("one line too many was taken")
	}
}

func BenchmarkTypeIntoLongPrompt(b *testing.B) {
	a := NewTextArea(strings.Repeat("Once upon a time there was a fox.\n", 3000))
	for b.Loop() {
		a.Key(typed("x"))
	}
}

// The cursor moves and deletes by characters as they are read: an emoji of
// several code points and a letter with its accent are one each.
func TestEditingByClusters(t *testing.T) {
	const family, accent, flag = "👩‍👩‍👧", "e\u0301", "🇧🇷"
	text := "a" + family + accent + "\n" + flag + "\xffz"
	a := NewTextArea(text)
	stops := []int{}
	for range 9 {
		stops = append(stops, a.At())
		a.Key(tea.KeyMsg{Type: tea.KeyLeft})
	}
	// From the end: z, the stray byte, the flag, the line's end, é, the family, a.
	n := len(text)
	want := []int{n, n - 1, n - 2, n - 2 - len(flag), n - 3 - len(flag), 1 + len(family), 1, 0, 0}
	if !slices.Equal(stops, want) {
		t.Errorf("left goes through %v, want %v", stops, want)
	}
	for range 2 {
		a.Key(tea.KeyMsg{Type: tea.KeyRight})
	}
	if a.At() != 1+len(family) {
		t.Errorf("two to the right is byte %d, want %d", a.At(), 1+len(family))
	}
	a.Key(tea.KeyMsg{Type: tea.KeyBackspace})
	a.Key(tea.KeyMsg{Type: tea.KeyDelete})
	if got := a.Text(); got != "a\n"+flag+"\xffz" {
		t.Errorf("after backspace and delete %q", got)
	}
	a.Key(tea.KeyMsg{Type: tea.KeyCtrlZ})
	if got := a.Text(); got != "a"+accent+"\n"+flag+"\xffz" {
		t.Errorf("one undo gives %q", got)
	}
	f := NewField("x" + family + accent)
	for _, c := range []struct{ key, want string }{
		{"backspace", "x" + family}, {"left", "x" + family}, {"delete", "x"}, {"backspace", ""}, {"backspace", ""},
	} {
		if f.Key(keyMsg(c.key)); f.Text() != c.want {
			t.Errorf("field after %s: %q, want %q", c.key, f.Text(), c.want)
		}
	}
}

// ctrl+l makes room for another text, and one undo brings the old one back.
func TestEmptyText(t *testing.T) {
	a := NewTextArea("one\ntwo")
	if !a.Key(tea.KeyMsg{Type: tea.KeyCtrlL}) || a.Text() != "" {
		t.Errorf("left over: %q", a.Text())
	}
	if a.Key(tea.KeyMsg{Type: tea.KeyCtrlL}) || a.Said == "" {
		t.Error("nothing is said of an empty text")
	}
	if a.Key(tea.KeyMsg{Type: tea.KeyCtrlZ}); a.Text() != "one\ntwo" {
		t.Errorf("undone to %q", a.Text())
	}
}
