// Package schema answers: which JSON does a JSON Schema allow?
//
// [New] compiles drafts 2020-12 and 7 exactly or refuses them with the keyword
// and its place: no text is accepted that the schema forbids. [JSON] is any
// JSON value.
//
// A schema is a set of values ([valueSet]: all of these schemas, none of
// those). A set is brought into alternatives without choices, its shapes
// (shape, sets, empty), by one table of keywords (keywords, with counts, apply,
// branch), in which each keyword says what it demands and what its negation
// does. Each shape then becomes expressions of package lang (emit, array,
// names, text, value, number). What a schema is refused for, or contradicts
// itself in, is gathered by refusals and conflict.
//
// One cache is kept while a schema is compiled: rules by the key of their set,
// so that what two places share is compiled once and recursion ends.
package schema
