package constrain

// An expr is the form every front end produces: a tree whose leaves are text,
// classes of code points and a few automata, and whose calls name rules.
type expr struct {
	op       op
	text     string      // opText: UTF-8, matched byte for byte
	ranges   []runeRange // opClass
	subs     []*expr     // opSeq, opAlt; opRepeat uses the first
	min, max int         // opRepeat; max < 0 is unlimited
	rule     int         // opCall
	label    string      // opCall: shown in breadcrumbs in place of the caller's name
	nfa      *nfa        // opNFA
	str      *stringLang // opString: the inside of a JSON string and its closing quote
	obj      *objectLang // opObject: the members of a JSON object, without braces
}

type op uint8

const (
	opEmpty op = iota
	opNever
	opText
	opClass
	opSeq
	opAlt
	opRepeat
	opCall
	opNFA
	opString
	opObject
)

// A definition is a set of rules, as front ends hand it to build.
type definition struct {
	rules []rule
	root  int
	notes []Note
	// explain names the contradiction when no text satisfies the root.
	explain func(unproductive func(rule int) bool) *RefusedError
}

type rule struct {
	name string
	body *expr
	// common names a rule that, with all it calls, is the same in every
	// definition that has one of this name. It is "" for others.
	common string
}

// add appends a rule and returns its index; the body may be set later.
func (d *definition) add(name string, body *expr) int {
	d.rules = append(d.rules, rule{name: name, body: body})
	return len(d.rules) - 1
}

var (
	empty = &expr{op: opEmpty}
	never = &expr{op: opNever}
)

func text(s string) *expr {
	if s == "" {
		return empty
	}
	return &expr{op: opText, text: s}
}

func class(r ...runeRange) *expr {
	if len(r) == 0 {
		return never
	}
	return &expr{op: opClass, ranges: r}
}

func seq(subs ...*expr) *expr {
	out := make([]*expr, 0, len(subs))
	for _, s := range subs {
		switch s.op {
		case opNever:
			return never
		case opEmpty:
		case opSeq:
			out = append(out, s.subs...)
		default:
			out = append(out, s)
		}
	}
	switch len(out) {
	case 0:
		return empty
	case 1:
		return out[0]
	}
	return &expr{op: opSeq, subs: out}
}

func alt(subs ...*expr) *expr {
	out := make([]*expr, 0, len(subs))
	for _, s := range subs {
		switch s.op {
		case opNever:
		case opAlt:
			out = append(out, s.subs...)
		default:
			out = append(out, s)
		}
	}
	switch len(out) {
	case 0:
		return never
	case 1:
		return out[0]
	}
	return &expr{op: opAlt, subs: out}
}

func repeat(e *expr, lo, hi int) *expr {
	switch {
	case hi == 0 || e.op == opEmpty:
		return empty
	case e.op == opNever && lo == 0:
		return empty
	case e.op == opNever:
		return never
	case lo == 1 && hi == 1:
		return e
	}
	return &expr{op: opRepeat, subs: []*expr{e}, min: lo, max: hi}
}

func star(e *expr) *expr     { return repeat(e, 0, -1) }
func optional(e *expr) *expr { return alt(empty, e) }
func call(rule int) *expr    { return &expr{op: opCall, rule: rule} }

func callAs(rule int, label string) *expr {
	return &expr{op: opCall, rule: rule, label: label}
}
