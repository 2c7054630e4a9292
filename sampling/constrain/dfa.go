package constrain

// A dfaText is a textLang given by regular conditions that all hold, made
// deterministic when the source is compiled.
type dfaText struct {
	class [256]uint8
	reps  []byte    // the first byte of each class
	next  [][]int32 // [state][class]
	price []int32   // per class: bytes it takes in a JSON string
	final []bool
	left  []int32              // bytes that the code point under way still needs
	phase []int32              // state of utf8Step
	free  []bool               // from here on every text is accepted
	near  route                // the cheapest ways to acceptance
	short route                // the ones of fewest code points
	costs map[[2]int32][]int32 // cost by code points wanted and allowed

	far int32 // bounds near.bytes
	// One of several texts with the same states, of which each state ends at
	// most one.
	labelled bool
	label    uint32
}

// automaton is the same for texts that have their states in common.
func (d *dfaText) automaton() *[]int32 { return &d.next[0] }

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

func (d *dfaText) alike(_ int32, b byte) byteRange {
	k := int(d.class[b])
	if k+1 == len(d.reps) {
		return byteRange{d.reps[k], 0xFF}
	}
	return byteRange{d.reps[k], d.reps[k+1] - 1}
}

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

// classify groups bytes that no condition, nor UTF-8 or JSON, tells apart.
func (d *dfaText) classify(conds []condition) {
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
	for b := 0; b < 256; b++ {
		if b == 0 || cut[b] {
			d.reps = append(d.reps, byte(b))
		}
		d.class[b] = uint8(len(d.reps) - 1)
	}
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

// Verdicts that are none: of states whose texts differ, and of those that none
// is known for yet.
const (
	undecided = int32(-2)
	unseen    = int32(-3)
)

// settled finds the states all of whose texts, whatever follows, have the same
// verdict, and that verdict; the others are undecided. A text that dies, other than
// by not being UTF-8, has the verdict dead. verdicts are those of the texts
// that end in a state, and count for states between code points.
func (d *dfaText) settled(verdicts []int32) []int32 {
	out := make([]int32, len(d.next))
	for q := range out {
		if out[q] = unseen; d.left[q] == 0 {
			out[q] = verdicts[q]
		}
		for k, to := range d.next[q] {
			if to < 0 && utf8Step(d.phase[q], d.reps[k]) != dead {
				out[q] = meetVerdicts(out[q], dead)
			}
		}
	}
	// Verdicts only fall, from unseen to one to undecided, so this ends.
	back := d.arcs()
	work := make([]int32, 0, len(out))
	for q := range out {
		if out[q] != unseen {
			work = append(work, int32(q))
		}
	}
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range back.to(q) {
			if v := meetVerdicts(out[a.from], out[q]); v != out[a.from] {
				out[a.from] = v
				work = append(work, a.from)
			}
		}
	}
	return out
}

func meetVerdicts(a, b int32) int32 {
	switch {
	case a == b || b == unseen:
		return a
	case a == unseen:
		return b
	}
	return undecided
}

// freeOf marks the states from which every text has a verdict.
func freeOf(settled []int32, verdict int32) []bool {
	free := make([]bool, len(settled))
	for q, v := range settled {
		free[q] = v == verdict
	}
	return free
}

// bounded returns the text with the costs for lo..hi code points, which need
// a table by the code points still wanted. It shares all else with d, and is
// nil if the table would be too large.
func (d *dfaText) bounded(lo, hi int32) *dfaText {
	if hi >= 0 && d.short.bytes == nil {
		b := *d
		d, b.short = &b, b.routes(shortest, b.arcs())
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
