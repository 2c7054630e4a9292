// Package check answers: is this text what was asked for? It judges texts:
// whether one equals an answer, holds a number, fits a schema or a grammar,
// ends in a loop. A check is a name of one table ([Kinds]) with its value;
// [Reader.Read] makes a [List] of the JSON a prompt set or a command line
// gives, and [List.Judge] says which of them a text fails. A check that cannot
// be evaluated is an error, never a failure.
//
// White space is Unicode's White_Space, and nothing is normalised.
package check
