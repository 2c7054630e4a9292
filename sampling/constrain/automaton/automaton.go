package automaton

import (
	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/program"
)

// An automaton is the lazily built deterministic form of a Program. A state is a
// set of items, an item is a place in the program with the stack of what to do
// when its rule ends. Stacks are shared parent-pointer lists, so a state costs
// a few words however deep the text is nested. States are interned: equal
// positions have equal numbers. Not safe for concurrent use.
type automaton struct {
	p *program.Program

	frames   []frame
	frameIDs map[frameKey]int32

	strings   []stringPlace
	stringIDs map[lang.StringState]int32

	texts   []readNode // what was read of unique texts
	textIDs map[readKey]int32

	taken program.TakenSets

	data    []program.Data
	dataIDs map[string]int32

	states   paged[dfaState]
	stateIDs map[string]int32
	single   map[item]int32 // state after one place
	sole     map[item]int32 // state of one item
	items    arena[item]    // of states
	nodes    arena[int32]   // of closures

	closures []*nodeClosure // per node, nil until asked for
	marks    []int32        // per node: the closure that saw it last
	mark     int32
	work     []int32

	set    closureSet
	key    []byte
	most   int  // items of a state, see maxItems
	busy   int  // items gone through in states of more than busyItems
	pruned bool // a state reached most and lost its more distant items
	torn   bool // a state with an unknown stack has missed words of a scope
	start  int32
}

// maxItems bounds the items of a state. Beyond it the ones farthest from a
// completion are dropped: what is accepted stays right, and something always
// is, but a text that only they could match is refused.
const maxItems = 4096

// A grammar so ambiguous that states of more than busyItems have been gone
// through for maxBusy items in all gets no more states of more than busyItems.
const (
	busyItems = 128
	maxBusy   = 1 << 20
)

// A frame says what follows the rule above it. The place is a node: one with a
// call resumes after it, a repetition goes on with a rounds wanted and b
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
	lang.StringState
	dist int32
	live [4]uint64
}

// A dfaState is one set of items.
type dfaState struct {
	items   []item
	live    [4]uint64
	only    int16 // the one byte of live, or -1 if it has another number of them
	narrow  bool  // live has too few bytes for loops
	accept  bool
	escapes bool // a path ends in the unknown part of the stack
	dist    int32
	few     [4]transition // first transitions
	n       uint8
	probed  bool        // loops has been looked for
	loops   *[256]bool  // bytes that lead back to the state, nil if they are few
	row     *[256]int32 // the rest, once there are more: state+2, 0 if not known
	divided bool        // division has been found
	division
	mask *maskEntry // see memo, nil if not kept
}

// A transition is the state after every byte of lo..hi.
type transition struct {
	lo, hi byte
	to     int32
}

// nodeClosure is what a node leads to without consuming bytes.
type nodeClosure struct {
	reads []int32 // nodes with edges
	acts  []int32 // calls, repetitions, strings, objects
	ends  bool
}

func newAutomaton(p *program.Program) *automaton {
	a := &automaton{
		p:         p,
		most:      maxItems,
		frames:    []frame{{place: -1}, {place: -1}},
		frameIDs:  map[frameKey]int32{},
		stringIDs: map[lang.StringState]int32{},
		texts:     []readNode{{}},
		textIDs:   map[readKey]int32{},
		dataIDs:   map[string]int32{},
		stateIDs:  map[string]int32{},
		single:    map[item]int32{},
		sole:      map[item]int32{},
		closures:  make([]*nodeClosure, len(p.Nodes)),
	}
	a.begin()
	a.enter(p.Rules[p.Root].Start, bottom)
	a.start = a.finish()
	return a
}

func (a *automaton) closure(n int32) *nodeClosure {
	if c := a.closures[n]; c != nil {
		return c
	}
	c := &nodeClosure{}
	var readBuf, actBuf [16]int32
	reads, acts := readBuf[:0], actBuf[:0]
	a.mark++
	if a.marks == nil {
		a.marks = make([]int32, len(a.p.Nodes))
	}
	a.marks[n] = a.mark
	work := append(a.work[:0], n)
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if a.p.Dist[i] >= lang.Unreachable {
			continue
		}
		switch x := &a.p.Nodes[i]; x.Kind {
		case program.NodeEmpty:
			for _, e := range a.p.EpsOf(x) {
				if a.marks[e] != a.mark {
					a.marks[e] = a.mark
					work = append(work, e)
				}
			}
		case program.NodeBytes:
			reads = append(reads, i)
		case program.NodeFinal:
			c.ends = true
		default:
			acts = append(acts, i)
		}
	}
	c.reads, c.acts = a.nodes.keep(reads), a.nodes.keep(acts)
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
	n := &a.p.Nodes[place]
	d := a.p.Dist[n.Next]
	switch n.Kind {
	case program.NodeRepeat:
		d = lang.Add32(d, lang.Mul32(a.p.RuleMin[a.p.Reps[n.Arg].Rule], x))
	case program.NodeObject:
		d = lang.Add32(d, a.p.Objs[n.Arg].Distance(a.p, a.data[x]))
	}
	return lang.Add32(d, a.frames[parent].dist)
}

// callFrame returns the stack for the rule called at node n.
func (a *automaton) callFrame(n, stack int32) int32 {
	if a.closure(a.p.Nodes[n].Next).tail() {
		return stack
	}
	return a.frame(n, 0, 0, stack)
}

func (a *automaton) internData(d program.Data) int32 {
	var buf [64]byte
	k := d.AppendKey(buf[:0])
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
func (a *automaton) internString(st lang.StringState) (at int32, ok bool) {
	s := a.p.Strs[st.Str]
	if q, ok := s.Released(st); ok {
		st.Str, st.Q = s.Off.ID, q
		s = s.Off
	}
	if id, ok := a.stringIDs[st]; ok {
		return ^id, true
	}
	d := s.Distance(st)
	if d >= lang.Unreachable || st.Text != 0 && !a.completable(st) {
		return 0, false
	}
	id := int32(len(a.strings))
	place := stringPlace{st, d, s.Live(st)}
	if st.Text != 0 {
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
	return &a.p.Live[a.p.Nodes[it.at].Arg]
}

func (a *automaton) itemDist(it item) int32 {
	d := int32(0)
	if it.at < 0 {
		d = a.strings[^it.at].dist
	} else {
		d = a.p.Dist[it.at]
	}
	return lang.Add32(d, a.frames[it.stack].dist)
}
