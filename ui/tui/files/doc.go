// Package files answers: what leaves the lab, and what comes in?
//
// [Export] writes out the settings in another engine's words, after saying what
// does not translate and what the target would have done on this run; a preset
// of the user's own ([Presets]); or the run. [Import] reads settings in any
// engine's words.
package files
