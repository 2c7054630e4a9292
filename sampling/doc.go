// Package sampling turns a model's logits into one chosen token and records
// how it got there.
//
// A [Config] holds what was asked for, under the field's own names. [Compile]
// turns it into a [Pipeline]: the stages of one engine in that engine's order
// and with its arithmetic. [Pipeline.Sample] applies the pipeline to a row of
// logits, draws a token and fills a [Trace].
//
// Nothing here does I/O, starts goroutines or keeps state between calls: the
// same pipeline and input always choose the same token.
package sampling
