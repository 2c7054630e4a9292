// Package lanes answers: how do runs side by side differ, where do they part,
// and why?
//
// [View] is compare: a column for each lane with its text and its next token,
// rows aligned so that one token stands in one line in all of them, the place
// where the texts part with what made them, and how far apart the laws are at
// every step. What keys do to several lanes is in ui/tui/run.
package lanes
