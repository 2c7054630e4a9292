package automaton

import (
	"fmt"
	"math/bits"
	"strings"

	"logitscope/sampling/constrain/lang"
)

// An Explanation says where a text stands.
type Explanation struct {
	Stack    []string  // rules from the outermost to the one the text is in
	Expected [4]uint64 // bytes that may come next, one bit each
	Complete bool      // the text may end
	Distance int       // fewest bytes to a complete text
	Rules    int       // places the text may be in at once
}

// maxCrumbs bounds the breadcrumbs of an explanation.
const maxCrumbs = 64

// Explain describes a state by the item nearest to completion.
func (m *Matcher) Explain(s State) Explanation {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.id <= 0 {
		return Explanation{Complete: s == ended}
	}
	st := m.a.states.at(s.id - 1)
	e := Explanation{Expected: st.live, Complete: st.accept, Distance: int(st.dist), Rules: len(st.items)}
	best := item{}
	for i, it := range st.items {
		if i == 0 || m.a.itemDist(it) < m.a.itemDist(best) {
			best = it
		}
	}
	if len(st.items) > 0 {
		e.Stack = m.a.crumbs(best)
	}
	return e
}

// crumbs names the rules an item is in.
func (a *automaton) crumbs(it item) []string {
	var up []string // innermost first
	add := func(name string) {
		if name != "" && (len(up) == 0 || up[len(up)-1] != name) {
			up = append(up, name)
		}
	}
	if it.at < 0 {
		add("string")
	} else {
		add(a.p.Rules[a.p.Nodes[it.at].Rule].Name)
	}
	for f := it.stack; f > unknown && len(up) < maxCrumbs; f = a.frames[f].parent {
		n := &a.p.Nodes[a.frames[f].place]
		add(a.p.Labels[n.Label])
		add(a.p.Rules[n.Rule].Name)
	}
	for i, j := 0, len(up)-1; i < j; i, j = i+1, j-1 {
		up[i], up[j] = up[j], up[i]
	}
	return up
}

// Forced returns the bytes that must come next: as long as the text is not
// complete and exactly one byte may follow, at most 4,096.
func (m *Matcher) Forced(s State) []byte {
	const limit = 4096
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []byte
	if s.id <= 0 {
		return nil
	}
	for id := s.id - 1; len(out) < limit; {
		st := m.a.states.at(id)
		if st.accept || popcount(&st.live) != 1 {
			break
		}
		b := firstByte(&st.live)
		out = append(out, b)
		id = m.a.step(id, b)
	}
	return out
}

func firstByte(set *[4]uint64) byte {
	for w, x := range set {
		if x != 0 {
			return byte(w<<6 + bits.TrailingZeros64(x))
		}
	}
	return 0
}

// expected describes what may come at s for a message.
func (m *Matcher) expected(s State) string {
	if s.id <= 0 {
		return "the end"
	}
	st := m.a.states.at(s.id - 1)
	return DescribeBytes(st.live, st.accept)
}

// DescribeBytes names a set of bytes in one line, as ranges, with "the end"
// first if the text may end. At most eight ranges are named.
func DescribeBytes(set [4]uint64, end bool) string {
	var parts []string
	if end {
		parts = append(parts, "the end")
	}
	for b := 0; b < 256; b++ {
		if !lang.HasByte(&set, byte(b)) {
			continue
		}
		from := b
		for b+1 < 256 && lang.HasByte(&set, byte(b+1)) {
			b++
		}
		if len(parts) == 8 {
			parts = append(parts, "...")
			break
		}
		if from == b {
			parts = append(parts, byteName(from))
		} else {
			parts = append(parts, byteName(from)+"-"+byteName(b))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, " ")
}

func byteName(b int) string {
	if b > 0x20 && b < 0x7F {
		return string(rune(b))
	}
	switch b {
	case ' ':
		return "space"
	case '\n':
		return `\n`
	case '\t':
		return `\t`
	case '\r':
		return `\r`
	}
	return fmt.Sprintf("0x%02X", b)
}
