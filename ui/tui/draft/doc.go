// Package draft answers: what did speculative decoding draft, how was each
// token judged, and does it pay?
//
// [New] opens the view on a lane, and gives it a draft if it has none: it
// shows a round's positions with p, q and the coin, where the last token came
// from, and the running account of what was accepted and what it cost.
// [NewProof] draws one token very often by the rule chosen, and holds the
// counts against the target's own law.
package draft
