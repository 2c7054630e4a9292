package constrain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Schema wants a JSON value that is valid under a JSON Schema of draft 2020-12
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
func Schema(data []byte, opts SchemaOptions) Source { return schemaSource{data, opts} }

type schemaSource struct {
	data []byte
	opts SchemaOptions
}

func (s schemaSource) define() (*definition, error) {
	root, err := readJSON(s.data)
	if err != nil {
		return nil, err
	}
	c, err := newSchemaCompiler(root, s.opts)
	if err == nil {
		var def *definition
		if def, err = c.compile(); err == nil {
			return def, nil
		}
		err = everyRefusal(root, s.opts, err)
	}
	return nil, ofSchema(err)
}

// A schemaNode is a schema at a place in a document.
type schemaNode struct {
	id    int
	value *jsonValue
	ptr   string
	res   *resource
}

// A schemaSet is a conjunction: a value must satisfy every node of all and
// none of not. The zero set is satisfied by everything; never by nothing.
type schemaSet struct {
	all, not []*schemaNode
	never    bool
}

func (s schemaSet) key() string {
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
func appendIDs(key []byte, ids []int, list []*schemaNode) []byte {
	for _, n := range list {
		ids = append(ids, n.id)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		key = append(strconv.AppendInt(key, int64(id), 10), ',')
	}
	return key
}

func (s schemaSet) and(t schemaSet) schemaSet {
	if s.never || t.never {
		return schemaSet{never: true}
	}
	return schemaSet{all: join(s.all, t.all), not: join(s.not, t.not)}
}

func join(a, b []*schemaNode) []*schemaNode {
	if len(a) == 0 {
		return b
	}
	out := append([]*schemaNode{}, a...)
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
func (s schemaSet) pointer() string {
	switch {
	case len(s.all) > 0:
		return s.all[0].ptr
	case len(s.not) > 0:
		return s.not[0].ptr
	}
	return ""
}

// A schemaCompiler turns a schema document into rules. A set of schemas is
// first brought into alternatives without keywords that branch (shape), then
// every alternative becomes one expression per type.
type schemaCompiler struct {
	opts  SchemaOptions
	draft int // 7 or 2020
	root  *schemaNode
	nodes map[*jsonValue]*schemaNode
	resources

	raw      map[string][]*shape // alternatives of a set
	shapes   map[string][]*shape // the same, checked for contradictions
	pending  map[*schemaNode]bool
	verdicts map[string]bool // sets known to be empty or not
	checking map[string]bool
	positive map[*schemaNode][]*shape
	negative map[*schemaNode][]*shape

	def        *definition
	json       *jsonRules
	rules      map[string]int
	ruleSets   []schemaSet         // by rule, for messages
	texts      map[string]*dfaText // nil if too large
	numbers    map[string]*nfa
	numberWork int // states made for them
	classes    map[string]map[uint32]*dfaText
	patterns   map[string]*nfa
	work       []string
	current    schemaSet   // being compiled
	sharing    bool        // it has several shapes
	free       *stringLang // any name
	noted      map[Note]bool
	refusals   *refusalList // where refusals are gathered; nil while the first one ends it
}

// Limits that keep time and memory in bounds on hostile schemas.
const (
	maxShapes = 512     // alternatives of one set
	maxRules  = 100_000 // sets reached
)

func newSchemaCompiler(root *jsonValue, opts SchemaOptions) (*schemaCompiler, error) {
	c := &schemaCompiler{
		opts: opts, draft: 2020,
		nodes: map[*jsonValue]*schemaNode{}, raw: map[string][]*shape{}, shapes: map[string][]*shape{}, pending: map[*schemaNode]bool{},
		verdicts: map[string]bool{}, checking: map[string]bool{},
		positive: map[*schemaNode][]*shape{}, negative: map[*schemaNode][]*shape{},
		def: &definition{}, rules: map[string]int{}, texts: map[string]*dfaText{}, numbers: map[string]*nfa{}, classes: map[string]map[uint32]*dfaText{}, patterns: map[string]*nfa{}, noted: map[Note]bool{},
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
func (c *schemaCompiler) readDraft(root *jsonValue) error {
	v := root.get("$schema")
	if v == nil {
		return nil
	}
	if v.kind != kindString {
		return refuse("", "$schema", "must be a string")
	}
	uri := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(v.text, "https://"), "http://"), "#")
	switch uri {
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema":
		c.draft = 2020
	case "json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema":
		c.draft = 7
	default:
		c.note("", "$schema", "an unknown dialect, read as draft %s", map[int]string{7: "7", 2020: "2020-12"}[c.draft])
	}
	return nil
}

func (c *schemaCompiler) note(ptr, keyword, format string, args ...any) {
	n := Note{ptr, keyword, fmt.Sprintf(format, args...)}
	if !c.noted[n] {
		c.noted[n] = true
		c.def.notes = append(c.def.notes, n)
	}
}

func (c *schemaCompiler) compile() (*definition, error) {
	c.json = newJSONRules(c.def, c.opts.Whitespace)
	root := schemaSet{all: []*schemaNode{c.root}}
	first, err := c.rule(root, "value")
	if err != nil {
		return nil, err
	}
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
		c.def.rules[r].body = body
		if len(c.def.rules) > maxRules {
			return nil, refuse("", "size", "the schema needs more than %d rules", maxRules)
		}
	}
	body := call(first)
	if c.opts.Whitespace == WhitespaceAny {
		body = seq(c.json.ws, body, c.json.ws)
	}
	c.def.root = c.def.add("schema", body)
	c.def.explain = func(func(int) bool) *RefusedError { return c.contradiction(root) }
	return c.def, nil
}

// rule returns the rule for the values of a set, to be filled in later.
func (c *schemaCompiler) rule(s schemaSet, name string) (int, error) {
	if !s.never && len(s.all) == 0 && len(s.not) == 0 {
		return c.json.value(), nil
	}
	key := s.key()
	if r, ok := c.rules[key]; ok {
		return r, nil
	}
	r := c.def.add(name, never)
	for len(c.ruleSets) <= r {
		c.ruleSets = append(c.ruleSets, schemaSet{})
	}
	c.ruleSets[r] = s
	c.rules[key] = r
	c.work = append(c.work, key)
	return r, nil
}

// body is what a set of schemas allows.
func (c *schemaCompiler) body(s schemaSet) (*expr, error) {
	shapes, err := c.shapesOf(s)
	if err != nil {
		return nil, err
	}
	if values, ok := finiteValues(shapes); ok {
		return c.literals(values), nil
	}
	c.sharing = len(shapes) > 1
	var alts []*expr
	for _, k := range shapes {
		e, err := c.shapeExpr(k)
		if err != nil {
			return nil, err
		}
		alts = append(alts, e)
	}
	return alt(alts...), nil
}
