package program

import (
	"slices"

	"logitscope/sampling/constrain/lang"
)

// Limits on what one source may grow to. They bound time and memory on hostile
// input and are far above anything written by hand.
const (
	maxNodes = 4_000_000
	// Repetitions up to this many nodes are written out; longer ones count at
	// run time.
	expandNodes = 64
)

// Build turns rules into a program: it refuses left recursion, lays out the
// nodes, measures distances and refuses a root that no text satisfies.
func Build(def *lang.Definition) (*Program, error) {
	w := newRewriter(def)
	if err := refuseLeftRecursion(def, w.nullable); err != nil {
		return nil, err
	}
	b := &builder{rewriter: w, p: &Program{Root: int32(def.Root), Labels: []string{""}}}
	b.reserve()
	for i := 0; i < len(def.Rules); i++ { // grows while repetitions add rules
		b.rule(int32(i))
		if len(b.p.Nodes) > maxNodes {
			return nil, lang.Refuse("", "size", "the constraint needs more than %d states", maxNodes)
		}
	}
	b.link()
	p := b.p
	p.measure()
	if p.RuleMin[p.Root] >= lang.Unreachable {
		return nil, b.contradiction()
	}
	p.index()
	p.indexTexts()
	p.findDetour()
	for _, o := range p.Objs {
		o.findCheap(p)
	}
	return p, nil
}

// reserve makes room for about as many nodes as the rules will take.
func (b *builder) reserve() {
	n := 0
	for i := range b.def.Rules {
		n += 4 + layoutSize(b.def.Rules[i].Body)
	}
	n = min(n, 1<<16)
	b.p.Nodes = make([]node, 0, n+n/8)
	b.p.edges, b.moves = make([]lang.Edge, 0, n/2), make([]move, 0, n*2/3)
}

// layoutSize is about the number of nodes of an expression.
func layoutSize(e *lang.Expr) int {
	switch e.Op {
	case lang.OpText:
		return len(e.Text) + 1
	case lang.OpObject:
		n := 8
		for _, k := range e.Obj.Keys {
			n += 10 + layoutSize(k.Body)
		}
		return n
	case lang.OpSeq, lang.OpAlt:
		n := 2
		for _, s := range e.Subs {
			n += 1 + layoutSize(s)
		}
		return n
	}
	return 2 * exprSize(e)
}

func (b *builder) contradiction() error {
	unproductive := func(r int) bool { return b.p.RuleMin[r] >= lang.Unreachable }
	if b.def.Explain != nil {
		if err := b.def.Explain(unproductive); err != nil {
			return err
		}
	}
	return lang.Refuse("", b.p.Rules[b.p.Root].Name, "no text can satisfy it: every way through never ends")
}

type builder struct {
	*rewriter
	p       *Program
	current int32
	bodies  map[*lang.Expr]int // rules made of repetition bodies
	strs    map[*lang.StringLang]bool

	scoped    bool             // the current rule has words of its scope
	anyString *lang.StringLang // what strings become once nothing restricts them

	moves []move
}

func (b *builder) node(n node) int32 {
	n.Rule = b.current
	if len(b.p.Nodes) == cap(b.p.Nodes) {
		b.p.Nodes = slices.Grow(b.p.Nodes, max(256, len(b.p.Nodes))) // append grows large lists by less, and copies more
	}
	b.p.Nodes = append(b.p.Nodes, n)
	return int32(len(b.p.Nodes) - 1)
}

func (b *builder) rule(r int32) {
	b.current, b.scoped = r, false
	from := int32(len(b.p.Nodes))
	start := b.node(node{Kind: NodeEmpty})
	end := b.emit(b.def.Rules[r].Body, start)
	if end >= 0 {
		b.join(end, b.node(node{Kind: NodeFinal}))
	}
	b.p.Rules = append(b.p.Rules, Rule{Scoped: b.scoped, Name: b.def.Rules[r].Name, Start: start, From: from, to: int32(len(b.p.Nodes)), Common: b.def.Rules[r].Common})
}

// A move leads from a node to another without reading.
type move struct{ from, to int32 }

// join adds an empty move; from is an empty node.
func (b *builder) join(from, to int32) { b.moves = append(b.moves, move{from, to}) }

// link gives the nodes their empty moves, each in the order they were added.
func (b *builder) link() {
	p := b.p
	for _, j := range b.moves {
		p.Nodes[j.from].eps.n++
	}
	at := int32(0)
	for i := range p.Nodes {
		n := &p.Nodes[i]
		n.eps.from, at, n.eps.n = at, at+n.eps.n, 0
	}
	p.eps = make([]int32, len(b.moves))
	for _, j := range b.moves {
		n := &p.Nodes[j.from]
		p.eps[n.eps.from+n.eps.n] = j.to
		n.eps.n++
	}
}

// list puts edges into the program.
func (b *builder) list(edges ...lang.Edge) listing {
	from := int32(len(b.p.edges))
	b.p.edges = append(b.p.edges, edges...)
	return listing{from, int32(len(edges))}
}

// label puts a label into the program.
func (b *builder) label(s string) int32 {
	if s == "" {
		return 0
	}
	b.p.Labels = append(b.p.Labels, s)
	return int32(len(b.p.Labels) - 1)
}

func (b *builder) hollow() int32 { return b.node(node{Kind: NodeEmpty}) }

// emit lays out e after the empty node from and returns the empty node after
// it, or -1 if e matches nothing.
func (b *builder) emit(e *lang.Expr, from int32) int32 {
	switch e.Op {
	case lang.OpEmpty:
		return from
	case lang.OpNever:
		return -1
	case lang.OpText:
		return b.text(e.Text, from)
	case lang.OpClass:
		return b.class(e.Ranges, from)
	case lang.OpSeq:
		for _, s := range e.Subs {
			if from = b.emit(s, from); from < 0 {
				return -1
			}
		}
		return from
	case lang.OpAlt:
		return b.alt(e, from)
	case lang.OpRepeat:
		return b.repeat(e, from)
	case lang.OpNFA:
		return b.embed(e.NFA, from)
	case lang.OpObject:
		return b.object(e.Obj, from)
	case lang.OpString:
		return b.jump(from, node{Kind: NodeString, Arg: b.str(e.Str)})
	default:
		return b.jump(from, node{Kind: NodeCall, Arg: int32(e.Rule), Label: b.label(e.Label)})
	}
}

// jump adds a node that returns to a new empty node.
func (b *builder) jump(from int32, n node) int32 {
	id := b.node(n)
	b.join(from, id)
	to := b.hollow()
	b.p.Nodes[id].Next = to
	return to
}

// text is a chain of nodes with one byte each.
func (b *builder) text(s string, from int32) int32 {
	first := int32(len(b.p.Nodes))
	for i := range len(s) {
		b.node(node{Kind: NodeBytes, edges: b.list(lang.Edge{Lo: s[i], Hi: s[i], To: first + int32(i) + 1})})
	}
	b.join(from, first)
	return b.hollow()
}

func (b *builder) alt(e *lang.Expr, from int32) int32 {
	ends := make([]int32, 0, len(e.Subs))
	for _, s := range e.Subs {
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

func (b *builder) class(ranges []lang.RuneRange, from int32) int32 {
	head := b.node(node{Kind: NodeBytes})
	b.join(from, head)
	to := b.hollow()
	tails := map[lang.RegexTail]int32{}
	var heads []lang.Edge
	for _, r := range lang.Normalize(ranges) {
		lang.UTF8Sequences(r.Lo, r.Hi, func(s []lang.ByteRange) {
			next := to
			for i := len(s) - 1; i > 0; i-- {
				k := lang.RegexTail{Lo: s[i].Lo, Hi: s[i].Hi, To: next}
				n, ok := tails[k]
				if !ok {
					n = b.node(node{Kind: NodeBytes, edges: b.list(lang.Edge{Lo: s[i].Lo, Hi: s[i].Hi, To: next})})
					tails[k] = n
				}
				next = n
			}
			heads = append(heads, lang.Edge{Lo: s[0].Lo, Hi: s[0].Hi, To: next})
		})
	}
	if len(heads) == 0 {
		return -1
	}
	b.p.Nodes[head].edges = b.list(heads...)
	return to
}

// embed copies an automaton: a node with edges for each of its nodes, and an
// empty one before it where there are empty moves or an end as well.
func (b *builder) embed(n *lang.NFA, from int32) int32 {
	entry := make([]int32, len(n.Edges))
	reads := make([]int32, len(n.Edges))
	for i := range n.Edges {
		reads[i] = -1
		if len(n.Edges[i]) > 0 {
			reads[i] = b.node(node{Kind: NodeBytes})
		}
		entry[i] = reads[i]
		if reads[i] < 0 || len(n.Eps[i]) > 0 || n.Final[i] {
			entry[i] = b.hollow()
		}
	}
	to := b.hollow()
	for i := range n.Edges {
		if entry[i] != reads[i] {
			for _, e := range n.Eps[i] {
				b.join(entry[i], entry[e])
			}
			if n.Final[i] {
				b.join(entry[i], to)
			}
			if reads[i] >= 0 {
				b.join(entry[i], reads[i])
			}
		}
		if reads[i] < 0 {
			continue
		}
		edges := b.list(n.Edges[i]...)
		b.p.Nodes[reads[i]].edges = edges
		for j := range b.p.edges[edges.from:] {
			e := &b.p.edges[int(edges.from)+j]
			e.To = entry[e.To]
		}
	}
	b.join(from, entry[n.Start])
	return to
}

// repeat writes short repetitions out and leaves long ones to a counter.
func (b *builder) repeat(e *lang.Expr, from int32) int32 {
	body, lo, hi := e.Subs[0], e.Min, e.Max
	if exprNullable(body, b.nullable) {
		// Empty rounds can fill any lower bound, so it says nothing.
		lo, body = 0, b.nonEmpty(body)
	}
	if body.Op == lang.OpNever {
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
	b.p.Reps = append(b.p.Reps, repetition{r, int32(lo), int32(hi)})
	return b.jump(from, node{Kind: NodeRepeat, Arg: int32(len(b.p.Reps) - 1)})
}

func (b *builder) loop(body *lang.Expr, from int32) int32 {
	head := b.hollow()
	b.join(from, head)
	if end := b.emit(body, head); end >= 0 {
		b.join(end, head)
	}
	to := b.hollow()
	b.join(head, to)
	return to
}

func (b *builder) upTo(body *lang.Expr, lo, hi int, from int32) int32 {
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
func (b *builder) bodyRule(body *lang.Expr) int32 {
	if body.Op == lang.OpCall {
		return int32(body.Rule)
	}
	r, ok := b.bodies[body]
	if !ok {
		if b.bodies == nil {
			b.bodies = map[*lang.Expr]int{}
		}
		r = b.newRule(b.def.Rules[b.current].Name, body, false)
		b.bodies[body] = r
	}
	return int32(r)
}

// str registers a string language and the one it falls back to.
func (b *builder) str(s *lang.StringLang) int32 {
	b.scoped = b.scoped || s.Word
	if b.strs == nil {
		b.strs = map[*lang.StringLang]bool{}
	}
	if !b.strs[s] {
		b.strs[s] = true
		s.ID = int32(len(b.p.Strs))
		b.p.Strs = append(b.p.Strs, s)
		if _, ok := s.Lang.(*lang.DFA); ok && !s.Remembers() {
			if b.anyString == nil {
				b.anyString = &lang.StringLang{Lang: lang.AnyText{}, Hi: -1}
			}
			s.Off = b.anyString
		}
		if s.Off != nil {
			b.str(s.Off)
		}
	}
	return s.ID
}
