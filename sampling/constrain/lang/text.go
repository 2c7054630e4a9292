package lang

import (
	"bytes"
	"sort"
)

// utf8Step is the automaton of valid UTF-8. State 0 stands between code
// points; the others say which bytes may continue the one under way.
func utf8Step(q int32, b byte) int32 {
	switch q {
	case 0:
		return UTF8Lead(b)
	case utf8Need1, utf8Need2, utf8Need3:
		if b < 0x80 || b > 0xBF {
			return Dead
		}
		return q - 1
	}
	r := utf8Second[q]
	if b < r.Lo || b > r.Hi {
		return Dead
	}
	return UTF8Left[q] - 1
}

const (
	utf8Need1 = iota + 1
	utf8Need2
	utf8Need3
	utf8E0
	utf8ED
	utf8F0
	utf8F4
	UTF8States // the number of states
)

// utf8Second are the second bytes allowed after a lead byte with a rule of
// its own; utf8Left counts the bytes that a state still needs.
var (
	utf8Second = [UTF8States]ByteRange{utf8E0: {0xA0, 0xBF}, utf8ED: {0x80, 0x9F}, utf8F0: {0x90, 0xBF}, utf8F4: {0x80, 0x8F}}
	UTF8Left   = [UTF8States]int32{0, 1, 2, 3, 2, 2, 3, 3}
)

// UTF8Lead is the state of UTF-8 after the first byte of a code point, [Dead] if
// none begins with it.
func UTF8Lead(b byte) int32 {
	switch {
	case b < 0x80:
		return 0
	case b < 0xC2 || b > 0xF4:
		return Dead
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

// AnyText is every text.
type AnyText struct{}

// Start is the state before the first byte.
func (AnyText) Start() int32 { return 0 }

func (AnyText) step(q int32, b byte) int32 { return utf8Step(q, b) }

// Accept reports whether the text may end at q.
func (AnyText) Accept(q int32) bool { return q == 0 }

// Inside reports whether q is inside a code point.
func (AnyText) Inside(q int32) bool { return q != 0 }

// Alike is the bytes around b that no state tells from it.
func (AnyText) Alike(_ int32, b byte) ByteRange { return textClasses[b] }

// textClasses groups, by their first and last, the bytes that neither UTF-8
// nor a JSON string tells apart.
var textClasses = func() (classes [256]ByteRange) {
	starts := []int{0, 0x20, '"', '"' + 1, '\\', '\\' + 1, 0x80, 0x90, 0xA0, 0xC0, 0xC2, 0xE0, 0xE1, 0xED, 0xEE, 0xF0, 0xF1, 0xF4, 0xF5, 0x100}
	for i, lo := range starts[:len(starts)-1] {
		hi := starts[i+1] - 1
		for b := lo; b <= hi; b++ {
			classes[b] = ByteRange{byte(lo), byte(hi)}
		}
	}
	return classes
}()

// Cost is the fewest bytes to the end with lo to hi more code points; hi < 0 is
// unlimited.
func (AnyText) Cost(q, lo, hi int32) int32 {
	if hi >= 0 && lo > hi {
		return Unreachable
	}
	return max(lo, 0) + UTF8Left[q]
}

// ExceptText is every text but a list of them: the names an undeclared
// property may have. States below UTF8States are off the list; the others are
// the nodes of its trie.
type ExceptText struct{ Nodes []exceptNode }

type exceptNode struct {
	phase int32 // state of utf8Step
	ends  bool  // a text of the list
	Bytes []byte
	to    []int32
}

// NewExceptText takes texts of valid UTF-8.
func NewExceptText(list []string) *ExceptText {
	sorted := append([]string(nil), list...)
	sort.Strings(sorted)
	t := &ExceptText{Nodes: []exceptNode{{}}}
	for _, s := range sorted {
		at := int32(0)
		for i := 0; i < len(s); i++ {
			n := &t.Nodes[at]
			if k := len(n.Bytes); k > 0 && n.Bytes[k-1] == s[i] {
				at = n.to[k-1]
				continue
			}
			phase := utf8Step(n.phase, s[i])
			next := int32(len(t.Nodes))
			n.Bytes, n.to = append(n.Bytes, s[i]), append(n.to, next)
			t.Nodes = append(t.Nodes, exceptNode{phase: phase})
			at = next
		}
		t.Nodes[at].ends = true
	}
	return t
}

// Start is the state before the first byte.
func (t *ExceptText) Start() int32 { return UTF8States }

func (t *ExceptText) step(q int32, b byte) int32 {
	if q < UTF8States {
		return utf8Step(q, b)
	}
	if to := t.Child(q, b); to >= 0 {
		return to
	}
	return utf8Step(t.Nodes[q-UTF8States].phase, b)
}

// Child is the state on the list after b, or dead.
func (t *ExceptText) Child(q int32, b byte) int32 {
	if q < UTF8States {
		return Dead
	}
	n := &t.Nodes[q-UTF8States]
	if i := bytes.IndexByte(n.Bytes, b); i >= 0 {
		return n.to[i] + UTF8States
	}
	return Dead
}

// Phase is the state of UTF-8 at q.
func (t *ExceptText) Phase(q int32) int32 {
	if q < UTF8States {
		return q
	}
	return t.Nodes[q-UTF8States].phase
}

// Accept reports whether the text may end at q.
func (t *ExceptText) Accept(q int32) bool {
	return t.Phase(q) == 0 && (q < UTF8States || !t.Nodes[q-UTF8States].ends)
}

// Inside reports whether q is inside a code point.
func (t *ExceptText) Inside(q int32) bool { return t.Phase(q) != 0 }

// Alike is the bytes around b that lead from q to where b does.
func (t *ExceptText) Alike(q int32, b byte) ByteRange {
	r := textClasses[b]
	if q < UTF8States {
		return r
	}
	for _, c := range t.Nodes[q-UTF8States].Bytes {
		switch {
		case c < b:
			r.Lo = max(r.Lo, c+1)
		case c > b:
			r.Hi = min(r.Hi, c-1)
		default:
			return ByteRange{b, b}
		}
	}
	return r
}

// Cost ignores lengths: a list with bounds is made into a dfa instead.
func (t *ExceptText) Cost(q, lo, hi int32) int32 {
	if t.Phase(q) == 0 && !t.Accept(q) {
		return 1
	}
	return UTF8Left[t.Phase(q)]
}
