package tui

import (
	"io"
	"time"

	"logitscope/engine"
	grids "logitscope/engine/bench"
	"logitscope/engine/lesson"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/sampling"
	"logitscope/ui/store"
	"logitscope/ui/tui/join"
	"logitscope/ui/tui/run"
	"logitscope/ui/tui/verdicts"
	"logitscope/ui/tui/vote"
)

// A Lane is one side of a comparison.
type Lane struct {
	Model  models.Model
	Draft  engine.Draft // for speculative decoding; the zero value is none
	Config sampling.Config
	Label  string // the preset it started from
}

// Lessons are the lessons that the lab offers.
type Lessons struct {
	List []*lesson.Lesson
	Open *lesson.Lesson // to begin with; nil for none
	Task int            // index of its task to begin with

	Choose bool // begin with the list of lessons

	Start  sampling.Config // that lessons begin from
	Preset string          // it comes from
	Fixed  bool            // they run on Options.Model, whatever they name

	Progress map[string]store.LessonProgress // what was done, by ids of lessons; may be nil
	// Kept is told of every change of it, as [store.Progress.Update] takes it;
	// nil for nobody.
	Kept func(id, sha string, task int, change func(*store.TaskProgress))
}

// Options are what the lab starts with.
type Options struct {
	Model     models.Model
	OpenModel func(spec string) (models.Model, error) // opens another one; nil if that cannot be done
	Models    []string                                // names of models at hand, to choose from
	Draft     engine.Draft                            // for speculative decoding; the zero value is none

	Prompt       string
	PromptTokens []int32            // what Prompt is as tokens; nil splits it as the model does
	Talk         *chat.Conversation // that Prompt renders; nil for a plain text
	Ends         chat.Ends          // of the model's turn in it
	Config       sampling.Config    // what is in force, preset included
	PresetName   string             // the preset it started from
	Presets      []run.Preset       // built-in ones first, tame to wild, then the user's by name

	Written map[string]string // JSON of constraints as their files have it, by their stored form

	Theme   string // "dark", "light" or "auto"
	ASCII   bool   // draw with ASCII glyphs only
	NoMouse bool
	NoColor bool
	FPS     int // most views a second taken from a lane; 0 means 30

	Input  io.Reader // nil for the terminal
	Output io.Writer // nil for the terminal

	Lanes []Lane // to open compare with, instead of one run; nil for the lab
	// Record is given every view of every lane, in order, and again when its
	// cues change; nil for none. What it returns is shown.
	Record func(Recorded) error
	Rows   int // tokens that rows should name at least for that, see [engine.Options]

	Lessons  Lessons
	Replay   *Replay // to play; nil for a model that runs
	Bench    verdicts.Options
	Vote     vote.Options // to open first, where it has pairs
	Class    Class        // who looks on and votes; nil for nobody
	Join     join.Card    // how to get into the class
	Sweep    *grids.Grid  // to look at first; nil for none
	Problems []error      // found before the start, such as a preset file that cannot be read; shown, never fatal

	Clock func() time.Time // what times passes over the weights; nil is the machine's

	Sealed    bool     // the keys are a stranger's: no file is read or written for them, nothing copied
	ConfigDir string   // where keys, the prompt history and the user's presets are; empty for none
	Environ   []string // nil means the process's own

	share *share // of this machine, for a guest; nil for all there is
}

// Recorded is what a recording takes of a lane.
type Recorded struct {
	Lane  int
	Model models.Model
	View  engine.View
	Turns []chat.Message // that the view's prompt renders; nil for a plain text
	Cues  map[int]string // words at tokens, by the position in the text; not to be changed
}

// lanesOf returns the lanes that opt names.
func (m *Model) lanesOf(opt Options) []*run.Lane {
	var list []*run.Lane
	for i, o := range opt.Lanes[:min(len(opt.Lanes), run.MaxLanes)] {
		preset := presetOf(opt.Presets, o)
		model := o.Model
		if model == nil {
			model = opt.Model
		}
		draft := o.Draft
		if draft == (engine.Draft{}) {
			draft = opt.Draft
		}
		list = append(list, m.NewLane(i, model, draft, o.Config, preset))
	}
	return list
}

// presetOf returns the preset that a lane started from: the one it names, else
// one that agrees in everything a preset decides, -1 if there is none.
func presetOf(presets []run.Preset, o Lane) int {
	agrees := -1
	for i, p := range presets {
		if p.Name == o.Label {
			return i
		}
		same := agrees < 0
		for _, k := range run.Knobs {
			same = same && (!run.IsTuning(k.Key) || run.SameSetting(o.Config, p.Config, k.Key))
		}
		if same {
			agrees = i
		}
	}
	return agrees
}
