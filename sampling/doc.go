// Package sampling answers: which token comes next, and how did it come to
// that? It turns a model's logits into one chosen token and records how it got
// there.
//
// A [Config] holds what was asked for, under the field's own names; the table
// of package param says what each may be. [Compile] turns a config into
// a [Pipeline]: the stages of one engine in that engine's order and with its
// arithmetic. [Pipeline.Sample] applies the pipeline to a row of logits,
// draws a token and fills a [Trace].
//
// An [Order] is a semantics: transformers, llama.cpp, vLLM and Ollama's two
// samplers differ in more than the order of their stages. Each engine is a
// table of stages with its own borders, ties and sums, the values it assumes,
// refuses, changes and ignores, and its way to draw. Where an engine's own
// draw can be reproduced it is; elsewhere [luck.Coin] does, see
// [DrawKind].
//
// A new stage is a value with an apply method on the row (package row) and an
// entry in its engine's table; a new engine is one record, an [Engine].
//
// Nothing here does I/O, starts goroutines or keeps state between calls: the
// same pipeline and input always choose the same token. What a stage must
// remember from step to step is in [State], which the caller keeps with the
// step.
package sampling
