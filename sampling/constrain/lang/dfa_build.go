package lang

import (
	"encoding/binary"
	"slices"
)

// NewDFA combines conditions. ok is false if there are too many states.
func NewDFA(conds []Condition) (text *DFA, ok bool) {
	b := newDFABuilder(conds)
	if !b.run() {
		return nil, false
	}
	b.d.approach(b.d.arcs())
	verdicts := make([]int32, len(b.d.Next))
	for q, final := range b.d.Final {
		if final {
			verdicts[q] = 1
		}
	}
	b.d.free = freeOf(b.d.settled(verdicts), 1)
	return b.d, true
}

// DFAClasses splits all texts by which of several automata accept them. The
// key of a class has a bit per automaton; classes without texts are left out.
// ok is false if there are too many states.
func DFAClasses(list []*NFA) (classes map[uint32]*DFA, ok bool) {
	conds := make([]Condition, len(list))
	for i, n := range list {
		conds[i] = Condition{n, false}
	}
	b := newDFABuilder(conds)
	b.labelled = true
	if !b.run() {
		return nil, false
	}
	classes = map[uint32]*DFA{}
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
		d.Final = make([]bool, len(b.labels))
		for q, m := range b.labels {
			d.Final[q] = m == l
		}
		d.approach(back)
		d.free = freeOf(settled, int32(l))
		d.Labelled, d.Label = true, l
		classes[l] = &d
	}
	return classes, true
}

func newDFABuilder(conds []Condition) *dfaBuilder {
	d := &DFA{}
	b := &dfaBuilder{d: d, conds: conds, ids: map[string]int32{}}
	d.classify(conds)
	for _, c := range conds {
		b.parts = append(b.parts, newDeterminized(c.NFA, &d.Class, len(d.reps)))
	}
	b.leads = make([][]int32, UTF8States)
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
	d     *DFA
	conds []Condition
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
	if b.add(next) == Dead {
		b.d.Final, b.d.Left, b.d.phase, b.at = []bool{false}, []int32{0}, []int32{0}, [][]int32{nil}
		b.d.Next = [][]int32{make([]int32, classes)}
		for k := range b.d.Next[0] {
			b.d.Next[0][k] = Dead
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
			row[k] = Dead
			lead := b.leads[at[0]][k]
			if lead == Dead {
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
		b.d.Next = append(b.d.Next, row)
		if len(b.at) > MaxDFAStates || work > 10*MaxCosts {
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
		accept = accept && b.parts[i].accept[q] != c.Negate
		if !c.Negate && !b.labelled && len(b.parts[i].sets[q]) == 0 {
			b.ids[string(key)] = Dead
			return Dead
		}
	}
	if b.labelled {
		b.labels = append(b.labels, label|uint32(at[0])<<16)
	}
	id := int32(len(b.at))
	b.ids[string(key)] = id
	b.at = append(b.at, slices.Clone(at))
	b.d.Final = append(b.d.Final, accept)
	b.d.Left = append(b.d.Left, UTF8Left[at[0]])
	b.d.phase = append(b.d.phase, at[0])
	return id
}

// determinized is a lazily determinized NFA over classes of bytes.
type determinized struct {
	n       *NFA
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

func newDeterminized(n *NFA, class *[256]uint8, classes int) *determinized {
	d := &determinized{n: n, class: class, ids: map[string]int32{}, targets: make([][]int32, classes), marks: make([]int32, len(n.Edges)), singles: make([]int32, len(n.Edges))}
	d.intern([]int32{n.Start})
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
		if len(d.n.Edges[i]) > 0 || d.n.Final[i] {
			out = append(out, i)
		}
		final = final || d.n.Final[i]
		work = append(work, d.n.Eps[i]...)
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

// row returns the states after q, by class.
func (d *determinized) row(q int32) []int32 {
	if d.rows[q] != nil {
		return d.rows[q]
	}
	for k := range d.targets {
		d.targets[k] = d.targets[k][:0]
	}
	for _, i := range d.sets[q] {
		for _, e := range d.n.Edges[i] {
			for k := d.class[e.Lo]; ; k++ {
				d.targets[k] = append(d.targets[k], e.To)
				if k == d.class[e.Hi] {
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
