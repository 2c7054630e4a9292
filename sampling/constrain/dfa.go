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
	final []bool
	left  []int32              // bytes that the code point under way still needs
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

// determinized is a lazily determinized nfa.
type determinized struct {
	n      *nfa
	ids    map[string]int32
	sets   [][]int32
	accept []bool
	next   []map[byte]int32 // by representative byte of a class
}

func newDeterminized(n *nfa) *determinized {
	d := &determinized{n: n, ids: map[string]int32{}}
	d.intern(d.close([]int32{n.start}))
	return d
}

// close adds what empty moves reach and sorts.
func (d *determinized) close(set []int32) []int32 {
	seen := make(map[int32]bool, 2*len(set))
	out := set[:0:0]
	work := append([]int32(nil), set...)
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		if len(d.n.edges[i]) > 0 || d.n.final[i] {
			out = append(out, i)
		}
		work = append(work, d.n.eps[i]...)
	}
	slices.Sort(out)
	return out
}

func (d *determinized) intern(set []int32) int32 {
	key := make([]byte, 0, 4*len(set))
	final := false
	for _, i := range set {
		key = binary.LittleEndian.AppendUint32(key, uint32(i))
		final = final || d.n.final[i]
	}
	if id, ok := d.ids[string(key)]; ok {
		return id
	}
	id := int32(len(d.sets))
	d.ids[string(key)] = id
	d.sets = append(d.sets, set)
	d.accept = append(d.accept, final)
	d.next = append(d.next, nil)
	return id
}

func (d *determinized) step(q int32, b byte) int32 {
	if to, ok := d.next[q][b]; ok {
		return to
	}
	var set []int32
	for _, i := range d.sets[q] {
		for _, e := range d.n.edges[i] {
			if e.lo <= b && b <= e.hi {
				set = append(set, e.to)
			}
		}
	}
	to := d.intern(d.close(set))
	if d.next[q] == nil {
		d.next[q] = map[byte]int32{}
	}
	d.next[q][b] = to
	return to
}

// newDFAText combines conditions. ok is false if there are too many states.
func newDFAText(conds []condition) (text *dfaText, ok bool) {
	d := &dfaText{}
	reps := d.classes(conds)
	parts := make([]*determinized, len(conds))
	for i, c := range conds {
		parts[i] = newDeterminized(c.nfa)
	}
	type tuple struct {
		utf8 int32
		at   []int32
	}
	ids := map[string]int32{}
	var tuples []tuple
	add := func(t tuple) int32 {
		key := binary.LittleEndian.AppendUint32(nil, uint32(t.utf8))
		accept := t.utf8 == 0
		for i, q := range t.at {
			key = binary.LittleEndian.AppendUint32(key, uint32(q))
			accept = accept && parts[i].accept[q] != conds[i].negate
			if !conds[i].negate && len(parts[i].sets[q]) == 0 {
				return dead
			}
		}
		id, known := ids[string(key)]
		if !known {
			id = int32(len(tuples))
			ids[string(key)] = id
			tuples = append(tuples, t)
			d.final = append(d.final, accept)
			d.left = append(d.left, utf8Left[t.utf8])
		}
		return id
	}
	first := tuple{at: make([]int32, len(conds))}
	if add(first) == dead {
		add(tuple{at: nil})
	}
	work := 0
	for q := 0; q < len(tuples); q++ {
		row := make([]int32, len(reps))
		for k, b := range reps {
			row[k] = dead
			u := utf8Step(tuples[q].utf8, b)
			if u == dead {
				continue
			}
			at := make([]int32, len(tuples[q].at))
			for i, p := range tuples[q].at {
				at[i] = parts[i].step(p, b)
				work += len(parts[i].sets[p])
			}
			row[k] = add(tuple{u, at})
		}
		d.next = append(d.next, row)
		if len(tuples) > maxDFAStates || work > 40*maxCosts {
			return nil, false
		}
	}
	d.measure(reps)
	return d, true
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

// measure finds the routes and cuts moves that never get to acceptance.
func (d *dfaText) measure(reps []byte) {
	d.near = d.routes(reps, func(bytes, points int32) int64 { return int64(bytes)<<32 | int64(points) })
	d.short = d.routes(reps, func(bytes, points int32) int64 { return int64(points)<<32 | int64(bytes) })
	for _, row := range d.next {
		for k, to := range row {
			if to >= 0 && d.near.bytes[to] >= unreachable {
				row[k] = dead
			}
		}
	}
}

// routes relaxes backwards from acceptance, in order of weight (Dijkstra).
func (d *dfaText) routes(reps []byte, weight func(bytes, points int32) int64) route {
	n := len(d.next)
	type arc struct{ from, bytes, points int32 }
	back := make([][]arc, n)
	for q, row := range d.next {
		for k, to := range row {
			if to < 0 {
				continue
			}
			a := arc{int32(q), 1, 0}
			if d.left[q] == 0 {
				a.bytes, a.points = escapedCost(reps[k]), 1
			}
			back[to] = append(back[to], a)
		}
	}
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
	rep := [256]int32{}
	for b := 255; b >= 0; b-- {
		if c := escapedCost(byte(b)); rep[d.class[b]] == 0 || c < rep[d.class[b]] {
			rep[d.class[b]] = c
		}
	}
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
					v[q] = min(v[q], add32(rep[k], d.cost(to, after[0], after[1])))
				}
			}
		}
	}
	return v
}

// nfaOf wraps a list of texts as an automaton.
func nfaOf(list []string) *nfa { return oneOf(list).nfa }
