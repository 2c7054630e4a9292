package automaton

import (
	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/program"
)

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
	if a.p.Dist[n] >= lang.Unreachable || !a.set.visit(item{n, stack}) {
		return
	}
	if a.p.Nodes[n].Kind == program.NodeBytes {
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
	x := &a.p.Nodes[n]
	switch x.Kind {
	case program.NodeCall:
		a.enter(a.p.Rules[x.Arg].Start, a.callFrame(n, stack))
	case program.NodeRepeat:
		r := a.p.Reps[x.Arg]
		a.repeat(n, r.Min, r.Max, stack)
	case program.NodeString:
		s := a.p.Strs[x.Arg]
		st := lang.StringState{Str: x.Arg, Q: s.Lang.Start(), Lo: s.Lo, Hi: s.Hi}
		if stack == unknown && s.Among {

			a.torn = true
			return
		}
		if s.Remembers() && stack != unknown {
			st.Text, st.Seen = emptyText, a.frames[stack].a
			st.Apart = a.data[st.Seen].Texts == nil
		}
		if at, ok := a.internString(st); ok {
			a.set.items = append(a.set.items, item{at, a.callFrame(n, stack)})
		}
	case program.NodeObject:
		a.object(n, program.Data{First: true}, stack)
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
	switch n := &a.p.Nodes[f.place]; n.Kind {
	case program.NodeRepeat:
		a.repeat(f.place, f.a, f.b, f.parent)
	case program.NodeObject:
		a.object(f.place, a.data[f.a], f.parent)
	default:
		a.enter(n.Next, f.parent)
	}
}

// repeat stands between rounds with lo wanted and hi allowed.
func (a *automaton) repeat(n, lo, hi, stack int32) {
	x := &a.p.Nodes[n]
	if lo == 0 {
		a.enter(x.Next, stack)
	}
	if hi != 0 {
		body := a.p.Rules[a.p.Reps[x.Arg].Rule].Start
		a.enter(body, a.frame(n, lang.Less1(lo), lang.Less1(hi), stack))
	}
}

// object stands between members.
func (a *automaton) object(n int32, d program.Data, stack int32) {
	x := &a.p.Nodes[n]
	o := a.p.Objs[x.Arg]
	if !d.Sep && o.Done(d) {
		a.enter(x.Next, stack)
	}
	if !d.First && !d.Sep {
		if o.More(a.p, d) {
			d.Sep = true
			a.enter(a.p.Rules[o.Separator].Start, a.frame(n, a.internData(d), 0, stack))
		}
		return
	}
	for i, k := range o.Keys {
		if next, ok := o.Take(a.p, d, i); ok {
			a.enter(a.p.Rules[k.Rule].Start, a.frame(n, a.internData(next), 0, stack))
		}
	}
	if next, ok := o.Take(a.p, d, -1); ok {
		a.enter(a.p.Rules[o.ExtraRule(d)].Start, a.frame(n, a.internData(next), 0, stack))
	}
}
