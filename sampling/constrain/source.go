package constrain

import (
	"fmt"
	"strings"
)

// A Source says what text is wanted, in one of the notations this package
// reads: [JSON], [Schema], [Regex], [GBNF], [SQL] or [Choice]. [Compile] turns
// it into a [Grammar].
type Source interface {
	// define reads the notation. Its error is a *SyntaxError or a
	// *RefusedError.
	define() (*definition, error)
}

// A Note is something worth saying about a source that compiled: a keyword
// that does not restrict the text, or a part that can never be used.
type Note struct {
	Pointer string // JSON pointer into a schema, empty for other sources
	Keyword string
	Text    string
}

// A Refusal is one reason why a source was not compiled.
type Refusal struct {
	Pointer string `json:"pointer"` // JSON pointer to the schema at fault ("" is its root)
	Keyword string `json:"keyword"` // the keyword or construct at fault
	Reason  string `json:"reason"`  // why, in one line
}

// A RefusedError says that a well-formed source asks for something that can
// not be enforced exactly, or that contradicts itself. Of a schema it lists
// every problem that was found.
type RefusedError struct {
	Refusals []Refusal
	schema   bool // the refusals are at places of a schema
	loop     bool // a schema refers back to itself
}

// Error lists the refusals in one line. Those of a schema, and others at a
// place of a JSON text, begin with a fragment, so that the name of a file may
// stand in front:
//
//	#/properties/age: "$dynamicRef" is not supported; #/allOf/1: minLength 5 and maxLength 3: nothing fits
func (e *RefusedError) Error() string {
	lines := make([]string, len(e.Refusals))
	for i, r := range e.Refusals {
		if lines[i] = r.text(); e.schema || r.Pointer != "" {
			lines[i] = "#" + r.Pointer + ": " + lines[i]
		}
	}
	list := strings.Join(lines, "; ")
	if e.schema {
		return list
	}
	return "constraint refused: " + list
}

// predicates are the words with which a reason goes on from its keyword.
var predicates = []string{"is ", "has ", "must ", "allows ", "needs "}

// text is the reason with the keyword, unless the reason names it.
func (r Refusal) text() string {
	if r.Keyword == "" || strings.Contains(r.Reason, r.Keyword) {
		return r.Reason
	}
	for _, p := range predicates {
		if strings.HasPrefix(r.Reason, p) {
			return `"` + r.Keyword + `" ` + r.Reason
		}
	}
	return `"` + r.Keyword + `": ` + r.Reason
}

// A SyntaxError says where a source stopped making sense.
type SyntaxError struct {
	Line, Column int // counted from one, columns in code points
	Offset       int // bytes from the start
	Msg          string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("constraint: line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// Refusals turns any error of [Compile] or [Grammar.Bind] into a list: the
// refusals of a *RefusedError, or one entry with the keyword "syntax" that
// carries line and column. It returns nil for a nil error.
func Refusals(err error) []Refusal {
	switch e := err.(type) {
	case nil:
		return nil
	case *RefusedError:
		return e.Refusals
	case *SyntaxError:
		return []Refusal{{Keyword: "syntax", Reason: fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)}}
	default:
		return []Refusal{{Reason: err.Error()}}
	}
}

// refuse returns a RefusedError with a single entry.
func refuse(pointer, keyword, format string, args ...any) *RefusedError {
	return &RefusedError{Refusals: []Refusal{{pointer, keyword, fmt.Sprintf(format, args...)}}}
}

// syntaxAt returns a SyntaxError for a byte offset into text.
func syntaxAt(text string, offset int, format string, args ...any) *SyntaxError {
	offset = min(max(offset, 0), len(text))
	head := text[:offset]
	line := 1 + strings.Count(head, "\n")
	column := 1 + len([]rune(head[strings.LastIndexByte(head, '\n')+1:]))
	return &SyntaxError{Line: line, Column: column, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// Whitespace says how much blank space may stand between the tokens of a JSON
// text.
type Whitespace uint8

const (
	// WhitespaceBounded allows, in each gap, nothing, one space, or one
	// newline followed by at most 32 spaces or 16 tabs; and none before or
	// after the whole value.
	WhitespaceBounded Whitespace = iota
	// WhitespaceCompact allows none at all.
	WhitespaceCompact
	// WhitespaceAny allows what RFC 8259 does, around the value as well. A
	// model may then pad for ever.
	WhitespaceAny
)

// JSONOptions adjusts [JSON]. The zero value allows every JSON value.
type JSONOptions struct {
	Whitespace Whitespace
	ObjectOnly bool // the outermost value is an object
}

// SchemaOptions adjusts [Schema]. The zero value keeps the schema's property
// order and the specification's default for additionalProperties.
type SchemaOptions struct {
	Whitespace Whitespace
	// AnyOrder lets the properties of an object come in any order. Otherwise
	// those of one properties keyword come in its order, with undeclared ones
	// and those of other parts of the schema anywhere between.
	AnyOrder bool
	// Closed reads an absent additionalProperties as false.
	Closed bool
	// Canonical writes whole numbers without a fraction. Otherwise an integer
	// may be written 1.0, which JSON Schema counts as one, though many typed
	// readers do not.
	Canonical bool
	// Draft7 reads a schema without $schema as draft 7 instead of 2020-12.
	Draft7 bool
}

// Compile turns a source into a grammar. The error is a *SyntaxError where the
// source cannot be read, and a *RefusedError where it cannot be enforced
// exactly or cannot be met by any text.
func Compile(src Source) (*Grammar, error) {
	def, err := src.define()
	if err != nil {
		return nil, err
	}
	p, err := build(def)
	if err != nil {
		if _, ok := src.(schemaSource); ok {
			err = ofSchema(err)
		}
		return nil, err
	}
	return &Grammar{prog: p, notes: def.notes}, nil
}

// A Grammar is a compiled source. It is immutable and safe for concurrent use.
type Grammar struct {
	prog     *prog
	notes    []Note
	checkers checkerPool
}

// Notes returns what was noticed while compiling: keywords that restrict
// nothing and parts that cannot be used. The slice is the grammar's own.
func (g *Grammar) Notes() []Note { return g.notes }

// MinBytes returns the length of the shortest complete text, in bytes.
func (g *Grammar) MinBytes() int { return int(g.prog.ruleMin[g.prog.root]) }
