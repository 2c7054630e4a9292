package course

import (
	"context"
	"errors"
	"fmt"
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
	l := c.lanes.Lane()
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

// A readyMsg brings what a setup needs: models, and the prompt's tokens.
type readyMsg struct {
	round int
	setup *lesson.Setup
	cfg   sampling.Config
	label string
	main  models.Model
	draft engine.Draft
	ids   []int32
	err   error
}

// A settledMsg says that the lanes have done what a setup asked of them.
type settledMsg struct {
	round int
	setup *lesson.Setup
	views []engine.View
	err   error
}

// begin brings task i about: with setup s from settings cfg, or as it stands
// if s is nil.
func (c *Course) begin(i int, s *lesson.Setup, cfg sampling.Config, label string) tea.Cmd {
	c.round++
	c.reading = c.reading.Begin(i)
	c.scene, c.seen, c.err, c.facts = nil, nil, nil, goal.Facts{}
	c.keep(func(t *store.TaskProgress) { t.Tries++ })
	if s == nil {
		return c.stand(c.round)
	}
	c.proposal = s.Steps > 0
	if !s.HasPrompt {
		again := *s
		again.Prompt, again.HasPrompt = c.lanes.All[0].Text, true
		s = &again
	}
	msg := readyMsg{round: c.round, setup: s}
	msg.cfg, msg.label = s.Apply(cfg, label)
	main, wanted, open, ctx := c.lanes.All[0].Model, c.reading.Lesson, c.doors.OpenModel, c.lanes.Ctx
	fixed := c.Fixed
	return func() tea.Msg {
		msg.main = main
		if !fixed {
			msg.main, msg.err = modelOf(wanted, wanted.Model, main, open)
		}
		if msg.err == nil && s.Draft == lesson.On {
			msg.draft, msg.err = draftOf(wanted, msg.main, open)
		}
		if msg.err == nil {
			msg.ids, msg.err = engine.Prompt(ctx, msg.main, s.Prompt)
		}
		return msg
	}
}

// modelOf returns the model that a lesson names: a table of its own, or the
// built-in one, which may be at hand.
func modelOf(l *lesson.Lesson, name lesson.Model, have models.Model, open func(string) (models.Model, error)) (models.Model, error) {
	if name.Table != "" {
		return l.Tables[name.Table], nil
	}
	if have != nil && have.Info().Name == name.Name && have.Info().Server == "" {
		return have, nil
	}
	if open == nil {
		return nil, fmt.Errorf("the model %s cannot be opened here", name.Name)
	}
	return open(name.Name)
}

// draftOf returns what drafts for a lesson: what it names, else the built-in
// draft where that fits, else the text itself.
func draftOf(l *lesson.Lesson, target models.Model, open func(string) (models.Model, error)) (engine.Draft, error) {
	name := l.Draft
	if name.Name == "" {
		name.Name = lesson.FableDraft
	}
	m, err := modelOf(l, name, nil, open)
	if err == nil {
		err = engine.CheckDraft(target, m)
	}
	switch {
	case err == nil:
		return engine.Draft{Model: m}, nil
	case l.Draft.Name == "":
		return engine.Draft{NGram: true}, nil
	}
	return engine.Draft{}, err
}

// Follow takes the answers to what was asked for in the background.
func (c *Course) Follow(h kit.Host, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case readyMsg:
		if msg.round == c.round {
			return c.arrange(h, msg)
		}
	case settledMsg:
		if msg.round == c.round {
			return c.settled(h, msg)
		}
	}
	return nil
}

// fail says why a task cannot begin.
func (c *Course) fail(h kit.Host, err error) tea.Cmd {
	c.err = err
	h.Complain(err.Error())
	return nil
}

// arrange makes the lanes decode what the setup asks for.
func (c *Course) arrange(h kit.Host, msg readyMsg) tea.Cmd {
	if msg.err != nil {
		return c.fail(h, msg.err)
	}
	if err := run.Fits(msg.main, msg.ids); err != nil {
		return c.fail(h, err)
	}
	c.doors.ToLab()
	c.lanes.Alone()
	var cmds []tea.Cmd
	if c.lanes.Lane().Model != msg.main {
		cmds = append(cmds, c.lanes.Exchange(msg.main))
	}
	preset := func(label string) int { return c.lanes.Book.Index(label) }
	l := c.lanes.Lane()
	if msg.setup.Draft != lesson.AsItIs {
		c.lanes.Assist(msg.draft)
	}
	cfg, label := msg.cfg, msg.label
	if specs := msg.setup.Lanes; len(specs) > 0 {
		cfg, label = under(msg.cfg, specs[0]), specs[0].Preset
	}
	if err := l.Restart(msg.setup.Prompt, msg.ids, cfg, preset(label)); err != nil {
		return c.fail(h, err)
	}
	for i, spec := range msg.setup.Lanes {
		if i == 0 {
			continue
		}
		more, cmd := c.lanes.AddEmpty(l)
		cmds = append(cmds, cmd)
		if err := more.Restart(msg.setup.Prompt, msg.ids, under(msg.cfg, spec), preset(spec.Preset)); err != nil {
			return tea.Batch(append(cmds, c.fail(h, err))...)
		}
	}
	if len(msg.setup.Lanes) > 0 {
		c.lanes.Conduct()
		cmds = append(cmds, h.Open(kit.ViewCompare))
	}
	return tea.Batch(append(cmds, c.advance(msg.setup))...)
}

// under returns the settings of a lane: those of its preset with the seed and
// the order of the task.
func under(cfg sampling.Config, s lesson.Spec) sampling.Config {
	out, _ := s.Setup().Apply(cfg, s.Preset)
	return out
}

// advance writes what a setup decodes and waits until it is done.
func (c *Course) advance(s *lesson.Setup) tea.Cmd {
	var wait []chan engine.View
	for _, l := range c.lanes.All {
		n := s.Steps - 1
		if l.Searches() {
			n = s.Steps
		}
		l.Eng.Post(engine.Pace{})
		if n > 0 {
			l.Eng.Post(engine.Advance{N: n})
		}
		done := make(chan engine.View, 1)
		l.Eng.Post(engine.Settle{Done: done})
		wait = append(wait, done)
	}
	round, ctx := c.round, c.lanes.Ctx
	return func() tea.Msg {
		msg := settledMsg{round: round, setup: s}
		for _, done := range wait {
			select {
			case v := <-done:
				msg.views = append(msg.views, v)
			case <-ctx.Done():
				msg.err = context.Cause(ctx)
				return msg
			}
		}
		return msg
	}
}

// settled ends a setup: it marks, pins and shows what the task asks for.
func (c *Course) settled(h kit.Host, msg settledMsg) tea.Cmd {
	if msg.err != nil {
		return c.fail(h, msg.err)
	}
	for i, l := range c.lanes.All {
		if i < len(msg.views) {
			l.Take(msg.views[i])
		}
	}
	if v := c.lanes.All[0].View; v.Phase == engine.Failed {
		return c.fail(h, v.Err)
	}
	if p := msg.setup.Point; p != "" {
		c.lanes.SelectKnob(p)
	}
	c.lanes.Repace()
	var cmd tea.Cmd
	if v := kit.ViewID(msg.setup.View); v != "" && v != kit.ViewLab && !slices.Contains(c.doors.Names(), v) {
		cmd = h.Open(v)
	}
	return tea.Batch(cmd, c.stand(msg.round))
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

// Watch judges the goals anew if the screen shows something else than before.
func (c *Course) Watch() {
	if c.reading.Lesson == nil || !c.reading.Standing {
		return
	}
	facts := c.witness()
	now := c.marks()
	if c.scene != nil && slices.Equal(now, c.seen) && equalFacts(facts, c.facts) {
		return
	}
	c.seen, c.facts = now, facts
	c.scene = c.reading.Scene(c.state())
	before := c.reading
	c.reading = c.reading.Look(c.scene)
	c.keepChange(before, c.scene)
}

func (c *Course) marks() []mark {
	var list []mark
	for _, l := range c.lanes.All {
		m := mark{
			id: l.ID, steps: len(l.View.Steps), next: l.View.Next, settings: l.View.Settings, shown: l.ShownSettings(), look: l.Look.At,
			phase: l.View.Phase,
		}
		if l.View.Draft != nil {
			m.rounds = len(l.View.Draft.Rounds)
		}
		if l.View.Beam != nil {
			m.beams = len(l.View.Beam.Steps)
		}
		list = append(list, m)
	}
	return append(list, mark{id: -1, steps: c.lanes.Cur})
}

// state is what the goals may ask about.
func (c *Course) state() goal.State {
	s := goal.State{Facts: c.facts}
	for i, l := range c.lanes.All {
		if l == c.lanes.Lane() {
			s.At = i
		}
		s.Lanes = append(s.Lanes, goal.Lane{
			View: l.View, Model: l.Model, Compile: l.Comp.Settings, Settings: l.ShownSettings(), Words: c.wordsOf(l.Model), Look: l.Look.At,
			Proposal: c.proposal,
		})
	}
	return s
}

// witness adds what the screen shows to the facts of the task.
func (c *Course) witness() goal.Facts {
	f := c.facts
	f.Opened, f.Exported = slices.Clone(f.Opened), slices.Clone(f.Exported)
	for _, id := range c.doors.Names() {
		if !slices.Contains(f.Opened, string(id)) {
			f.Opened = append(f.Opened, string(id))
		}
	}
	for _, v := range c.doors.Shown() {
		w, ok := v.(kit.Witness)
		if !ok {
			continue
		}
		x := w.Witness()
		f.Drew, f.Questions = max(f.Drew, x.Drew), max(f.Questions, x.Questions)
		f.Voted = f.Voted || x.Voted
		for _, name := range x.Exported {
			if !slices.Contains(f.Exported, name) {
				f.Exported = append(f.Exported, name)
			}
		}
	}
	f.Looked = f.Looked || slices.ContainsFunc(c.lanes.All, func(l *run.Lane) bool { return l.Look.At > 0 })
	return f
}

func equalFacts(a, b goal.Facts) bool {
	return slices.Equal(a.Opened, b.Opened) && slices.Equal(a.Exported, b.Exported) &&
		a.Drew == b.Drew && a.Looked == b.Looked && a.Voted == b.Voted && a.Questions == b.Questions
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
