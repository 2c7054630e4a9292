package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// New wants a JSON value that is valid under a JSON Schema of draft 2020-12
// or draft 7 (earlier drafts are read as draft 7). Every keyword is enforced
// exactly or refused with its place and the reason; annotations and keywords
// that do not exist are listed in [Grammar.Notes].
//
// Numbers under a bound or a multipleOf are written in plain decimal notation,
// or with one digit before the point and an exponent from -307 to 307; whole
// ones that have to be whole with one digit and an exponent. There is none in
// numbers of enum, const and uniqueItems, under a multipleOf whose digits
// make more than 16, or beyond 30 under any. In names, enum and const a character is written as itself or, if
// it is not printable ASCII or one of < > & ', as any of its escapes; all
// other strings may use every escape.
func New(data []byte, opts Options) lang.Source { return schemaSource{data, opts} }

type schemaSource struct {
	data []byte
	opts Options
}

func (s schemaSource) Define() (*lang.Definition, error) {
	root, err := jsonvalue.Read(s.data)
	if err != nil {
		return nil, err
	}
	c, err := newCompiler(root, s.opts)
	if err == nil {
		var def *lang.Definition
		if def, err = c.compile(); err == nil {
			return def, nil
		}
		err = everyRefusal(root, s.opts, err)
	}
	return nil, lang.InSchema(err)
}

// A subschema is a schema at a place in a document.
type subschema struct {
	id    int
	value *jsonvalue.Value
	ptr   string
	res   *resource
}

// A valueSet is a conjunction: a value must satisfy every node of all and
// none of not. The zero set is satisfied by everything; never by nothing.
type valueSet struct {
	all, not []*subschema
	never    bool
}

func (s valueSet) key() string {
	if s.never {
		return "!"
	}
	var keyBuf [64]byte
	var idBuf [16]int
	key := appendIDs(keyBuf[:0], idBuf[:0], s.all)
	key = append(key, '!')
	return string(appendIDs(key, idBuf[:0], s.not))
}

// appendIDs adds the different ids of nodes in their order, using a buffer.
func appendIDs(key []byte, ids []int, list []*subschema) []byte {
	for _, n := range list {
		ids = append(ids, n.id)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		key = append(strconv.AppendInt(key, int64(id), 10), ',')
	}
	return key
}

func (s valueSet) and(t valueSet) valueSet {
	if s.never || t.never {
		return valueSet{never: true}
	}
	return valueSet{all: join(s.all, t.all), not: join(s.not, t.not)}
}

func join(a, b []*subschema) []*subschema {
	if len(a) == 0 {
		return b
	}
	out := append([]*subschema{}, a...)
	for _, n := range b {
		known := false
		for _, m := range a {
			known = known || m == n
		}
		if !known {
			out = append(out, n)
		}
	}
	return out
}

// pointer is where the set's first schema stands.
func (s valueSet) pointer() string {
	switch {
	case len(s.all) > 0:
		return s.all[0].ptr
	case len(s.not) > 0:
		return s.not[0].ptr
	}
	return ""
}

// A compiler turns a schema document into rules. A set of schemas is
// first brought into alternatives without keywords that branch (shape), then
// every alternative becomes one expression per type.
type compiler struct {
	opts  Options
	draft int // 7 or 2020
	root  *subschema
	nodes map[*jsonvalue.Value]*subschema
	resources

	raw      map[string][]*shape // alternatives of a set
	shapes   map[string][]*shape // the same, checked for contradictions
	pending  map[*subschema]bool
	verdicts map[string]bool // sets known to be empty or not
	checking map[string]bool
	positive map[*subschema][]*shape
	negative map[*subschema][]*shape

	def        *lang.Definition
	json       *jsonRules
	rules      map[string]int
	ruleSets   []valueSet           // by rule, for messages
	texts      map[string]*lang.DFA // nil if too large
	numbers    map[string]*lang.NFA
	numberWork int // states made for them
	classes    map[string]map[uint32]*lang.DFA
	patterns   map[string]*lang.NFA
	work       []string
	current    valueSet         // being compiled
	sharing    bool             // it has several shapes
	free       *lang.StringLang // any name
	noted      map[lang.Note]bool
	refusals   *refusalList // where refusals are gathered; nil while the first one ends it
}

// Limits that keep time and memory in bounds on hostile schemas.
const (
	maxShapes = 512 // alternatives of one set
	// Conditions on members in all alternatives of a set: every name is looked
	// up in each, so compiling takes more than their number.
	maxConditions = 1 << 16
	maxRules      = 100_000 // sets reached
)

func newCompiler(root *jsonvalue.Value, opts Options) (*compiler, error) {
	c := &compiler{
		opts: opts, draft: 2020,
		nodes: map[*jsonvalue.Value]*subschema{}, raw: map[string][]*shape{}, shapes: map[string][]*shape{}, pending: map[*subschema]bool{},
		verdicts: map[string]bool{}, checking: map[string]bool{},
		positive: map[*subschema][]*shape{}, negative: map[*subschema][]*shape{},
		def: &lang.Definition{}, rules: map[string]int{}, texts: map[string]*lang.DFA{}, numbers: map[string]*lang.NFA{}, classes: map[string]map[uint32]*lang.DFA{}, patterns: map[string]*lang.NFA{}, noted: map[lang.Note]bool{},
	}
	if opts.Draft7 {
		c.draft = 7
	}
	if err := c.readDraft(root); err != nil {
		return nil, err
	}
	if err := c.index(root); err != nil {
		return nil, err
	}
	return c, nil
}

// readDraft looks at $schema.
func (c *compiler) readDraft(root *jsonvalue.Value) error {
	v := root.Get("$schema")
	if v == nil {
		return nil
	}
	if v.Kind != jsonvalue.String {
		return lang.Refuse("", "$schema", "must be a string")
	}
	uri := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(v.Text, "https://"), "http://"), "#")
	switch uri {
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema":
		c.draft = 2020
	case "json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema":
		c.draft = 7
	default:
		c.note("", "$schema", "an unknown dialect, read as draft %s", draftNames[c.draft])
	}
	return nil
}

var draftNames = map[int]string{7: "7", 2020: "2020-12"}

func (c *compiler) note(ptr, keyword, format string, args ...any) {
	n := lang.Note{Pointer: ptr, Keyword: keyword, Text: fmt.Sprintf(format, args...)}
	if !c.noted[n] {
		c.noted[n] = true
		c.def.Notes = append(c.def.Notes, n)
	}
}

func (c *compiler) compile() (*lang.Definition, error) {
	c.json = newJSONRules(c.def, c.opts.Whitespace)
	root := valueSet{all: []*subschema{c.root}}
	first := c.rule(root, "value")
	for len(c.work) > 0 {
		key := c.work[0]
		c.work = c.work[1:]
		r := c.rules[key]
		c.current = c.ruleSets[r]
		body, err := c.body(c.current)
		if err != nil && !c.refusals.take(err) {
			return nil, err
		} else if err != nil {
			continue
		}
		c.def.Rules[r].Body = body
		if len(c.def.Rules) > maxRules {
			return nil, lang.Refuse("", "size", "the schema needs more than %d rules", maxRules)
		}
	}
	body := lang.Call(first)
	if c.opts.Whitespace == WhitespaceAny {
		body = lang.Seq(c.json.ws, body, c.json.ws)
	}
	c.def.Root, c.def.Pointers = c.def.Add("schema", body), true
	c.def.Explain = func(func(int) bool) *lang.RefusedError { return c.contradiction(root) }
	return c.def, nil
}

// rule returns the rule for the values of a set, to be filled in later.
func (c *compiler) rule(s valueSet, name string) int {
	if !s.never && len(s.all) == 0 && len(s.not) == 0 {
		return c.json.value()
	}
	key := s.key()
	if r, ok := c.rules[key]; ok {
		return r
	}
	r := c.def.Add(name, lang.Never)
	for len(c.ruleSets) <= r {
		c.ruleSets = append(c.ruleSets, valueSet{})
	}
	c.ruleSets[r] = s
	c.rules[key] = r
	c.work = append(c.work, key)
	return r
}

// body is what a set of schemas allows.
func (c *compiler) body(s valueSet) (*lang.Expr, error) {
	shapes, err := c.shapesOf(s)
	if err != nil {
		return nil, err
	}
	if values, ok := finiteValues(shapes); ok {
		return c.literals(values), nil
	}
	c.sharing = len(shapes) > 1
	var alts []*lang.Expr
	for _, k := range shapes {
		e, err := c.shapeExpr(k)
		if err != nil {
			return nil, err
		}
		alts = append(alts, e)
	}
	return lang.Alt(alts...), nil
}
