package constrain

import (
	"encoding/binary"
	"slices"
)

// An automaton is the lazily built deterministic form of a prog. A state is a
// set of items, an item is a place in the program with the stack of what to do
// when its rule ends. Stacks are shared parent-pointer lists, so a state costs
// a few words however deep the text is nested. States are interned: equal
// positions have equal numbers. Not safe for concurrent use.
type automaton struct {
	p *prog

	frames   []frame
	frameIDs map[frameKey]int32

	strings   []stringPlace
	stringIDs map[stringState]int32

	texts   []string // what was read of unique texts
	textIDs map[string]int32

	data    []objectData
	dataIDs map[string]int32

	states   []dfaState
	stateIDs map[string]int32
	single   map[item]int32 // state behind one place
	sole     map[item]int32 // state of one item
	chunk    []item         // where items of new states are put

	closures []*nodeClosure // per node, nil until asked for
	marks    []int32        // per node: the closure that saw it last
	mark     int32
	work     []int32

	set    closureSet
	key    []byte
	pruned bool // a state reached maxItems and lost its more distant items
	start  int32
}

// maxItems bounds the items of a state. Beyond it the ones farthest from a
// completion are dropped: what is accepted stays right, and something always
// is, but a text that only they could match is refused.
const maxItems = 4096

// A frame says what follows the rule above it. The place is a node: one with a
// call resumes behind it, a repetition goes on with a rounds wanted and b
// allowed, an object with data a.
type frame struct {
	place  int32
	a, b   int32
	parent int32
	dist   int32 // fewest bytes to the end of the text from here
}

type frameKey struct{ place, a, b, parent int32 }

// Two stacks exist from the start.
const (
	bottom  = int32(0) // the end of the text
	unknown = int32(1) // the end of what a shared state knows of its stack
)

// An item is a node that reads bytes, or ^i for the string place i, with its
// stack.
type item struct{ at, stack int32 }

type stringPlace struct {
	stringState
	dist int32
	live [4]uint64
}

// A dfaState is one set of items.
type dfaState struct {
	items   []item
	live    [4]uint64
	accept  bool
	escapes bool // a path ends in the unknown part of the stack
	dist    int32
	few     [4]transition // first transitions
	n       uint8
	row     *[256]int32 // the rest, once there are more: state+2, 0 if not known
}

type transition struct {
	b  byte
	to int32
}

// nodeClosure is what a node leads to without consuming bytes.
type nodeClosure struct {
	reads []int32 // nodes with edges
	acts  []int32 // calls, repetitions, strings, objects
	ends  bool
}

func newAutomaton(p *prog) *automaton {
	a := &automaton{
		p:         p,
		frames:    []frame{{place: -1}, {place: -1}},
		frameIDs:  map[frameKey]int32{},
		stringIDs: map[stringState]int32{},
		textIDs:   map[string]int32{},
		dataIDs:   map[string]int32{},
		stateIDs:  map[string]int32{},
		single:    map[item]int32{},
		sole:      map[item]int32{},
		closures:  make([]*nodeClosure, len(p.nodes)),
	}
	a.begin()
	a.enter(p.rules[p.root].start, bottom)
	a.start = a.finish()
	return a
}

func (a *automaton) closure(n int32) *nodeClosure {
	if c := a.closures[n]; c != nil {
		return c
	}
	c := &nodeClosure{}
	a.mark++
	if a.marks == nil {
		a.marks = make([]int32, len(a.p.nodes))
	}
	a.marks[n] = a.mark
	work := append(a.work[:0], n)
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if a.p.dist[i] >= unreachable {
			continue
		}
		switch x := &a.p.nodes[i]; x.kind {
		case nodeEmpty:
			for _, e := range x.eps {
				if a.marks[e] != a.mark {
					a.marks[e] = a.mark
					work = append(work, e)
				}
			}
		case nodeBytes:
			c.reads = append(c.reads, i)
		case nodeFinal:
			c.ends = true
		default:
			c.acts = append(c.acts, i)
		}
	}
	a.closures[n], a.work = c, work
	return c
}

// tail reports whether nothing is left to do at n but end the rule.
func (c *nodeClosure) tail() bool {
	return c.ends && len(c.reads) == 0 && len(c.acts) == 0
}

func (a *automaton) frame(place, x, y, parent int32) int32 {
	k := frameKey{place, x, y, parent}
	if id, ok := a.frameIDs[k]; ok {
		return id
	}
	id := int32(len(a.frames))
	a.frames = append(a.frames, frame{place, x, y, parent, a.frameDist(place, x, parent)})
	a.frameIDs[k] = id
	return id
}

func (a *automaton) frameDist(place, x, parent int32) int32 {
	n := &a.p.nodes[place]
	d := a.p.dist[n.next]
	switch n.kind {
	case nodeRepeat:
		d = add32(d, mul32(a.p.ruleMin[a.p.reps[n.arg].rule], x))
	case nodeObject:
		d = add32(d, a.p.objs[n.arg].distance(a.p, a.data[x]))
	}
	return add32(d, a.frames[parent].dist)
}

// callFrame returns the stack for the rule called at node n.
func (a *automaton) callFrame(n, stack int32) int32 {
	if a.closure(a.p.nodes[n].next).tail() {
		return stack
	}
	return a.frame(n, 0, 0, stack)
}

func (a *automaton) internData(d objectData) int32 {
	var buf [64]byte
	k := d.appendKey(buf[:0])
	if id, ok := a.dataIDs[string(k)]; ok {
		return id
	}
	id := int32(len(a.data))
	a.data = append(a.data, d)
	a.dataIDs[string(k)] = id
	return id
}

// internString returns the item place for a string state; ok is false if it
// cannot be completed.
func (a *automaton) internString(st stringState) (at int32, ok bool) {
	s := a.p.strs[st.str]
	if q, ok := s.released(st); ok {
		st.str, st.q = s.off.id, q
		s = s.off
	}
	if id, ok := a.stringIDs[st]; ok {
		return ^id, true
	}
	d := s.distance(st)
	if d >= unreachable || st.text != 0 && !a.completable(st) {
		return 0, false
	}
	id := int32(len(a.strings))
	place := stringPlace{st, d, s.live(st)}
	if st.text != 0 {
		a.keepUnique(&place)
	}
	a.strings = append(a.strings, place)
	a.stringIDs[st] = id
	return ^id, true
}

func (a *automaton) itemLive(it item) *[4]uint64 {
	if it.at < 0 {
		return &a.strings[^it.at].live
	}
	return &a.p.live[it.at]
}

func (a *automaton) itemDist(it item) int32 {
	d := int32(0)
	if it.at < 0 {
		d = a.strings[^it.at].dist
	} else {
		d = a.p.dist[it.at]
	}
	return add32(d, a.frames[it.stack].dist)
}

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
			st.text, st.seen = a.internText(""), a.frames[stack].a
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
		a.enter(a.p.rules[o.extra].start, a.frame(n, a.internData(next), 0, stack))
	}
}

// finish interns the collected set and returns its state, or dead.
func (a *automaton) finish() int32 {
	c := &a.set
	if len(c.items) == 0 && !c.accept && !c.escapes {
		return dead
	}
	if len(c.items) == 1 && !c.accept && !c.escapes {
		return a.soleState(c.items[0])
	}
	slices.SortFunc(c.items, compareItems)
	c.items = slices.Compact(c.items)
	if len(c.items) > maxItems {
		a.prune()
	}
	key := a.key[:0]
	flags := byte(0)
	if c.accept {
		flags = 1
	}
	if c.escapes {
		flags |= 2
	}
	key = append(key, flags)
	for _, it := range c.items {
		key = binary.LittleEndian.AppendUint32(key, uint32(it.at))
		key = binary.LittleEndian.AppendUint32(key, uint32(it.stack))
	}
	a.key = key
	if id, ok := a.stateIDs[string(key)]; ok {
		return id
	}
	id := a.addState(c.items, c.accept, c.escapes)
	a.stateIDs[string(key)] = id
	return id
}

// soleState is the state of one item. Most states are of this kind, so they
// have a table of their own.
func (a *automaton) soleState(it item) int32 {
	if id, ok := a.sole[it]; ok {
		return id
	}
	id := a.addState([]item{it}, false, false)
	a.sole[it] = id
	return id
}

func (a *automaton) addState(items []item, accept, escapes bool) int32 {
	if cap(a.chunk)-len(a.chunk) < len(items) {
		a.chunk = make([]item, 0, max(512, len(items)))
	}
	from := len(a.chunk)
	a.chunk = append(a.chunk, items...)
	s := dfaState{items: a.chunk[from:len(a.chunk):len(a.chunk)], accept: accept, escapes: escapes, dist: unreachable}
	if accept || escapes {
		s.dist = 0
	}
	for _, it := range s.items {
		for i, w := range a.itemLive(it) {
			s.live[i] |= w
		}
		s.dist = min(s.dist, a.itemDist(it))
	}
	a.states = append(a.states, s)
	return int32(len(a.states) - 1)
}

func compareItems(x, y item) int {
	if x.at != y.at {
		return int(x.at) - int(y.at)
	}
	return int(x.stack) - int(y.stack)
}

func (a *automaton) prune() {
	c := &a.set
	a.pruned = true
	slices.SortStableFunc(c.items, func(x, y item) int { return int(a.itemDist(x)) - int(a.itemDist(y)) })
	c.items = c.items[:maxItems]
	slices.SortFunc(c.items, compareItems)
}

// step returns the state behind byte b, or dead.
func (a *automaton) step(s int32, b byte) int32 {
	st := &a.states[s]
	if !hasByte(&st.live, b) {
		return dead
	}
	if st.row != nil {
		if to := st.row[b]; to != 0 {
			return to - 2
		}
	} else {
		for _, t := range st.few[:st.n] {
			if t.b == b {
				return t.to
			}
		}
	}
	to := a.compute(s, b)
	st = &a.states[s] // compute may have moved it
	if st.row == nil && int(st.n) < len(st.few) {
		st.few[st.n] = transition{b, to}
		st.n++
		return to
	}
	if st.row == nil {
		st.row = new([256]int32)
		for _, t := range st.few {
			st.row[t.b] = t.to + 2
		}
	}
	st.row[b] = to + 2
	return to
}

func (a *automaton) compute(s int32, b byte) int32 {
	items := a.states[s].items
	if len(items) == 1 && items[0].at >= 0 {
		if to, ok := a.soleTarget(items[0], b); ok {
			return a.closed(to)
		}
	}
	a.begin()
	for _, it := range items {
		a.advance(it, b)
	}
	return a.finish()
}

// soleTarget returns the one place that an item leads to on b, if it is one.
func (a *automaton) soleTarget(it item, b byte) (item, bool) {
	to, n := int32(0), 0
	for _, e := range a.p.nodes[it.at].edges {
		if e.lo <= b && b <= e.hi {
			to = e.to
			n++
		}
	}
	return item{to, it.stack}, n == 1
}

// closed is the state of one place, remembered.
func (a *automaton) closed(it item) int32 {
	if a.p.nodes[it.at].kind == nodeBytes {
		return a.soleState(it)
	}
	if s, ok := a.single[it]; ok {
		return s
	}
	a.begin()
	a.enter(it.at, it.stack)
	s := a.finish()
	a.single[it] = s
	return s
}

// advance adds what one item leads to on b.
func (a *automaton) advance(it item, b byte) {
	if it.at >= 0 {
		for _, e := range a.p.nodes[it.at].edges {
			if e.lo <= b && b <= e.hi {
				a.enter(e.to, it.stack)
			}
		}
		return
	}
	st := a.strings[^it.at].stringState
	s := a.p.strs[st.str]
	if b == '"' && s.closes(st) && !s.bare {
		a.leave(a.remembered(st, it.stack))
		return
	}
	next, ok := s.step(st, b)
	if !ok {
		return
	}
	if st.text != 0 {
		next.text = a.internText(a.readText(st, next, b))
	}
	if at, ok := a.internString(next); ok {
		a.set.items = append(a.set.items, item{at, it.stack})
		if s.bare && s.closes(next) && !a.repeats(next) {
			a.leave(a.remembered(next, it.stack))
		}
	}
}

// stateOf returns the state with exactly these items.
func (a *automaton) stateOf(items []item) int32 {
	a.begin()
	a.set.items = append(a.set.items, items...)
	return a.finish()
}

// left returns the state behind the end of a rule that was called with a stack.
func (a *automaton) left(stack int32) int32 {
	k := item{-1, stack} // no node is -1, so this cannot collide in single
	if s, ok := a.single[k]; ok {
		return s
	}
	a.begin()
	a.leave(stack)
	s := a.finish()
	a.single[k] = s
	return s
}
