package automaton

import (
	"sync"

	"logitscope/sampling/constrain/lang"
)

// A region is a part of a vocabulary's trie that answers are kept for: all of
// it, or what is left of the tokens that leave a rule.
type region struct {
	t     *trie
	nodes []int32 // below which it lies; nil for the whole of t
	// The children of the nodes.
	firsts byteIndex
	limit  int32 // trie nodes that are merged at once

	// Of a region that every grammar has in common: the answers for rules that
	// every grammar has in common.
	mu     *sync.Mutex
	common map[string]*ruleMask
}

// A ruleMask is the answer for a part whose stack is cut at the call of its
// rule: the tokens that stay inside the rule, and what is left of those that
// leave it (nil if none do).
type ruleMask struct {
	maskEntry
	rest *region
}

type ruleKey struct {
	in  *region
	cut int32
}

type tailKey struct {
	in     *region
	caller int32
}

// maxCommon bounds the answers that a region keeps for all grammars.
const maxCommon = 1024

// bytes is about the memory that a region takes for itself.
func (r *region) bytes() int {
	switch {
	case r == nil:
		return 0
	case r.nodes == nil:
		return 30 * len(r.t.bytes)
	}
	return 1500 + 4*len(r.nodes) + 4*len(r.firsts.nodes)
}

func (r *region) scope() scope { return scope{r.t, r.nodes, r} }

// ruleMask returns the answer for a part in a region.
func (m *Matcher) ruleMask(r *region, p *part) *ruleMask {
	key := ruleKey{r, p.cut}
	if rm := m.rules[key]; rm != nil {
		m.hit = true
		return rm
	}
	shared, name := r.common != nil && p.common, ""
	if shared {
		name = m.commonKey(p.items)
		r.mu.Lock()
		rm := r.common[name]
		r.mu.Unlock()
		if rm != nil {
			m.hit = true
			m.keepRule(key, rm)
			return rm
		}
	}
	out := m.openSink()
	m.walkScope(r.scope(), p.cut, out)
	rm := &ruleMask{maskEntry: *out.take(m.v.size, &m.lists), rest: r.below(out.escapes, shared)}
	m.closeSink()
	m.keepRule(key, rm)
	if shared {
		r.mu.Lock()
		if len(r.common) < maxCommon {
			r.common[name] = rm
		}
		r.mu.Unlock()
	}
	return rm
}

// below is the region below some nodes of another.
func (r *region) below(nodes []int32, shared bool) *region {
	kept := make([]int32, 0, len(nodes))
	for _, i := range nodes {
		if r.t.nodes[i].size > 1 {
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	out := &region{t: r.t, nodes: kept, limit: r.limit}
	if shared { // by so many that merging, which costs as much as several walks, pays
		out.mu, out.common = r.mu, map[string]*ruleMask{}
		out.merge()
	}
	if out.nodes != nil {
		out.firsts = indexKids(out.t, out.nodes)
	}
	return out
}

// merge makes one trie of the subtrees, unless that would be much work.
func (r *region) merge() {
	n := int32(0)
	for _, i := range r.nodes {
		n += r.t.nodes[i].size
	}
	if n <= r.limit {
		r.t, r.nodes = mergeSubtrees(r.t, r.nodes), nil
	}
}

// A byteIndex lists trie nodes by their bytes.
type byteIndex struct {
	from  [257]int32
	nodes []int32
}

func (x *byteIndex) at(b byte) []int32 { return x.nodes[x.from[b]:x.from[int(b)+1]] }

// indexKids indexes the children of some nodes.
func indexKids(t *trie, nodes []int32) (x byteIndex) {
	n := int32(0)
	for _, i := range nodes {
		for k := t.nodes[i].kids; k < t.nodes[i+1].kids; k++ {
			x.from[int(t.kidBytes[k])+1]++
		}
		n += t.nodes[i+1].kids - t.nodes[i].kids
	}
	for b := range 256 {
		x.from[b+1] += x.from[b]
	}
	x.nodes = make([]int32, n)
	next := x.from
	for _, i := range nodes {
		for k := t.nodes[i].kids; k < t.nodes[i+1].kids; k++ {
			b := t.kidBytes[k]
			x.nodes[next[b]] = t.kids[k]
			next[b]++
		}
	}
	return x
}

// keepRule remembers an answer, and forgets all others once they take as much
// memory as the memo may.
func (m *Matcher) keepRule(key ruleKey, rm *ruleMask) {
	m.makeRoom()
	m.rules[key] = rm
	m.keptBytes += rm.bytes()
	m.keptBytes += rm.rest.bytes()
}

func (m *Matcher) makeRoom() {
	if m.keptBytes > memoLimit {
		clear(m.rules)
		clear(m.tails)
		clear(m.grounds)
		m.keptBytes = 0
	}
}

// tail returns what is allowed of a region after the end of a rule that was
// called with a stack; nil if nothing is.
func (m *Matcher) tail(r *region, caller int32) *maskEntry {
	if r == nil {
		return nil
	}
	key := tailKey{r, caller}
	if e, ok := m.tails[key]; ok {
		return e
	}
	to := m.a.left(caller)
	if to == lang.Dead {
		return nil
	}
	out := m.openSink()
	m.reach(r.scope(), to, out)
	e := out.take(m.v.size, &m.lists)
	m.closeSink()
	m.makeRoom()
	m.tails[key] = e
	m.keptBytes += e.bytes()
	return e
}
