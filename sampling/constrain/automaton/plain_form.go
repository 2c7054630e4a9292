package automaton

import (
	"slices"

	"logitscope/sampling/constrain/program"
)

// A plainForm is a state inside a text that must differ from others, and the
// state without that: what has been read of the text is not remembered.
// Completions after the two cost the same unless the text is one that a nearest
// completion may write for another, or one of those taken.
type plainForm struct {
	state  int32
	read   string
	taken  []string
	firsts []string // those that a nearest completion may write
	closes bool     // also after the end of the text
}

// plainFormOf returns the plain form of a state that is inside such a text, in
// one or more languages of one object or array; or nil.
func (m *Matcher) plainFormOf(id int32) *plainForm {
	if m.g.prog.Slack == 0 {
		return nil
	}
	a := m.a
	var f *plainForm
	var owner *program.Object
	var plain []item
	for _, it := range a.states.at(id).items {
		if it.at >= 0 || a.strings[^it.at].Text == 0 {
			plain = append(plain, it)
			continue
		}
		st := a.strings[^it.at].StringState
		if st.Esc != 0 || a.p.Strs[st.Str].Bare {
			return nil
		}
		o, d := a.owner(it.stack)
		switch {
		case f == nil:
			if !o.Listed() {
				return nil
			}
			owner = o
			f = &plainForm{read: a.textOf(st), taken: a.matching(st)}
			f.closes = d.Count < o.Min || d.Texts.Len()+2 <= len(o.Texts[0].Firsts)
			for _, l := range o.Texts {
				f.firsts = append(f.firsts, l.Firsts...)
			}
		case o != owner || a.textOf(st) != f.read:
			return nil
		}
		st.Text, st.Seen, st.Apart = 0, 0, false
		at, ok := a.internString(st)
		if !ok {
			return nil
		}
		plain = append(plain, item{at, it.stack})
	}
	if f != nil {
		f.state = a.stateOf(plain)
	}
	return f
}

// covers reports whether the plain form may stand for the state in front of a
// token.
func (f *plainForm) covers(piece []byte) bool {
	end, quotes := len(piece), 0
	for i, b := range piece {
		switch {
		case b == '\\':
			return false
		case b == '"':
			if quotes++; quotes == 1 {
				end = i
			} else if i < len(piece)-1 {
				return false // another text has begun
			}
		}
	}
	if quotes > 0 && !f.closes {
		return false
	}
	begins := func(t string) bool {
		n := len(f.read)
		return len(t) >= n+end && t[:n] == f.read && t[n:n+end] == string(piece[:end])
	}
	return !slices.ContainsFunc(f.firsts, begins) && !slices.ContainsFunc(f.taken, begins)
}

// after is a state that costs as much to complete as the one after a token
// that is allowed.
func (m *Matcher) after(id int32, f *plainForm, token int32) int32 {
	piece := m.v.pieces[token]
	if f != nil && f.covers(piece) {
		id = f.state
	}
	to, _ := m.run(id, piece)
	if g := m.plainFormOf(to); g != nil && g.covers(nil) {
		return g.state
	}
	return to
}

// owner is the object or array that the text on top of a stack belongs to, and
// its data.
func (a *automaton) owner(stack int32) (*program.Object, program.Data) {
	f := a.frames[stack]
	n := &a.p.Nodes[f.place]
	if n.Kind == program.NodeString {
		return a.owner(f.parent)
	}
	return a.p.Objs[n.Arg], a.data[f.a]
}
