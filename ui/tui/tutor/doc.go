// Package tutor answers: what does the lesson ask, and what is still open?
//
// A [Pane] is the lesson beside the lab: its text, the question before a task,
// the goals with what they are about now, hints, and what there was to see.
// [List] is the overlay of all lessons. Nothing is locked and nothing goes on
// by itself.
package tutor
