// Package constrain makes a language model write only text that a constraint
// allows: JSON, a JSON Schema, a regular expression, a grammar, a SQL query or
// one of a few choices.
//
// A [Source] is compiled to a [Grammar], one byte-level transition network for
// all notations. [Grammar.Check] judges a text. [Grammar.Bind] joins the
// grammar to a [Vocab], the token trie of a model, and gives a [Matcher],
// which says for every [State] which tokens may come next. States are
// immutable, interned values, so going back, forking, beams and asking about a
// draft cost nothing.
//
// How it works, in the order of the files: a front end (json, schema, regex,
// gbnf, sql, choice) builds expressions (expr); left recursion is removed
// (leftrec, nullable); build lays the rules out as nodes (prog, build, object);
// the automaton makes them deterministic as a text needs it (automaton,
// closure, states, transitions), with JSON strings as automata of their own
// over decoded text (jsonstring, textlang, dfa, unique); masks are put
// together from answers for the rules a text is in, which calls of a rule and
// even grammars share, and from walks of the token trie through the automaton
// (vocab, trie, region, mask, maskparts, maskwalk, masktexts, textwalk,
// maskexcept, sink, memo, matcher); budget closes a text before its tokens run
// out; explain and check answer questions.
//
// A schema is brought into alternatives without choices, its shapes
// (schema_shape, schema_sets, schema_empty), by one table of keywords (schema_keywords,
// schema_counts, schema_apply, schema_branch); each shape then becomes
// expressions (schema_emit, schema_array, schema_text, schema_value, number).
// What a schema is refused for, or contradicts itself in, is gathered by
// schema_refusals and schema_conflict.
//
// Every node can be completed: whatever can not is removed when the grammar is
// built, and a grammar that no text satisfies does not compile. So at least one
// token, or the end, is always allowed.
package constrain
