package constrain

// Where several patternProperties apply to an object, its undeclared names are
// split into classes, one for each combination of patterns, and a name is in
// all of them until it ends. The classes have their states in common, so one
// walk answers for all.

// A classWalk is a walk for items that are the classes of one list, all in the
// same state.
type classWalk struct {
	m       *Matcher
	t       *trie
	d       *dfaText // of the first item
	members []classMember
	alive   []int8 // per state: 1 if a member can still be completed, -1 if none, 0 if not known
	out     *sink
}

type classMember struct {
	item
	str   int32
	text  *dfaText
	ended []int32 // trie nodes of the quotes that end a name of this class
	slow  sink    // of escapes
}

// minClasses is the number of classes from which a walk of their own pays.
const minClasses = 2

// classed answers for the classes among the items and returns the others.
func (m *Matcher) classed(items []item, out *sink) []item {
	n := 0
	for _, it := range items {
		if _, _, ok := m.classOf(it); ok {
			n++
		}
	}
	if n < minClasses {
		return items
	}
	var w classWalk
	var rest []item
	q := int32(0)
	for _, it := range items {
		if text, st, ok := m.classOf(it); ok && (w.d == nil || text.classes == w.d.classes && st.q == q) {
			if w.d == nil {
				w.d, q = text, st.q
			}
			w.members = append(w.members, classMember{item: it, str: st.str, text: text})
			continue
		}
		rest = append(rest, it)
	}
	if len(w.members) < minClasses {
		return items
	}
	w.m, w.t, w.out = m, &m.v.trie, out
	w.alive = make([]int8, len(w.d.next))
	w.run(q)
	return rest
}

// classOf reports whether an item is in a name of a class, between its quotes
// and outside of escapes.
func (m *Matcher) classOf(it item) (*dfaText, stringState, bool) {
	if it.at >= 0 {
		return nil, stringState{}, false
	}
	st := m.a.strings[^it.at].stringState
	d, ok := m.a.p.strs[st.str].lang.(*dfaText)
	ok = ok && d.classes != nil && st.esc == 0 && st.text == 0 && st.lo <= 0 && st.hi < 0
	return d, st, ok
}

func (w *classWalk) run(q int32) {
	w.walk(q)
	a := w.m.a
	for i := range w.members {
		k := &w.members[i]
		behind := a.frames[k.stack].dist
		w.out.ids = append(w.out.ids, k.slow.ids...)
		w.out.farthest = max(w.out.farthest, add32(k.text.far+1, behind), add32(k.slow.farthest, behind))
		if to := a.left(k.stack); to != dead {
			for _, i := range append(k.ended, k.slow.escapes...) {
				w.m.walk(w.t, i, to, w.out)
			}
		}
	}
	w.out.mixed = true // two classes may lead to the same token
}

// walk goes through the whole trie in the order it is laid out, with the
// states of the nodes above and where their subtrees end on a stack.
func (w *classWalk) walk(q int32) {
	type level struct{ end, q int32 }
	t, d := w.t, w.d
	n := int32(len(t.bytes))
	stack := append(make([]level, 0, 64), level{n, q})
	for i := int32(0); i < n; {
		for stack[len(stack)-1].end == i {
			stack = stack[:len(stack)-1]
		}
		q, b, size := stack[len(stack)-1].q, t.bytes[i], t.size[i]
		if d.left[q] == 0 && (b < 0x20 || b == '"' || b == '\\') {
			switch b {
			case '"':
				w.end(i, q)
			case '\\':
				w.escape(i, q)
			}
			i += size
			continue
		}
		to := d.next[q][d.class[b]]
		if to < 0 || !w.canEnd(to) {
			i += size
			continue
		}
		w.out.ids = append(w.out.ids, t.tokens[t.first[i]:t.first[i+1]]...)
		if size > 1 {
			stack = append(stack, level{i + size, to})
		}
		i++
	}
}

// canEnd reports whether some class can still be completed from a state.
func (w *classWalk) canEnd(q int32) bool {
	if w.alive[q] == 0 {
		w.alive[q] = -1
		for i := range w.members {
			if w.members[i].text.near.bytes[q] < unreachable {
				w.alive[q] = 1
				break
			}
		}
	}
	return w.alive[q] > 0
}

// end closes the name at the quote of node i.
func (w *classWalk) end(i, q int32) {
	for j := range w.members {
		k := &w.members[j]
		if !k.text.final[q] {
			continue
		}
		w.out.ids = append(w.out.ids, w.t.tokens[w.t.first[i]:w.t.first[i+1]]...)
		if w.t.size[i] > 1 {
			k.ended = append(k.ended, i)
		}
	}
}

// escape follows the backslash of node i for each class.
func (w *classWalk) escape(i, q int32) {
	for j := range w.members {
		k := &w.members[j]
		at, ok := w.m.a.internString(stringState{str: k.str, q: q, hi: -1})
		if ok {
			w.m.follow(w.t, i, w.m.a.stateOf([]item{{at, unknown}}), &k.slow)
		}
	}
}
