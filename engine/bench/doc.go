// Package bench answers: which settings do better on these prompts? It decodes
// prompts under settings, with several seeds each, and says which settings do
// better, by how much and with how much doubt.
//
// [Run] writes the texts of a [Plan]: configs against prompts against seeds,
// several at once. Each finished text is kept in a log on disk at once, so a
// run that was stopped, or killed, goes on where it was. [Sweep] is the grid of
// settings over one prompt: it returns a [Grid] with the texts of every cell.
// [Summarise] reads the texts of a plan back in order, whatever the order they
// were written in, and measures them: estimates with intervals, paired
// differences with the first config, verdicts.
package bench
