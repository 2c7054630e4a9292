package class

import (
	"bytes"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// Keys of a session: more a second than anybody types are dropped.
const (
	keysASecond = 20
	keysAtOnce  = 40
	longestRead = 4 << 10
)

// A keyboard turns the bytes of a terminal into keys. It knows the keys that
// the screens have and drops every other sequence.
type keyboard struct {
	rest    []byte // the beginning of a sequence
	pasting bool
	pasted  []byte
}

// sequences are the keys after escape, without it.
var sequences = map[string]tea.KeyType{
	"[A": tea.KeyUp, "[B": tea.KeyDown, "[C": tea.KeyRight, "[D": tea.KeyLeft, "[H": tea.KeyHome, "[F": tea.KeyEnd,
	"OA": tea.KeyUp, "OB": tea.KeyDown, "OC": tea.KeyRight, "OD": tea.KeyLeft, "OH": tea.KeyHome, "OF": tea.KeyEnd,
	"[1~": tea.KeyHome, "[3~": tea.KeyDelete, "[4~": tea.KeyEnd, "[5~": tea.KeyPgUp, "[6~": tea.KeyPgDown, "[7~": tea.KeyHome, "[8~": tea.KeyEnd,
	"[Z": tea.KeyShiftTab, "[1;2A": tea.KeyShiftUp, "[1;2B": tea.KeyShiftDown, "[1;2C": tea.KeyShiftRight, "[1;2D": tea.KeyShiftLeft,
}

const (
	escape     = 0x1b
	pasteStart = "[200~"
	pasteEnd   = "\x1b[201~"
	maxPasted  = 256 // bytes kept of what is pasted: a name is short
)

// read returns the keys that b completes.
func (k *keyboard) read(b []byte) []tea.KeyMsg {
	var keys []tea.KeyMsg
	b = append(k.rest, b...)
	k.rest = nil
	for len(b) > 0 {
		if k.pasting {
			msg, rest, done := k.paste(b)
			if !done {
				break
			}
			keys, b = append(keys, msg), rest
			continue
		}
		key, n, ok := k.one(b)
		if n == 0 { // a sequence that goes on in what comes next
			k.rest = append(k.rest, b...)
			break
		}
		if ok {
			keys = append(keys, key)
		}
		b = b[n:]
	}
	return keys
}

// one reads the key at the front of b, which takes n bytes; none if it is not
// whole.
func (k *keyboard) one(b []byte) (key tea.KeyMsg, n int, ok bool) {
	switch c := b[0]; {
	case c == escape && len(b) == 1: // nothing follows: the key itself
		return tea.KeyMsg{Type: tea.KeyEsc}, 1, true
	case c == escape:
		return k.sequence(b)
	case c == ' ':
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}, 1, true
	case c < ' ' || c == 0x7f:
		return tea.KeyMsg{Type: tea.KeyType(c)}, 1, true
	}
	if !utf8.FullRune(b) && len(b) < utf8.UTFMax {
		return key, 0, false
	}
	r, n := utf8.DecodeRune(b)
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}, n, r != utf8.RuneError
}

// longestSequence bounds what a sequence may hold.
const longestSequence = 32

// sequence reads what follows an escape.
func (k *keyboard) sequence(b []byte) (key tea.KeyMsg, n int, ok bool) {
	end := 2
	switch b[1] {
	case '[':
		for end < len(b) && (b[end] < 0x40 || b[end] > 0x7e) {
			end++
		}
		end++
	case 'O':
		end++
	case escape:
		return tea.KeyMsg{Type: tea.KeyEsc}, 1, true
	default: // alt and a key: none of the screens has one
		_, size := utf8.DecodeRune(b[1:])
		return key, 1 + size, false
	}
	if end > len(b) {
		if len(b) > longestSequence {
			return key, len(b), false
		}
		return key, 0, false
	}
	s := string(b[1:end])
	if s == pasteStart {
		k.pasting, k.pasted = true, nil
		return key, end, false
	}
	t, ok := sequences[s]
	return tea.KeyMsg{Type: t}, end, ok
}

// paste collects what is pasted, until its end.
func (k *keyboard) paste(b []byte) (msg tea.KeyMsg, rest []byte, done bool) {
	text, rest, done := bytes.Cut(b, []byte(pasteEnd))
	if !done { // the end may have begun
		keep := min(len(pasteEnd)-1, len(b))
		text, k.rest = b[:len(b)-keep], append([]byte(nil), b[len(b)-keep:]...)
	}
	k.pasted = append(k.pasted, text[:min(len(text), maxPasted-len(k.pasted))]...)
	if done {
		k.pasting = false
		msg = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(string(bytes.ToValidUTF8(k.pasted, nil))), Paste: true}
	}
	return msg, rest, done
}

// An allowance lets through so many a second, and so many at once.
type allowance struct {
	left float64
	at   time.Time
}

func newAllowance() *allowance { return &allowance{left: keysAtOnce, at: time.Now()} }

// take reports whether one more is let through.
func (a *allowance) take() bool {
	now := time.Now()
	a.left = min(a.left+now.Sub(a.at).Seconds()*keysASecond, keysAtOnce)
	a.at = now
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}
