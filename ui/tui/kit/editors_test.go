package kit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"logitscope/viz"
)

// editKeys are all keys a terminal can send, with and without alt.
func editKeys() []tea.KeyMsg {
	var out []tea.KeyMsg
	for _, alt := range []bool{false, true} {
		for t := tea.KeyType(-120); t < 128; t++ {
			if name := (tea.Key{Type: t}).String(); name != "" && t != tea.KeyRunes && t != tea.KeySpace {
				out = append(out, tea.KeyMsg{Type: t, Alt: alt})
			}
		}
		out = append(out, tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}, Alt: alt})
		for r := '!'; r < 127; r++ {
			out = append(out, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: alt})
		}
		for _, r := range "é日ก́\u200d\x00\uFFFD" {
			out = append(out, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: alt})
		}
	}
	return out
}

// editTexts are texts with every kind of edge: blanks at the ends, characters
// of several runes, bytes that are no text.
var editTexts = []string{
	"", " ", "  ", "a", "a ", " a", "ab", "a b", "a  b", "ab cd ", "\n", "a\n", "\na", "a\nb", "a \n b\n\n", "日本 語", "e\u0301 e\u0301",
	"น้ำ ก็", "👩‍👩‍👧 x", "\x80\xff a\x80", "\x1b[31m", "\u00a0a\u00a0", "\uFFFD", "\U000f0041 \U000f0100",
}

// TestEveryKeyAtEveryPlace presses every key of an editor at every place of
// every text: nothing panics, and the cursor stays in the text.
func TestEveryKeyAtEveryPlace(t *testing.T) {
	keys := editKeys()
	tried := 0
	texts := editTexts
	if testing.Short() {
		texts = texts[:11]
	}
	for _, text := range texts {
		for at := range utf8.RuneCountInString(text) + 1 {
			for _, k := range keys {
				tried += 2
				pressInField(t, text, at, k)
				pressInArea(t, text, at, k)
			}
		}
	}
	t.Logf("%d cases", tried)
}

func pressInField(t *testing.T, text string, at int, keys ...tea.KeyMsg) {
	t.Helper()
	f := NewField(text)
	f.input.SetCursor(at)
	defer caught(t, "field", text, at, keys)
	for _, k := range keys {
		f.Key(k)
		if n := f.At(); n < 0 || n > len(f.Text()) {
			t.Fatalf("%q, place %d, %v: cursor at byte %d of %q", text, at, keys, n, f.Text())
		}
	}
	f.Draw(viz.NewCanvas(12, 1, false), 0, 0)
}

func pressInArea(t *testing.T, text string, at int, keys ...tea.KeyMsg) {
	t.Helper()
	a := NewTextArea(text)
	a.GoTo(len(string([]rune(text)[:min(at, utf8.RuneCountInString(text))])))
	defer caught(t, "text area", text, at, keys)
	for _, k := range keys {
		a.Key(k)
		if n := a.At(); n < 0 || n > len(a.Text()) {
			t.Fatalf("%q, place %d, %v: cursor at byte %d of %q", text, at, keys, n, a.Text())
		}
	}
	a.Draw(viz.NewCanvas(12, 3, false), 2, -1)
}

func caught(t *testing.T, what, text string, at int, keys []tea.KeyMsg) {
	t.Helper()
	if p := recover(); p != nil {
		t.Errorf("%s %q, place %d, %v: %v", what, text, at, keys, p)
	}
}

// FuzzEditors presses keys one after the other.
func FuzzEditors(f *testing.F) {
	all := editKeys()
	alt := slices.IndexFunc(all, func(k tea.KeyMsg) bool { return fmt.Sprint(k) == "alt+d" })
	f.Add("b", 0, []byte{byte(alt), byte(alt >> 8)})
	f.Add("a b\nc", 3, []byte{1, 0, 2, 0, 30, 0})
	f.Fuzz(func(t *testing.T, text string, at int, press []byte) {
		if len(text) > 200 || len(press) > 60 || strings.Count(text, "\n") > 20 {
			return
		}
		var keys []tea.KeyMsg
		for ; len(press) > 1; press = press[2:] {
			keys = append(keys, all[(int(press[0])|int(press[1])<<8)%len(all)])
		}
		at = max(at, 0) % (utf8.RuneCountInString(text) + 1)
		pressInField(t, text, at, keys...)
		pressInArea(t, text, at, keys...)
	})
}

// Editors show living scripts as they are written, in straight columns, with
// the caret at any place.
func TestEditorsShowLivingScripts(t *testing.T) {
	for _, text := range []string{"น้ำเก็บ", "हिन्दी क्षत्रिय", "বাংলা ভাষায়", "தமிழ் மொழி", "తెలుగు స్త్రీ", "ភាសាខ្មែរ ស្ត្រី", "العَرَبِيَّةُ", "שָׁלוֹם", "\u1112\u1161\u11ab\u1100\u1173\u11af"} {
		for at := range utf8.RuneCountInString(text) + 1 {
			f := NewField(text)
			f.input.SetCursor(at)
			for _, w := range []int{4, 9, 30} {
				c := viz.NewCanvas(w, 1, false)
				if end := f.Draw(c, 0, 0); w == 30 && end != viz.Width(text[:f.At()])+1+viz.Width(text[f.At():]) {
					t.Errorf("%q, caret at %d: ends in column %d", text, f.At(), end)
				}
				if n := ansi.StringWidth(c.Text()); n != w {
					t.Errorf("%q, caret at %d, %d cells wide: drawn %d wide", text, f.At(), w, n)
				}
				if f.At() == 0 && strings.Contains(c.Text(), "‹") {
					t.Errorf("%q is shown as %q", text, c.Text())
				}
			}
			a := NewTextArea(text + "\n" + text)
			c := viz.NewCanvas(7, 6, false)
			a.Draw(c, 2, -1)
			if strings.Contains(c.Text(), "‹") {
				t.Errorf("%q is shown as %q", text, c.Text())
			}
		}
	}
}

// keyMsg is a key by the name that Bubble Tea gives it.
func keyMsg(name string) tea.KeyMsg {
	for _, k := range editKeys() {
		if k.String() == name && k.Type != tea.KeyRunes {
			return k
		}
	}
	return typed(name)
}
