package lang

// An Expr is the form every front end produces: a tree whose leaves are text,
// classes of code points and a few automata, and whose calls name rules.
type Expr struct {
	Op       Op
	Text     string      // OpText: UTF-8, matched byte for byte
	Ranges   []RuneRange // OpClass
	Subs     []*Expr     // OpSeq, OpAlt; OpRepeat uses the first
	Min, Max int         // OpRepeat; max < 0 is unlimited
	Rule     int         // OpCall
	Label    string      // OpCall: shown in breadcrumbs in place of the caller's name
	NFA      *NFA        // OpNFA
	Str      *StringLang // OpString: the inside of a JSON string and its closing quote
	Obj      *ObjectLang // OpObject: the members of a JSON object, without braces
}

// MaxRepeat bounds the counts of repetitions.
const MaxRepeat = 1 << 24

// An Op says what an [Expr] is.
type Op uint8

const (
	OpEmpty Op = iota
	OpNever
	OpText
	OpClass
	OpSeq
	OpAlt
	OpRepeat
	OpCall
	OpNFA
	OpString
	OpObject
)

// A Definition is a set of rules, as front ends hand it to build.
type Definition struct {
	Rules []rule
	Root  int
	Notes []Note
	// Explain names the contradiction when no text satisfies the root.
	Explain func(unproductive func(rule int) bool) *RefusedError
	// Pointers says that refusals are at places of a schema.
	Pointers bool
}

type rule struct {
	Name string
	Body *Expr
	// Common names a rule that, with all it calls, is the same in every
	// definition that has one of this name. It is "" for others.
	Common string
}

// Add appends a rule and returns its index; the body may be set later.
func (d *Definition) Add(name string, body *Expr) int {
	d.Rules = append(d.Rules, rule{Name: name, Body: body})
	return len(d.Rules) - 1
}

var (
	Empty = &Expr{Op: OpEmpty}
	Never = &Expr{Op: OpNever}
)

// Text matches s and nothing else.
func Text(s string) *Expr {
	if s == "" {
		return Empty
	}
	return &Expr{Op: OpText, Text: s}
}

// Class matches one code point of the ranges; without any it is [Never].
func Class(r ...RuneRange) *Expr {
	if len(r) == 0 {
		return Never
	}
	return &Expr{Op: OpClass, Ranges: r}
}

// Seq matches one after another.
func Seq(subs ...*Expr) *Expr {
	out := make([]*Expr, 0, len(subs))
	for _, s := range subs {
		switch s.Op {
		case OpNever:
			return Never
		case OpEmpty:
		case OpSeq:
			out = append(out, s.Subs...)
		default:
			out = append(out, s)
		}
	}
	switch len(out) {
	case 0:
		return Empty
	case 1:
		return out[0]
	}
	return &Expr{Op: OpSeq, Subs: out}
}

// Alt matches any one; without any it is [Never].
func Alt(subs ...*Expr) *Expr {
	out := make([]*Expr, 0, len(subs))
	for _, s := range subs {
		switch s.Op {
		case OpNever:
		case OpAlt:
			out = append(out, s.Subs...)
		default:
			out = append(out, s)
		}
	}
	switch len(out) {
	case 0:
		return Never
	case 1:
		return out[0]
	}
	return &Expr{Op: OpAlt, Subs: out}
}

// Repeat matches e lo to hi times; hi < 0 is unlimited.
func Repeat(e *Expr, lo, hi int) *Expr {
	switch {
	case hi == 0 || e.Op == OpEmpty:
		return Empty
	case e.Op == OpNever && lo == 0:
		return Empty
	case e.Op == OpNever:
		return Never
	case lo == 1 && hi == 1:
		return e
	}
	return &Expr{Op: OpRepeat, Subs: []*Expr{e}, Min: lo, Max: hi}
}

// Star matches e any number of times.
func Star(e *Expr) *Expr { return Repeat(e, 0, -1) }

// Optional matches e or nothing.
func Optional(e *Expr) *Expr { return Alt(Empty, e) }

// Call matches what a rule of the definition does, by its index.
func Call(rule int) *Expr { return &Expr{Op: OpCall, Rule: rule} }

// CallAs is [Call] under another name in breadcrumbs.
func CallAs(rule int, label string) *Expr {
	return &Expr{Op: OpCall, Rule: rule, Label: label}
}

// A Source says what text is allowed, in a notation of its own: those of
// packages schema and grammar. Compile of package constrain turns it into a
// grammar.
type Source interface {
	// Define reads the notation. Its error is a *SyntaxError or a
	// *RefusedError.
	Define() (*Definition, error)
}
