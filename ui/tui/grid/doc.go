// Package grid answers: where in a grid of settings do texts turn good or bad?
//
// [New] opens the map of a sweep: two axes, a shade for each cell, and below
// it the texts of the selected one, which opens as a lane.
package grid
