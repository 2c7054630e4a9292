package program

import (
	"slices"
	"sort"
	"strings"
)

// Taken are the texts of an array or object so far, from which others must
// differ: one more than the set before. A nil set is empty. Sets that hold the
// same texts in another order are different.
type Taken struct {
	id     int32 // from 1
	before *Taken
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

// TakenSets are the sets of one automaton, each once.
type TakenSets struct {
	ids  map[takenKey]*Taken
	last []*Taken // the last ones
}

// Take returns a set with a text more.
func (m *TakenSets) Take(t *Taken, text string) *Taken {
	key := takenKey{t.number(), text}
	if s, ok := m.ids[key]; ok {
		return s
	}
	s := &Taken{id: int32(len(m.ids) + 1), before: t, text: text, count: t.Len() + 1}
	if m.ids == nil {
		m.ids = map[takenKey]*Taken{}
	}
	m.ids[key] = s
	if m.last = append(m.last, s); len(m.last) > maxSorted {
		m.last[0].sorted = nil
		m.last = m.last[1:]
	}
	return s
}

// Adopt makes a set of another automaton one of these.
func (m *TakenSets) Adopt(t *Taken) *Taken {
	var texts []string
	for ; t != nil; t = t.before {
		texts = append(texts, t.text)
	}
	var own *Taken
	for _, text := range slices.Backward(texts) {
		own = m.Take(own, text)
	}
	return own
}

func (t *Taken) number() int32 {
	if t == nil {
		return 0
	}
	return t.id
}

func (t *Taken) Len() int {
	if t == nil {
		return 0
	}
	return t.count
}

// list returns the texts in ascending order.
func (t *Taken) list() []string {
	if t == nil {
		return nil
	}
	if t.sorted == nil {
		t.sorted = t.sort()
	}
	return t.sorted
}

func (t *Taken) sort() []string {
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

// Has reports whether a text is among them.
func (t *Taken) Has(text string) bool {
	_, found := slices.BinarySearch(t.list(), text)
	return found
}

// Under returns the texts that begin with a prefix.
func (t *Taken) Under(prefix string) []string {
	list := t.list()
	lo, _ := slices.BinarySearch(list, prefix)
	return list[lo : lo+CountUnder(list[lo:], prefix)]
}

// CountUnder is how many texts at the front of a list in ascending order begin
// with a prefix.
func CountUnder(list []string, prefix string) int {
	return sort.Search(len(list), func(i int) bool { return !strings.HasPrefix(list[i], prefix) })
}
