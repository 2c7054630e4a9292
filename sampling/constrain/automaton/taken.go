package automaton

import (
	"slices"
	"strings"
	"unicode/utf8"

	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/program"
)

// A readKey is what has been read of a text that must differ from others: a
// number of what was read before, and what was added last.
type readKey struct {
	before int32
	added  string
}

type readNode struct {
	readKey
	whole string // all that was read, if it is the beginning of a text before
}

// emptyText is the text of which nothing has been read.
const emptyText = int32(1)

// internText returns the number, from 1, of the text that is another and some
// bytes more.
func (a *automaton) internText(before int32, added string) int32 {
	if added == "" {
		return before
	}
	key := readKey{before, added}
	id, ok := a.textIDs[key]
	if !ok {
		a.texts = append(a.texts, readNode{readKey: key})
		id = int32(len(a.texts))
		a.textIDs[key] = id
	}
	return id
}

// textOf is what has been read of a text.
func (a *automaton) textOf(st lang.StringState) string {
	var parts []string
	for id := st.Text; id > emptyText; {
		n := &a.texts[id-1]
		if n.whole != "" {
			parts = append(parts, n.whole)
			break
		}
		parts = append(parts, n.added)
		id = n.before
	}
	if len(parts) == 1 {
		return parts[0]
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

// read is the state after a byte that leads to next, with what it adds to the
// text: nothing inside an escape, a code point at the end of one, else itself.
func (a *automaton) read(st, next lang.StringState, b byte) lang.StringState {
	added := ""
	switch {
	case next.Esc != 0:
	case st.Esc == 0 && a.p.Strs[st.Str].Word && 'A' <= b && b <= 'Z':
		added = string([]byte{b - 'A' + 'a'})
	case st.Esc == 0:
		added = string([]byte{b})
	default:
		added = string(utf8.AppendRune(nil, st.Esc.Ends(b)))
	}
	next.Text = a.internText(st.Text, added)
	if st.Apart || added == "" {
		next.Apart = st.Apart
		return next
	}
	text := a.textOf(st) + added
	like := a.data[st.Seen].Texts.Under(text)
	if next.Apart = len(like) == 0; !next.Apart {
		a.texts[next.Text-1].whole = like[0][:len(text)]
	}
	return next
}

// nextBytes lists the bytes at index n of texts in ascending order that are
// alike up to there.
func nextBytes(list []string, n int) (next []byte) {
	for len(list) > 0 {
		if len(list[0]) == n {
			list = list[1:]
			continue
		}
		next = append(next, list[0][n])
		list = list[program.CountUnder(list, list[0][:n+1]):]
	}
	return next
}
