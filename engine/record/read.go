package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"logitscope/models"
	"logitscope/models/tape"
	"logitscope/sampling"
	"logitscope/sampling/param"
)

// A Recording is a run file that was read.
type Recording struct {
	Takes []*Take
	Cut   bool // the program that wrote it was stopped: the last line has no end
}

// A Take is one run of one lane.
type Take struct {
	Run    Run
	Model  *tape.Model // answers with what was recorded
	Events []Event     // in the order of the file
	End    *End        // nil if the run has no end
	left   bool        // for another prompt, in the same lane

	configs  []Configuration
	overlaid Configuration // the last configuration, with what a schedule holds over it
	base     Configuration
	branches map[int]int // tokens of each branch
}

// An Event is one line of a take after its first. One of the pointers is set,
// none for a line that says nothing of a step.
type Event struct {
	Line   int
	Step   *Step
	Config int // of Step: index for [Take.Config]
	Set    *Set
	Branch *Branch
	Mark   *Mark
	Round  *Round
	Search *Searched
	End    *End

	sealing
	after int // the number of the lane's line before it, 0 if it is the first
}

// A Configuration is what one or more steps were made under.
type Configuration struct {
	Config    sampling.Config
	Preset    string
	Scheduled []string // the rules of the schedule that hold; Config has what they make of it
}

// Config returns configuration i, as steps number them.
func (t *Take) Config(i int) Configuration { return t.configs[i] }

// Steps returns the number of steps, all branches together.
func (t *Take) Steps() int {
	n := 0
	for _, e := range t.Events {
		if e.Step != nil {
			n++
		}
	}
	return n
}

// Searches reports whether the take is of a beam search, which keeps its steps
// and texts but no rows.
func (t *Take) Searches() bool {
	return slices.ContainsFunc(t.Events, func(e Event) bool { return e.Search != nil })
}

// Open reads the run file path. The error begins with the path.
func Open(path string) (*Recording, error) {
	f, err := models.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Read reads a run file, of this version or an older one. Whatever is wrong is
// a [tape.LineError].
func Read(r io.Reader) (*Recording, error) {
	d := reader{now: map[int]*Take{}, last: map[int]int{}}
	err := tape.Lines(r, d.line)
	if errors.Is(err, tape.ErrCut) {
		d.out.Cut, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := d.models.Models(); err != nil {
		return nil, err
	}
	return &d.out, nil
}

// A reader is a run file being read.
type reader struct {
	models tape.Decoder
	now    map[int]*Take // by lane
	last   map[int]int   // number of the line read last, by lane
	out    Recording
}

// event begins the event of a line.
func (d *reader) event(l tape.Line, lane int) (e Event, err error) {
	e.Line = l.N
	if e.sealing, err = sealingOf(l.Data); err != nil {
		return e, err
	}
	if e.after = d.last[lane]; l.Type == "run" && e.n == 1 {
		e.after = 0 // another program's file begins here
	}
	d.last[lane] = e.n
	return e, nil
}

// kinds are the lines that a take is made of.
var kinds = map[string]func(*Take, tape.Line, *Event) error{
	"step":        (*Take).readStep,
	"set":         (*Take).readSet,
	"branch":      (*Take).readBranch,
	"mark":        (*Take).readMark,
	"speculative": (*Take).readRound,
	"beam_step":   (*Take).readSearch,
	"end":         (*Take).readEnd,
}

func (d *reader) line(l tape.Line) error {
	if err := d.models.Line(l); err != nil {
		return err
	}
	var head struct {
		Lane int `json:"lane"`
	}
	if err := l.Decode(&head); err != nil {
		return err
	}
	if l.Type == "run" {
		return d.run(l, head.Lane)
	}
	t := d.now[head.Lane]
	if t == nil {
		return nil // a line such as the summary of a comparison
	}
	e, err := d.event(l, head.Lane)
	if err != nil {
		return err
	}
	if read := kinds[l.Type]; read != nil {
		if err := read(t, l, &e); err != nil {
			return err
		}
	}
	t.Events = append(t.Events, e)
	return nil
}

func (d *reader) run(l tape.Line, lane int) error {
	var raw struct {
		Config json.RawMessage `json:"config"`
		Run
	}
	if err := l.Decode(&raw); err != nil {
		return err
	}
	t := &Take{Run: raw.Run, Model: d.models.Lane(lane), branches: map[int]int{1: 0}}
	if raw.Version < 1 {
		return fmt.Errorf("version: %d is out of range, 1 to %d", raw.Version, Version)
	}
	cfg, err := readConfig(raw.Config)
	if err != nil {
		return err
	}
	cfg = t.Run.Origins.apply(cfg)
	t.Run.Config = cfg
	t.base = Configuration{Config: cfg, Preset: raw.Label}
	t.put(t.base)
	e, err := d.event(l, lane)
	if err != nil {
		return err
	}
	t.Events = append(t.Events, e)
	if before := d.now[lane]; before != nil && e.n > 1 {
		before.left = true
	}
	d.now[lane] = t
	d.out.Takes = append(d.out.Takes, t)
	return nil
}

// readConfig reads a configuration; the error is one line.
func readConfig(b []byte) (sampling.Config, error) {
	if len(b) == 0 {
		return sampling.Config{}, nil
	}
	cfg, err := sampling.DecodeConfig(strings.NewReader(string(b)), "config", sampling.FromFile)
	if err != nil {
		return cfg, errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return cfg, nil
}

func (t *Take) put(c Configuration) {
	t.overlaid = c
	t.configs = append(t.configs, c)
}

// changed returns cfg with the changes of a set line.
func (s *Set) changed(cfg sampling.Config) (sampling.Config, error) {
	values := map[string]json.RawMessage{}
	for _, key := range slices.Sorted(maps.Keys(s.Changes)) {
		raw := s.Changes[key]
		if string(raw) == "null" {
			if _, ok := param.Lookup(key); !ok {
				return cfg, fmt.Errorf("changes: %s is not a setting", key)
			}
			cfg = cfg.Without(key)
			continue
		}
		values[key] = raw
	}
	b, err := json.Marshal(values)
	if err != nil {
		return cfg, err
	}
	over, err := readConfig(b)
	return cfg.Merge(s.Origins.apply(over)), err
}

func (t *Take) readSet(l tape.Line, e *Event) error {
	e.Set = new(Set)
	if err := l.Decode(e.Set); err != nil {
		return err
	}
	cfg, err := e.Set.changed(t.base.Config)
	if err != nil {
		return err
	}
	c := Configuration{Config: cfg, Preset: e.Set.Preset}
	if e.Set.Scheduled == nil {
		t.base = c
	} else {
		c.Scheduled = *e.Set.Scheduled
	}
	t.put(c)
	return nil
}

func (t *Take) readStep(l tape.Line, e *Event) error {
	e.Step = new(Step)
	if err := l.Decode(e.Step); err != nil {
		return err
	}
	if e.Step.Branch == 0 {
		e.Step.Branch = 1
	}
	e.Config = len(t.configs) - 1
	if p := e.Step.Preset; p != "" && p != t.overlaid.Preset {
		// Version 1 knew the preset alone; what else it changed is not known.
		c := t.overlaid
		c.Preset = p
		t.put(c)
		e.Config++
	}
	t.branches[e.Step.Branch]++
	return nil
}

func (t *Take) readBranch(l tape.Line, e *Event) error {
	e.Branch = new(Branch)
	if err := l.Decode(e.Branch); err != nil {
		return err
	}
	t.branches[e.Branch.ID] = e.Branch.Keep
	return nil
}

func (t *Take) readMark(l tape.Line, e *Event) error {
	e.Mark = new(Mark)
	if err := l.Decode(e.Mark); err != nil {
		return err
	}
	if e.Mark.Pos < 0 {
		return fmt.Errorf("pos: %d is out of range, 0 or more", e.Mark.Pos)
	}
	return nil
}

func (t *Take) readRound(l tape.Line, e *Event) error {
	e.Round = new(Round)
	return l.Decode(e.Round)
}

func (t *Take) readSearch(l tape.Line, e *Event) error {
	e.Search = new(Searched)
	return l.Decode(e.Search)
}

func (t *Take) readEnd(l tape.Line, e *Event) error {
	e.End = new(End)
	t.End = e.End
	return l.Decode(t.End)
}

// Path returns the events of the steps of a branch, oldest first, those that
// it has in common with the branch it left included.
func (t *Take) Path(branch int) []*Event {
	paths := map[int][]*Event{}
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Branch != nil:
			from := paths[e.Branch.From]
			paths[e.Branch.ID] = from[:e.Branch.Keep:e.Branch.Keep]
		case e.Step != nil:
			paths[e.Step.Branch] = append(paths[e.Step.Branch], e)
		}
	}
	return paths[branch]
}

// Branches returns the numbers of the branches, ascending.
func (t *Take) Branches() []int { return slices.Sorted(maps.Keys(t.branches)) }

// Last returns the branch that was written last, 1 if no step was.
func (t *Take) Last() int {
	branch := 1
	for _, e := range t.Events {
		if e.Step != nil {
			branch = e.Step.Branch
		}
	}
	return branch
}

// Marks returns the marks, by position.
func (t *Take) Marks() map[int]string {
	out := map[int]string{}
	for _, e := range t.Events {
		switch {
		case e.Mark == nil:
		case e.Mark.Text == "":
			delete(out, e.Mark.Pos)
		default:
			out[e.Mark.Pos] = e.Mark.Text
		}
	}
	return out
}
