// Package beams answers: how does beam search grow, and what could still win?
//
// [New] opens the view on a lane, and begins a search there if none runs; it
// shows the tree, the candidates of a step with the line between what runs on
// and what is cut, what is finished, and the score that decides. Contrastive
// search, which has no tree, is shown here too.
package beams
