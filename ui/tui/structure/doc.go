// Package structure answers: what does a constraint refuse here, and how is one
// written?
//
// [New] shows what the constraint does at the step on the screen: the tokens
// it refuses and where they die, what it costs, and how far the text is from
// its end. [NewEditor] writes one, in any notation, checked as it is typed;
// [Texts] keeps what was written in a session.
package structure
