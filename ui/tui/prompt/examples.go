package prompt

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// An Example is a prompt whose distribution has a known shape.
type Example struct {
	Prompt string
	preset string // put in force with it; empty leaves what is there
	Kind   string // what kind of distribution it has
	Best   int    // how many of the likeliest tokens are named with their shares; -1 says that none is likely
	watch  string // what to look at
	token  string // one that is spoken of there, whose share goes in its %s; empty for none

	Script []Press // what to press before a class, from the example as it opens
	Say    string  // the sentence to say with it
}

// A Press is a few keys of a script and what they show.
type Press struct {
	Keys  []string // by the names of a keys file
	Shows string
}

// About is what an example can also be found by.
func (x *Example) About() string { return x.Say + " " + x.Kind }

// press is one line of a script: keys separated by blanks.
func press(keys, shows string) Press { return Press{strings.Fields(keys), shows} }

// Examples are prompts for the built-in model, from near-certain to wide open.
var Examples = []Example{
	{Prompt: "The capital of France is", preset: "neutral", Kind: "near-certain", Best: 1, watch: "raise temperature until ␣Copenhagen%s gets a visible bar", token: " Copenhagen",
		Script: []Press{press("d", "a thousand draws: about 400 are not Paris"), press("esc + + + +", "higher temperature: the others gain"), press("0", "as the model has it again")},
		Say:    "Near-certain is not certain: two answers in five are not Paris."},
	{Prompt: "Once upon a time", preset: "neutral", Kind: "two", Best: 2, watch: "top_p 0.9 keeps two tokens; lower it to 0.6 and the story always begins alike",
		Script: []Press{press("tab down down", "to top_p, in the controls"), press("shift+left", "0.90: a nucleus of two tokens"), press("shift+left shift+left shift+left", "0.60: one is left, and chance has no part")},
		Say:    "A nucleus counts probability, not tokens: here two hold nine tenths."},
	{Prompt: "Once upon a time there was a little fox. Its name was", preset: "neutral", Kind: "wide open", Best: -1, watch: "top_k against top_p: which of them cuts more where nothing is likely?",
		Script: []Press{press("tab down down shift+left", "top_p 0.90 keeps what holds nine tenths: many"), press("0", "all tokens again"), press("up enter ctrl+u 4 0 enter", "top_k 40 keeps forty, likely or not")},
		Say:    "Where nothing is likely, top_k cuts blindly; top_p takes what it needs."},
	{Prompt: "The capital of France is", preset: "greedy", Kind: "one sentence for ever", watch: "run it: greedy repeats itself; then raise repetition_penalty and see which token gives way",
		Script: []Press{press("pgdown pgdown pgdown pgdown", "forty tokens: one sentence again and again"), press("[", "where it began to repeat"), press("esc 2", "chat: a penalty and a draw, from here on"), press("pgdown", "it gets out")},
		Say:    "The likeliest next word does not make the likeliest text: greedy loops."},
	{Prompt: "User: Hello! Who are you?\nAssistant:", preset: "chat", Kind: "chat: three ways to begin", watch: "s writes other answers with other seeds; temperature 0 always gives the same one",
		Script: []Press{press("pgdown", "an answer begins"), press("s pgdown", "another seed, another answer"), press("r pgdown", "the same seed again: the same answer")},
		Say:    "A seed is all the luck there is: same seed, same settings, same text."},
	{Prompt: "Extract the person's name and age from: Ana Silva is 41 years old.\n", preset: "factual", Kind: "JSON", Best: 2, watch: "braces and quotes are nearly certain, the name is copied: where does the entropy rise?",
		Script: []Press{press("J", "structured output: the text may be held to a form"), press("esc pgdown pgdown", "without it the model writes what it likes"), press("C", "a second run beside it")},
		Say:    "A grammar makes text valid, never true: what it forces costs bits."},
	{Prompt: "List the names of users older than 30.\n", preset: "factual", Kind: "SQL", Best: 1, watch: "temperature 1.5 still writes SQL for a while: sure tokens hardly move",
		Script: []Press{press("+ + + + + + + +", "temperature 1: sure tokens hardly move"), press("pgdown", "still SQL"), press("[ ]", "no mark: nothing was forced")},
		Say:    "Temperature moves what was open; what was certain stays certain."},
	{Prompt: "def add(a, b):", preset: "factual", Kind: "code: short and sure", watch: "presence_penalty pushes away the parameter names that the code needs",
		Script: []Press{press("pgdown", "the parameter names come back"), press("b b b b b", "to where one of them stood"), press("tab down down down down down down + + + +", "presence_penalty: the names it needs lose")},
		Say:    "A penalty cannot tell a mistake from a name that must be repeated."},
	{Prompt: "Once upon a time there was a little fox who lived in the", preset: "chat", Kind: "a story, open and closed", watch: "step through it: which words could have been others, and which could not?",
		Script: []Press{press("n n n", "three tokens, with the draw of each"), press("z", "the chart alone, for the back row"), press("+ + +", "what the knob does to it, before anything is written"), press("z P", "guess the next word before it shows")},
		Say:    "A model gives a law, settings cut it, chance takes one of what is left."},
}

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

// A small model is asked what comes after every example when they are opened.
const smallParams = 100e6

// NewExamples lists the examples; a small model is asked for their numbers.
func NewExamples(host kit.Host, lanes *run.Lanes, p *Prompts) (kit.View, tea.Cmd) {
	e := &ExampleList{lanes: lanes, prompts: p}
	l := host.Lane()
	_, far := l.Model.(models.Meter)
	if n := l.Model.Info().Params; n <= 0 || n > smallParams || far {
		return e, nil
	}
	ctx, model := lanes.Ctx, l.Model
	return e, e.laws.Want(l.ID, func() ([][]share, error) { return lawsOf(ctx, model) })
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
func (e *ExampleList) Size(kit.Host) (int, int) { return 80, len(Examples) + 4 + scriptLines }

// scriptLines is what the script of an example takes below the list.
const scriptLines = 6

// Hints are what the footer offers; see [kit.View].
func (e *ExampleList) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActOpen, kit.ActDown, kit.ActClose}
}
func (e *ExampleList) rows(host kit.Host) int { return listRows(host.Screen().Box(e.Size(host)).H - 2) }

// listRows is how many examples a box of h lines lists: the script gives way.
func listRows(h int) int { return max(min(h-2, max(h-2-scriptLines, len(Examples))), 1) }

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
	if c.H >= h+2+scriptLines {
		e.drawScript(c.Sub(viz.Rect{X: 0, Y: h + 1, W: c.W, H: scriptLines - 1}))
	}
	c.Put(1, c.H-1, viz.CutTitle("watch: "+e.Watch(e.List.At), c.W-2), viz.Ink{})
}

// drawScript draws what to press before a class and what to say.
func (e *ExampleList) drawScript(c *viz.Canvas) {
	x := &Examples[e.List.At]
	y := 0
	for _, p := range x.Script {
		at := c.Put(1, y, presses(p.Keys), viz.Ink{Role: viz.Focus})
		c.Put(max(at+2, 14), y, viz.CutTitle(p.Shows, c.W-max(at+2, 14)-1), viz.Ink{})
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

// take starts on example i, under its preset.
func (e *ExampleList) take(host kit.Host, i int) tea.Cmd {
	x := Examples[i]
	l := host.Lane()
	l.Look = run.Lookback{}
	for k, p := range e.lanes.Book.List() {
		if p.Name == x.preset {
			host.Apply(run.WithPreset(l.Config, p), k, "", "preset "+p.Name)
		}
	}
	host.Say("watch: " + e.Watch(i))
	return tea.Batch(e.prompts.remember(x.Prompt), e.lanes.ReadPrompts(run.Asked{Text: x.Prompt}))
}

// TakeExample starts on example i, under its preset.
func TakeExample(host kit.Host, lanes *run.Lanes, p *Prompts, i int) tea.Cmd {
	return (&ExampleList{lanes: lanes, prompts: p}).take(host, i)
}
