package automaton

import (
	"logitscope/sampling/constrain/lang"
)

// except answers for a text with exceptions: all that a text without them
// allows, minus the tokens that close the string on an exception.
func (m *Matcher) except(sc scope, p *part, out *sink) {
	it := p.items[0]
	st := m.a.strings[^it.at].StringState
	s := m.a.p.Strs[st.Str]
	list := s.Lang.(*lang.ExceptText)
	plain := st
	plain.Str, plain.Q = s.Off.ID, list.Phase(st.Q)
	at, ok := m.a.internString(plain)
	if !ok || sc.nodes != nil {
		m.rule(sc, p, out)
		return
	}
	q := m.plainPart(item{at, it.stack})
	d := dropper{t: sc.t, s: s, list: list}
	d.root(st)
	m.allBut(sc.kept, &q, d.tokens, out)
}

// allBut adds a part but for some tokens.
func (m *Matcher) allBut(r *region, p *part, tokens []int32, out *sink) {
	if len(tokens) == 0 {
		m.keptRule(r, p, out)
		return
	}
	rm := m.ruleMask(r, p)
	tail := m.tail(rm.rest, p.caller)
	m.mark(tokens)
	out.farthest = max(out.farthest, lang.Add32(rm.farthest, m.a.frames[p.caller].dist))
	out.addWithout(&rm.maskEntry, tokens, m.marks)
	if tail != nil {
		out.addWithout(tail, tokens, m.marks)
		out.farthest = max(out.farthest, tail.farthest)
	}
	clearTokens(m.marks, tokens)
}

// mark marks tokens, until they are cleared.
func (m *Matcher) mark(tokens []int32) {
	if m.marks == nil {
		m.marks = make([]uint64, m.v.Words())
	}
	setTokens(m.marks, tokens)
}

// A dropper finds the tokens that close a string on an exception.
type dropper struct {
	t      *trie
	s      *lang.StringLang
	list   *lang.ExceptText
	tokens []int32
}

// root looks among all tokens: of the many first bytes only those matter that
// go on along the list, close it or begin an escape.
func (d *dropper) root(st lang.StringState) {
	try := func(b byte) {
		if at := d.t.root[b]; at > 0 {
			d.below(at-1, at-1+d.t.nodes[at-1].size, st)
		}
	}
	if st.Esc != 0 {
		for _, b := range lang.EscapeBytes {
			try(b)
		}
		return
	}
	for _, b := range d.list.Nodes[st.Q-lang.UTF8States].Bytes {
		try(b)
	}
	try('"')
	try('\\')
}

// below looks among the trie nodes lo..hi after st, following only paths
// that are still on the list.
func (d *dropper) below(lo, hi int32, st lang.StringState) {
	t := d.t
	closes := st.Esc == 0 && !d.list.Inside(st.Q) && !d.list.Accept(st.Q)
	for i := lo; i < hi; i += t.nodes[i].size {
		b := t.bytes[i]
		if b == '"' && st.Esc == 0 {
			if closes {
				d.tokens = append(d.tokens, t.under(i)...)
			}
			continue
		}
		if !t.quoteBelow(i) || st.Esc == 0 && b != '\\' && d.list.Child(st.Q, b) < 0 {
			continue
		}
		if next, ok := d.s.Step(st, b); ok && (next.Esc != 0 || next.Q >= lang.UTF8States) {
			d.below(i+1, i+t.nodes[i].size, next)
		}
	}
}
