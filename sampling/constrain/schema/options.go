package schema

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

// Options adjusts how a schema is read. The zero value keeps the schema's property
// order and the specification's default for additionalProperties.
type Options struct {
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
