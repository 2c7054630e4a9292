package lesson

import (
	"slices"

	"logitscope/engine/goal"
	"logitscope/models/table"
	"logitscope/sampling"
)

const (
	// MaxBytes is the most a file may hold.
	MaxBytes = 65536
	// MaxTasks is the most tasks a lesson may have.
	MaxTasks = 24
	// MaxSteps is the most tokens one line of a lesson may decode.
	MaxSteps = 1_000_000
)

// A Lesson is a file that was read without a fault. It is immutable.
type Lesson struct {
	ID, Title, Section    string
	Author, Licence, Lang string // may be empty
	Order, Minutes        int    // 0 where the file does not say

	Model Model // fable where the file names none
	Draft Model // none where the file names none
	// Tables are the models that the file brings along, Files the texts that
	// constraints are made of, both by name.
	Tables map[string]*table.Model
	Files  map[string]string

	Intro Prose // before the first task
	Tasks []Task

	IDLine int    // the line of the id
	Sum    string // SHA-256 of the file, in hexadecimal
	Source string // the file's text
	Quotes []Quote

	langLine int
	tables   map[string]string // the texts of Tables
}

// A Model is one that a lesson may run on.
type Model struct {
	Name  string // as the file has it: "fable", "fable-draft", "table:NAME"; empty for none
	Table string // the name of a table of the file; empty for the built-in one
}

// Names of the built-in models.
const (
	Fable      = "fable"
	FableDraft = "fable-draft"
)

// A Task is one thing to do, or with no goals a page to read.
type Task struct {
	Title    string
	Line     int // of its heading
	Text     Prose
	Setup    *Setup   // nil: it goes on from where the last task ended
	Predict  *Predict // nil: nothing is asked
	Goals    []Goal
	GoalLine int // of the block, 0 without one
	Hints    []Prose
	Reveal   Prose
	Notes    []Prose // for the teacher
	Solution []Command
}

// A Goal is a line that must hold.
type Goal struct {
	Line  int
	Once  bool // it is met for good by the first view in which it holds
	Expr  *goal.Expr
	Words string
}

// A Setup is how a task begins.
type Setup struct {
	Line   int
	Prompt string // as text; HasPrompt says whether there is one
	Preset string // empty for none
	Order  string
	Set    []Setting // order, schema, draft's k and seed among them, in the order to apply
	Draft  Switch
	Lanes  []Spec
	Pins   []string // pieces
	View   string   // one of views; empty for the lab as it is
	Steps  int      // tokens to decode
	Point  string   // the parameter that is marked
	preset sampling.Config

	HasPrompt bool
}

// A Switch is on, off, or left as it is.
type Switch uint8

const (
	AsItIs Switch = iota
	On
	Off
)

// A Setting is a parameter and its value, which is allowed.
type Setting struct {
	Key   string
	Value any
}

// A Spec is a lane of a comparison: a preset and what is changed in it.
type Spec struct {
	Preset string
	Set    []Setting
	Text   string // as it was written
	config sampling.Config
}

// Setup returns what makes the settings of the lane.
func (s Spec) Setup() *Setup { return &Setup{Preset: s.Preset, Set: s.Set, preset: s.config} }

// A Command is a line of a solution.
type Command struct {
	Line int
	Text string // as it was written
	Verb string // keys, type, steps, rounds, done or set
	N    int    // of steps and rounds
	Keys []string
	Type string
	Set  []Setting
}

// A Form says how a prediction is answered.
type Form string

const (
	Choice  Form = "choice"
	Percent Form = "percent"
	Bits    Form = "bits"
	Number  Form = "number"
	Token   Form = "token"
)

// A Predict is a question that is asked before the goal.
type Predict struct {
	Line    int
	Ask     Prose
	Form    Form
	Answer  *goal.Expr // nil for a choice
	Within  float64    // how far off still counts: a share (0.05 is 5 points), bits, or a number
	Because Prose
	Choices []Option
}

// An Option is an answer to choose.
type Option struct {
	Line  int
	Right bool
	Text  Prose
	Why   Prose
}

// Kind returns what the answer is in expressions.
func (f Form) Kind() goal.Kind {
	return goalKinds[f]
}

var goalKinds = map[Form]goal.Kind{Choice: goal.Text, Percent: goal.Share, Bits: goal.Bits, Number: goal.Number, Token: goal.Token}

// A Quote is a text that must be one token of the model.
type Quote struct {
	Task int // 1 for what stands before the first task as well
	Line int
	Text string
	Pin  bool
}

// views are what setup may open.
var views = []string{"lab", "predict", "beam", "draft", "constraint", "compare", "timeline", "values", "engines", "export", "cache", "layers"}

// Opens are what opened("…") may name: the views, and the proof that a rule of
// speculative decoding is exact or wrong.
var Opens = append(views[:len(views):len(views)], "proof")

// Names are what a lesson may name that is decided elsewhere.
type Names struct {
	Preset  func(name string) (sampling.Config, error) // the error lists the names
	Exports []string                                   // formats of exported("…")
}

// A Fault is one thing that is wrong in a file.
type Fault struct {
	Lesson string // the id as far as it was read, else the file's name
	Task   int    // from 1; 0 before the first one or for the whole file
	Line   int    // from 1
	Why    string // one line
}

func (f Fault) Error() string { return f.Why }

// apply puts settings into cfg. They are allowed, so it cannot fail.
func apply(cfg sampling.Config, set []Setting) sampling.Config {
	for _, s := range set {
		cfg = cfg.MustWith(s.Key, s.Value, sampling.FromYou)
	}
	return cfg
}

// Apply returns the settings with which a task begins after cfg, which has the
// label of a preset. A preset sets everything but the seed and the order.
func (s *Setup) Apply(cfg sampling.Config, label string) (sampling.Config, string) {
	if s.Preset != "" {
		kept := cfg
		cfg, label = s.preset, s.Preset
		for _, key := range keptByPreset {
			if old, ok := kept.Lookup(key); ok {
				cfg = cfg.MustWith(key, old.Value, old.Origin)
			}
		}
	}
	return apply(cfg, s.Set), label
}

// keptByPreset are the settings that a preset leaves as they are.
var keptByPreset = []string{"seed", "order"}

// From returns the setup that brings task i, from 0, about from the beginning
// of the lesson, without what the reader did in between. A draft is off where
// no task has asked for one.
func (l *Lesson) From(i int) *Setup {
	out := &Setup{Draft: Off}
	for _, t := range l.Tasks[:i+1] {
		s := t.Setup
		if s == nil {
			continue
		}
		set, draft, prompt := out.Set, out.Draft, out.Prompt
		preset, config := out.Preset, out.preset
		*out = *s
		out.HasPrompt = true
		if !s.HasPrompt {
			out.Prompt = prompt
		}
		if s.Draft == AsItIs {
			out.Draft = draft
		}
		if s.Preset == "" {
			out.Preset, out.preset = preset, config
		} else {
			set = slices.DeleteFunc(slices.Clone(set), func(x Setting) bool { return !slices.Contains(keptByPreset, x.Key) })
		}
		out.Set = append(slices.Clip(set), s.Set...)
	}
	return out
}
