// Package kit answers: what does every view need, whatever it shows?
//
// A view draws, takes actions and offers hints; see [View] and the contracts
// beside it. All it can ask of the screen is a [Host]; what else it needs, the
// run's lanes or a report, is handed to it when it is made. Keys reach it as
// an [Action] with a typed [ID]. A view names the actions it takes; what the
// others mean, and the words for "not here", is the router's business.
//
// The rest are parts that views are made of: lists, text fields and areas,
// a background computation ([Job]), and the few knobs of one view.
package kit
