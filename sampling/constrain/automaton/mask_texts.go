package automaton

import (
	"encoding/binary"

	"logitscope/sampling/constrain/lang"
)

// Texts of a deterministic automaton mostly leave what their pattern names for
// one state that common bytes lead back to, the ground. Its answer is kept, and
// that of another state is found by what differs: so a walk goes only as deep
// as the two states stay apart.
//
// Where several patternProperties apply to an object, its undeclared names are
// split into classes, one for each combination of patterns, and a name is in
// all of them until it ends. The classes have one automaton, so one walk
// answers for all of them, the members of the walk.

// gatherTexts makes parts of those that are texts of an automaton: one for all
// classes in the same state of theirs, and one for each other text.
func (m *Matcher) gatherTexts(parts []part) []part {
	rest := parts[:0]
	for _, p := range parts {
		d, st, ok := m.textOf(&p)
		if !ok {
			rest = append(rest, p)
			continue
		}
		i := len(rest)
		if d.Labelled {
			for j := range rest {
				if rest[j].kind != partTexts {
					continue
				}
				if e, first, _ := m.textOf(&rest[j].members[0]); e.Automaton() == d.Automaton() && first.Q == st.Q && !m.hasLabel(rest[j].members, d.Label) {
					i = j
				}
			}
		}
		if i == len(rest) {
			rest = append(rest, part{kind: partTexts})
		}
		rest[i].members = append(rest[i].members, p)
	}
	return rest
}

func (m *Matcher) hasLabel(members []part, label uint32) bool {
	for i := range members {
		if d, _, _ := m.textOf(&members[i]); d.Label == label {
			return true
		}
	}
	return false
}

// textOf reports whether a part is a text of an automaton without bounds on its
// length, between its quotes and outside of escapes.
func (m *Matcher) textOf(p *part) (*lang.DFA, lang.StringState, bool) {
	if p.kind != partRule || len(p.items) != 1 || p.items[0].at >= 0 {
		return nil, lang.StringState{}, false
	}
	st := m.a.strings[^p.items[0].at].StringState
	s := m.a.p.Strs[st.Str]
	d, ok := s.Lang.(*lang.DFA)
	return d, st, ok && !s.Bare && st.Esc == 0 && st.Lo <= 0 && st.Hi < 0
}

// A groundKey is a state of an automaton with the strings of the members.
type groundKey struct {
	of      *[]int32 // the automaton
	f       int32
	members string
}

// A groundMask is the answer for a state: what stays inside the text, and what
// is left of the tokens that end it, by member.
type groundMask struct {
	inside  *maskEntry
	rest    []*region
	escaped bool // some token ends inside an escape
}

// texts adds a part of texts, among all tokens: those of the ground next to the
// state, but for what differs.
func (m *Matcher) texts(p *part, out *sink) {
	w, q := m.newTextWalk(p, out)
	f := w.ground(q)
	base := m.ground(p, w, f)
	w.all(q, f)
	tails := make([]*maskEntry, len(w.members))
	for i := range w.members {
		k := &w.members[i]
		tails[i] = m.tail(base.rest[i], k.caller)
		far := k.text.Far + 1
		if w.escaped || base.escaped {
			far += maxEscape
		}
		out.farthest = max(out.farthest, lang.Add32(far, m.a.frames[k.caller].dist))
		if len(k.ended) > 0 {
			if to := m.a.left(k.caller); to != lang.Dead {
				m.reach(scope{t: w.t, nodes: k.ended}, to, out)
			}
		}
	}
	m.mark(w.drops)
	for _, e := range append(tails, base.inside) {
		if e != nil {
			out.addWithout(e, w.drops, m.marks)
			out.farthest = max(out.farthest, e.farthest)
		}
	}
	clearTokens(m.marks, w.drops)
}

// ground returns the answer for a state, which is kept.
func (m *Matcher) ground(p *part, w *textWalk, f int32) *groundMask {
	var buf [128]byte
	members := buf[:0]
	for i := range w.members {
		members = binary.LittleEndian.AppendUint32(members, uint32(w.members[i].str))
	}
	key := groundKey{w.d.Automaton(), f, string(members)}
	if g := m.grounds[key]; g != nil {
		m.hit = true
		return g
	}
	m.walked = true
	out := m.openSink()
	all, _ := m.newTextWalk(p, out)
	all.all(f, lang.Dead)
	g := &groundMask{inside: out.take(m.v.size, &m.lists), escaped: all.escaped, rest: make([]*region, len(w.members))}
	m.closeSink()
	m.makeRoom()
	m.grounds[key] = g
	m.keptBytes += g.inside.bytes()
	for i := range all.members {
		g.rest[i] = m.v.whole.below(all.members[i].ended, false)
		m.keptBytes += g.rest[i].bytes()
	}
	return g
}
