package lang

// A DFA is a textLang given by regular conditions that all hold, made
// deterministic when the source is compiled.
type DFA struct {
	Class [256]uint8
	reps  []byte    // the first byte of each class
	Next  [][]int32 // [state][class]
	price []int32   // per class: bytes it takes in a JSON string
	Final []bool
	Left  []int32              // bytes that the code point under way still needs
	phase []int32              // state of utf8Step
	free  []bool               // from here on every text is accepted
	Near  route                // the cheapest ways to acceptance
	short route                // the ones of fewest code points
	costs map[[2]int32][]int32 // cost by code points wanted and allowed

	Far int32 // bounds near.bytes
	// One of several texts with the same states, of which each state ends at
	// most one.
	Labelled bool
	Label    uint32
}

// Automaton is the same for texts that have their states in common.
func (d *DFA) Automaton() *[]int32 { return &d.Next[0] }

// A Condition is an automaton that must accept, or must not.
type Condition struct {
	NFA    *NFA
	Negate bool
}

// MaxDFAStates bounds the states of one set of conditions, MaxCosts the
// entries of its table of costs by length.
const (
	MaxDFAStates = 12_000
	MaxCosts     = 6_000_000
)

// Start is the state before the first byte.
func (d *DFA) Start() int32 { return 0 }

// Accept reports whether the text may end at q.
func (d *DFA) Accept(q int32) bool { return d.Final[q] }

// Inside reports whether q is inside a code point.
func (d *DFA) Inside(q int32) bool { return d.Left[q] > 0 }

// Alike is the bytes around b that no state tells from it.
func (d *DFA) Alike(_ int32, b byte) ByteRange {
	k := int(d.Class[b])
	if k+1 == len(d.reps) {
		return ByteRange{d.reps[k], 0xFF}
	}
	return ByteRange{d.reps[k], d.reps[k+1] - 1}
}

func (d *DFA) step(q int32, b byte) int32 { return d.Next[q][d.Class[b]] }

// A route is, per state, a way to acceptance: its bytes and code points.
type route struct{ Bytes, points []int32 }

// Cost is the fewest bytes of JSON string text to the end with lo to hi more code
// points; hi < 0 is unlimited.
func (d *DFA) Cost(q, lo, hi int32) int32 {
	if lo <= 0 {
		// The cheapest way if it is short enough, else the shortest one: a way
		// in between could be a few bytes cheaper, but either way leads to
		// states that judge the same, which is what callers rely on.
		switch {
		case hi < 0 || d.Near.points[q] <= hi:
			return d.Near.Bytes[q]
		case d.short.points[q] <= hi:
			return d.short.Bytes[q]
		}
		return Unreachable
	}
	v, ok := d.costs[[2]int32{lo, hi}]
	if !ok {
		return Unreachable // only pairs on the way from the bounds occur
	}
	return v[q]
}

// classify groups bytes that no condition, nor UTF-8 or JSON, tells apart.
func (d *DFA) classify(conds []Condition) {
	var cut [257]bool
	mark := func(lo, hi byte) { cut[lo], cut[int(hi)+1] = true, true }
	for _, c := range conds {
		for _, edges := range c.NFA.Edges {
			for _, e := range edges {
				mark(e.Lo, e.Hi)
			}
		}
	}
	for _, r := range []ByteRange{{0, 0x1F}, {'"', '"'}, {'\\', '\\'}, {0x80, 0x8F}, {0x90, 0x9F}, {0xA0, 0xBF}, {0xC2, 0xDF},
		{0xE0, 0xE0}, {0xED, 0xED}, {0xF0, 0xF0}, {0xF4, 0xF4}, {0xF5, 0xFF}, {'\b', '\n'}, {'\f', '\r'}} {
		mark(r.Lo, r.Hi)
	}
	for b := 0; b < 256; b++ {
		if b == 0 || cut[b] {
			d.reps = append(d.reps, byte(b))
		}
		d.Class[b] = uint8(len(d.reps) - 1)
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

// No verdicts: of states whose texts differ, and of those that none
// is known for yet.
const (
	undecided = int32(-2)
	unseen    = int32(-3)
)

// settled finds the states all of whose texts, whatever follows, have the same
// verdict, and that verdict; the others are undecided. A text that dies, other than
// by not being UTF-8, has the verdict dead. verdicts are those of the texts
// that end in a state, and count for states between code points.
func (d *DFA) settled(verdicts []int32) []int32 {
	out := make([]int32, len(d.Next))
	for q := range out {
		if out[q] = unseen; d.Left[q] == 0 {
			out[q] = verdicts[q]
		}
		for k, to := range d.Next[q] {
			if to < 0 && utf8Step(d.phase[q], d.reps[k]) != Dead {
				out[q] = meetVerdicts(out[q], Dead)
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

// Bounded returns the text with the costs for lo..hi code points, which need
// a table by the code points still wanted. It shares all else with d, and is
// nil if the table would be too large.
func (d *DFA) Bounded(lo, hi int32) *DFA {
	if hi >= 0 && d.short.Bytes == nil {
		b := *d
		d, b.short = &b, b.routes(shortest, b.arcs())
	}
	if lo <= 0 {
		return d
	}
	if int64(lo)*int64(len(d.Next)) > MaxCosts {
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

func (d *DFA) costsFor(lo, hi int32) []int32 {
	v := make([]int32, len(d.Next))
	after := [2]int32{Less1(lo), Less1(hi)}
	for left := int32(0); left <= 3; left++ {
		for q := range v {
			if d.Left[q] != left {
				continue
			}
			v[q] = Unreachable
			if left > 0 {
				for _, to := range d.Next[q] {
					if to >= 0 {
						v[q] = min(v[q], Add32(1, v[to]))
					}
				}
				continue
			}
			for k, to := range d.Next[q] {
				if to >= 0 {
					v[q] = min(v[q], Add32(d.price[k], d.Cost(to, after[0], after[1])))
				}
			}
		}
	}
	return v
}

// NFA returns the same texts as an automaton for expressions.
func (d *DFA) NFA() *NFA {
	n := &NFA{Edges: make([][]Edge, len(d.Next)), Eps: make([][]int32, len(d.Next)), Final: d.Final}
	for q, row := range d.Next {
		for b := 0; b < 256; b++ {
			to := row[d.Class[b]]
			if to < 0 || d.Near.Bytes[to] >= Unreachable {
				continue
			}
			if k := len(n.Edges[q]); k > 0 && n.Edges[q][k-1].To == to && n.Edges[q][k-1].Hi == byte(b-1) {
				n.Edges[q][k-1].Hi = byte(b)
				continue
			}
			n.Edges[q] = append(n.Edges[q], Edge{byte(b), byte(b), to})
		}
	}
	return n
}
