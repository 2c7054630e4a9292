// Package constrain answers: which text may a model write, and which token may
// come next?
//
// A [Spec] is a constraint as configurations store it, of one of the [Kinds].
// It becomes a [Source], and [Compile] turns that into a [Grammar].
// Its method Check judges a text; Bind joins the grammar to a [Vocab],
// the token trie of a model, and gives a [Matcher], which says for every
// [State] which tokens may come next and explains why others may not. States
// are immutable, interned values, so going back, forking, beams and asking
// about a draft cost nothing.
//
// What is not allowed is an error before it is a surprise: a *[SyntaxError]
// where a source cannot be read, a *[RefusedError] where it cannot be enforced
// exactly or no text meets it, a *[SpecError] where a configuration is at
// fault. [Bare] is what is wrong in words, for a line that names the source.
//
// The rooms, each with a question of its own:
//
//	lang        what can a constraint say? rules, automata, texts, refusals
//	jsonvalue   what does a JSON document say, exactly and in its order?
//	schema      which JSON does a JSON Schema allow?
//	grammar     which text does a regex, a GBNF grammar, a list, a query allow?
//	program     how are rules laid out as one network?
//	automaton   what may follow a text, byte by byte and token by token?
//
// Front ends (schema, grammar) know only lang; program and automaton know only
// lang; this package joins them. A new kind of constraint is an entry of the
// table in kinds.go and a front end.
package constrain
