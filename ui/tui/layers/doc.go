// Package layers answers: what would each layer say next, and what do its heads
// look at?
//
// The view reads the text again up to the step on the screen, on a copy of the
// lane's session and in the background, and only while it is open and the lane
// rests. What it shows of a layer is the plain logit lens: early layers need
// not share the last one's basis, and the view says so.
package layers
