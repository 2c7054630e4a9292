// Package speculative answers: how many tokens does one pass of the model yield
// when a draft guesses them? It lets a cheap drafter guess several tokens and
// the target model verify them in one pass, without changing the law of the
// text.
//
// A [Decoder] works in rounds. The drafter, another model with the same
// vocabulary or a look-up in the text so far ([Lookup]), proposes up to k
// tokens. One pass of the target gives its laws p at each of them. A token x
// that was drawn from the draft's law q stands if u < min(1, p(x)/q(x)); at
// the first that does not, a token is drawn from what the draft gave too
// little of, max(p-q, 0), and the round ends; if all stand, the target's next
// token comes free. Both p and q are laws after all processors, each with its
// own prefix, so penalties and constraints see the drafted tokens (Leviathan
// et al. 2023, arXiv:2211.17192; Chen et al. 2023, arXiv:2302.01318). [Block]
// judges the draft as a whole (Sun et al. 2024, arXiv:2403.10444).
//
// [SpecInfer] and [SpecTr] judge several drafts side by side, branches of a
// tree that the target goes along in one pass; so does lookahead decoding,
// whose drafts are n-grams of the target's own guesses.
//
// Several wrong algorithms that have been published or shipped are here under
// their names too, so that the drift they cause can be seen ([Algorithms]),
// and [Prover.Run] tests the law of any of them by drawing.
package speculative
