package constrain

import (
	"logitscope/sampling/constrain/automaton"
	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/schema"
)

// What the rooms hold, by the names its users know.
type (
	// A Source is a constraint that can be compiled.
	Source = lang.Source
	// A Note is something worth saying about a source that compiled.
	Note = lang.Note
	// A Refusal is one reason why a source was not compiled.
	Refusal = lang.Refusal
	// A RefusedError says that a well-formed source cannot be enforced exactly,
	// or contradicts itself.
	RefusedError = lang.RefusedError
	// A SyntaxError says where a source stopped making sense.
	SyntaxError = lang.SyntaxError

	// Whitespace says how much blank space JSON may have.
	Whitespace = schema.Whitespace

	// A Grammar is a compiled source.
	Grammar = automaton.Grammar
	// A Checker reads a text in parts and tells whether a grammar accepts it.
	Checker = automaton.Checker
	// A Vocab is the token trie of a model.
	Vocab = automaton.Vocab
	// A Matcher is a grammar joined to a vocabulary.
	Matcher = automaton.Matcher
	// A State is how far a text has come under a matcher. It is a value.
	State = automaton.State
	// MaskInfo says what one mask holds and what it took.
	MaskInfo = automaton.MaskInfo
	// An Explanation says where a text stands in its constraint.
	Explanation = automaton.Explanation
	// A DeadTokenError says why a token may not come.
	DeadTokenError = automaton.DeadTokenError
)

// Compile turns a source into a grammar. The error is a *SyntaxError where the
// source cannot be read, and a *RefusedError where it cannot be enforced
// exactly or cannot be met by any text.
func Compile(src Source) (*Grammar, error) {
	def, err := src.Define()
	if err != nil {
		return nil, err
	}
	return automaton.Compile(def)
}

// NewVocab makes the token trie of a model; see [automaton.NewVocab].
func NewVocab(piece func(id int32) []byte, size int, eog []int32, skip func(id int32) bool) *Vocab {
	return automaton.NewVocab(piece, size, eog, skip)
}

// Formats returns the values of the keyword format that schemas enforce, each
// with the regular expressions that a text of that format matches as a whole.
func Formats() map[string][]string { return schema.Formats() }

// DescribeBytes names the bytes of a set, and the end, in a few words.
func DescribeBytes(set [4]uint64, end bool) string { return automaton.DescribeBytes(set, end) }
