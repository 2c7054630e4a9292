package automaton

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/program"
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
// maxParts bounds the items that are looked at one by one, as many as a state has.
const (
	wideLive = 24
	maxParts = 4096
)

// A division is the items of a state by how they are answered: those that read
// one byte, and parts.
type division struct {
	texts []item
	parts []part
}

// divide splits a state, once.
func (m *Matcher) divide(s int32) division {
	st := m.a.states.at(s)
	if !st.divided {
		st.divided = true
		st.division = m.split(st.items)
	}
	return st.division
}

func (m *Matcher) split(items []item) division {
	if len(items) > maxParts || m.a.pruned && len(items) > 0 {
		return division{parts: []part{{kind: partAll, items: m.withoutWords(items)}}}
	}
	var out division
	var scoped []item
	parts, calls := m.splitParts[:0], m.splitCalls[:0]
	first := 0 // of the texts, which mostly are next to each other
	for i, it := range items {
		switch {
		case it.at < 0:
			parts = append(parts, m.stringPart(items[i:i+1:i+1]))
		case m.a.p.Rules[m.a.p.Nodes[it.at].Rule].Scoped:
			scoped = append(scoped, it) // what follows depends on the stack
		case m.a.p.TextTo[it.at] < 0:
			cut, caller := m.cut(it)
			calls = append(calls, cutItem{cut, caller})
		case len(out.texts) == 0 || first+len(out.texts) == i:
			first = i - len(out.texts)
			out.texts = items[first : i+1 : i+1]
		default:
			out.texts = append(out.texts, it)
		}
	}
	if len(scoped) > 0 {
		parts = append(parts, part{kind: partAll, items: scoped})
	}
	for i := range calls {
		if calls[i].caller != taken {
			parts = append(parts, m.callPart(calls[i:]))
		}
	}
	out.parts = m.partLists.keep(m.gatherTexts(parts))
	clear(parts)
	m.splitParts, m.splitCalls = parts, calls
	return out
}

// A cutItem is an item of a part and the call that its stack is cut at, or
// taken once a part has it.
type cutItem struct {
	item
	caller int32
}

const (
	taken = int32(-1)
	uncut = int32(-1) // of a part that no rule of its own holds
)

// callPart takes the items that are in the same call as the first.
func (m *Matcher) callPart(list []cutItem) part {
	caller := list[0].caller
	m.a.begin()
	for i := range list {
		if list[i].caller == caller {
			m.a.set.items = append(m.a.set.items, list[i].item)
			list[i].caller = taken
		}
	}
	p := part{kind: partRule, caller: caller, cut: m.a.finish()}
	st := m.a.states.at(p.cut)
	p.items = st.items
	p.common = m.isCommon(p.items)
	p.keep = p.common || popcount(&st.live) >= wideLive
	return p
}

// stringPart is the part of an item inside a string.
func (m *Matcher) stringPart(items []item) part {
	it := items[0]
	st := m.a.strings[^it.at].StringState
	s := m.a.p.Strs[st.Str]
	_, except := s.Lang.(*lang.ExceptText)
	switch {
	case s.Word && !s.Among && !m.a.torn:
		return m.plainPart(m.withoutWords(items)[0])
	case s.Bare:
		return part{kind: partAll, items: items}
	case st.Text != 0:
		return part{kind: partUnique, items: items}
	case except:
		return part{kind: partExcept, keep: true, cut: uncut, caller: it.stack, items: items}
	}
	return m.plainPart(it)
}

// withoutWords returns items that do not remember the word they are in. What is
// remembered says which words may come in the same scope later; a token that
// gives a name and uses it would have to hold what is between.
func (m *Matcher) withoutWords(items []item) []item {
	out := slices.Clone(items)
	for i, it := range out {
		if it.at >= 0 || m.a.torn {
			continue
		}
		st := m.a.strings[^it.at].StringState
		if s := m.a.p.Strs[st.Str]; !s.Word || s.Among {
			continue
		}
		st.Text, st.Seen, st.Apart = 0, 0, false
		if at, ok := m.a.internString(st); ok {
			out[i].at = at
		}
	}
	return out
}

// plainPart is the part of an item in a string that nothing but its language
// restricts.
func (m *Matcher) plainPart(it item) part {
	cut, caller := m.cut(it)
	p := part{kind: partRule, keep: true, caller: caller, cut: m.a.soleState(cut)}
	p.items = m.a.states.at(p.cut).items
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
			if m.a.p.Rules[m.a.p.Nodes[it.at].Rule].Common == "" {
				return false
			}
			continue
		}
		st := m.a.strings[^it.at].StringState
		if _, ok := m.a.p.Strs[st.Str].Lang.(lang.AnyText); !ok || st.Text != 0 {
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
			st := m.a.strings[^it.at].StringState
			key = append(key, "\x00string"...)
			for _, x := range []int32{st.Q, st.Lo, st.Hi, int32(st.Esc)} {
				key = binary.LittleEndian.AppendUint32(key, uint32(x))
			}
			continue
		}
		r := &m.a.p.Rules[m.a.p.Nodes[it.at].Rule]
		key = append(append(key, 0), r.Common...)
		key = binary.LittleEndian.AppendUint32(key, uint32(it.at-r.From))
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
		if a.p.Nodes[f.place].Kind != program.NodeRepeat {
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
		st := a.strings[^at].StringState
		if _, ok := a.p.Strs[st.Str].Lang.(lang.AnyText); ok {
			st.Lo = min(st.Lo, beyond)
			if st.Hi >= beyond {
				st.Hi = -1
			}
			at, _ = a.internString(st)
		}
	}
	return item{at, stack}, caller
}

func popcount(set *[4]uint64) int {
	return bits.OnesCount64(set[0]) + bits.OnesCount64(set[1]) + bits.OnesCount64(set[2]) + bits.OnesCount64(set[3])
}
