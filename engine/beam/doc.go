// Package beam answers: which texts are the most likely, where one token at a time
// is drawn elsewhere? It is beam search with its diverse, sampled and constrained
// forms ([Search]).
//
// A [Search] advances one token at a time. Each [Search.Step] runs the model
// on the beams that are running, all in one pass where the model can, scores
// every continuation, and lets a rule choose: the vectorised rule of
// transformers 4.50 and later, its older scorer, or vLLM's. What a step saw
// and chose is kept as an immutable [Step]; a [View] is all steps so far, so
// rewinding is dropping steps, and changing a setting chooses the last step
// again from the rows in hand.
//
// Scores are sums of log-probabilities in float64. Ties go to the lower beam,
// then to the lower token.
package beam
