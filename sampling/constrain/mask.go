package constrain

import (
	"bytes"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// A sharedMask is the answer for an item whose stack is cut at the rule it is
// in: the tokens that stay inside the rule, and the trie nodes at which tokens
// leave it, to be walked on from wherever the rule was called. Every call of
// the rule shares it.
type sharedMask struct {
	maskEntry
	escapes []int32
	uses    atomic.Int32
	once    sync.Once
	merged  *trie // what lies below the escapes, once that is worth merging
}

// mergeUses is the number of calls from which what lies below the escapes is
// merged into one trie. Merging costs as much as several walks.
const mergeUses = 4

// A stringKey names a place in a string without restriction but its length.
type stringKey struct {
	q, lo, hi int32
	esc       escape
}

// minGlance is the size of the subtrees from which on a state's loops are
// worth knowing.
const minGlance = 48

// walk follows everything below node i, which led to state s.
func (m *Matcher) walk(t *trie, i, s int32, out *sink) {
	st := &m.a.states[s]
	if !st.narrow && t.size[i] >= minGlance && !st.escapes {
		if loops := m.a.loopsOf(s); loops != nil {
			m.glance(t, i+1, i+t.size[i], s, loops, out)
			return
		}
		st = &m.a.states[s]
	}
	from, to := t.kidFrom[i], t.kidFrom[i+1]
	if st.only >= 0 {
		if k := bytes.IndexByte(t.kidBytes[from:to], byte(st.only)); k >= 0 {
			m.follow(t, t.kids[int(from)+k], s, out)
		}
		return
	}
	live := st.live
	for k, b := range t.kidBytes[from:to] {
		if hasByte(&live, b) {
			m.follow(t, t.kids[int(from)+k], s, out)
		}
	}
}

// follow takes the step from s to node i, the tokens that end there and all
// that is allowed below.
func (m *Matcher) follow(t *trie, i, s int32, out *sink) {
	to := m.a.step(s, t.bytes[i])
	if to == dead {
		return
	}
	if first, last := t.first[i], t.first[i+1]; first != last {
		out.ids = append(out.ids, t.tokens[first:last]...)
		out.farthest = max(out.farthest, m.a.states[to].dist)
	}
	if t.size[i] > 1 {
		if m.a.states[to].escapes {
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
		if first, last := t.first[i], t.first[j]; first != last {
			out.ids = append(out.ids, t.tokens[first:last]...)
			out.farthest = max(out.farthest, m.a.states[s].dist)
		}
		if i = j; i < hi {
			m.follow(t, i, s, out)
			i += t.size[i]
		}
	}
}

// walkRoot walks a whole trie, looking only at first bytes that s allows.
func (m *Matcher) walkRoot(t *trie, s int32, out *sink) {
	live := m.a.states[s].live
	for w, x := range live {
		for ; x != 0; x &= x - 1 {
			if at := t.root[w<<6+bits.TrailingZeros64(x)]; at > 0 {
				m.follow(t, at-1, s, out)
			}
		}
	}
}

// wideLive is the number of bytes from which an item is worth sharing.
const wideLive = 24

// compute answers for a state. A token is allowed if it is for any of the
// state's items, so the items are answered one by one where that shares work.
func (m *Matcher) compute(s int32) (*maskEntry, Layer) {
	layer := LayerWalk
	out := &m.sink
	out.reset()
	items := m.a.states[s].items
	var narrow []item
	for _, it := range m.classed(items, out) {
		if it.at < 0 && !m.a.p.strs[m.a.strings[^it.at].str].bare || it.at >= 0 && popcount(m.a.itemLive(it)) >= wideLive && len(items) <= 8 {
			if m.item(it, out) {
				layer = LayerSlice
			}
			continue
		}
		narrow = append(narrow, it)
	}
	switch {
	case len(narrow) == len(m.a.states[s].items):
		m.walkRoot(&m.v.trie, s, out)
	case len(narrow) > 0:
		m.walkRoot(&m.v.trie, m.a.stateOf(narrow), out)
	}
	return out.take(m.v.size), layer
}

func popcount(set *[4]uint64) int {
	return bits.OnesCount64(set[0]) + bits.OnesCount64(set[1]) + bits.OnesCount64(set[2]) + bits.OnesCount64(set[3])
}

// item adds what one item allows, from the shared answer for its rule and a
// short walk for the tokens that leave the rule. It reports whether the shared
// answer was at hand.
func (m *Matcher) item(it item, out *sink) bool {
	if it.at < 0 {
		st := m.a.strings[^it.at].stringState
		if lang, ok := m.a.p.strs[st.str].lang.(*exceptText); ok {
			return m.exceptItem(it, st, lang, out)
		}
		if st.text != 0 {
			return m.uniqueItem(it, st, out)
		}
	}
	shared, caller, hit := m.shared(it)
	m.merge(shared, caller, out)
	return hit
}

// merge adds a shared answer and what its remainders lead to from the caller.
func (m *Matcher) merge(shared *sharedMask, caller int32, out *sink) {
	out.union(m.v.Words(), &shared.maskEntry)
	out.farthest = max(out.farthest, add32(shared.farthest, m.a.frames[caller].dist))
	to := dead
	if len(shared.escapes) > 0 {
		to = m.a.left(caller)
	}
	if to == dead {
		return
	}
	if shared.uses.Add(1) < mergeUses {
		for _, i := range shared.escapes {
			m.walk(&m.v.trie, i, to, out)
		}
		return
	}
	shared.once.Do(func() {
		shared.merged = mergeSubtrees(&m.v.trie, shared.escapes)
		m.sharedBytes += 14 * len(shared.merged.bytes)
	})
	m.walkRoot(shared.merged, to, out)
}

// exceptItem answers for a text with exceptions: all that a text without them
// allows, minus the tokens that close the string on an exception.
func (m *Matcher) exceptItem(it item, st stringState, lang *exceptText, out *sink) bool {
	plain := st
	plain.str, plain.q = m.a.p.strs[st.str].off.id, lang.phase(st.q)
	at, ok := m.a.internString(plain)
	if !ok {
		return false
	}
	own := m.ownSink(out)
	shared, caller, hit := m.shared(item{at, it.stack})
	m.merge(shared, caller, own)
	d := dropper{&m.v.trie, m.a.p.strs[st.str], lang, own}
	d.root(st)
	m.absorb(out, own)
	return hit
}

// ownSink is a sink for one item: out itself while that is empty.
func (m *Matcher) ownSink(out *sink) *sink {
	if out.empty() {
		return out
	}
	m.own.reset()
	return &m.own
}

func (m *Matcher) absorb(out, own *sink) {
	if own != out {
		out.absorb(m.v.Words(), own)
	}
}

// A dropper clears the tokens that close a string on an exception.
type dropper struct {
	t    *trie
	s    *stringLang
	lang *exceptText
	own  *sink
}

// root clears among all tokens: of the many first bytes only those matter that
// go on along the list, close it or begin an escape.
func (d *dropper) root(st stringState) {
	try := func(b byte) {
		if at := d.t.root[b]; at > 0 {
			d.below(at-1, at-1+d.t.size[at-1], st)
		}
	}
	if st.esc != 0 {
		for _, b := range escapeBytes {
			try(b)
		}
		return
	}
	for _, b := range d.lang.nodes[st.q-utf8States].bytes {
		try(b)
	}
	try('"')
	try('\\')
}

// below clears among the trie nodes lo..hi behind st, following only paths
// that are still on the list.
func (d *dropper) below(lo, hi int32, st stringState) {
	t := d.t
	closes := st.esc == 0 && !d.lang.inside(st.q) && !d.lang.accept(st.q)
	for i := lo; i < hi; i += t.size[i] {
		b := t.bytes[i]
		if b == '"' && st.esc == 0 {
			if closes {
				d.own.drop(t.tokens[t.first[i]:t.first[i+t.size[i]]])
			}
			continue
		}
		if t.size[i] == 1 || st.esc == 0 && b != '\\' && d.lang.child(st.q, b) < 0 {
			continue
		}
		if next, ok := d.s.step(st, b); ok && (next.esc != 0 || next.q >= utf8States) {
			d.below(i+1, i+t.size[i], next)
		}
	}
}

// shared returns the shared answer for an item and the stack its rule was
// called with. hit is false if the answer had to be computed.
func (m *Matcher) shared(it item) (shared *sharedMask, caller int32, hit bool) {
	cut, caller := m.cut(it)
	if s, ok := m.sharedMasks[cut]; ok {
		return s, caller, true
	}
	key, plain := m.plainKey(cut)
	if plain {
		m.v.mu.Lock()
		s := m.v.shared[key]
		m.v.mu.Unlock()
		if s != nil {
			m.keepShared(cut, s)
			return s, caller, true
		}
	}
	s := m.computeShared(cut)
	m.keepShared(cut, s)
	if plain {
		m.v.mu.Lock()
		if len(m.v.shared) < maxPlain {
			m.v.shared[key] = s
		}
		m.v.mu.Unlock()
	}
	return s, caller, false
}

// maxPlain bounds the answers that a vocabulary keeps for all its matchers.
const maxPlain = 1024

// keepShared remembers a shared answer, and forgets all others once they take
// as much memory as the memo may.
func (m *Matcher) keepShared(cut item, s *sharedMask) {
	if m.sharedBytes > memoLimit {
		clear(m.sharedMasks)
		m.sharedBytes = 0
	}
	m.sharedMasks[cut] = s
	m.sharedBytes += s.bytes() + 4*len(s.escapes)
}

// plainKey reports whether a cut item is in a string of any text.
func (m *Matcher) plainKey(cut item) (stringKey, bool) {
	if cut.at >= 0 || cut.stack != unknown {
		return stringKey{}, false
	}
	st := m.a.strings[^cut.at].stringState
	if _, ok := m.a.p.strs[st.str].lang.(anyText); !ok {
		return stringKey{}, false
	}
	return stringKey{st.q, st.lo, st.hi, st.esc}, true
}

// cut replaces the stack below the item's own rule by the unknown, and counts
// that no token can exhaust by ones just beyond the longest token.
func (m *Matcher) cut(it item) (cut item, caller int32) {
	a := m.a
	var kept []frame
	caller = it.stack
	for caller > unknown {
		f := a.frames[caller]
		if a.p.nodes[f.place].kind != nodeRepeat {
			break
		}
		kept = append(kept, f)
		caller = f.parent
	}
	beyond := int32(m.v.longest) + 1
	stack := unknown
	for i := len(kept) - 1; i >= 0; i-- {
		lo, hi := kept[i].a, kept[i].b
		lo = min(lo, beyond)
		if hi >= beyond {
			hi = -1
		}
		stack = a.frame(kept[i].place, lo, hi, stack)
	}
	at := it.at
	if at < 0 {
		st := a.strings[^at].stringState
		if _, ok := a.p.strs[st.str].lang.(anyText); ok {
			st.lo = min(st.lo, beyond)
			if st.hi >= beyond {
				st.hi = -1
			}
			at, _ = a.internString(st)
		}
	}
	return item{at, stack}, caller
}

func (m *Matcher) computeShared(cut item) *sharedMask {
	out := &m.cutSink
	out.reset()
	m.walkRoot(&m.v.trie, m.a.stateOf([]item{cut}), out)
	return &sharedMask{maskEntry: *out.take(m.v.size), escapes: slices.Clone(out.escapes)}
}
