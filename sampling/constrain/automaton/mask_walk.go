package automaton

import (
	"bytes"
	"math/bits"

	"logitscope/sampling/constrain/lang"
)

// minGlance is the size of the subtrees from which on a state's loops are
// worth knowing.
const minGlance = 48

// walk follows everything below node i, which led to state s.
func (m *Matcher) walk(t *trie, i, s int32, out *sink) {
	st := m.a.states.at(s)
	if !st.narrow && t.nodes[i].size >= minGlance && !st.escapes {
		if loops := m.a.loopsOf(s); loops != nil {
			m.glance(t, i+1, i+t.nodes[i].size, s, loops, out)
			return
		}
	}
	from, to := t.nodes[i].kids, t.nodes[i+1].kids
	if st.only >= 0 {
		if k := bytes.IndexByte(t.kidBytes[from:to], byte(st.only)); k >= 0 {
			m.follow(t, t.kids[int(from)+k], s, out)
		}
		return
	}
	live := st.live
	for k, b := range t.kidBytes[from:to] {
		if lang.HasByte(&live, b) {
			m.follow(t, t.kids[int(from)+k], s, out)
		}
	}
}

// follow takes the step from s to node i, the tokens that end there and all
// that is allowed below.
func (m *Matcher) follow(t *trie, i, s int32, out *sink) {
	to := m.a.step(s, t.bytes[i])
	if to == lang.Dead {
		return
	}
	if first, last := t.nodes[i].first, t.nodes[i+1].first; first != last {
		out.ids = append(out.ids, t.tokens[first:last]...)
		out.farthest = max(out.farthest, m.a.states.at(to).dist)
	}
	if t.nodes[i].size > 1 {
		if m.a.states.at(to).escapes {
			out.escapes = append(out.escapes, i)
		}
		m.walk(t, i, to, out)
	}
}

// glance is walk for a state with loops, over nodes lo..hi: a stretch of bytes
// that all lead back to it, up to the next that does not, is taken as a whole.
func (m *Matcher) glance(t *trie, lo, hi int32, s int32, loops *[256]bool, out *sink) {
	for i := lo; i < hi; {
		j := i
		for j < hi && loops[t.bytes[j]] {
			j++
		}
		if first, last := t.nodes[i].first, t.nodes[j].first; first != last {
			out.ids = append(out.ids, t.tokens[first:last]...)
			out.farthest = max(out.farthest, m.a.states.at(s).dist)
		}
		if i = j; i < hi {
			m.follow(t, i, s, out)
			i += t.nodes[i].size
		}
	}
}

// walkRoot walks a whole trie, looking only at first bytes that s allows.
func (m *Matcher) walkRoot(t *trie, s int32, out *sink) {
	live := m.a.states.at(s).live
	for w, x := range live {
		for ; x != 0; x &= x - 1 {
			if at := t.root[w<<6+bits.TrailingZeros64(x)]; at > 0 {
				m.follow(t, at-1, s, out)
			}
		}
	}
}

// walkScope walks a scope from a state of the automaton.
func (m *Matcher) walkScope(sc scope, s int32, out *sink) {
	if sc.kept == m.v.whole {
		m.walked = true
	}
	if sc.nodes == nil {
		m.walkRoot(sc.t, s, out)
		return
	}
	if sc.kept == nil {
		for _, i := range sc.nodes {
			m.walk(sc.t, i, s, out)
		}
		return
	}
	live := m.a.states.at(s).live
	for w, x := range live {
		for ; x != 0; x &= x - 1 {
			for _, i := range sc.kept.firsts.at(byte(w<<6 + bits.TrailingZeros64(x))) {
				m.follow(sc.t, i, s, out)
			}
		}
	}
}
