package constrain

import (
	"container/heap"
	"encoding/binary"
	"slices"
)

// A dfaText is a textLang given by regular conditions that all hold, made
// deterministic when the source is compiled.
type dfaText struct {
	class [256]uint8
	next  [][]int32 // [state][class]
	price []int32   // per class: bytes it takes in a JSON string
	final []bool
	left  []int32              // bytes that the code point under way still needs
	phase []int32              // state of utf8Step
	free  []bool               // from here on every text is accepted
	near  route                // the cheapest ways to acceptance
	short route                // the ones of fewest code points
	costs map[[2]int32][]int32 // cost by code points wanted and allowed
}

// A condition is an automaton that must accept, or must not.
type condition struct {
	nfa    *nfa
	negate bool
}

// maxDFAStates bounds the states of one set of conditions, maxCosts the
// entries of its table of costs by length.
const (
	maxDFAStates = 12_000
	maxCosts     = 6_000_000
)

func (d *dfaText) start() int32        { return 0 }
func (d *dfaText) accept(q int32) bool { return d.final[q] }
func (d *dfaText) inside(q int32) bool { return d.left[q] > 0 }

func (d *dfaText) step(q int32, b byte) int32 { return d.next[q][d.class[b]] }

// A route is, per state, a way to acceptance: its bytes and code points.
type route struct{ bytes, points []int32 }

func (d *dfaText) cost(q, lo, hi int32) int32 {
	if lo <= 0 {
		// The cheapest way if it is short enough, else the shortest one: a way
		// in between could be a few bytes cheaper, but either way leads to
		// states that judge the same, which is what callers rely on.
		switch {
		case hi < 0 || d.near.points[q] <= hi:
			return d.near.bytes[q]
		case d.short.points[q] <= hi:
			return d.short.bytes[q]
		}
		return unreachable
	}
	v, ok := d.costs[[2]int32{lo, hi}]
	if !ok {
		return unreachable // only pairs on the way from the bounds occur
	}
	return v[q]
}

// newDFAText combines conditions. ok is false if there are too many states.
func newDFAText(conds []condition) (text *dfaText, ok bool) {
	b := newDFABuilder(conds)
	if !b.run(len(b.reps)) {
		return nil, false
	}
	b.d.near = b.d.routes(cheapest)
	b.d.release(b.reps)
	return b.d, true
}

// dfaClasses splits all texts by which of several automata accept them. The
// key of a class has a bit per automaton; classes without texts are left out.
// ok is false if there are too many states.
func dfaClasses(list []*nfa) (classes map[uint32]*dfaText, ok bool) {
	conds := make([]condition, len(list))
	for i, n := range list {
		conds[i] = condition{n, false}
	}
	b := newDFABuilder(conds)
	b.labelled = true
	if !b.run(len(b.reps)) {
		return nil, false
	}
	classes = map[uint32]*dfaText{}
	for _, l := range b.labels {
		if l>>16 != 0 || classes[l] != nil {
			continue // inside a code point, or known
		}
		d := *b.d
		d.final = make([]bool, len(b.labels))
		for q, m := range b.labels {
			d.final[q] = m == l
		}
		d.near = d.routes(cheapest)
		d.release(b.reps)
		classes[l] = &d
	}
	return classes, true
}

func newDFABuilder(conds []condition) *dfaBuilder {
	d := &dfaText{}
	b := &dfaBuilder{d: d, conds: conds, ids: map[string]int32{}}
	b.reps = d.classes(conds)
	for _, c := range conds {
		b.parts = append(b.parts, newDeterminized(c.nfa, &d.class, len(b.reps)))
	}
	b.leads = make([][]int32, utf8States)
	for u := range b.leads {
		for _, c := range b.reps {
			b.leads[u] = append(b.leads[u], utf8Step(int32(u), c))
		}
	}
	for _, c := range b.reps {
		d.price = append(d.price, escapedCost(c))
	}
	return b
}

// A dfaBuilder makes the product of UTF-8 and the conditions. A state is the
// state of each, in that order.
type dfaBuilder struct {
	d     *dfaText
	reps  []byte // a byte of each class
	conds []condition
	parts []*determinized
	leads [][]int32 // utf8Step by class
	ids   map[string]int32
	at    [][]int32
	key   []byte

	labelled bool     // keep texts that no condition holds for
	labels   []uint32 // per state: the conditions that hold, and above 16 bits utf8
}

func (b *dfaBuilder) run(classes int) bool {
	width := 1 + len(b.conds)
	next := make([]int32, width)
	if b.add(next) == dead {
		b.d.final, b.d.left, b.d.phase, b.at = []bool{false}, []int32{0}, []int32{0}, [][]int32{nil}
		b.d.next = [][]int32{make([]int32, classes)}
		for k := range b.d.next[0] {
			b.d.next[0][k] = dead
		}
		return true
	}
	rows := make([][]int32, len(b.parts))
	work := 0
	for q := 0; q < len(b.at); q++ {
		at := b.at[q]
		for i, p := range b.parts {
			rows[i] = p.row(at[i+1])
			work += len(p.sets[at[i+1]]) + 1
		}
		row := make([]int32, classes)
		for k := range row {
			row[k] = dead
			lead := b.leads[at[0]][k]
			if lead == dead {
				continue
			}
			same := k > 0 && next[0] == lead && b.leads[at[0]][k-1] == lead
			next[0] = lead
			for i := range b.parts {
				same = same && next[i+1] == rows[i][k]
				next[i+1] = rows[i][k]
			}
			if same {
				row[k] = row[k-1]
			} else {
				row[k] = b.add(next)
			}
		}
		b.d.next = append(b.d.next, row)
		if len(b.at) > maxDFAStates || work > 10*maxCosts {
			return false
		}
	}
	return true
}

// add returns the state with these parts, or dead if a condition can no longer
// hold.
func (b *dfaBuilder) add(at []int32) int32 {
	key := b.key[:0]
	accept := at[0] == 0
	for _, q := range at {
		key = binary.LittleEndian.AppendUint32(key, uint32(q))
	}
	b.key = key
	if id, ok := b.ids[string(key)]; ok {
		return id
	}
	label := uint32(0)
	for i, c := range b.conds {
		q := at[i+1]
		if b.parts[i].accept[q] {
			label |= 1 << i
		}
		accept = accept && b.parts[i].accept[q] != c.negate
		if !c.negate && !b.labelled && len(b.parts[i].sets[q]) == 0 {
			b.ids[string(key)] = dead
			return dead
		}
	}
	if b.labelled {
		b.labels = append(b.labels, label|uint32(at[0])<<16)
	}
	id := int32(len(b.at))
	b.ids[string(key)] = id
	b.at = append(b.at, slices.Clone(at))
	b.d.final = append(b.d.final, accept)
	b.d.left = append(b.d.left, utf8Left[at[0]])
	b.d.phase = append(b.d.phase, at[0])
	return id
}

// determinized is a lazily determinized nfa over classes of bytes.
type determinized struct {
	n       *nfa
	class   *[256]uint8
	ids     map[string]int32
	sets    [][]int32
	accept  []bool
	rows    [][]int32 // nil until asked for
	targets [][]int32 // per class, scratch
	marks   []int32
	mark    int32
	key     []byte
}

func newDeterminized(n *nfa, class *[256]uint8, classes int) *determinized {
	d := &determinized{n: n, class: class, ids: map[string]int32{}, targets: make([][]int32, classes), marks: make([]int32, len(n.edges))}
	d.intern([]int32{n.start})
	return d
}

// intern returns the state of a set of nodes and all that empty moves reach.
func (d *determinized) intern(set []int32) int32 {
	d.mark++
	work := append([]int32(nil), set...)
	out := set[:0:0]
	final := false
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if d.marks[i] == d.mark {
			continue
		}
		d.marks[i] = d.mark
		if len(d.n.edges[i]) > 0 || d.n.final[i] {
			out = append(out, i)
		}
		final = final || d.n.final[i]
		work = append(work, d.n.eps[i]...)
	}
	slices.Sort(out)
	key := d.key[:0]
	for _, i := range out {
		key = binary.LittleEndian.AppendUint32(key, uint32(i))
	}
	d.key = key
	if id, ok := d.ids[string(key)]; ok {
		return id
	}
	id := int32(len(d.sets))
	d.ids[string(key)] = id
	d.sets, d.accept, d.rows = append(d.sets, out), append(d.accept, final), append(d.rows, nil)
	return id
}

// row returns the states behind q, by class.
func (d *determinized) row(q int32) []int32 {
	if d.rows[q] != nil {
		return d.rows[q]
	}
	for k := range d.targets {
		d.targets[k] = d.targets[k][:0]
	}
	for _, i := range d.sets[q] {
		for _, e := range d.n.edges[i] {
			for k := d.class[e.lo]; ; k++ {
				d.targets[k] = append(d.targets[k], e.to)
				if k == d.class[e.hi] {
					break
				}
			}
		}
	}
	row := make([]int32, len(d.targets))
	for k, set := range d.targets {
		if k > 0 && slices.Equal(set, d.targets[k-1]) {
			row[k] = row[k-1]
		} else {
			row[k] = d.intern(set)
		}
	}
	d.rows[q] = row
	return row
}

// classes groups bytes that no condition, nor UTF-8 or JSON, tells apart, and
// returns one byte of each group.
func (d *dfaText) classes(conds []condition) []byte {
	var cut [257]bool
	mark := func(lo, hi byte) { cut[lo], cut[int(hi)+1] = true, true }
	for _, c := range conds {
		for _, edges := range c.nfa.edges {
			for _, e := range edges {
				mark(e.lo, e.hi)
			}
		}
	}
	for _, r := range []byteRange{{0, 0x1F}, {'"', '"'}, {'\\', '\\'}, {0x80, 0x8F}, {0x90, 0x9F}, {0xA0, 0xBF}, {0xC2, 0xDF},
		{0xE0, 0xE0}, {0xED, 0xED}, {0xF0, 0xF0}, {0xF4, 0xF4}, {0xF5, 0xFF}, {'\b', '\n'}, {'\f', '\r'}} {
		mark(r.lo, r.hi)
	}
	var reps []byte
	for b := 0; b < 256; b++ {
		if b == 0 || cut[b] {
			reps = append(reps, byte(b))
		}
		d.class[b] = uint8(len(reps) - 1)
	}
	return reps
}

// escapedCost is the fewest bytes a byte of text takes in a JSON string.
func escapedCost(b byte) int32 {
	switch {
	case b == '"' || b == '\\' || b >= '\b' && b <= '\n' || b == '\f' || b == '\r':
		return 2
	case b < 0x20:
		return 6
	}
	return 1
}

// release finds the states from which every text is accepted: all but those
// with a way to one that refuses a text.
func (d *dfaText) release(reps []byte) {
	d.free = make([]bool, len(d.next))
	back := make([][]int32, len(d.next))
	var bound []int32
	for q, row := range d.next {
		free := d.left[q] > 0 || d.final[q]
		for k, to := range row {
			if utf8Step(d.phase[q], reps[k]) == dead {
				continue
			}
			if to < 0 {
				free = false
			} else if l := back[to]; len(l) == 0 || l[len(l)-1] != int32(q) {
				back[to] = append(l, int32(q))
			}
		}
		if d.free[q] = free; !free {
			bound = append(bound, int32(q))
		}
	}
	for len(bound) > 0 {
		q := bound[len(bound)-1]
		bound = bound[:len(bound)-1]
		for _, from := range back[q] {
			if d.free[from] {
				d.free[from] = false
				bound = append(bound, from)
			}
		}
	}
}

// Orders in which routes are looked for.
func cheapest(bytes, points int32) int64 { return int64(bytes)<<32 | int64(points) }
func shortest(bytes, points int32) int64 { return int64(points)<<32 | int64(bytes) }

// routes relaxes backwards from acceptance, in order of weight (Dijkstra).
func (d *dfaText) routes(weight func(bytes, points int32) int64) route {
	n := len(d.next)
	back := d.arcs()
	r := route{make([]int32, n), make([]int32, n)}
	var queue routeQueue
	for q := range n {
		r.bytes[q], r.points[q] = unreachable, unreachable
		if d.final[q] {
			r.bytes[q], r.points[q] = 0, 0
			queue = append(queue, routeEntry{0, int32(q)})
		}
	}
	heap.Init(&queue)
	for len(queue) > 0 {
		e := heap.Pop(&queue).(routeEntry)
		if e.weight != weight(r.bytes[e.q], r.points[e.q]) {
			continue
		}
		for _, a := range back[e.q] {
			b, p := r.bytes[e.q]+a.bytes, r.points[e.q]+a.points
			if w := weight(b, p); r.bytes[a.from] >= unreachable || w < weight(r.bytes[a.from], r.points[a.from]) {
				r.bytes[a.from], r.points[a.from] = b, p
				heap.Push(&queue, routeEntry{w, a.from})
			}
		}
	}
	return r
}

// An arc is a move backwards: the state it comes from and what it costs.
type arc struct{ from, bytes, points int32 }

// arcs lists the moves by the state they lead to, the cheapest of each kind.
func (d *dfaText) arcs() [][]arc {
	back := make([][]arc, len(d.next))
	for q, row := range d.next {
		for k, to := range row {
			if to < 0 {
				continue
			}
			a := arc{int32(q), 1, 0}
			if d.left[q] == 0 {
				a.bytes, a.points = d.price[k], 1
			}
			if l := back[to]; len(l) > 0 && l[len(l)-1].from == a.from {
				l[len(l)-1].bytes = min(l[len(l)-1].bytes, a.bytes)
				continue
			}
			back[to] = append(back[to], a)
		}
	}
	return back
}

type routeEntry struct {
	weight int64
	q      int32
}

type routeQueue []routeEntry

func (h routeQueue) Len() int           { return len(h) }
func (h routeQueue) Less(i, j int) bool { return h[i].weight < h[j].weight }
func (h routeQueue) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *routeQueue) Push(x any)        { *h = append(*h, x.(routeEntry)) }
func (h *routeQueue) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// bounded returns the text with the costs for lo..hi code points, which need
// a table by the code points still wanted. It shares all else with d, and is
// nil if the table would be too large.
func (d *dfaText) bounded(lo, hi int32) *dfaText {
	if hi >= 0 && d.short.bytes == nil {
		b := *d
		d, b.short = &b, b.routes(shortest)
	}
	if lo <= 0 {
		return d
	}
	if int64(lo)*int64(len(d.next)) > maxCosts {
		return nil
	}
	b := *d
	b.costs = make(map[[2]int32][]int32, lo)
	for i := int32(1); i <= lo; i++ {
		allowed := hi
		if hi >= 0 {
			if allowed = hi - lo + i; allowed < i {
				continue // fewer allowed than wanted
			}
		}
		b.costs[[2]int32{i, allowed}] = b.costsFor(i, allowed)
	}
	return &b
}

func (d *dfaText) costsFor(lo, hi int32) []int32 {
	v := make([]int32, len(d.next))
	after := [2]int32{less1(lo), less1(hi)}
	for left := int32(0); left <= 3; left++ {
		for q := range v {
			if d.left[q] != left {
				continue
			}
			v[q] = unreachable
			if left > 0 {
				for _, to := range d.next[q] {
					if to >= 0 {
						v[q] = min(v[q], add32(1, v[to]))
					}
				}
				continue
			}
			for k, to := range d.next[q] {
				if to >= 0 {
					v[q] = min(v[q], add32(d.price[k], d.cost(to, after[0], after[1])))
				}
			}
		}
	}
	return v
}

// nfaOf wraps a list of texts as an automaton.
func nfaOf(list []string) *nfa { return oneOf(list).nfa }

// nfa returns the same texts as an automaton for expressions.
func (d *dfaText) nfa() *nfa {
	n := &nfa{edges: make([][]edge, len(d.next)), eps: make([][]int32, len(d.next)), final: d.final}
	for q, row := range d.next {
		for b := 0; b < 256; b++ {
			to := row[d.class[b]]
			if to < 0 || d.near.bytes[to] >= unreachable {
				continue
			}
			if k := len(n.edges[q]); k > 0 && n.edges[q][k-1].to == to && n.edges[q][k-1].hi == byte(b-1) {
				n.edges[q][k-1].hi = byte(b)
				continue
			}
			n.edges[q] = append(n.edges[q], edge{byte(b), byte(b), to})
		}
	}
	return n
}
