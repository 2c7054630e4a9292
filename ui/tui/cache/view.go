package cache

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/cost"
	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// View shows the cache of the lane that keys act on.
type View struct {
	lanes *run.Lanes
	now   func() time.Time

	reader *reader // of the prompt, nil before any was read
	round  int     // of what waits for the next pass; older ones are void
	part   part
	asks   [nAsks]ask
	at     int        // the selected one
	field  *kit.Field // a number being typed, nil for none

	passes   kit.Job[int, pass]
	recount  kit.Job[*engine.Step, time.Duration] // what the token shown costs without a cache
	recounts int                                  // positions it read
}

// A part is what a window that has no room for all shows below the cells.
type part uint8

const (
	phases     part = iota // prompt beside text, measured
	arithmetic             // other models
	growth                 // how the cache grows
	nParts
)

var partNames = [nParts]string{"prompt and text", "other models", "growth"}

// New opens the view. now is the clock that passes are timed by.
func New(host kit.Host, lanes *run.Lanes, now func() time.Time) (kit.View, tea.Cmd) {
	v := &View{lanes: lanes, now: now, asks: newAsks()}
	if !worthReading(host.Lane()) {
		return v, nil
	}
	return v, v.read(host)
}

// worthReading reports whether the prompt of a lane is read again unasked: it is
// there, and soon done.
func worthReading(l *run.Lane) bool {
	if len(l.View.Prompt) == 0 || !here(l) {
		return false
	}
	if took := l.View.Prefill.Took; took > 0 { // a copied lane has read nothing itself
		return took < time.Second
	}
	n := l.Model.Info().Params
	return n > 0 && n < smallParams
}

// smallParams is the number of weights below which a prompt is read in no time.
const smallParams = 100e6

// here reports whether the model runs in this program, so that passes can be
// timed.
func here(l *run.Lane) bool {
	info := l.Model.Info()
	return info.Server == "" && !info.Caps.Recorded
}

// read reads the prompt again from the beginning.
func (v *View) read(host kit.Host) tea.Cmd {
	l := host.Lane()
	switch {
	case len(l.View.Prompt) == 0:
		host.Say("r: no prompt yet; e writes one, E has examples")
		return nil
	case !here(l):
		host.Say("r: only a model that runs here can be watched while it reads")
		return nil
	}
	v.Leave(host)
	r, err := newReader(v.lanes.Ctx, l.Model, l.View.Prompt, v.now)
	if err != nil {
		host.Complain(viz.FirstLine(err.Error()))
		return nil
	}
	v.reader = r
	v.round++
	return v.pass()
}

// Leave ends the reading; see [kit.Leaver].
func (v *View) Leave(kit.Host) {
	if v.reader != nil {
		v.reader.close()
	}
}

// passTokens is how many tokens a pass reads at the pace chosen: as many as the
// model takes at once, or at the slowest pace one.
func (v *View) passTokens() int {
	if v.lanes.Pace == 0 {
		return 1
	}
	if c, ok := v.lanes.Lane().Model.(models.Coster); ok {
		return c.Costs().PassTokens
	}
	return 64
}

// every is the least time between two passes.
func (v *View) every() time.Duration {
	if v.lanes.Pace == 0 {
		return run.Paces[2].Every / 4 // a token at a time would take minutes
	}
	return run.Paces[v.lanes.Pace].Every
}

// pace names the pace of passes.
func (v *View) pace() string {
	switch d := v.every(); {
	case d == 0:
		return "as fast as it goes"
	case v.lanes.Pace == 0:
		return "one token at a time"
	default:
		return viz.Rate(float64(time.Second)/float64(d)) + " passes a second"
	}
}

// pass starts the next pass.
func (v *View) pass() tea.Cmd {
	r := v.reader
	if r == nil || r.over() || r.next > 0 {
		return nil
	}
	return v.passes.Start(v.round, run.Work(v.lanes.Background, r.begin(v.passTokens())))
}

// A dueMsg says that the pause before the next pass is over.
type dueMsg struct {
	v     *View
	round int
}

// Follow takes passes that have ended and starts the next; see [kit.Follower].
func (v *View) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	if v.passes.Take(msg) {
		r := v.reader
		r.take(v.passes.Result, v.passes.Err)
		if r.err != nil {
			host.Complain("reading stopped: " + viz.FirstLine(r.err.Error()))
		}
		return v.after()
	}
	v.recount.Take(msg)
	if due, ok := msg.(dueMsg); ok && due.v == v && due.round == v.round && v.reader != nil && !v.reader.paused {
		return v.pass()
	}
	return nil
}

// after waits for the next pass as the pace has it.
func (v *View) after() tea.Cmd {
	r := v.reader
	if r.over() || r.paused {
		return nil
	}
	v.round++
	due := dueMsg{v, v.round}
	if v.every() == 0 {
		return func() tea.Msg { return due }
	}
	return tea.Tick(v.every(), func(time.Time) tea.Msg { return due })
}

// reading reports whether the prompt is being read again.
func (v *View) reading() bool { return v.reader != nil && !v.reader.over() }

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	switch a.ID {
	case kit.ActRun:
		if v.reading() {
			v.reader.paused = !v.reader.paused
			return v.after(), true
		}
		v.lanes.RunOrPause()
	case kit.ActRight, kit.ActNext:
		if v.reading() {
			v.round++ // the pause before the next pass is over
			return v.pass(), true
		}
		v.lanes.Next(1)
	case kit.ActLeft, kit.ActBack:
		v.lanes.Back(1)
	case kit.ActAgain:
		return v.read(host), true
	case kit.ActDown, kit.ActPane:
		v.at = (v.at + 1) % nAsks
	case kit.ActUp, kit.ActPaneBack:
		v.at = (v.at + nAsks - 1) % nAsks
	case kit.ActLower, kit.ActRaise:
		d := 1
		if a.ID == kit.ActLower {
			d = -1
		}
		if q := &v.asks[v.at]; !q.nudge(d) {
			host.Say(q.name + ": no further step that way; enter types a number")
		}
		v.showAsk(host)
	case kit.ActReset:
		v.asks[v.at].value = newAsks()[v.at].value
	case kit.ActOpen:
		f := kit.NewField("")
		v.field = &f
		v.showAsk(host)
	case kit.ActNumber:
		v.turn(host)
	case kit.ActTake:
		return v.without(host), true
	case kit.ActInspect:
		host.Say(v.asks[v.at].name + ": " + v.asks[v.at].help)
	default:
		return nil, false
	}
	return nil, true
}

// turn shows the next part; with room for all, growth alone and all again.
func (v *View) turn(host kit.Host) {
	if s := host.Screen(); !roomy(s.W, s.Body().H) {
		v.part = (v.part + 1) % nParts
		return
	}
	if v.part == growth {
		v.part = phases
		return
	}
	v.part = growth
}

// showAsk shows the part that has the sliders where not all have room.
func (v *View) showAsk(host kit.Host) {
	if s := host.Screen(); !roomy(s.W, s.Body().H) && v.part != arithmetic {
		v.part = arithmetic
	}
}

// without measures what the token shown costs without a cache.
func (v *View) without(host kit.Host) tea.Cmd {
	l := host.Lane()
	s := l.Step()
	if s == nil || !here(l) {
		host.Say("x: " + v.whyNoTimes(host))
		return nil
	}
	ids := append([]int32(nil), l.View.Prompt...)
	for _, st := range l.View.Steps[:min(s.Index-1, len(l.View.Steps))] {
		ids = append(ids, st.Token)
	}
	v.recounts = len(ids)
	ctx, m, now := v.lanes.Ctx, l.Model, v.now
	return v.recount.Start(s, run.Work(v.lanes.Background, func() (time.Duration, error) { return withoutCache(ctx, m, ids, now) }))
}

func (v *View) whyNoTimes(host kit.Host) string {
	l := host.Lane()
	if !here(l) {
		return "this server does not say what a pass takes"
	}
	return host.WhyNot(l)
}

// Key takes what is typed; see [kit.Typist].
func (v *View) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	return kit.AskKey(&v.field, k, func(text string) (tea.Cmd, bool) {
		err := v.asks[v.at].set(text)
		if err != nil {
			host.Complain(err.Error())
		}
		return nil, err != nil
	})
}

// Lends are the keys that mean here what they mean in the lab.
func (v *View) Lends(kit.Host) []kit.ID {
	return []kit.ID{kit.ActRight10, kit.ActLeft10, kit.ActFirst, kit.ActLast, kit.ActForce, kit.ActReseed}
}

// NotHere says what to do for what acts on the lab alone.
func (v *View) NotHere(kit.Host) string { return "not in the cache; esc goes to the lab" }

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(host kit.Host) []kit.Hint {
	if v.field != nil {
		return []kit.Hint{{Keys: "enter", Word: "takes it"}, {Keys: "esc", Word: "leaves it"}}
	}
	list := []kit.Hint{{ID: kit.ActRun, Word: "run"}, {ID: kit.ActRight, Word: "next token"}, {ID: kit.ActAgain, Word: "read again"}}
	if v.reading() {
		list = []kit.Hint{{ID: kit.ActRun, Word: "pause"}, {ID: kit.ActRight, Word: "one pass"}}
		if v.reader.paused {
			list[0].Word = "go on"
		}
	} else if v.lanes.Lane().Running() {
		list[0].Word = "pause"
	}
	list = append(list, kit.Hint{ID: kit.ActSlower, Keys: ", .", Word: "pace"}, kit.Hint{ID: kit.ActNumber, Word: v.turns(host)}, kit.Hint{ID: kit.ActTake, Word: "without cache"},
		kit.Hint{ID: kit.ActLower, Keys: "↑↓ -/+", Word: "ask"}, kit.Hint{ID: kit.ActOpen, Word: "type"}, kit.Hint{ID: kit.ActClose, Word: "lab"}, kit.Hint{ID: kit.ActHelp})
	return list
}

// turns names what v shows next.
func (v *View) turns(host kit.Host) string {
	s := host.Screen()
	if roomy(s.W, s.Body().H) {
		if v.part == growth {
			return "all"
		}
		return "growth alone"
	}
	return partNames[(v.part+1)%nParts]
}

// Help is the line on what a step costs without a cache; see [kit.Helper].
func (v *View) Help(host kit.Host) (string, viz.Ink) {
	l := host.Lane()
	s := l.Step()
	switch {
	case v.field != nil:
		q := &v.asks[v.at]
		return q.name + ": " + q.help, viz.Ink{}
	case v.reading():
		return "The prompt is known, so its tokens go through side by side. Pace: " + v.pace() + ".", viz.Ink{}
	case len(l.View.Prompt) == 0:
		return "no prompt yet: e writes one, E has examples", viz.Ink{}
	case l.View.KV.Context > 0 && l.View.KV.Used >= l.View.KV.Context:
		return fmt.Sprintf("%s of %s: the next token does not fit", viz.Count(l.View.KV.Used), viz.Count(l.View.KV.Context)), viz.Ink{Role: viz.Warning}
	case v.recount.Ready && v.recount.Key == s && v.recount.Err != nil:
		return "without a cache: " + viz.FirstLine(v.recount.Err.Error()), viz.Ink{Role: viz.Warning}
	case v.recount.Ready && v.recount.Key == s:
		return v.withoutWords(host), viz.Ink{}
	case s != nil && here(l):
		return fmt.Sprintf("Without a cache this token would cost %s positions, not one: x measures it", viz.Count(len(l.View.Prompt)+s.Index-1)), viz.Ink{}
	}
	return "", viz.Ink{}
}

func (v *View) withoutWords(host kit.Host) string {
	s := fmt.Sprintf("Without a cache: %s positions, %s", viz.Count(v.recounts), viz.Duration(v.recount.Result))
	if m := v.measured(host); m.textTime > 0 {
		if times := float64(v.recount.Result) / float64(m.textTime); times >= 1.05 {
			s += fmt.Sprintf(" instead of %s, %s times as long", viz.Duration(m.textTime), viz.Rate(times))
		} else {
			s += fmt.Sprintf("; with it %s: too few to matter", viz.Duration(m.textTime))
		}
	}
	return s
}

// shapeOf is the shape of a model, and false where it does not say.
func shapeOf(m models.Model) (cost.Shape, bool) {
	c, ok := m.(models.Coster)
	if !ok {
		return cost.Shape{}, false
	}
	k := c.Costs()
	if k.Weights == 0 {
		return cost.Shape{}, false
	}
	s := cost.Shape{Name: m.Info().Name, KeySize: k.KeySize, ValueSize: k.ValueSize, NumberBytes: k.NumberBytes,
		Weights: float64(k.Weights), ExpertWeights: float64(k.ExpertWeights), WeightBytes: float64(k.WeightBytes) / float64(k.Weights), Experts: k.Experts, Used: k.ExpertsUsed}
	for l := range k.Heads {
		s.Layers = append(s.Layers, cost.Layer{Heads: k.Heads[l], KVHeads: k.KVHeads[l], Window: k.Windows[l]})
	}
	return s, true
}
