package lang

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// An NFA is a byte-level automaton with empty moves, used for regular
// expressions before they become part of a program or a dfa.
type NFA struct {
	Edges [][]Edge
	Eps   [][]int32
	Final []bool
	Start int32
}

// An Edge leads to a node on any byte of lo..hi.
type Edge struct {
	Lo, Hi byte
	To     int32
}

// newNFA returns an automaton with room for some nodes.
func newNFA(nodes int) *NFA {
	return &NFA{Edges: make([][]Edge, 0, nodes), Eps: make([][]int32, 0, nodes), Final: make([]bool, 0, nodes)}
}

// Node adds a node without edges and returns its index.
func (n *NFA) Node() int32 {
	n.Edges = append(n.Edges, nil)
	n.Eps = append(n.Eps, nil)
	n.Final = append(n.Final, false)
	return int32(len(n.Edges) - 1)
}

// maxRegexSize bounds the instructions of one regular expression.
const maxRegexSize = 60_000

// RegexNFA compiles a regular expression of Go's syntax. With search the
// language is every text that contains a match, else every text that is one.
func RegexNFA(expr string, search bool) (*NFA, error) {
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
		return nil, Refuse("", "regex", "the expression compiles to %d instructions, at most %d are allowed", len(p.Inst), maxRegexSize)
	}
	c := &regexCompiler{prog: p, nodes: map[regexPoint]int32{}, tails: map[RegexTail]int32{}}
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

// A RegexTail is the rest of a UTF-8 sequence, shared between ranges.
type RegexTail struct {
	Lo, Hi byte
	To     int32
}

type regexCompiler struct {
	prog  *syntax.Prog
	out   NFA
	nodes map[regexPoint]int32
	tails map[RegexTail]int32
	work  []regexPoint
}

func (c *regexCompiler) at(pc uint32, phase uint8) int32 {
	k := regexPoint{pc, phase}
	n, ok := c.nodes[k]
	if !ok {
		n = c.out.Node()
		c.nodes[k] = n
		c.work = append(c.work, k)
	}
	return n
}

func (c *regexCompiler) compile(search bool) (*NFA, error) {
	start := uint32(c.prog.Start)
	c.out.Start = c.at(start, atBegin)
	var tail int32
	if search {
		// Skip any text first; a match then no longer starts at the beginning.
		c.out.Start = c.out.Node()
		skip := c.out.Node()
		c.out.Eps[c.out.Start] = []int32{c.at(start, atBegin), skip}
		c.anyRune(skip, skip)
		c.anyRune(skip, c.at(start, 0))
		// The first skipped code point already moves past the beginning.
		tail = c.out.Node()
		c.out.Final[tail] = true
		c.anyRune(tail, tail)
	}
	for len(c.work) > 0 {
		k := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		if err := c.expand(k, search, tail); err != nil {
			return nil, err
		}
		if len(c.out.Edges) > 8*maxRegexSize {
			return nil, Refuse("", "regex", "the expression needs more than %d states", 8*maxRegexSize)
		}
	}
	return &c.out, nil
}

func (c *regexCompiler) expand(k regexPoint, search bool, tail int32) error {
	from := c.nodes[k]
	in := &c.prog.Inst[k.pc]
	switch in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		c.out.Eps[from] = append(c.out.Eps[from], c.at(in.Out, k.phase), c.at(in.Arg, k.phase))
	case syntax.InstCapture, syntax.InstNop:
		c.out.Eps[from] = append(c.out.Eps[from], c.at(in.Out, k.phase))
	case syntax.InstMatch:
		if search && k.phase&atEnd == 0 {
			c.out.Eps[from] = append(c.out.Eps[from], tail)
		} else {
			c.out.Final[from] = true
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
		return Refuse("", "regex", `word boundaries (\b, \B) are not supported`)
	}
	if want&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0 {
		return Refuse("", "regex", "line anchors (^ and $ under the flag m) are not supported")
	}
	if want&syntax.EmptyBeginText != 0 && phase&atBegin == 0 {
		return nil
	}
	if want&syntax.EmptyEndText != 0 {
		phase |= atEnd
	}
	c.out.Eps[from] = append(c.out.Eps[from], c.at(in.Out, phase))
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
		c.runeRange(from, to, '\n'+1, MaxRune)
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

func (c *regexCompiler) anyRune(from, to int32) { c.runeRange(from, to, 0, MaxRune) }

func (c *regexCompiler) runeRange(from, to int32, lo, hi rune) {
	UTF8Sequences(lo, hi, func(s []ByteRange) {
		next := to
		for i := len(s) - 1; i > 0; i-- {
			k := RegexTail{s[i].Lo, s[i].Hi, next}
			n, ok := c.tails[k]
			if !ok {
				n = c.out.Node()
				c.out.Edges[n] = []Edge{{s[i].Lo, s[i].Hi, next}}
				c.tails[k] = n
			}
			next = n
		}
		c.out.Edges[from] = append(c.out.Edges[from], Edge{s[0].Lo, s[0].Hi, next})
	})
}

// regexSyntaxError places an error of regexp/syntax in the expression.
func regexSyntaxError(expr string, err error) error {
	e, ok := err.(*syntax.Error)
	if !ok {
		return SyntaxAt(expr, 0, "%v", err)
	}
	offset := 0
	if i := lastIndex(expr, e.Expr); i >= 0 {
		offset = i
	}
	if e.Code == syntax.ErrLarge || e.Code == syntax.ErrInvalidRepeatSize && !reversed(e.Expr) {
		return Refuse("", "regex", "`%s`: a repetition is at most 1000 times, those around it counted in", Clip(e.Expr))
	}
	msg := e.Code.String()
	if e.Code == syntax.ErrInvalidPerlOp || e.Code == syntax.ErrMissingRepeatArgument || e.Code == syntax.ErrInvalidEscape {
		msg += " (look-around, atomic groups and backreferences are not regular)"
	}
	return SyntaxAt(expr, offset, "%s: `%s`", msg, Clip(e.Expr))
}

// Trimmed drops the moves of a deterministic automaton that never reach
// acceptance, and joins the bytes of moves to the same place.
func (n *NFA) Trimmed() *NFA {
	back := make([][]int32, len(n.Edges))
	for i, edges := range n.Edges {
		for _, e := range edges {
			back[e.To] = append(back[e.To], int32(i))
		}
	}
	alive := make([]bool, len(n.Edges))
	var work []int32
	for i, f := range n.Final {
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
	for i, edges := range n.Edges {
		var kept []Edge
		for _, e := range edges {
			switch k := len(kept); {
			case !alive[e.To]:
			case k > 0 && kept[k-1].To == e.To && kept[k-1].Hi+1 == e.Lo:
				kept[k-1].Hi = e.Hi
			default:
				kept = append(kept, e)
			}
		}
		n.Edges[i] = kept
	}
	return n
}

// Empty reports whether a deterministic, trimmed automaton accepts nothing.
func (n *NFA) Empty() bool { return !n.Final[n.Start] && len(n.Edges[n.Start]) == 0 }

func lastIndex(s, sub string) int { return strings.LastIndex(s, sub) }

// reversed reports whether a repetition such as {5,2} has its bounds swapped,
// which regexp/syntax reports like a count that is too large.
func reversed(count string) bool {
	a, b, ok := strings.Cut(strings.Trim(count, "{}"), ",")
	return ok && b != "" && (len(a) > len(b) || len(a) == len(b) && a > b)
}
