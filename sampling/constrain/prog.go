package constrain

// A prog is the one representation every source compiles to: rules made of
// nodes that are joined by byte ranges, calls, counted repetitions, JSON
// strings and JSON objects (a recursive transition network over bytes). It is
// immutable once built.
type prog struct {
	nodes   []node
	edges   []edge
	eps     []int32
	labels  []string // the first is empty
	rules   []progRule
	root    int32
	reps    []repetition
	strs    []*stringLang
	objs    []*objectProg
	dist    []int32 // per node: fewest bytes to the end of its rule, or unreachable
	ruleMin []int32 // per rule: fewest bytes of a text, or unreachable
	// The bytes that may come at nodes with edges: node.arg says which.
	live [][4]uint64
	// Per node that reads one byte, in a rule that is this grammar's own: that
	// byte and the node behind it, which is -1 for all other nodes.
	textTo   []int32
	textByte []byte
	// How many bytes more than its distance a completion may take.
	slack int32
}

// unreachable marks what no text can complete. Distances saturate below it.
const unreachable = int32(1) << 30

type nodeKind uint8

const (
	nodeEmpty  nodeKind = iota // eps only
	nodeBytes                  // edges, arg = index into live
	nodeFinal                  // end of the rule
	nodeCall                   // arg = rule, then next
	nodeRepeat                 // arg = index into reps, then next
	nodeString                 // arg = index into strs, then next
	nodeObject                 // arg = index into objs, then next
)

// A node is small and has no pointers, since a grammar may have millions: its
// lists are in the program.
type node struct {
	kind  nodeKind
	rule  int32
	arg   int32
	next  int32
	label int32 // of a call: shown in breadcrumbs, an index into labels
	edges listing
	eps   listing
}

// A listing is a part of a list that nodes share.
type listing struct{ from, n int32 }

func (p *prog) edgesOf(n *node) []edge { return p.edges[n.edges.from : n.edges.from+n.edges.n] }
func (p *prog) epsOf(n *node) []int32  { return p.eps[n.eps.from : n.eps.from+n.eps.n] }

type progRule struct {
	name     string
	start    int32
	from, to int32  // its nodes are from..to-1
	common   string // see rule
	loops    bool   // some node leads to an earlier one
}

// A repetition runs a rule between min and max times; max < 0 is unlimited.
// The rule matches no empty text.
type repetition struct {
	rule     int32
	min, max int32
}

// An objectProg is the members of an object whose count or order is tracked
// at run time: more than one order, or a bound on the number of properties.
type objectProg struct {
	keys      []objectKey
	extra     int32  // rule of an undeclared member, or -1
	distinct  int32  // and while fewer than min have come, or -1: see objectLang
	separator int32  // rule of the comma with its blanks
	min, max  int32  // properties; max < 0 is unlimited
	must      string // a bit per required key
	apart     bool   // no two keys are of one group

	// Where every key may come at any place and none has to, once distances are
	// known: the keys that can be written, those of fewest bytes first.
	cheap []int32

	texts []textList // of the texts that must differ
}

type objectKey struct {
	rule     int32 // key, colon and value
	required bool
	group    int // keys of one group come in their order
}

// add32 adds distances, saturating at unreachable.
func add32(a, b int32) int32 {
	if a >= unreachable || b >= unreachable {
		return unreachable
	}
	return min(a+b, unreachable-1)
}

func mul32(a, n int32) int32 {
	if n == 0 {
		return 0
	}
	if a >= unreachable {
		return unreachable
	}
	return int32(min(int64(a)*int64(n), int64(unreachable-1)))
}

// measure fills dist and ruleMin. Values start unreachable and only fall, so
// revisiting the callers of a rule that changed ends.
func (p *prog) measure() {
	p.findLoops()
	p.dist = make([]int32, len(p.nodes))
	p.ruleMin = make([]int32, len(p.rules))
	for i := range p.dist {
		p.dist[i] = unreachable
	}
	for i := range p.ruleMin {
		p.ruleMin[i] = unreachable
	}
	callers := p.callers()
	queued := make([]bool, len(p.rules))
	queue := make([]int32, 0, len(p.rules))
	for r := len(p.rules) - 1; r >= 0; r-- {
		queue = append(queue, int32(r))
		queued[r] = true
	}
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		queued[r] = false
		p.measureRule(r)
		if d := p.dist[p.rules[r].start]; d < p.ruleMin[r] {
			p.ruleMin[r] = d
			for _, c := range callers[r] {
				if !queued[c] {
					queued[c] = true
					queue = append(queue, c)
				}
			}
		}
	}
}

func (p *prog) callers() [][]int32 {
	callers := make([][]int32, len(p.rules))
	note := func(callee, caller int32) {
		if l := callers[callee]; callee >= 0 && (len(l) == 0 || l[len(l)-1] != caller) {
			callers[callee] = append(l, caller)
		}
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		switch n.kind {
		case nodeCall:
			note(n.arg, n.rule)
		case nodeRepeat:
			note(p.reps[n.arg].rule, n.rule)
		case nodeObject:
			o := p.objs[n.arg]
			for _, k := range o.keys {
				note(k.rule, n.rule)
			}
			note(o.separator, n.rule)
			if o.extra >= 0 {
				note(o.extra, n.rule)
			}
			if o.distinct >= 0 {
				note(o.distinct, n.rule)
			}
		}
	}
	return callers
}

// measureRule relaxes the nodes of one rule until nothing changes. Chains are
// built front to back, so walking backwards settles most in one round, and all
// if no node leads to an earlier one.
func (p *prog) measureRule(r int32) {
	rule := &p.rules[r]
	for range maxRounds {
		changed := false
		for i := rule.to - 1; i >= rule.from; i-- {
			if d := p.nodeDist(i); d < p.dist[i] {
				p.dist[i] = d
				changed = true
			}
		}
		if !changed || !rule.loops {
			return
		}
	}
	p.settle(rule)
}

// maxRounds is how often the nodes of a rule are gone through before each change
// is followed by itself.
const maxRounds = 8

// settle relaxes the nodes of a rule by going from each that changes to those
// that lead to it.
func (p *prog) settle(rule *progRule) {
	before := make([][]int32, rule.to-rule.from)
	leads := func(from, to int32) {
		if to >= rule.from && to < rule.to {
			before[to-rule.from] = append(before[to-rule.from], from)
		}
	}
	queue := make([]int32, 0, len(before))
	for i := rule.from; i < rule.to; i++ {
		n := &p.nodes[i]
		for _, e := range p.edgesOf(n) {
			leads(i, e.to)
		}
		for _, e := range p.epsOf(n) {
			leads(i, e)
		}
		if n.kind >= nodeCall {
			leads(i, n.next)
		}
		queue = append(queue, i)
	}
	queued := make([]bool, len(before))
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		queued[i-rule.from] = false
		d := p.nodeDist(i)
		if d >= p.dist[i] {
			continue
		}
		p.dist[i] = d
		for _, j := range before[i-rule.from] {
			if !queued[j-rule.from] {
				queued[j-rule.from] = true
				queue = append(queue, j)
			}
		}
	}
}

// findLoops finds the rules in which a node leads to an earlier one.
func (p *prog) findLoops() {
	for r := range p.rules {
		rule := &p.rules[r]
		for i := rule.from; i < rule.to && !rule.loops; i++ {
			n := &p.nodes[i]
			rule.loops = n.kind >= nodeCall && n.next <= i
			for _, e := range p.edgesOf(n) {
				rule.loops = rule.loops || e.to <= i
			}
			for _, e := range p.epsOf(n) {
				rule.loops = rule.loops || e <= i
			}
		}
	}
}

func (p *prog) nodeDist(i int32) int32 {
	n := &p.nodes[i]
	best := unreachable
	switch n.kind {
	case nodeFinal:
		return 0
	case nodeBytes:
		for _, e := range p.edgesOf(n) {
			best = min(best, add32(1, p.dist[e.to]))
		}
	case nodeEmpty:
		for _, e := range p.epsOf(n) {
			best = min(best, p.dist[e])
		}
	case nodeCall:
		best = add32(p.ruleMin[n.arg], p.dist[n.next])
	case nodeRepeat:
		r := p.reps[n.arg]
		best = add32(mul32(p.ruleMin[r.rule], r.min), p.dist[n.next])
	case nodeString:
		best = add32(p.strs[n.arg].minBytes(), p.dist[n.next])
	case nodeObject:
		o := p.objs[n.arg]
		best = add32(o.distance(p, objectData{first: true}), p.dist[n.next])
	}
	return best
}

// index fills the live bytes of nodes, leaving out moves that cannot finish
// and empty nodes that only lead on.
func (p *prog) index() {
	for i := range p.nodes {
		n := &p.nodes[i]
		n.next = p.skip(n.next)
		edges := p.edgesOf(n)
		for j := range edges {
			edges[j].to = p.skip(edges[j].to)
		}
		all := p.epsOf(n)
		kept := all[:0]
		for _, e := range all {
			if p.dist[e] < unreachable {
				kept = append(kept, e)
			}
		}
		n.eps.n = int32(len(kept))
	}
	for i := range p.rules {
		p.rules[i].start = p.skip(p.rules[i].start)
	}
	p.live = make([][4]uint64, 256) // first the sets of one byte
	for b := range p.live {
		setBytes(&p.live[b], byte(b), byte(b))
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.kind != nodeBytes {
			continue
		}
		var live [4]uint64
		all := p.edgesOf(n)
		kept := all[:0]
		for _, e := range all {
			if p.dist[e.to] < unreachable {
				kept = append(kept, e)
				setBytes(&live, e.lo, e.hi)
			}
		}
		n.edges.n = int32(len(kept))
		if len(kept) == 1 && kept[0].lo == kept[0].hi {
			n.arg = int32(kept[0].lo)
			continue
		}
		n.arg = int32(len(p.live))
		p.live = append(p.live, live)
	}
}

// indexTexts fills textTo and textByte.
func (p *prog) indexTexts() {
	p.textTo, p.textByte = make([]int32, len(p.nodes)), make([]byte, len(p.nodes))
	for _, r := range p.rules {
		for i := r.from; i < r.to; i++ {
			p.textTo[i] = -1
			if n := &p.nodes[i]; r.common == "" && n.kind == nodeBytes && n.edges.n == 1 {
				if e := p.edgesOf(n)[0]; e.lo == e.hi {
					p.textTo[i], p.textByte[i] = e.to, e.lo
				}
			}
		}
	}
}

// skip follows empty nodes with a single way on.
func (p *prog) skip(i int32) int32 {
	for steps := 0; steps < 16; steps++ {
		n := &p.nodes[i]
		if n.kind != nodeEmpty || n.eps.n != 1 || p.dist[p.eps[n.eps.from]] >= unreachable {
			break
		}
		i = p.eps[n.eps.from]
	}
	return i
}

func setBytes(set *[4]uint64, lo, hi byte) {
	for w := lo >> 6; w <= hi>>6; w++ {
		from, to := byte(0), byte(63)
		if w == lo>>6 {
			from = lo & 63
		}
		if w == hi>>6 {
			to = hi & 63
		}
		set[w] |= ^uint64(0) >> (63 - to) &^ (1<<from - 1)
	}
}

func hasByte(set *[4]uint64, b byte) bool { return set[b>>6]>>(b&63)&1 != 0 }
