package constrain

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
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
func (a *automaton) textOf(st stringState) string {
	var parts []string
	for id := st.text; id > emptyText; {
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

// read is the state behind a byte that leads to next, with what it adds to the
// text: nothing inside an escape, a code point at the end of one, else itself.
func (a *automaton) read(st, next stringState, b byte) stringState {
	added := ""
	switch {
	case next.esc != 0:
	case st.esc == 0:
		added = string([]byte{b})
	default:
		added = string(utf8.AppendRune(nil, st.esc.ends(b)))
	}
	next.text = a.internText(st.text, added)
	if st.apart || added == "" {
		next.apart = st.apart
		return next
	}
	text := a.textOf(st) + added
	like := a.data[st.seen].texts.under(text)
	if next.apart = len(like) == 0; !next.apart {
		a.texts[next.text-1].whole = like[0][:len(text)]
	}
	return next
}

// takenTexts are the texts of an array or object so far, from which others must
// differ: one more than the set before. A nil set is empty. Sets that hold the
// same texts in another order are different.
type takenTexts struct {
	id     int32 // from 1
	before *takenTexts
	text   string
	count  int
	sorted []string // nil if it has to be made again
}

type takenKey struct {
	before int32
	text   string
}

// maxSorted bounds the sets whose texts are kept in order.
const maxSorted = 64

// take returns a set with a text more.
func (a *automaton) take(t *takenTexts, text string) *takenTexts {
	key := takenKey{t.number(), text}
	if s, ok := a.takenIDs[key]; ok {
		return s
	}
	s := &takenTexts{id: int32(len(a.takenIDs) + 1), before: t, text: text, count: t.len() + 1}
	a.takenIDs[key] = s
	if a.takenLast = append(a.takenLast, s); len(a.takenLast) > maxSorted {
		a.takenLast[0].sorted = nil
		a.takenLast = a.takenLast[1:]
	}
	return s
}

func (t *takenTexts) number() int32 {
	if t == nil {
		return 0
	}
	return t.id
}

func (t *takenTexts) len() int {
	if t == nil {
		return 0
	}
	return t.count
}

// list returns the texts in ascending order.
func (t *takenTexts) list() []string {
	if t == nil {
		return nil
	}
	if t.sorted == nil {
		t.sorted = t.sort()
	}
	return t.sorted
}

func (t *takenTexts) sort() []string {
	if before := t.before; before != nil && before.sorted != nil {
		at, _ := slices.BinarySearch(before.sorted, t.text)
		return slices.Insert(slices.Clip(before.sorted), at, t.text)
	}
	all := make([]string, 0, t.count)
	for at := t; at != nil; at = at.before {
		all = append(all, at.text)
	}
	slices.Sort(all)
	return all
}

func (t *takenTexts) has(text string) bool {
	_, found := slices.BinarySearch(t.list(), text)
	return found
}

// under returns the texts that begin with a prefix.
func (t *takenTexts) under(prefix string) []string {
	list := t.list()
	lo, _ := slices.BinarySearch(list, prefix)
	return list[lo : lo+countUnder(list[lo:], prefix)]
}

// countUnder is how many texts at the front of a list in ascending order begin
// with a prefix.
func countUnder(list []string, prefix string) int {
	return sort.Search(len(list), func(i int) bool { return !strings.HasPrefix(list[i], prefix) })
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
		list = list[countUnder(list, list[0][:n+1]):]
	}
	return next
}

// adoptTaken makes a set of another automaton one of this.
func (a *automaton) adoptTaken(t *takenTexts) *takenTexts {
	var texts []string
	for ; t != nil; t = t.before {
		texts = append(texts, t.text)
	}
	var own *takenTexts
	for _, text := range slices.Backward(texts) {
		own = a.take(own, text)
	}
	return own
}
