// Package python answers: what are Python's values, and what do its operators and
// methods do with them? Integers of any size, floats that print as repr does,
// texts that count in code points and their methods, lists, dicts that keep their
// order, both ways of formatting, JSON.
//
// A [Run] bounds what may be done with them: each operation counts its steps and
// the bytes it makes, and none calls back into a template except through
// [Object] and what [Run.Apply] calls. Functions without an error end a failure
// by a panic that [Caught] turns into an [*Error].
package python
