// Package run answers: what is being decoded on the screen, and what has the
// user done to it?
//
// [Lanes] are the runs side by side, which of them keys act on, and what the
// keys do to it: run, step, look back, tune, branch, undo. A [Lane] is one
// run as the screen sees it: the engine's lane, its newest view, the settings
// asked for, and the [Lookback] that shows a step of the past. [Borrowed]
// settings are those a view changes for as long as it is open.
//
// All of it belongs to the screen's goroutine. Nothing here draws, and nothing
// here waits for an engine: what is asked of a lane is posted, and what came
// of it is in the next [engine.View].
package run
