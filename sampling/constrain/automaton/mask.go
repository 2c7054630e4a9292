package automaton

import (
	"logitscope/sampling/constrain/lang"
)

// A mask is put together from parts. The items of a state that are in the same
// call of a rule are one part: the tokens that stay inside the rule are the
// same wherever it was called from, so they are found once, with a stack cut at
// the call. What is left of the tokens that leave the rule is gone through from
// wherever the call returns to, which is a state like any other: its parts are
// answered in the same way, for the rest of those tokens.

// A scope is what an answer is about: a trie, or what lies below some of its
// nodes. Answers about a region are kept; a scope of the moment has none.
type scope struct {
	t     *trie
	nodes []int32 // nil for the whole of t
	kept  *region
}

// under appends the nodes at which the tokens of a scope have one byte.
func (sc *scope) under(b byte, list []int32) []int32 {
	switch {
	case sc.nodes == nil:
		if at := sc.t.root[b]; at > 0 {
			list = append(list, at-1)
		}
	case sc.kept != nil:
		list = append(list, sc.kept.firsts.at(b)...)
	default:
		for _, i := range sc.nodes {
			if at := sc.t.child(i, b); at >= 0 {
				list = append(list, at)
			}
		}
	}
	return list
}

// maxReaches bounds the states that one mask goes through part by part. Beyond
// it the automaton takes over: it never follows the same bytes twice, which
// parts do where a grammar is ambiguous.
const maxReaches = 2000

// compute answers for a state.
func (m *Matcher) compute(s int32) (*maskEntry, Layer) {
	m.walked, m.hit, m.reaches = false, false, 0
	out := m.openSink()
	m.reach(m.v.whole.scope(), s, out)
	e := out.take(m.v.size, &m.lists)
	m.closeSink()
	if m.hit && !m.walked {
		return e, LayerSlice
	}
	return e, LayerWalk
}

// reach adds what a state allows in a scope.
func (m *Matcher) reach(sc scope, s int32, out *sink) {
	d := m.divide(s)
	if m.reaches++; m.reaches > maxReaches {
		m.walkScope(sc, s, out)
		return
	}
	for _, it := range d.texts {
		m.text(sc, it, out)
	}
	for i := range d.parts {
		m.part(sc, &d.parts[i], out)
	}
}

// part adds what one part of a state allows in a scope.
func (m *Matcher) part(sc scope, p *part, out *sink) {
	whole := sc.kept == m.v.whole
	switch {
	case p.kind == partAll || p.kind == partUnique && !whole:
		m.walkScope(sc, m.a.stateOf(p.items), out)
	case p.kind == partUnique:
		m.uniqueItem(p, out)
	case p.kind == partTexts && whole:
		m.texts(p, out)
	case p.kind == partTexts:
		for i := range p.members {
			m.part(sc, &p.members[i], out)
		}
	case sc.kept == nil || !p.keep:
		m.rule(sc, p, out)
	case p.kind == partExcept:
		m.except(sc, p, out)
	default:
		m.keptRule(sc.kept, p, out)
	}
}

// rule adds a part by a walk of its own.
func (m *Matcher) rule(sc scope, p *part, out *sink) {
	if p.cut == uncut {
		p.cut = m.a.soleState(item{p.items[0].at, unknown})
	}
	from, ids, farthest := len(out.escapes), len(out.ids), out.farthest
	out.farthest = 0
	m.walkScope(sc, p.cut, out)
	if len(out.ids) > ids {
		farthest = max(farthest, lang.Add32(out.farthest, m.a.frames[p.caller].dist))
	}
	out.farthest = farthest
	if nodes := out.escapes[from:]; len(nodes) > 0 {
		if to := m.a.left(p.caller); to != lang.Dead {
			m.reach(scope{t: sc.t, nodes: nodes}, to, out)
		}
	}
	out.escapes = out.escapes[:from]
}

// keptRule adds a part from the answer for its rule.
func (m *Matcher) keptRule(r *region, p *part, out *sink) {
	rm := m.ruleMask(r, p)
	out.add(&rm.maskEntry)
	out.farthest = max(out.farthest, lang.Add32(rm.farthest, m.a.frames[p.caller].dist))
	if e := m.tail(rm.rest, p.caller); e != nil {
		out.add(e)
		out.farthest = max(out.farthest, e.farthest)
	}
}

// text follows an item that reads one byte, and the chain of such after it.
func (m *Matcher) text(sc scope, it item, out *sink) {
	t, p := sc.t, m.a.p
	from := len(out.escapes)
	out.escapes = sc.under(p.TextByte[it.at], out.escapes)
	for {
		it.at = p.TextTo[it.at]
		on := out.escapes[from:from]
		for _, i := range out.escapes[from:] {
			if first, last := t.nodes[i].first, t.nodes[i+1].first; first != last {
				out.ids = append(out.ids, t.tokens[first:last]...)
				out.farthest = max(out.farthest, lang.Add32(p.Dist[it.at], m.a.frames[it.stack].dist))
			}
			if t.nodes[i].size > 1 {
				on = append(on, i)
			}
		}
		out.escapes = out.escapes[:from+len(on)]
		if len(on) == 0 {
			return
		}
		if p.TextTo[it.at] < 0 {
			break
		}
		on = on[:0]
		for _, i := range out.escapes[from:] {
			if at := t.child(i, p.TextByte[it.at]); at >= 0 {
				on = append(on, at)
			}
		}
		out.escapes = out.escapes[:from+len(on)]
	}
	if to := m.a.closed(it); to != lang.Dead {
		m.reach(scope{t: t, nodes: out.escapes[from:]}, to, out)
	}
	out.escapes = out.escapes[:from]
}
