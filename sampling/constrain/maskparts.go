package constrain

import (
	"encoding/binary"
	"math/bits"
)

type partKind uint8

const (
	partRule   partKind = iota // items in one call of a rule
	partExcept                 // a text with exceptions
	partTexts                  // texts of one automaton, see gatherTexts
	partUnique                 // a text that must differ from others
	partAll                    // items that are only ever answered together
)

// A part is some of the items of a state. Of a rule, cut is the state of its
// items with a stack that ends at the call, and caller is that end.
type part struct {
	kind    partKind
	keep    bool // the answer is worth keeping
	cut     int32
	caller  int32
	items   []item
	members []part // of texts, a part for each
	common  bool   // other grammars have this part, too
}

// wideLive is the number of bytes from which a part's answer is worth keeping.
// maxParts bounds the items that are looked at one by one.
const (
	wideLive = 24
	maxParts = 512
)

// A division is the items of a state by how they are answered: those that read
// one byte, and parts.
type division struct {
	texts []item
	parts []part
}

// division splits a state, once.
func (m *Matcher) division(s int32) *division {
	st := m.a.states.at(s)
	if st.divided == nil {
		st.divided = m.split(st.items)
	}
	return st.divided
}

func (m *Matcher) split(items []item) *division {
	if len(items) > maxParts || m.a.pruned && len(items) > 0 {
		return &division{parts: []part{{kind: partAll, items: items}}}
	}
	out := &division{}
	var parts []part
	first := 0 // of the texts, which mostly are next to each other
	for i, it := range items {
		switch {
		case it.at < 0:
			parts = append(parts, m.stringPart(items[i:i+1:i+1]))
			continue
		case m.a.p.textTo[it.at] >= 0:
			if len(out.texts) == 0 {
				first = i
			}
			if first+len(out.texts) == i {
				out.texts = items[first : i+1 : i+1]
			} else {
				out.texts = append(out.texts, it)
			}
			continue
		}
		cut, caller := m.cut(it)
		if j := ruleOf(parts, caller); j >= 0 {
			parts[j].items = append(parts[j].items, cut)
			continue
		}
		parts = append(parts, part{kind: partRule, caller: caller, items: []item{cut}})
	}
	for i := range parts {
		if p := &parts[i]; p.kind == partRule && p.items[0].at >= 0 {
			m.settle(p)
		}
	}
	out.parts = m.gatherTexts(parts)
	return out
}

// ruleOf finds the part of a call.
func ruleOf(parts []part, caller int32) int {
	for i := range parts {
		if p := &parts[i]; p.kind == partRule && p.caller == caller && p.items[0].at >= 0 {
			return i
		}
	}
	return -1
}

// settle fills in what a part of a rule is known by once it has all its items.
func (m *Matcher) settle(p *part) {
	p.cut = m.a.stateOf(p.items)
	p.common = m.isCommon(p.items)
	st := m.a.states.at(p.cut)
	p.keep = p.common || popcount(&st.live) >= wideLive
}

// stringPart is the part of an item inside a string.
func (m *Matcher) stringPart(items []item) part {
	it := items[0]
	st := m.a.strings[^it.at].stringState
	s := m.a.p.strs[st.str]
	_, except := s.lang.(*exceptText)
	switch {
	case s.bare:
		return part{kind: partAll, items: items}
	case st.text != 0:
		return part{kind: partUnique, items: items}
	case except:
		return part{kind: partExcept, keep: true, cut: notYet, caller: it.stack, items: items}
	}
	return m.plainPart(it)
}

// plainPart is the part of an item in a string that nothing but its language
// restricts.
func (m *Matcher) plainPart(it item) part {
	cut, caller := m.cut(it)
	p := part{kind: partRule, keep: true, caller: caller, items: []item{cut}}
	p.cut = m.a.stateOf(p.items)
	p.common = m.isCommon(p.items)
	return p
}

// isCommon reports whether the items of a cut state are all in rules that other
// grammars have, too.
func (m *Matcher) isCommon(items []item) bool {
	for _, it := range items {
		if it.stack != unknown {
			return false
		}
		if it.at >= 0 {
			if m.a.p.rules[m.a.p.nodes[it.at].rule].common == "" {
				return false
			}
			continue
		}
		st := m.a.strings[^it.at].stringState
		if _, ok := m.a.p.strs[st.str].lang.(anyText); !ok || st.text != 0 {
			return false
		}
	}
	return true
}

// commonKey names a cut state by what its items are in every grammar.
func (m *Matcher) commonKey(items []item) string {
	var buf [96]byte
	key := buf[:0]
	for _, it := range items {
		if it.at < 0 {
			st := m.a.strings[^it.at].stringState
			key = append(key, "\x00string"...)
			for _, x := range []int32{st.q, st.lo, st.hi, int32(st.esc)} {
				key = binary.LittleEndian.AppendUint32(key, uint32(x))
			}
			continue
		}
		r := &m.a.p.rules[m.a.p.nodes[it.at].rule]
		key = append(append(key, 0), r.common...)
		key = binary.LittleEndian.AppendUint32(key, uint32(it.at-r.from))
	}
	return string(key)
}

// cut replaces the stack below the item's own rule by the unknown, and counts
// that no token can exhaust by ones just beyond the longest token.
func (m *Matcher) cut(it item) (cut item, caller int32) {
	a := m.a
	var buf [8]frame
	kept := buf[:0]
	for caller = it.stack; caller > unknown; {
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

func popcount(set *[4]uint64) int {
	return bits.OnesCount64(set[0]) + bits.OnesCount64(set[1]) + bits.OnesCount64(set[2]) + bits.OnesCount64(set[3])
}
