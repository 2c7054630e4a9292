// Package verdicts answers: which of these settings is better on these prompts,
// and what went wrong where they fail?
//
// A [Room] has prompts, configs and the texts that were written so far. It
// stays while its view is closed, and so does the run that fills it; what the
// run finds is put aside until the screen asks ([Room.Take]), so neither waits
// for the other.
package verdicts
