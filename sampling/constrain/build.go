package constrain

import "slices"

// Limits on what one source may grow to. They bound time and memory on hostile
// input and are far above anything written by hand.
const (
	maxNodes = 4_000_000
	// Repetitions up to this many nodes are written out; longer ones count at
	// run time.
	expandNodes = 64
	maxRepeat   = 1 << 24
)

// build turns rules into a program: it refuses left recursion, lays out the
// nodes, measures distances and refuses a root that no text satisfies.
func build(def *definition) (*prog, error) {
	w := newRewriter(def)
	if err := refuseLeftRecursion(def, w.nullable); err != nil {
		return nil, err
	}
	b := &builder{rewriter: w, p: &prog{root: int32(def.root), labels: []string{""}}}
	b.reserve()
	for i := 0; i < len(def.rules); i++ { // grows while repetitions add rules
		b.rule(int32(i))
		if len(b.p.nodes) > maxNodes {
			return nil, refuse("", "size", "the constraint needs more than %d states", maxNodes)
		}
	}
	b.link()
	p := b.p
	p.measure()
	if p.ruleMin[p.root] >= unreachable {
		return nil, b.contradiction()
	}
	p.index()
	p.indexTexts()
	p.findDetour()
	for _, o := range p.objs {
		o.findCheap(p)
	}
	return p, nil
}

// reserve makes room for about as many nodes as the rules will take.
func (b *builder) reserve() {
	n := 0
	for i := range b.def.rules {
		n += 4 + layoutSize(b.def.rules[i].body)
	}
	n = min(n, 1<<16)
	b.p.nodes = make([]node, 0, n+n/8)
	b.p.edges, b.moves = make([]edge, 0, n/2), make([]move, 0, n*2/3)
}

// layoutSize is about the number of nodes of an expression.
func layoutSize(e *expr) int {
	switch e.op {
	case opText:
		return len(e.text) + 1
	case opObject:
		n := 8
		for _, k := range e.obj.keys {
			n += 10 + layoutSize(k.body)
		}
		return n
	case opSeq, opAlt:
		n := 2
		for _, s := range e.subs {
			n += 1 + layoutSize(s)
		}
		return n
	}
	return 2 * exprSize(e)
}

func (b *builder) contradiction() error {
	unproductive := func(r int) bool { return b.p.ruleMin[r] >= unreachable }
	if b.def.explain != nil {
		if err := b.def.explain(unproductive); err != nil {
			return err
		}
	}
	return refuse("", b.p.rules[b.p.root].name, "no text can satisfy it: every way through never ends")
}

type builder struct {
	*rewriter
	p       *prog
	current int32
	bodies  map[*expr]int // rules made of repetition bodies
	strs    map[*stringLang]bool

	anyString *stringLang // what strings become once nothing restricts them

	moves []move
}

func (b *builder) node(n node) int32 {
	n.rule = b.current
	if len(b.p.nodes) == cap(b.p.nodes) {
		b.p.nodes = slices.Grow(b.p.nodes, max(256, len(b.p.nodes))) // append grows large lists by less, and copies more
	}
	b.p.nodes = append(b.p.nodes, n)
	return int32(len(b.p.nodes) - 1)
}

func (b *builder) rule(r int32) {
	b.current = r
	from := int32(len(b.p.nodes))
	start := b.node(node{kind: nodeEmpty})
	end := b.emit(b.def.rules[r].body, start)
	if end >= 0 {
		b.join(end, b.node(node{kind: nodeFinal}))
	}
	b.p.rules = append(b.p.rules, progRule{name: b.def.rules[r].name, start: start, from: from, to: int32(len(b.p.nodes)), common: b.def.rules[r].common})
}

// A move leads from a node to another without reading.
type move struct{ from, to int32 }

// join adds an empty move; from is an empty node.
func (b *builder) join(from, to int32) { b.moves = append(b.moves, move{from, to}) }

// link gives the nodes their empty moves, each in the order they were added.
func (b *builder) link() {
	p := b.p
	for _, j := range b.moves {
		p.nodes[j.from].eps.n++
	}
	at := int32(0)
	for i := range p.nodes {
		n := &p.nodes[i]
		n.eps.from, at, n.eps.n = at, at+n.eps.n, 0
	}
	p.eps = make([]int32, len(b.moves))
	for _, j := range b.moves {
		n := &p.nodes[j.from]
		p.eps[n.eps.from+n.eps.n] = j.to
		n.eps.n++
	}
}

// list puts edges into the program.
func (b *builder) list(edges ...edge) listing {
	from := int32(len(b.p.edges))
	b.p.edges = append(b.p.edges, edges...)
	return listing{from, int32(len(edges))}
}

// label puts a label into the program.
func (b *builder) label(s string) int32 {
	if s == "" {
		return 0
	}
	b.p.labels = append(b.p.labels, s)
	return int32(len(b.p.labels) - 1)
}

func (b *builder) hollow() int32 { return b.node(node{kind: nodeEmpty}) }

// emit lays out e after the empty node from and returns the empty node behind
// it, or -1 if e matches nothing.
func (b *builder) emit(e *expr, from int32) int32 {
	switch e.op {
	case opEmpty:
		return from
	case opNever:
		return -1
	case opText:
		return b.text(e.text, from)
	case opClass:
		return b.class(e.ranges, from)
	case opSeq:
		for _, s := range e.subs {
			if from = b.emit(s, from); from < 0 {
				return -1
			}
		}
		return from
	case opAlt:
		return b.alt(e, from)
	case opRepeat:
		return b.repeat(e, from)
	case opNFA:
		return b.embed(e.nfa, from)
	case opObject:
		return b.object(e.obj, from)
	case opString:
		return b.jump(from, node{kind: nodeString, arg: b.str(e.str)})
	default:
		return b.jump(from, node{kind: nodeCall, arg: int32(e.rule), label: b.label(e.label)})
	}
}

// jump adds a node that returns to a new empty node.
func (b *builder) jump(from int32, n node) int32 {
	id := b.node(n)
	b.join(from, id)
	to := b.hollow()
	b.p.nodes[id].next = to
	return to
}

// text is a chain of nodes with one byte each.
func (b *builder) text(s string, from int32) int32 {
	first := int32(len(b.p.nodes))
	for i := range len(s) {
		b.node(node{kind: nodeBytes, edges: b.list(edge{s[i], s[i], first + int32(i) + 1})})
	}
	b.join(from, first)
	return b.hollow()
}

func (b *builder) alt(e *expr, from int32) int32 {
	ends := make([]int32, 0, len(e.subs))
	for _, s := range e.subs {
		start := b.hollow()
		b.join(from, start)
		if end := b.emit(s, start); end >= 0 {
			ends = append(ends, end)
		}
	}
	if len(ends) == 0 {
		return -1
	}
	to := b.hollow()
	for _, end := range ends {
		b.join(end, to)
	}
	return to
}

func (b *builder) class(ranges []runeRange, from int32) int32 {
	head := b.node(node{kind: nodeBytes})
	b.join(from, head)
	to := b.hollow()
	tails := map[regexTail]int32{}
	var heads []edge
	for _, r := range normalize(ranges) {
		utf8Sequences(r.lo, r.hi, func(s []byteRange) {
			next := to
			for i := len(s) - 1; i > 0; i-- {
				k := regexTail{s[i].lo, s[i].hi, next}
				n, ok := tails[k]
				if !ok {
					n = b.node(node{kind: nodeBytes, edges: b.list(edge{s[i].lo, s[i].hi, next})})
					tails[k] = n
				}
				next = n
			}
			heads = append(heads, edge{s[0].lo, s[0].hi, next})
		})
	}
	if len(heads) == 0 {
		return -1
	}
	b.p.nodes[head].edges = b.list(heads...)
	return to
}

// embed copies an automaton: a node with edges for each of its nodes, and an
// empty one before it where there are empty moves or an end as well.
func (b *builder) embed(n *nfa, from int32) int32 {
	entry := make([]int32, len(n.edges))
	reads := make([]int32, len(n.edges))
	for i := range n.edges {
		reads[i] = -1
		if len(n.edges[i]) > 0 {
			reads[i] = b.node(node{kind: nodeBytes})
		}
		entry[i] = reads[i]
		if reads[i] < 0 || len(n.eps[i]) > 0 || n.final[i] {
			entry[i] = b.hollow()
		}
	}
	to := b.hollow()
	for i := range n.edges {
		if entry[i] != reads[i] {
			for _, e := range n.eps[i] {
				b.join(entry[i], entry[e])
			}
			if n.final[i] {
				b.join(entry[i], to)
			}
			if reads[i] >= 0 {
				b.join(entry[i], reads[i])
			}
		}
		if reads[i] < 0 {
			continue
		}
		edges := b.list(n.edges[i]...)
		b.p.nodes[reads[i]].edges = edges
		for j := range b.p.edges[edges.from:] {
			e := &b.p.edges[int(edges.from)+j]
			e.to = entry[e.to]
		}
	}
	b.join(from, entry[n.start])
	return to
}

// repeat writes short repetitions out and leaves long ones to a counter.
func (b *builder) repeat(e *expr, from int32) int32 {
	body, lo, hi := e.subs[0], e.min, e.max
	if exprNullable(body, b.nullable) {
		// Empty rounds can fill any lower bound, so it says nothing.
		lo, body = 0, b.nonEmpty(body)
	}
	if body.op == opNever {
		if lo > 0 {
			return -1
		}
		return from
	}
	size := exprSize(body)
	if hi < 0 && lo*size <= expandNodes {
		for i := 0; i < lo; i++ {
			from = b.emit(body, from)
		}
		return b.loop(body, from)
	}
	if hi >= 0 && hi*size <= expandNodes {
		return b.upTo(body, lo, hi, from)
	}
	r := b.bodyRule(body)
	b.p.reps = append(b.p.reps, repetition{r, int32(lo), int32(hi)})
	return b.jump(from, node{kind: nodeRepeat, arg: int32(len(b.p.reps) - 1)})
}

func (b *builder) loop(body *expr, from int32) int32 {
	head := b.hollow()
	b.join(from, head)
	if end := b.emit(body, head); end >= 0 {
		b.join(end, head)
	}
	to := b.hollow()
	b.join(head, to)
	return to
}

func (b *builder) upTo(body *expr, lo, hi int, from int32) int32 {
	ends := []int32{}
	for i := 0; i < hi; i++ {
		if i >= lo {
			ends = append(ends, from)
		}
		if from = b.emit(body, from); from < 0 {
			break
		}
	}
	if from >= 0 {
		ends = append(ends, from)
	}
	if len(ends) == 0 {
		return -1
	}
	to := b.hollow()
	for _, e := range ends {
		b.join(e, to)
	}
	return to
}

// bodyRule makes a rule of a repetition's body, once per expression. build's
// loop lays it out later.
func (b *builder) bodyRule(body *expr) int32 {
	if body.op == opCall {
		return int32(body.rule)
	}
	r, ok := b.bodies[body]
	if !ok {
		if b.bodies == nil {
			b.bodies = map[*expr]int{}
		}
		r = b.newRule(b.def.rules[b.current].name, body, false)
		b.bodies[body] = r
	}
	return int32(r)
}

// str registers a string language and the one it falls back to.
func (b *builder) str(s *stringLang) int32 {
	if b.strs == nil {
		b.strs = map[*stringLang]bool{}
	}
	if !b.strs[s] {
		b.strs[s] = true
		s.id = int32(len(b.p.strs))
		b.p.strs = append(b.p.strs, s)
		if _, ok := s.lang.(*dfaText); ok && !s.unique {
			if b.anyString == nil {
				b.anyString = &stringLang{lang: anyText{}, hi: -1}
			}
			s.off = b.anyString
		}
		if s.off != nil {
			b.str(s.off)
		}
	}
	return s.id
}
