// Package engine answers: what has this model written, and what would it write
// next? It decodes tokens in the background and reports on it.
//
// A [Lane] is one sequence: one goroutine, one model session, one stream of
// commands in and one stream of immutable views out. Lanes share weights and
// nothing else, so putting several side by side needs no locks.
//
// The loop is forward, trace, publish, wait, commit: a proposal can be looked
// at and traced again under other settings before it is written, with no
// forward pass.
package engine
