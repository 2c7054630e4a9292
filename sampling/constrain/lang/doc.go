// Package lang answers: what can a constraint say?
//
// It is what front ends write and the automaton reads. A [Definition] is a set
// of rules whose bodies are expressions ([Expr]): text, classes of code points,
// sequences, alternatives, repetitions and calls. Three leaves are languages of
// their own: an [NFA] over bytes, a [StringLang], which reads the encoded inside
// of a JSON string as an automaton over the decoded text (usually a
// [DFA]), and an [ObjectLang], the members of an object.
//
// Every language knows the fewest bytes that complete a text, so that distances
// ([Unreachable] marks none) guide a text to its end.
//
// Errors of all front ends are here too: [SyntaxError] has a place in the text,
// [RefusedError] lists reasons with JSON pointers.
package lang
