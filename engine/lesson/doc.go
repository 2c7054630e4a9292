// Package lesson answers: what does a lesson file say? A lesson is a Markdown
// file with fenced blocks, which sets the laboratory up, asks, says what must
// hold (package goal), and carries its own solution.
//
// [Parse] reads a file and finds every fault in it, each with its line and
// task; a [Lesson] has none that can be found without the model. [Misspelled]
// looks its tokens up in a model. Built-in lessons are embedded; see [Builtin].
//
// # Reading a lesson
//
// A [Reading] is a lesson being read: which task is open, which goals are met,
// what was answered. It is a value that [Reading.Look] and its other methods
// change by returning another. Whoever shows the lesson
//
//   - begins a task with [Reading.Begin] and brings the lab into the state its
//     setup asks for ([Setup.Apply] for the settings);
//   - says with [Reading.Stand] when that is done, which fixes the base that
//     changed and only compare with;
//   - gives each new [goal.State] to [Reading.Look], which latches what is met;
//   - draws texts by [Prose], whose expressions [goal.Expr.Eval] evaluates.
//
// A lesson file is untrusted: it is at most [MaxBytes] long, its expressions
// are total, and it names no path and no address.
package lesson
