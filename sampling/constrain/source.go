package constrain

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
