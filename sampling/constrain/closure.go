package constrain

// closureSet collects the items of a state under construction.
type closureSet struct {
	items   []item
	seen    []item // places entered, without duplicates
	index   map[item]bool
	accept  bool
	escapes bool
}

func (a *automaton) begin() {
	c := &a.set
	c.items, c.seen = c.items[:0], c.seen[:0]
	c.index, c.accept, c.escapes = nil, false, false
}

// visit reports whether a place is new to the set.
func (c *closureSet) visit(it item) bool {
	if c.index != nil {
		if c.index[it] {
			return false
		}
		c.index[it] = true
		return true
	}
	for _, x := range c.seen {
		if x == it {
			return false
		}
	}
	c.seen = append(c.seen, it)
	if len(c.seen) > 24 {
		c.index = make(map[item]bool, 64)
		for _, x := range c.seen {
			c.index[x] = true
		}
	}
	return true
}

// enter adds everything that node n with this stack leads to without reading.
func (a *automaton) enter(n, stack int32) {
	if a.p.dist[n] >= unreachable || !a.set.visit(item{n, stack}) {
		return
	}
	if a.p.nodes[n].kind == nodeBytes {
		a.set.items = append(a.set.items, item{n, stack})
		return
	}
	c := a.closure(n)
	for _, r := range c.reads {
		a.set.items = append(a.set.items, item{r, stack})
	}
	for _, act := range c.acts {
		a.act(act, stack)
	}
	if c.ends {
		a.leave(stack)
	}
}

func (a *automaton) act(n, stack int32) {
	x := &a.p.nodes[n]
	switch x.kind {
	case nodeCall:
		a.enter(a.p.rules[x.arg].start, a.callFrame(n, stack))
	case nodeRepeat:
		r := a.p.reps[x.arg]
		a.repeat(n, r.min, r.max, stack)
	case nodeString:
		s := a.p.strs[x.arg]
		st := stringState{str: x.arg, q: s.lang.start(), lo: s.lo, hi: s.hi}
		if s.unique {
			st.text, st.seen = emptyText, a.frames[stack].a
			st.apart = a.data[st.seen].texts == nil
		}
		if at, ok := a.internString(st); ok {
			a.set.items = append(a.set.items, item{at, a.callFrame(n, stack)})
		}
	case nodeObject:
		a.object(n, objectData{first: true}, stack)
	}
}

// leave continues with the stack when a rule has ended.
func (a *automaton) leave(stack int32) {
	switch stack {
	case bottom:
		a.set.accept = true
		return
	case unknown:
		a.set.escapes = true
		return
	}
	f := a.frames[stack]
	switch n := &a.p.nodes[f.place]; n.kind {
	case nodeRepeat:
		a.repeat(f.place, f.a, f.b, f.parent)
	case nodeObject:
		a.object(f.place, a.data[f.a], f.parent)
	default:
		a.enter(n.next, f.parent)
	}
}

// repeat stands between rounds with lo wanted and hi allowed.
func (a *automaton) repeat(n, lo, hi, stack int32) {
	x := &a.p.nodes[n]
	if lo == 0 {
		a.enter(x.next, stack)
	}
	if hi != 0 {
		body := a.p.rules[a.p.reps[x.arg].rule].start
		a.enter(body, a.frame(n, less1(lo), less1(hi), stack))
	}
}

// object stands between members.
func (a *automaton) object(n int32, d objectData, stack int32) {
	x := &a.p.nodes[n]
	o := a.p.objs[x.arg]
	if !d.sep && o.done(d) {
		a.enter(x.next, stack)
	}
	if !d.first && !d.sep {
		if o.more(a.p, d) {
			d.sep = true
			a.enter(a.p.rules[o.separator].start, a.frame(n, a.internData(d), 0, stack))
		}
		return
	}
	for i, k := range o.keys {
		if next, ok := o.take(a.p, d, i); ok {
			a.enter(a.p.rules[k.rule].start, a.frame(n, a.internData(next), 0, stack))
		}
	}
	if next, ok := o.take(a.p, d, -1); ok {
		a.enter(a.p.rules[o.extraRule(d)].start, a.frame(n, a.internData(next), 0, stack))
	}
}
