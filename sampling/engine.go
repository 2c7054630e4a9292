package sampling

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"logitscope/sampling/param"
)

// An Engine is one program's idea of sampling, in one record: its stages in
// order, what it assumes, refuses and changes, and how it draws. It does what
// its stages read and knows nothing of other parameters: whether it supports
// one follows from them.
type Engine struct {
	Name string // as an order names it
	Like string // the engine that it runs with settings of its own; empty for its own rules
	Of   string // the engine that it is an older version of, which is not listed beside it; may be empty
	When string // which versions the rules are of, where that is worth saying: "before 10 August 2026"

	// LoneFree means that a draw takes nothing from the generator where one
	// candidate is left.
	LoneFree bool

	Stages   []*Stage
	Instead  func(b *Builder) *Chain // a chain that takes the place of Stages; nil if there is none
	Chains   []*Chain                // those that Instead may return
	Defaults map[string]any          // of parameters, where they are not the table's
	Adjust   func(b *Builder)        // changes what was set, as the engine does
	Refusals []Refusal
	// RefusesBuilt says that a stage which is left out refuses nothing.
	RefusesBuilt bool
	// Implied are parameters whose default is worth a remark when it acts
	// though nobody set it.
	Implied []string

	Draw        DrawKind
	Generator   string // of its random numbers: engines with the same one share the meaning of a seed
	Seeds       Seeds
	Arrays      bool // it narrows down an array of candidates, in whose order it may draw
	ChecksAfter bool // a constraint is held against the token drawn
	TakesLists  bool // it takes a list of stages itself, so a list without a name is its own

	BeamRule     string // its beam search, where it is not transformers'; see beam_rule
	BeamKeepsEnd bool   // with beams, cuts leave one token more than can end the text

	// Neutral says that these are no program's rules.
	Neutral bool

	Cases CaseRules
}

// Seeds are the seeds that an engine takes. The zero value is all of them.
type Seeds struct {
	Bits   int    // that it keeps of a seed; 0 for 64
	Random uint64 // the one that means a seed of its own choice each time; 0 if none does
}

// Max returns the largest seed that the engine takes.
func (s Seeds) Max() uint64 {
	if s.Bits == 0 {
		return math.MaxUint64
	}
	return 1<<s.Bits - 1
}

// checkSeed reports a seed that does not mean itself to the engine.
func (e *Engine) checkSeed(seed uint64) error {
	s := e.Seeds
	switch {
	case seed > s.Max():
		return &param.RangeError{Key: "seed", Value: seed, Allowed: "0 to " + strconv.FormatUint(s.Max(), 10) + " under " + e.Name}
	case s.Random != 0 && seed == s.Random:
		return fmt.Errorf("seed: %d means a random one under %s", seed, e.Name)
	}
	return nil
}

// A Stage is one stage of an engine: its name, the parameters it reads, and
// how to make it of them.
type Stage struct {
	Name  string // as in a list of stages
	Short string // in labels; Name if empty
	Tiny  string // in a line of many stages; Name if empty
	Own   string // the engine's own name of it; Name if empty
	Keys  []string

	Movable bool // a list of stages may move it or leave it out
	Warper  bool // left out when the best token is taken without a draw
	Cuts    bool // it removes tokens by their probability and does nothing else
	Final   bool // it makes the draw as well

	Lent  string // whose rule it is, where the engine itself has no such stage
	Apart Apart  // how its rule parts from other engines' stage of the name

	Best   BestUse // what it may do to the best token
	Sorts  bool    // it puts the candidates into an order
	Always bool    // it runs at every value
	Alone  bool    // it keeps the same best tokens whether or not worse ones were removed before
	Chance bool    // it goes by chance
	Needs  []Need  // of other parameters, for the stage to be on

	Second SecondRow // what it weighs the row against

	Penalty bool   // it lowers tokens that came before
	Prompt  bool   // a penalty that counts the tokens of the prompt too
	Window  string // the parameter that says how many tokens a penalty counts; empty for all

	// Build returns the stage for the settings and what its label says of
	// them; nil if they switch it off. It must read only Keys.
	Build func(b *Builder) (Action, string)

	// Judge says what is known of a setting's result on a partial row; nil for
	// a stage that does not look at probabilities.
	Judge judge

	weights weightUse
}

// A SecondRow is what a stage weighs the row against.
type SecondRow uint8

const (
	NoSecond  SecondRow = iota
	OfAmateur           // another model's row after the same text
	OfPrompt            // the model's own row after another prompt
)

// A BestUse is what a stage may do to the best token left.
type BestUse uint8

const (
	MayBan    BestUse = iota // remove it, even if it is the only one
	MayMove                  // make another one the best; one token alone stays
	KeepsBest                // nothing, whatever else is left
)

// A Need is a condition on a parameter without which a stage is off.
type Need struct {
	Key   string
	OK    func(v float64) bool
	Else  string // what is the case otherwise: "repeat_last_n 0 turns it off"
	Turns string // the same of the parameter itself: "0 turns all three penalties off"
}

// An Apart says in words what a stage does that another engine's stage of the
// same name does not: as seen from the other, and of the other as seen from
// here.
type Apart struct{ Here, Other string }

// A Chain takes the place of an engine's usual stages.
type Chain struct {
	Name   string // the stage that does: "mirostat"
	Stages []*Stage
}

// A Refusal is a rule for values an engine turns down.
type Refusal struct {
	Key     string
	Allowed string
	OK      func(v float64) bool
	Raw     bool // only values given as to the engine itself; others are read kindly
}

// CaseRules are what an engine's recorded cases tell of it, beyond what every
// engine's do.
type CaseRules struct {
	// Steps are what it counts tokens after: each with the stages that are
	// done by then. Empty: after every stage.
	Steps []CaseStep
	// Banned says that it counts tokens at -Inf.
	Banned bool
	// NaN says that it refuses rows with NaN rather than going on with them.
	NaN bool
	// IDs are settings whose token ids it holds against its vocabulary;
	// others leave out what they do not know.
	IDs []string
	// ListFrom1 says that a list of biases may not hold token id 0.
	ListFrom1 bool
	// Effective are the parameters of which it tells the value in force.
	Effective []string
	// BestFirst says that its best token is taken before any cut.
	BestFirst bool
}

// A CaseStep is what an engine counts as one stage.
type CaseStep struct {
	Name   string
	Stages []string
	Drawn  bool // it is left out where no draw is made
}

// Rules returns the record of the engine whose definitions apply. The caller
// must not change it.
func (o Order) Rules() *Engine { return o.engine() }

// engines are the engines that an order can name. The first is the default.
// olderEngines are older versions of some of them, which can be named too.
var engines, olderEngines []*Engine

func init() {
	// Assigned here because building a stage looks engines up.
	engines = []*Engine{transformersEngine, llamaEngine, vllmEngine, ollamaEngine, ollamaGoEngine, labEngine}
	olderEngines = []*Engine{older(llamaEngine), older(ollamaEngine)}
	order, _ := param.Lookup("order")
	order.Names = orderNames{}
}

// older returns the rules of llama.cpp before 10 August 2026, or of Ollama with
// such a llama.cpp: a draw from one candidate took no random number.
func older(e *Engine) *Engine {
	old := *e
	old.Name, old.Of, old.Like = e.Name+"-old", e.Name, ""
	old.When, old.LoneFree = "before 10 August 2026", true
	return &old
}

// Register adds an engine, and parameters that its stages read and no other
// engine's do. It returns what takes them away again. It must not run while
// anything is compiled.
func Register(e *Engine, more ...param.Param) (remove func()) {
	n := len(engines)
	engines = append(engines[:n:n], e)
	forget := param.Add(more)
	return func() { engines = engines[:n]; forget() }
}

// all returns every stage of the engine, those of other chains included.
func (e *Engine) all() []*Stage {
	list := e.Stages
	for _, c := range e.Chains {
		list = append(list[:len(list):len(list)], c.Stages...)
	}
	return list
}

// reads reports whether a stage of the engine reads a parameter.
func (e *Engine) reads(key string) bool {
	return slices.ContainsFunc(e.all(), func(d *Stage) bool { return d.reads(key) })
}

func (d *Stage) reads(key string) bool { return slices.Contains(d.Keys, key) }

// isStageKey reports whether a parameter is read by stages.
func isStageKey(key string) bool {
	return slices.ContainsFunc(engines, func(e *Engine) bool { return e.reads(key) })
}

// only returns the stage as an engine has it that passes on fewer settings.
func (d *Stage) only(keys ...string) *Stage {
	c := *d
	c.Keys = keys
	return &c
}

// fixed returns the stage as an engine has it that always runs it in one place.
func (d *Stage) fixed() *Stage {
	c := *d
	c.Movable = false
	return &c
}

// lent returns the stage as it stands in for one that an engine lacks.
func (d *Stage) lent(by string) *Stage {
	c := *d
	c.Lent = by
	return &c
}

// StageNamed returns the first engine's stage of that name, nil if there is
// none.
func StageNamed(name string) *Stage {
	for _, e := range engines {
		for _, d := range e.all() {
			if d.Name == name {
				return d
			}
		}
	}
	return nil
}

// CutKeys returns the parameters that switch on stages which remove tokens by
// their probability, in the order of the table.
func CutKeys() []string {
	var keys []string
	for i := range param.All() {
		p := &param.All()[i]
		if p.Off != nil && p.Stage != "" && p.Master == "" {
			if d := StageNamed(p.Stage); d != nil && d.Cuts {
				keys = append(keys, p.Key)
			}
		}
	}
	return keys
}

// Reads returns the stage of o's engine that reads a parameter, nil if none
// does.
func (o Order) Reads(key string) *Stage {
	for _, d := range o.defs() {
		if d.reads(key) {
			return d
		}
	}
	return nil
}

// Stage returns the stage of that name among o's and those of the chains that
// may take their place; nil if there is none.
func (o Order) Stage(name string) *Stage {
	for _, list := range [2][]*Stage{o.defs(), o.engine().all()} {
		for _, d := range list {
			if d.Name == name {
				return d
			}
		}
	}
	return nil
}

// engineNames lists the engines.
func engineNames() string {
	names := make([]string, len(engines))
	for i, e := range engines {
		names[i] = e.Name
	}
	return strings.Join(names, ", ")
}

func engineByName(name string) *Engine {
	for _, list := range [2][]*Engine{engines, olderEngines} {
		for _, e := range list {
			if e.Name == name {
				return e
			}
		}
	}
	return nil
}

// listEngine is the engine whose definitions a list of stages runs on if it
// names none.
func listEngine() *Engine {
	i := slices.IndexFunc(engines, func(e *Engine) bool { return e.TakesLists })
	return engines[max(i, 0)]
}

// windows reports whether a parameter says how far back a stage looks.
func (e *Engine) windows(key string) bool {
	return slices.ContainsFunc(e.Stages, func(d *Stage) bool { return d.Window == key })
}

// reader returns the stage that reads a parameter: of o's stages, else of a
// chain that may take their place.
func (o Order) reader(key string) *Stage {
	if d := o.Reads(key); d != nil {
		return d
	}
	for _, d := range o.engine().all() {
		if d.reads(key) {
			return d
		}
	}
	return nil
}
