package course

import (
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/store"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// Doors are what a course needs of the screen beyond its [kit.Host].
type Doors struct {
	// ToLab closes everything over the lab.
	ToLab func()

	// Shown are the views on the screen, the lab among them.
	Shown func() []kit.View
	// Names are their ids, in the same order.
	Names func() []kit.ViewID

	// OpenModel opens a built-in model by name; nil if that cannot be done.
	OpenModel func(name string) (models.Model, error)
}

// A Course is the lessons there are and the one that is read. It belongs to
// the screen's goroutine; its scene may be read while drawing.
type Course struct {
	lanes *run.Lanes
	doors Doors

	// Lessons are the lessons to choose from. Start are the settings that a
	// lesson begins from, with the preset they come from.
	Lessons []*lesson.Lesson
	Start   sampling.Config
	Preset  string

	// Fixed says that lessons run on the model at hand, whatever they name.
	Fixed bool

	// Progress is what was done of lessons, by their ids.
	Progress map[string]store.LessonProgress
	// Kept is told of every change of it, as [store.Progress.Update] takes it;
	// nil for nobody.
	Kept func(id, sha string, task int, change func(*store.TaskProgress))

	reading  lesson.Reading // its Lesson is nil while none is open
	proposal bool           // see [goal.Lane]
	facts    goal.Facts
	words    map[models.Model]map[string]int32
	scene    *goal.Scene
	seen     []mark // what the scene was made of
	round    int    // of setups; answers to older ones are dropped
	err      error  // why the setup of the task failed
	entry    entry
}

// An entry is where a task began, to go back to.
type entry struct {
	config sampling.Config
	preset int
	steps  int
}

// A mark is what a scene of one lane was made of.
type mark struct {
	id       int
	steps    int
	next     *engine.Step
	settings *engine.Settings
	shown    *engine.Settings
	look     int
	phase    engine.Phase
	rounds   int
	beams    int
}

// New returns a course without a lesson open.
func New(lanes *run.Lanes, doors Doors, list []*lesson.Lesson) *Course {
	return &Course{
		lanes: lanes, doors: doors, Lessons: list,
		words: map[models.Model]map[string]int32{}, Progress: map[string]store.LessonProgress{},
	}
}

// Reading returns the reading, and whether a lesson is open.
func (c *Course) Reading() (lesson.Reading, bool) { return c.reading, c.reading.Lesson != nil }

// Scene returns the newest scene of the lesson, nil before the task's setup is
// done.
func (c *Course) Scene() *goal.Scene { return c.scene }

// Err returns why the setup of the task failed, nil if it did not.
func (c *Course) Err() error { return c.err }

// Change replaces the reading with what change makes of it.
func (c *Course) Change(change func(lesson.Reading) lesson.Reading) {
	before, sc := c.reading, c.scene
	c.reading = change(c.reading)
	c.keepChange(before, sc)
	c.scene, c.seen = nil, nil
	c.Watch()
}

// Leave closes the lesson. The lab stays as it is.
func (c *Course) Leave() {
	c.round++
	c.reading, c.scene, c.seen, c.err = lesson.Reading{}, nil, nil, nil
}

// Open opens a lesson at task i.
func (c *Course) Open(l *lesson.Lesson, i int) tea.Cmd {
	c.reading = lesson.Read(l)
	c.proposal = false
	return c.begin(i, l.From(i), c.Start, c.Preset)
}

// Next goes on to task i from where the one before it ended; any other way
// the task is brought about from the lesson's beginning.
func (c *Course) Next(i int) tea.Cmd {
	l := c.reading.Lesson
	if i != c.reading.At+1 || !c.reading.Standing {
		return c.begin(i, l.From(i), c.Start, c.Preset)
	}
	lane := c.lanes.All[0]
	cfg := lane.ShownConfig()
	return c.begin(i, l.Tasks[i].Setup, cfg, lane.Named(cfg, lane.ShownPreset()).Preset)
}

// Again sets the task up again.
func (c *Course) Again() tea.Cmd {
	i := c.reading.At
	if t := c.reading.Task(); t.Setup == nil && i > 0 && c.reading.Standing {
		c.goBack()
		return c.stand(c.round)
	}
	return c.begin(i, c.reading.Lesson.From(i), c.Start, c.Preset)
}

// goBack goes back to where a task without a setup began.
func (c *Course) goBack() {
	c.round++
	l := c.lanes.All[0]
	l.LookAt(0)
	if set, err := l.Compile(c.entry.config, c.entry.preset); err == nil {
		l.Config, l.Preset, l.Settings = c.entry.config, c.entry.preset, set
		l.Eng.Post(engine.Tune{Settings: set})
	}
	if len(l.View.Steps) > c.entry.steps {
		l.BranchOff(c.entry.steps)
	}
	c.reading = c.reading.Begin(c.reading.At)
	c.keep(func(t *store.TaskProgress) { t.Tries++ })
}

// stand says that the task has begun.
func (c *Course) stand(round int) tea.Cmd {
	if round != c.round {
		return nil
	}
	l := c.lanes.All[0]
	c.pin()
	c.entry = entry{config: l.ShownConfig(), preset: l.ShownPreset(), steps: len(l.View.Steps)}
	c.reading = c.reading.Stand(l.ShownConfig(), l.Named(l.ShownConfig(), l.ShownPreset()).Preset)
	c.Watch()
	return nil
}

// pin makes traces show the tokens that the task names.
func (c *Course) pin() {
	l := c.lanes.All[0]
	var ids []int32
	for _, q := range c.reading.Lesson.Quotes {
		id, ok := c.wordsOf(l.Model)[q.Text]
		if q.Task == c.reading.At+1 && ok && id >= 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, l := range c.lanes.All {
		l.SetPins(ids[:min(len(ids), sampling.MaxPins)])
	}
}

// wordsOf returns the tokens of the lesson's quotes.
func (c *Course) wordsOf(m models.Model) map[string]int32 {
	if w := c.words[m]; w != nil {
		return w
	}
	w := map[string]int32{}
	for _, l := range append(slices.Clone(c.Lessons), c.reading.Lesson) {
		for _, q := range l.Quotes {
			if _, ok := w[q.Text]; ok {
				continue
			}
			id, ok := goal.Word(m, q.Text)
			if w[q.Text] = id; !ok {
				w[q.Text] = models.NoToken
			}
		}
	}
	c.words[m] = w
	return w
}

var errNoSuch = errors.New("only set, steps, rounds and done act by themselves")

// Act does a line of a solution that presses no keys.
func (c *Course) Act(h kit.Host, cmd lesson.Command) error {
	do := acts[cmd.Verb]
	if do == nil {
		return errNoSuch
	}
	return do(c, h, cmd)
}

var acts = map[string]func(*Course, kit.Host, lesson.Command) error{
	"set": func(c *Course, h kit.Host, cmd lesson.Command) error {
		l := c.lanes.Lane()
		cfg := l.ShownConfig()
		for _, s := range cmd.Set {
			cfg = cfg.MustWith(s.Key, s.Value, sampling.FromYou)
		}
		if !h.Apply(cfg, l.ShownPreset(), "", cmd.Text) {
			return errors.New(c.lanes.Notice.Text)
		}
		return nil
	},
	"steps":  func(c *Course, _ kit.Host, cmd lesson.Command) error { return c.write(cmd.N) },
	"rounds": func(c *Course, _ kit.Host, cmd lesson.Command) error { return c.write(cmd.N) },
	"done":   func(c *Course, _ kit.Host, cmd lesson.Command) error { return c.write(-1) },
}

// write lets all lanes write n more tokens, rounds or steps of a search, or to
// the end if n is negative.
func (c *Course) write(n int) error {
	for _, l := range c.lanes.All {
		if l.Look.Under != nil {
			c.lanes.BranchHere(l, l.Look.Under)
		}
		l.LookAt(0)
		l.Eng.Post(engine.Pace{})
		l.Eng.Post(engine.Advance{N: n})
	}
	return nil
}
