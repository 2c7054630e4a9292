package tui

import (
	"logitscope/sampling"
	"logitscope/ui/tui/join"
	"logitscope/ui/tui/predict"
	"logitscope/viz"
)

// A Class is who looks at the lab from elsewhere and votes; see
// [Options.Class]. Its methods do not wait.
type Class interface {
	predict.Class
	join.Desks

	// Windows are those that somebody looks at, and Show is given a scene with
	// a frame for each.
	Windows() []Window
	Show(Scene)

	// Lock keeps everybody out who is not in, or lets them in again.
	Lock(on bool)

	// Bring asks the own labs of all members to show p.
	Bring(p Push)
}

// A Window is one way to draw the lab.
type Window struct {
	W, H  int
	Depth viz.Depth
	ASCII bool
}

// A Scene is what the lab looks like at one moment, for those who look on. It
// is never changed once it is handed over.
type Scene struct {
	Frames map[Window]string // as a terminal gets them, one line a row
	Text   string            // the end of prompt and text, printable
	Title  string            // what the rows are: the step, and how open it is
	Rows   []SceneRow        // of the step looked at, best first; nil where there is none, or it is hidden
	Hidden bool              // the rows are there, and not shown before the draw
	Notes  Notes             // for the teacher alone
}

// Notes are what the teacher reads beside the lesson that is open.
type Notes struct {
	Title string   // the task; empty where no lesson is open
	Lines []string // paragraphs
}

// A SceneRow is a token of a scene, or all others together.
type SceneRow struct {
	Token      string
	Raw, Final float64
	Cut        bool // a stage removed it
	Chosen     bool
}

// A Push is where own labs are brought: a prompt under settings.
type Push struct {
	Prompt string
	Config sampling.Config
	Preset int // that it started from, in the presets of all; -1 for none
}

// A BringMsg brings a member's own lab to what the teacher shows.
type BringMsg struct{ Push Push }
