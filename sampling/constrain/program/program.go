package program

import (
	"logitscope/sampling/constrain/lang"
)

// CoveredBy reports whether every byte the program can read is in the set.
func (p *Program) CoveredBy(set [4]uint64) bool {
	all := [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	if set == all {
		return true
	}
	var need [4]uint64
	for i := range p.Nodes {
		if p.Nodes[i].Kind == NodeBytes {
			for w, x := range p.Live[p.Nodes[i].Arg] {
				need[w] |= x
			}
		}
	}
	if len(p.Strs) > 0 {
		lang.SetBytes(&need, 0x20, 0x7F)
		lang.SetBytes(&need, 0x80, 0xBF)
		lang.SetBytes(&need, 0xC2, 0xF4)
	}
	for w := range need {
		if need[w]&^set[w] != 0 {
			return false
		}
	}
	return true
}

// A Program is the one representation every source compiles to: rules made of
// nodes that are joined by byte ranges, calls, counted repetitions, JSON
// strings and JSON objects (a recursive transition network over bytes). It is
// immutable once built.
type Program struct {
	Nodes   []node
	edges   []lang.Edge
	eps     []int32
	Labels  []string // the first is empty
	Rules   []Rule
	Root    int32
	Reps    []repetition
	Strs    []*lang.StringLang
	Objs    []*Object
	Dist    []int32 // per node: fewest bytes to the end of its rule, or unreachable
	RuleMin []int32 // per rule: fewest bytes of a text, or unreachable
	// The bytes that may come at nodes with edges: node.arg says which.
	Live [][4]uint64
	// Per node that reads one byte, in a rule that is this grammar's own: that
	// byte and the node after it, which is -1 for all other nodes.
	TextTo   []int32
	TextByte []byte
	// How many bytes more than its distance a completion may take.
	Slack int32
}

// A NodeKind says what a node does.
type NodeKind uint8

const (
	NodeEmpty  NodeKind = iota // eps only
	NodeBytes                  // edges, arg = index into live
	NodeFinal                  // end of the rule
	NodeCall                   // arg = rule, then next
	NodeRepeat                 // arg = index into reps, then next
	NodeString                 // arg = index into strs, then next
	NodeObject                 // arg = index into objs, then next
)

// A node is small and has no pointers, since a grammar may have millions: its
// lists are in the program.
type node struct {
	Kind  NodeKind
	Rule  int32
	Arg   int32
	Next  int32
	Label int32 // of a call: shown in breadcrumbs, an index into labels
	edges listing
	eps   listing
}

// A listing is a part of a list that nodes share.
type listing struct{ from, n int32 }

// EdgesOf returns the edges of n, which read a byte each.
func (p *Program) EdgesOf(n *node) []lang.Edge { return p.edges[n.edges.from : n.edges.from+n.edges.n] }

// EpsOf returns the nodes that n leads to without reading.
func (p *Program) EpsOf(n *node) []int32 { return p.eps[n.eps.from : n.eps.from+n.eps.n] }

// A Rule is a part of the network that others call.
type Rule struct {
	Name     string
	Start    int32
	From, to int32  // its nodes are from..to-1
	Common   string // see rule
	Scoped   bool   // it has words that the object it is in remembers
	loops    bool   // some node leads to an earlier one
}

// A repetition runs a rule between min and max times; max < 0 is unlimited.
// The rule matches no empty text.
type repetition struct {
	Rule     int32
	Min, Max int32
}

// An Object is the members of an object whose count or order is tracked
// at run time: more than one order, or a bound on the number of properties.
type Object struct {
	Keys      []Key
	extra     int32  // rule of an undeclared member, or -1
	Distinct  int32  // and while fewer than min have come, or -1: see ObjectLang
	Separator int32  // rule of the comma with its blanks
	Min, max  int32  // properties; max < 0 is unlimited
	must      string // a bit per required key
	apart     bool   // no two keys are of one group

	// Where every key may come at any place and none has to, once distances are
	// known: the keys that can be written, those of fewest bytes first.
	cheap []int32

	Texts []textList // of the texts that must differ
}

// A Key is one declared member of an [Object].
type Key struct {
	Rule     int32 // key, colon and value
	required bool
	group    int // keys of one group come in their order
}

// measure fills dist and RuleMin. Values start unreachable and only fall, so
// revisiting the callers of a rule that changed ends.
func (p *Program) measure() {
	p.findLoops()
	p.Dist = make([]int32, len(p.Nodes))
	p.RuleMin = make([]int32, len(p.Rules))
	for i := range p.Dist {
		p.Dist[i] = lang.Unreachable
	}
	for i := range p.RuleMin {
		p.RuleMin[i] = lang.Unreachable
	}
	callers := p.callers()
	queued := make([]bool, len(p.Rules))
	queue := make([]int32, 0, len(p.Rules))
	for r := len(p.Rules) - 1; r >= 0; r-- {
		queue = append(queue, int32(r))
		queued[r] = true
	}
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		queued[r] = false
		p.measureRule(r)
		if d := p.Dist[p.Rules[r].Start]; d < p.RuleMin[r] {
			p.RuleMin[r] = d
			for _, c := range callers[r] {
				if !queued[c] {
					queued[c] = true
					queue = append(queue, c)
				}
			}
		}
	}
}

func (p *Program) callers() [][]int32 {
	callers := make([][]int32, len(p.Rules))
	note := func(callee, caller int32) {
		if l := callers[callee]; callee >= 0 && (len(l) == 0 || l[len(l)-1] != caller) {
			callers[callee] = append(l, caller)
		}
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		switch n.Kind {
		case NodeCall:
			note(n.Arg, n.Rule)
		case NodeRepeat:
			note(p.Reps[n.Arg].Rule, n.Rule)
		case NodeObject:
			o := p.Objs[n.Arg]
			for _, k := range o.Keys {
				note(k.Rule, n.Rule)
			}
			note(o.Separator, n.Rule)
			if o.extra >= 0 {
				note(o.extra, n.Rule)
			}
			if o.Distinct >= 0 {
				note(o.Distinct, n.Rule)
			}
		}
	}
	return callers
}

// measureRule relaxes the nodes of one rule until nothing changes. Chains are
// built front to back, so walking backwards settles most in one round, and all
// if no node leads to an earlier one.
func (p *Program) measureRule(r int32) {
	rule := &p.Rules[r]
	for range maxRounds {
		changed := false
		for i := rule.to - 1; i >= rule.From; i-- {
			if d := p.nodeDist(i); d < p.Dist[i] {
				p.Dist[i] = d
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
func (p *Program) settle(rule *Rule) {
	before := make([][]int32, rule.to-rule.From)
	leads := func(from, to int32) {
		if to >= rule.From && to < rule.to {
			before[to-rule.From] = append(before[to-rule.From], from)
		}
	}
	queue := make([]int32, 0, len(before))
	for i := rule.From; i < rule.to; i++ {
		n := &p.Nodes[i]
		for _, e := range p.EdgesOf(n) {
			leads(i, e.To)
		}
		for _, e := range p.EpsOf(n) {
			leads(i, e)
		}
		if n.Kind >= NodeCall {
			leads(i, n.Next)
		}
		queue = append(queue, i)
	}
	queued := make([]bool, len(before))
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		queued[i-rule.From] = false
		d := p.nodeDist(i)
		if d >= p.Dist[i] {
			continue
		}
		p.Dist[i] = d
		for _, j := range before[i-rule.From] {
			if !queued[j-rule.From] {
				queued[j-rule.From] = true
				queue = append(queue, j)
			}
		}
	}
}

// findLoops finds the rules in which a node leads to an earlier one.
func (p *Program) findLoops() {
	for r := range p.Rules {
		rule := &p.Rules[r]
		for i := rule.From; i < rule.to && !rule.loops; i++ {
			n := &p.Nodes[i]
			rule.loops = n.Kind >= NodeCall && n.Next <= i
			for _, e := range p.EdgesOf(n) {
				rule.loops = rule.loops || e.To <= i
			}
			for _, e := range p.EpsOf(n) {
				rule.loops = rule.loops || e <= i
			}
		}
	}
}

func (p *Program) nodeDist(i int32) int32 {
	n := &p.Nodes[i]
	best := lang.Unreachable
	switch n.Kind {
	case NodeFinal:
		return 0
	case NodeBytes:
		for _, e := range p.EdgesOf(n) {
			best = min(best, lang.Add32(1, p.Dist[e.To]))
		}
	case NodeEmpty:
		for _, e := range p.EpsOf(n) {
			best = min(best, p.Dist[e])
		}
	case NodeCall:
		best = lang.Add32(p.RuleMin[n.Arg], p.Dist[n.Next])
	case NodeRepeat:
		r := p.Reps[n.Arg]
		best = lang.Add32(lang.Mul32(p.RuleMin[r.Rule], r.Min), p.Dist[n.Next])
	case NodeString:
		best = lang.Add32(p.Strs[n.Arg].MinBytes(), p.Dist[n.Next])
	case NodeObject:
		o := p.Objs[n.Arg]
		best = lang.Add32(o.Distance(p, Data{First: true}), p.Dist[n.Next])
	}
	return best
}

// index fills the live bytes of nodes, leaving out moves that cannot finish
// and empty nodes that only lead on.
func (p *Program) index() {
	for i := range p.Nodes {
		n := &p.Nodes[i]
		n.Next = p.skip(n.Next)
		edges := p.EdgesOf(n)
		for j := range edges {
			edges[j].To = p.skip(edges[j].To)
		}
		all := p.EpsOf(n)
		kept := all[:0]
		for _, e := range all {
			if p.Dist[e] < lang.Unreachable {
				kept = append(kept, e)
			}
		}
		n.eps.n = int32(len(kept))
	}
	for i := range p.Rules {
		p.Rules[i].Start = p.skip(p.Rules[i].Start)
	}
	p.Live = make([][4]uint64, 256) // first the sets of one byte
	for b := range p.Live {
		lang.SetBytes(&p.Live[b], byte(b), byte(b))
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Kind != NodeBytes {
			continue
		}
		var live [4]uint64
		all := p.EdgesOf(n)
		kept := all[:0]
		for _, e := range all {
			if p.Dist[e.To] < lang.Unreachable {
				kept = append(kept, e)
				lang.SetBytes(&live, e.Lo, e.Hi)
			}
		}
		n.edges.n = int32(len(kept))
		if len(kept) == 1 && kept[0].Lo == kept[0].Hi {
			n.Arg = int32(kept[0].Lo)
			continue
		}
		n.Arg = int32(len(p.Live))
		p.Live = append(p.Live, live)
	}
}

// indexTexts fills TextTo and TextByte.
func (p *Program) indexTexts() {
	p.TextTo, p.TextByte = make([]int32, len(p.Nodes)), make([]byte, len(p.Nodes))
	for _, r := range p.Rules {
		for i := r.From; i < r.to; i++ {
			p.TextTo[i] = -1
			if n := &p.Nodes[i]; r.Common == "" && n.Kind == NodeBytes && n.edges.n == 1 {
				if e := p.EdgesOf(n)[0]; e.Lo == e.Hi {
					p.TextTo[i], p.TextByte[i] = e.To, e.Lo
				}
			}
		}
	}
}

// skip follows empty nodes with a single way on.
func (p *Program) skip(i int32) int32 {
	for steps := 0; steps < 16; steps++ {
		n := &p.Nodes[i]
		if n.Kind != NodeEmpty || n.eps.n != 1 || p.Dist[p.eps[n.eps.from]] >= lang.Unreachable {
			break
		}
		i = p.eps[n.eps.from]
	}
	return i
}
