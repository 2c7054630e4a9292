package constrain

import (
	"regexp/syntax"
	"unicode"
)

// An nfa is a byte-level automaton with empty moves, used for regular
// expressions before they become part of a program or a dfa.
type nfa struct {
	edges [][]edge
	eps   [][]int32
	final []bool
	start int32
}

// An edge leads to a node on any byte of lo..hi.
type edge struct {
	lo, hi byte
	to     int32
}

// newNFA returns an automaton with room for some nodes.
func newNFA(nodes int) *nfa {
	return &nfa{edges: make([][]edge, 0, nodes), eps: make([][]int32, 0, nodes), final: make([]bool, 0, nodes)}
}

func (n *nfa) node() int32 {
	n.edges = append(n.edges, nil)
	n.eps = append(n.eps, nil)
	n.final = append(n.final, false)
	return int32(len(n.edges) - 1)
}

// maxRegexSize bounds the instructions of one regular expression.
const maxRegexSize = 60_000

// regexNFA compiles a regular expression of Go's syntax. With search the
// language is every text that contains a match, else every text that is one.
func regexNFA(expr string, search bool) (*nfa, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, regexSyntaxError(expr, err)
	}
	re = re.Simplify()
	p, err := syntax.Compile(re)
	if err != nil {
		return nil, regexSyntaxError(expr, err)
	}
	if len(p.Inst) > maxRegexSize {
		return nil, refuse("", "regex", "the expression compiles to %d instructions, at most %d are allowed", len(p.Inst), maxRegexSize)
	}
	c := &regexCompiler{prog: p, nodes: map[regexPoint]int32{}, tails: map[regexTail]int32{}}
	return c.compile(search)
}

// Anchors are resolved by copies of the program: one for "nothing consumed
// yet", one for "something was", and for each a copy in which the end of the
// text has been asserted, so that nothing more can be consumed.
const (
	atBegin uint8 = 1 << iota
	atEnd
)

type regexPoint struct {
	pc    uint32
	phase uint8
}

// A regexTail is the rest of a UTF-8 sequence, shared between ranges.
type regexTail struct {
	lo, hi byte
	to     int32
}

type regexCompiler struct {
	prog  *syntax.Prog
	out   nfa
	nodes map[regexPoint]int32
	tails map[regexTail]int32
	work  []regexPoint
}

func (c *regexCompiler) at(pc uint32, phase uint8) int32 {
	k := regexPoint{pc, phase}
	n, ok := c.nodes[k]
	if !ok {
		n = c.out.node()
		c.nodes[k] = n
		c.work = append(c.work, k)
	}
	return n
}

func (c *regexCompiler) compile(search bool) (*nfa, error) {
	start := uint32(c.prog.Start)
	c.out.start = c.at(start, atBegin)
	var tail int32
	if search {
		// Skip any text first; a match then no longer starts at the beginning.
		c.out.start = c.out.node()
		skip := c.out.node()
		c.out.eps[c.out.start] = []int32{c.at(start, atBegin), skip}
		c.anyRune(skip, skip)
		c.anyRune(skip, c.at(start, 0))
		// The first skipped code point already moves past the beginning.
		tail = c.out.node()
		c.out.final[tail] = true
		c.anyRune(tail, tail)
	}
	for len(c.work) > 0 {
		k := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		if err := c.expand(k, search, tail); err != nil {
			return nil, err
		}
		if len(c.out.edges) > 8*maxRegexSize {
			return nil, refuse("", "regex", "the expression needs more than %d states", 8*maxRegexSize)
		}
	}
	return &c.out, nil
}

func (c *regexCompiler) expand(k regexPoint, search bool, tail int32) error {
	from := c.nodes[k]
	in := &c.prog.Inst[k.pc]
	switch in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		c.out.eps[from] = append(c.out.eps[from], c.at(in.Out, k.phase), c.at(in.Arg, k.phase))
	case syntax.InstCapture, syntax.InstNop:
		c.out.eps[from] = append(c.out.eps[from], c.at(in.Out, k.phase))
	case syntax.InstMatch:
		if search && k.phase&atEnd == 0 {
			c.out.eps[from] = append(c.out.eps[from], tail)
		} else {
			c.out.final[from] = true
		}
	case syntax.InstFail:
	case syntax.InstEmptyWidth:
		return c.assert(from, in, k.phase)
	default:
		if k.phase&atEnd == 0 {
			c.runes(from, in)
		}
	}
	return nil
}

func (c *regexCompiler) assert(from int32, in *syntax.Inst, phase uint8) error {
	want := syntax.EmptyOp(in.Arg)
	if want&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
		return refuse("", "regex", `word boundaries (\b, \B) are not supported`)
	}
	if want&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0 {
		return refuse("", "regex", "line anchors (^ and $ under the flag m) are not supported")
	}
	if want&syntax.EmptyBeginText != 0 && phase&atBegin == 0 {
		return nil
	}
	if want&syntax.EmptyEndText != 0 {
		phase |= atEnd
	}
	c.out.eps[from] = append(c.out.eps[from], c.at(in.Out, phase))
	return nil
}

// runes adds the edges of a rune instruction.
func (c *regexCompiler) runes(from int32, in *syntax.Inst) {
	to := c.at(in.Out, 0)
	switch in.Op {
	case syntax.InstRuneAny:
		c.anyRune(from, to)
	case syntax.InstRuneAnyNotNL:
		c.runeRange(from, to, 0, '\n'-1)
		c.runeRange(from, to, '\n'+1, maxRune)
	default:
		if len(in.Rune) == 1 {
			r := in.Rune[0]
			c.runeRange(from, to, r, r)
			if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					c.runeRange(from, to, f, f)
				}
			}
			return
		}
		for i := 0; i+1 < len(in.Rune); i += 2 {
			c.runeRange(from, to, in.Rune[i], in.Rune[i+1])
		}
	}
}

func (c *regexCompiler) anyRune(from, to int32) { c.runeRange(from, to, 0, maxRune) }

func (c *regexCompiler) runeRange(from, to int32, lo, hi rune) {
	utf8Sequences(lo, hi, func(s []byteRange) {
		next := to
		for i := len(s) - 1; i > 0; i-- {
			k := regexTail{s[i].lo, s[i].hi, next}
			n, ok := c.tails[k]
			if !ok {
				n = c.out.node()
				c.out.edges[n] = []edge{{s[i].lo, s[i].hi, next}}
				c.tails[k] = n
			}
			next = n
		}
		c.out.edges[from] = append(c.out.edges[from], edge{s[0].lo, s[0].hi, next})
	})
}

// regexSyntaxError places an error of regexp/syntax in the expression.
func regexSyntaxError(expr string, err error) error {
	e, ok := err.(*syntax.Error)
	if !ok {
		return syntaxAt(expr, 0, "%v", err)
	}
	offset := 0
	if i := lastIndex(expr, e.Expr); i >= 0 {
		offset = i
	}
	if e.Code == syntax.ErrLarge || e.Code == syntax.ErrInvalidRepeatSize && !reversed(e.Expr) {
		return refuse("", "regex", "`%s`: a repetition is at most 1000 times, those around it counted in", clip(e.Expr))
	}
	msg := e.Code.String()
	if e.Code == syntax.ErrInvalidPerlOp || e.Code == syntax.ErrMissingRepeatArgument || e.Code == syntax.ErrInvalidEscape {
		msg += " (look-around, atomic groups and backreferences are not regular)"
	}
	return syntaxAt(expr, offset, "%s: `%s`", msg, clip(e.Expr))
}

// trimmed drops the moves of a deterministic automaton that never reach
// acceptance, and joins the bytes of moves to the same place.
func (n *nfa) trimmed() *nfa {
	back := make([][]int32, len(n.edges))
	for i, edges := range n.edges {
		for _, e := range edges {
			back[e.to] = append(back[e.to], int32(i))
		}
	}
	alive := make([]bool, len(n.edges))
	var work []int32
	for i, f := range n.final {
		if f {
			work = append(work, int32(i))
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if !alive[i] {
			alive[i] = true
			work = append(work, back[i]...)
		}
	}
	for i, edges := range n.edges {
		var kept []edge
		for _, e := range edges {
			switch k := len(kept); {
			case !alive[e.to]:
			case k > 0 && kept[k-1].to == e.to && kept[k-1].hi+1 == e.lo:
				kept[k-1].hi = e.hi
			default:
				kept = append(kept, e)
			}
		}
		n.edges[i] = kept
	}
	return n
}

// empty reports whether a deterministic, trimmed automaton accepts nothing.
func (n *nfa) empty() bool { return !n.final[n.start] && len(n.edges[n.start]) == 0 }
