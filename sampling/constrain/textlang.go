package constrain

import (
	"bytes"
	"sort"
)

// utf8Step is the automaton of valid UTF-8. State 0 stands between code
// points; the others say which bytes may continue the one under way.
func utf8Step(q int32, b byte) int32 {
	switch q {
	case 0:
		return utf8Lead(b)
	case utf8Need1, utf8Need2, utf8Need3:
		if b < 0x80 || b > 0xBF {
			return dead
		}
		return q - 1
	}
	r := utf8Second[q]
	if b < r.lo || b > r.hi {
		return dead
	}
	return utf8Left[q] - 1
}

const (
	utf8Need1 = iota + 1
	utf8Need2
	utf8Need3
	utf8E0
	utf8ED
	utf8F0
	utf8F4
	utf8States // the number of states
)

// utf8Second are the second bytes allowed behind a lead byte with a rule of
// its own; utf8Left counts the bytes that a state still needs.
var (
	utf8Second = [utf8States]byteRange{utf8E0: {0xA0, 0xBF}, utf8ED: {0x80, 0x9F}, utf8F0: {0x90, 0xBF}, utf8F4: {0x80, 0x8F}}
	utf8Left   = [utf8States]int32{0, 1, 2, 3, 2, 2, 3, 3}
)

func utf8Lead(b byte) int32 {
	switch {
	case b < 0x80:
		return 0
	case b < 0xC2 || b > 0xF4:
		return dead
	case b < 0xE0:
		return utf8Need1
	case b == 0xE0:
		return utf8E0
	case b == 0xED:
		return utf8ED
	case b < 0xF0:
		return utf8Need2
	case b == 0xF0:
		return utf8F0
	case b == 0xF4:
		return utf8F4
	}
	return utf8Need3
}

// anyText is every text.
type anyText struct{}

func (anyText) start() int32               { return 0 }
func (anyText) step(q int32, b byte) int32 { return utf8Step(q, b) }
func (anyText) accept(q int32) bool        { return q == 0 }
func (anyText) inside(q int32) bool        { return q != 0 }

func (anyText) alike(_ int32, b byte) byteRange { return textClasses[b] }

// textClasses groups, by their first and last, the bytes that neither UTF-8
// nor a JSON string tells apart.
var textClasses = func() (classes [256]byteRange) {
	starts := []int{0, 0x20, '"', '"' + 1, '\\', '\\' + 1, 0x80, 0x90, 0xA0, 0xC0, 0xC2, 0xE0, 0xE1, 0xED, 0xEE, 0xF0, 0xF1, 0xF4, 0xF5, 0x100}
	for i, lo := range starts[:len(starts)-1] {
		hi := starts[i+1] - 1
		for b := lo; b <= hi; b++ {
			classes[b] = byteRange{byte(lo), byte(hi)}
		}
	}
	return classes
}()

func (anyText) cost(q, lo, hi int32) int32 {
	if hi >= 0 && lo > hi {
		return unreachable
	}
	return max(lo, 0) + utf8Left[q]
}

// exceptText is every text but a list of them: the names an undeclared
// property may have. States below utf8States are off the list; the others are
// the nodes of its trie.
type exceptText struct{ nodes []exceptNode }

type exceptNode struct {
	phase int32 // state of utf8Step
	ends  bool  // a text of the list
	bytes []byte
	to    []int32
}

// newExceptText takes texts of valid UTF-8.
func newExceptText(list []string) *exceptText {
	sorted := append([]string(nil), list...)
	sort.Strings(sorted)
	t := &exceptText{nodes: []exceptNode{{}}}
	for _, s := range sorted {
		at := int32(0)
		for i := 0; i < len(s); i++ {
			n := &t.nodes[at]
			if k := len(n.bytes); k > 0 && n.bytes[k-1] == s[i] {
				at = n.to[k-1]
				continue
			}
			phase := utf8Step(n.phase, s[i])
			next := int32(len(t.nodes))
			n.bytes, n.to = append(n.bytes, s[i]), append(n.to, next)
			t.nodes = append(t.nodes, exceptNode{phase: phase})
			at = next
		}
		t.nodes[at].ends = true
	}
	return t
}

func (t *exceptText) start() int32 { return utf8States }

func (t *exceptText) step(q int32, b byte) int32 {
	if q < utf8States {
		return utf8Step(q, b)
	}
	if to := t.child(q, b); to >= 0 {
		return to
	}
	return utf8Step(t.nodes[q-utf8States].phase, b)
}

// child is the state on the list behind b, or dead.
func (t *exceptText) child(q int32, b byte) int32 {
	if q < utf8States {
		return dead
	}
	n := &t.nodes[q-utf8States]
	if i := bytes.IndexByte(n.bytes, b); i >= 0 {
		return n.to[i] + utf8States
	}
	return dead
}

func (t *exceptText) phase(q int32) int32 {
	if q < utf8States {
		return q
	}
	return t.nodes[q-utf8States].phase
}

func (t *exceptText) accept(q int32) bool {
	return t.phase(q) == 0 && (q < utf8States || !t.nodes[q-utf8States].ends)
}

func (t *exceptText) inside(q int32) bool { return t.phase(q) != 0 }

func (t *exceptText) alike(q int32, b byte) byteRange {
	r := textClasses[b]
	if q < utf8States {
		return r
	}
	for _, c := range t.nodes[q-utf8States].bytes {
		switch {
		case c < b:
			r.lo = max(r.lo, c+1)
		case c > b:
			r.hi = min(r.hi, c-1)
		default:
			return byteRange{b, b}
		}
	}
	return r
}

// cost ignores lengths: a list with bounds is made into a dfa instead.
func (t *exceptText) cost(q, lo, hi int32) int32 {
	if t.phase(q) == 0 && !t.accept(q) {
		return 1
	}
	return utf8Left[t.phase(q)]
}
