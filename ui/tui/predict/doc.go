// Package predict answers: could you have told what comes next?
//
// [New] opens the view: it hides the bars before each draw and waits for a
// guess, or lets the viewer write every token, and keeps a [Score] of both.
package predict
