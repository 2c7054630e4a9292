package prompt

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/value"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A share is a token's raw probability as the first token after a prompt.
type share struct {
	piece string
	p     float64
}

// ExampleList chooses one of the examples.
type ExampleList struct {
	lanes   *run.Lanes
	prompts *Prompts
	List    kit.List
	laws    kit.Job[int, [][]share] // by lane: of each example the shares of all tokens, largest first
}

// NewExamples lists the examples; a small model is asked for their numbers.
func NewExamples(host kit.Host, lanes *run.Lanes, p *Prompts) (kit.View, tea.Cmd) {
	e := &ExampleList{lanes: lanes, prompts: p}
	l := host.Lane()
	if !lanes.Unasked(l) {
		return e, nil
	}
	ctx, model := lanes.Ctx, l.Model
	return e, e.laws.Want(l.ID, run.Work(lanes.Background, func() ([][]share, error) { return lawsOf(ctx, model) }))
}

// lawsOf computes what m gives the first token after each example.
func lawsOf(ctx context.Context, m models.Model) ([][]share, error) {
	s, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	out := make([][]share, len(Examples))
	for i, x := range Examples {
		ids, err := engine.Prompt(ctx, m, x.Prompt)
		if err != nil {
			return nil, err
		}
		s.Truncate(0)
		rows, err := s.Forward(ctx, ids, 1)
		if err != nil {
			return nil, err
		}
		out[i] = sharesOf(m.Vocab(), rows[len(rows)-1].Values)
	}
	return out, nil
}

func sharesOf(v models.Vocab, logits []float32) []share {
	most, sum := slices.Max(logits), 0.0
	for _, x := range logits {
		sum += math.Exp(float64(x - most))
	}
	out := make([]share, len(logits))
	for id, x := range logits {
		out[id] = share{v.Piece(int32(id)), math.Exp(float64(x-most)) / sum}
	}
	slices.SortStableFunc(out, func(a, b share) int { return cmp.Compare(b.p, a.p) })
	return out
}

// Follow takes results and new views; see [kit.Follower].
func (e *ExampleList) Follow(_ kit.Host, msg tea.Msg) tea.Cmd {
	e.laws.Take(msg)
	return nil
}

// law is the shares after example i, nil where they are not known.
func (e *ExampleList) law(i int) []share {
	if !e.laws.Ready || e.laws.Err != nil {
		return nil
	}
	return e.laws.Result[i]
}

// Shape says what kind of distribution example i has, with the numbers that
// its first step will show.
func (e *ExampleList) Shape(i int, ascii bool) string {
	x, law := Examples[i], e.law(i)
	switch {
	case law == nil || x.Best == 0:
		return x.Kind
	case x.Best < 0:
		return x.Kind + ": none over " + viz.Percent(law[0].p)
	}
	var best []string
	for _, s := range law[:x.Best] {
		best = append(best, viz.Percent(s.p)+" "+viz.Label(strings.TrimPrefix(s.piece, " "), ascii))
	}
	return x.Kind + ": " + strings.Join(best, ", ")
}

// Watch says what to look at in example i.
func (e *ExampleList) Watch(i int) string {
	x := Examples[i]
	if x.token == "" {
		return x.watch
	}
	for _, s := range e.law(i) {
		if s.piece == x.token {
			return fmt.Sprintf(x.watch, " ("+viz.Percent(s.p)+")")
		}
	}
	return fmt.Sprintf(x.watch, "")
}

// Frame titles the box; see [kit.Overlay].
func (e *ExampleList) Frame(kit.Host) viz.Frame { return viz.Frame{Title: "examples", Right: "E"} }

// Size is how large the box wants to be; see [kit.Overlay].
func (e *ExampleList) Size(kit.Host) (int, int) { return 80, len(Examples) + 2 + below }

// Lines below the list: a blank one, the longest script with its sentence, and
// what to watch.
const watchLines = 2

var below = 1 + longest() + 1 + watchLines

// longest is how many parts the longest script has.
func longest() int {
	n := 0
	for i := range Examples {
		n = max(n, len(Examples[i].Script))
	}
	return n
}

// Hints are what the footer offers; see [kit.View].
func (e *ExampleList) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActOpen, kit.ActDown, kit.ActClose}
}
func (e *ExampleList) rows(host kit.Host) int { return listRows(host.Screen().Box(e.Size(host)).H - 2) }

// listRows is how many examples a box of h lines lists: the script gives way
// where that would be only a few.
func listRows(h int) int {
	const few = 8
	if with := h - below; with >= few {
		return min(with, len(Examples))
	}
	return min(max(h-2, 1), len(Examples))
}

// Draw draws the view; see [kit.View].
func (e *ExampleList) Draw(c *viz.Canvas, _ kit.Host) {
	shapeW := 27
	h := listRows(c.H)
	for y := 0; y < h && e.List.Top+y < len(Examples); y++ {
		i := e.List.Top + y
		x := Examples[i]
		ink := viz.Ink{}
		if i == e.List.At {
			c.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		name := viz.Label(x.Prompt, c.ASCII)
		name = strings.NewReplacer("␣", " ", "_", " ").Replace(name)
		if x.preset == "greedy" {
			name += "   (greedy)"
		}
		room := c.W - 5 - shapeW
		if room < 20 {
			room = c.W - 4
		}
		c.Fit(3, y, room, name, ink)
		if room < c.W-4 {
			c.Put(4+room, y, viz.CutTitle(e.Shape(i, c.ASCII), c.W-room-5), viz.Ink{Role: viz.Muted})
		}
	}
	watch := "watch: " + e.Watch(e.List.At)
	if c.H < h+below {
		c.Put(1, c.H-1, viz.CutTitle(watch, c.W-2), viz.Ink{})
		return
	}
	e.drawScript(c.Sub(viz.Rect{X: 0, Y: h + 1, W: c.W, H: below - 1 - watchLines}))
	lines := viz.WrapWords(watch, c.W-2)
	if len(lines) > watchLines {
		lines = append(lines[:watchLines-1], viz.CutTitle(strings.Join(lines[watchLines-1:], " "), c.W-2))
	}
	for i, s := range lines {
		c.Put(1, c.H-len(lines)+i, s, viz.Ink{})
	}
}

// drawScript draws what to press before a class and what to say.
func (e *ExampleList) drawScript(c *viz.Canvas) {
	x := &Examples[e.List.At]
	at := 14
	for _, p := range x.Script {
		at = max(at, 1+viz.Width(presses(p.Keys))+2)
	}
	y := 0
	for _, p := range x.Script {
		c.Put(1, y, presses(p.Keys), viz.Ink{Role: viz.Focus})
		c.Put(at, y, viz.CutTitle(p.Shows, c.W-at-1), viz.Ink{})
		y++
	}
	c.Put(1, y, viz.CutTitle("\""+x.Say+"\"", c.W-2), viz.Ink{}.With(viz.Bold))
}

// presses writes keys in short, one pressed several times once with its count.
func presses(keys []string) string {
	var out []string
	for i := 0; i < len(keys); {
		n := 1
		for i+n < len(keys) && keys[i+n] == keys[i] {
			n++
		}
		name := kit.KeyName(keys[i])
		if n > 2 {
			name += " ×" + strconv.Itoa(n)
		} else if n == 2 {
			name += " " + name
		}
		out = append(out, name)
		i += n
	}
	return strings.Join(out, " ")
}

// Act takes the actions it names; see [kit.View].
func (e *ExampleList) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if e.List.Act(a, len(Examples), e.rows(host)) {
		return nil, true
	}
	switch a.ID {
	case kit.ActOpen, kit.ActRun:
		host.Close()
		return e.take(host, e.List.At), true
	case kit.ActClose, kit.ActExamples, kit.ActQuit, kit.ActHelp, kit.ActCommands:
		return nil, false
	}
	return nil, true
}

// Mouse takes a click on an example.
func (e *ExampleList) Mouse(host kit.Host, x, y int, ev tea.MouseMsg) (tea.Cmd, bool) {
	i := e.List.Top + y
	if ev.Button != tea.MouseButtonLeft || y < 0 || y >= e.rows(host) || i >= len(Examples) {
		return nil, false
	}
	if i == e.List.At {
		host.Close()
		return e.take(host, i), true
	}
	e.List.At = i
	return nil, true
}

// take starts on example i, under its preset and then its settings, so that u
// takes those away alone. What another example set is taken back.
func (e *ExampleList) take(host kit.Host, i int) tea.Cmd {
	x := Examples[i]
	l := host.Lane()
	if why := e.prompts.cannot(x); why != "" {
		host.Complain(why)
		return nil
	}
	l.Look = run.Lookback{}
	for k, p := range e.lanes.Book.List() {
		if p.Name == x.preset {
			host.Apply(run.WithPreset(withoutExamples(l.Config), p), k, "", "preset "+p.Name)
		}
	}
	if len(x.Set) > 0 {
		host.Apply(x.config(l.Config), l.Preset, "", "the example's settings")
	}
	host.Say("watch: " + e.Watch(i))
	read := e.lanes.ReadPrompts(run.Asked{Text: x.Prompt})
	return tea.Batch(e.prompts.remember(x.Prompt), e.prompts.assist(x, read))
}

// config is cfg with what the example sets. An example that says nothing of
// the order keeps the one in force.
func (x *Example) config(cfg sampling.Config) sampling.Config {
	for _, key := range slices.Sorted(maps.Keys(x.Set)) {
		if with, err := cfg.With(key, x.Set[key], sampling.FromYou); err == nil {
			cfg = with
		}
	}
	return cfg
}

// withoutExamples is cfg without what examples set.
func withoutExamples(cfg sampling.Config) sampling.Config {
	for _, x := range Examples {
		for key, v := range x.Set {
			if s, ok := cfg.Lookup(key); ok && value.Equal(s.Value, v) {
				cfg = cfg.Without(key)
			}
		}
	}
	return cfg
}

// TakeExample starts on example i, under its preset.
func TakeExample(host kit.Host, lanes *run.Lanes, p *Prompts, i int) tea.Cmd {
	return (&ExampleList{lanes: lanes, prompts: p}).take(host, i)
}
