package constrain

import (
	"encoding/binary"
	"slices"
)

// newDFAText combines conditions. ok is false if there are too many states.
func newDFAText(conds []condition) (text *dfaText, ok bool) {
	b := newDFABuilder(conds)
	if !b.run() {
		return nil, false
	}
	b.d.approach(b.d.arcs())
	verdicts := make([]int32, len(b.d.next))
	for q, final := range b.d.final {
		if final {
			verdicts[q] = 1
		}
	}
	b.d.free = freeOf(b.d.settled(verdicts), 1)
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
	if !b.run() {
		return nil, false
	}
	classes = map[uint32]*dfaText{}
	verdicts := make([]int32, len(b.labels))
	for q, l := range b.labels {
		verdicts[q] = int32(l)
	}
	back, settled := b.d.arcs(), b.d.settled(verdicts)
	for _, l := range b.labels {
		if l>>16 != 0 || classes[l] != nil {
			continue // inside a code point, or known
		}
		d := *b.d
		d.final = make([]bool, len(b.labels))
		for q, m := range b.labels {
			d.final[q] = m == l
		}
		d.approach(back)
		d.free = freeOf(settled, int32(l))
		d.labelled, d.label = true, l
		classes[l] = &d
	}
	return classes, true
}

func newDFABuilder(conds []condition) *dfaBuilder {
	d := &dfaText{}
	b := &dfaBuilder{d: d, conds: conds, ids: map[string]int32{}}
	d.classify(conds)
	for _, c := range conds {
		b.parts = append(b.parts, newDeterminized(c.nfa, &d.class, len(d.reps)))
	}
	b.leads = make([][]int32, utf8States)
	for u := range b.leads {
		for _, c := range d.reps {
			b.leads[u] = append(b.leads[u], utf8Step(int32(u), c))
		}
	}
	for _, c := range d.reps {
		d.price = append(d.price, escapedCost(c))
	}
	return b
}

// A dfaBuilder makes the product of UTF-8 and the conditions. A state is the
// state of each, in that order.
type dfaBuilder struct {
	d     *dfaText
	conds []condition
	parts []*determinized
	leads [][]int32 // utf8Step by class
	ids   map[string]int32
	at    [][]int32
	key   []byte

	labelled bool     // keep texts that no condition holds for
	labels   []uint32 // per state: the conditions that hold, and above 16 bits utf8
}

func (b *dfaBuilder) run() bool {
	classes := len(b.d.reps)
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
	singles []int32   // per node: 1 + the state of it alone, 0 if not known
	marks   []int32
	mark    int32
	work    []int32 // scratch, like the two below
	out     []int32
	key     []byte
}

func newDeterminized(n *nfa, class *[256]uint8, classes int) *determinized {
	d := &determinized{n: n, class: class, ids: map[string]int32{}, targets: make([][]int32, classes), marks: make([]int32, len(n.edges)), singles: make([]int32, len(n.edges))}
	d.intern([]int32{n.start})
	return d
}

// intern returns the state of a set of nodes and all that empty moves reach.
func (d *determinized) intern(set []int32) int32 {
	if len(set) == 1 {
		if id := d.singles[set[0]]; id > 0 {
			return id - 1
		}
	}
	id := d.closed(set)
	if len(set) == 1 {
		d.singles[set[0]] = id + 1
	}
	return id
}

func (d *determinized) closed(set []int32) int32 {
	d.mark++
	work := append(d.work[:0], set...)
	out := d.out[:0]
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
	d.work, d.out = work, out
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
	d.sets, d.accept, d.rows = append(d.sets, slices.Clone(out)), append(d.accept, final), append(d.rows, nil)
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
