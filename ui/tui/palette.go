package tui

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/prompt"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A commandKind is what a line of the palette is. Of two that fit equally well,
// the one of the earlier kind stands first.
type commandKind uint8

const (
	aView commandKind = iota
	anAction
	anExample
	aLesson
	aKnob
	aMark
	aWord
	aKnobDeed // one thing done with a knob
)

var kindNames = [...]string{aView: "view", anAction: "action", anExample: "example", aLesson: "lesson", aKnob: "knob", aMark: "mark", aWord: "word", aKnobDeed: "knob"}

// A command is a line of the palette: something to do, to open or to read.
type command struct {
	kind      commandKind
	name, key string
	words     string // also found by these
	run       func(m *Model) tea.Cmd
}

// palette finds anything by a word.
type palette struct {
	field kit.Field
	list  kit.List
	all   []command

	hits    []command // what is found
	nearest bool      // nothing has the words typed: the hits nearly do
}

func newPalette(m *Model) (kit.View, tea.Cmd) {
	p := &palette{all: m.commands()}
	p.fill("")
	return p, nil
}

// alsoFound are words by which people look for actions and knobs that have
// another name.
var (
	alsoFound = map[kit.ID]string{
		kit.ActInspect: "why explain reason", kit.ActCompare: "why differ part side by side lanes", kit.ActCache: "kv memory bytes speed prefill decode phases roofline",
		kit.ActPredict: "guess quiz", kit.ActBeam: "search tree contrastive", kit.ActDraft: "speculative faster speedup", kit.ActConstraint: "json schema grammar regex sql valid",
		kit.ActSweep: "grid heat map", kit.ActBench: "evaluate test prompts", kit.ActVote: "blind preference", kit.ActExport: "save export", kit.ActTimeline: "history branches back",
		kit.ActZoom: "projector large beamer", kit.ActDraw: "sample histogram", kit.ActValues: "effective inert no effect", kit.ActEngines: "transformers llama.cpp vllm ollama",
		kit.ActReseed: "random luck", kit.ActForce: "choose token", kit.ActMarks: "colour probability surprisal", kit.ActSince: "difference switch changed",
		kit.ActLayers: "lens attention heads inside dola early exit switch off ablation", kit.ActRead: "score perplexity surprise own text paste",
		kit.ActSeeds: "several seeds intervals part statistics", kit.ActAnswer: "majority vote self-consistency extract",
	}
	knobsAlso = map[string]string{
		"repetition_penalty": "loop repeat", "dry_multiplier": "loop repeat", "no_repeat_ngram_size": "loop repeat", "frequency_penalty": "loop repeat", "presence_penalty": "loop repeat topic",
		"top_p": "nucleus", "temperature": "sharp flat creative", "num_beams": "search", "penalty_alpha": "contrastive", "max_new_tokens": "length limit", "seed": "luck random", "luck": "race gumbel coupling shared random",
		"watermark_bias": "mark green list detect", "min_p": "nucleus", "constraint": "json schema grammar",
	}
)

// glossary are words of the screen and what they mean.
var glossary = []struct{ word, means, also string }{
	{"repeating", "the same tokens at least three times in a row, 16 tokens or more", "loop"},
	{"KV cache", "keys and values of every token read so far: each is read once, not again", "memory prefill"},
	{"prefill", "reading the prompt: many tokens at once, since all of them are known", "prompt phase cache"},
	{"decode", "writing the text: one token a pass over all weights", "phase speed"},
	{"why", "i says what the selected row, knob or stage does at this step", "explain"},
	{"entropy", "how open a step is, in bits: n bits are as if choosing among 2 to the n tokens", "uncertain"},
	{"perplexity", "2 to the mean surprisal: among how many tokens the text was chosen, on average", ""},
	{"surprisal", "how unlikely a token was, in bits: 1 bit is a half, 10 bits a thousandth", "bits logprob"},
	{"raw", "the share the model gives a token, before any setting", "probability"},
	{"final", "its share after all settings; what is kept sums to 100%", "probability"},
	{"kept", "tokens that survive; cut: taken out by a stage", "survivors removed"},
	{"u", "the random number of a step; it falls in one token's interval of the strip", "draw sample random"},
	{"TV", "total variation: the probability to be moved to turn one law into another", "distance"},
	{"what-if", "settings tried on a step: nothing is written until it is taken", "try"},
	{"lane", "one run; compare puts up to four side by side", ""},
	{"branch", "a text that was left by going back; the timeline keeps it", "history"},
	{"greedy", "always the likeliest token: no draw, the same text every time", "temperature 0"},
	{"nucleus", "the likeliest tokens that together hold top_p of the probability", "top_p"},
	{"expert, amateur", "the two models of contrastive decoding; with guidance: with and without the prompt", "contrastive cfg"},
	{"lens", "what a layer would say if it were the last: its state through the last norm and matrix", "layers logit"},
	{"attention", "how much of each earlier token a head takes in; a head's shares sum to 1", "heads layers"},
	{"not whole", "parts of the model are off; A puts them on again", "ablation layers"},
	{"green", "tokens that a watermark favours at a place; a key says which", "watermark detect"},
	{"acceptance", "the share of drafted tokens that the model takes", "speculative draft"},
}

// commands lists everything there is to find: actions, knobs, examples, marks
// and words.
func (m *Model) commands() []command {
	var out []command
	for _, a := range m.keys.list {
		if a.ID == kit.ActCommands {
			continue
		}
		help, kind := a.Words(), anAction
		if views[kit.ViewID(a.ID)].new != nil {
			kind = aView
		}
		if a.ID == kit.ActPrevMark || a.ID == kit.ActNextMark {
			kind = aMark
		}
		if i := slices.Index(kit.Presets[:], a.ID); i >= len(m.Book.List()) {
			continue
		} else if i >= 0 {
			help = "preset " + m.Book.List()[i].Name + ": " + m.Book.List()[i].About
		}
		out = append(out, command{kind, help, a.First(), string(a.ID) + " " + a.Hint + " " + alsoFound[a.ID], a.run})
	}
	out = append(out, command{anAction, untilHint, ":", "stop when condition expression", typeUntil})
	for _, p := range run.Knobs {
		key := p.Key
		pick := func(f func(m *Model) tea.Cmd) func(m *Model) tea.Cmd {
			return func(m *Model) tea.Cmd { m.SelectKnob(key); m.lab.ShowKnob(); return f(m) }
		}
		out = append(out, command{aKnob, key + ": " + p.Help, "enter", knobsAlso[key], pick(func(m *Model) tea.Cmd { return m.Open(kit.ViewValue) })})
		if p.Off != nil {
			out = append(out, command{aKnobDeed, key + ": off", "0", "", pick(func(m *Model) tea.Cmd { m.KnobOff(); return nil })})
		}
		out = append(out, command{aKnobDeed, key + ": what it changes at this step", "i", "", pick(func(m *Model) tea.Cmd {
			m.lab.FocusControls()
			return m.WantEffect()
		})})
	}
	for _, l := range m.course.Lessons {
		out = append(out, command{aLesson, m.tutor.Name(l), "L", l.Section + " " + l.ID, func(m *Model) tea.Cmd { return m.openLesson(l) }})
	}
	for i, x := range prompt.Examples {
		name := strings.ReplaceAll(x.Prompt, "\n", " ") + " (" + x.Kind + ")"
		out = append(out, command{anExample, name, "E", x.About(), func(m *Model) tea.Cmd { return prompt.TakeExample(m, m.Lanes, m.prompts, i) }})
	}
	if l := m.Lane(); l.Loop != nil {
		first := l.Loop.First
		out = append(out, command{aMark, "to the first of the tokens that repeat", "[", "loop", func(m *Model) tea.Cmd { m.Lane().LookAt(first); return nil }})
	}
	for _, w := range glossary {
		out = append(out, command{aWord, w.word + ": " + w.means, "", w.also, func(m *Model) tea.Cmd { m.Say(w.word + ": " + w.means); return nil }})
	}
	return out
}

// fill puts text into the field.
func (p *palette) fill(text string) {
	p.field = kit.NewField(text)
	p.find()
}

// find finds the commands that hold every word typed, the nearest first; if
// there are none, those that nearly do: one letter is forgiven.
// What is typed after the word until is an expression, not a word.
func (p *palette) find() {
	p.list, p.hits, p.nearest = kit.List{}, nil, false
	if expr, ok := untilTyped(p.field.Text()); ok && expr != "" {
		p.hits = []command{{anAction, untilWord + " " + expr, "enter", "", func(m *Model) tea.Cmd { return m.runUntil(expr) }}}
		return
	}
	words := strings.Fields(strings.ToLower(p.field.Text()))
	if len(words) == 0 {
		p.hits = p.all
		return
	}
	type hit struct {
		c    command
		rank int
	}
	for _, forgiving := range []bool{false, true} {
		var hits []hit
		for _, c := range p.all {
			worst := 0
			for _, w := range words {
				worst = max(worst, nearness(w, c, forgiving))
			}
			if worst < notFound {
				hits = append(hits, hit{c, worst})
			}
		}
		if len(hits) == 0 {
			continue
		}
		slices.SortStableFunc(hits, func(a, b hit) int {
			return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.c.kind, b.c.kind))
		})
		for _, h := range hits {
			p.hits = append(p.hits, h.c)
		}
		p.nearest = forgiving
		return
	}
}

const notFound = 9

// nearness is how near a word is to a command: 0 begins its name, then a word of
// its name or one it is also found by, then stands inside. Where one letter is
// forgiven, what a command is called is nearer than what is said of it.
func nearness(word string, c command, forgiving bool) int {
	name, also := strings.ToLower(c.name), strings.ToLower(c.words)
	begins := func(s string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(s, apart), func(f string) bool { return strings.HasPrefix(f, word) })
	}
	switch {
	case strings.HasPrefix(name, word) && c.kind != aWord: // what can be done comes before what it means
		return 0
	case begins(name), begins(also) && c.kind != anExample: // those are sentences
		return 1
	case strings.Contains(name, word), strings.Contains(also, word):
		return 2
	case !forgiving || len(word) < 4:
		return notFound
	}
	nearly := func(s string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(s, apart), func(f string) bool { return oneApart(word, f) })
	}
	head, _, _ := strings.Cut(name, ":")
	switch {
	case nearly(head):
		return 3
	case nearly(name):
		return 4
	case nearly(also):
		return 5
	}
	return notFound
}

// apart reports whether r stands between words.
func apart(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }

// oneApart reports whether a letter changed, left out, put in or swapped with
// its neighbour makes one word the other.
func oneApart(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	j := 0
	for j < len(x)-i && x[len(x)-1-j] == y[len(y)-1-j] {
		j++
	}
	left := len(y) - i - j // what differs
	swapped := left == 2 && len(x) == len(y) && x[i] == y[i+1] && x[i+1] == y[i]
	return left <= 1 || swapped
}

// kindWide is where names begin, after what kind of thing each is.
const kindWide = 12

// emptyWords say what to try where nothing is found.
const emptyWords = "Nothing here has that word. Try what it does: loop, cache, prefill, why, random, json, save, compare; or a knob's name, such as top_p."

// Frame titles the box; see [kit.Overlay].
func (p *palette) Frame(kit.Host) viz.Frame { return viz.Frame{Title: "commands", Right: ": · esc"} }

// around is how many lines of the box hold no hit: its border, the field, the
// foot, and a blank line after the one and before the other.
const around = 6

// head is how many lines stand above the hits to say that none has the words.
func (p *palette) head() int {
	if p.nearest {
		return 2
	}
	return 0
}

// Size is how large the box wants to be; see [kit.Overlay].
func (p *palette) Size(host kit.Host) (int, int) {
	m := host.(*Model)
	return 80, min(around+p.head()+max(len(p.hits), 3), max(min(m.h-4, 20), 10))
}

// Hints are what the footer offers; see [kit.View].
func (p *palette) Hints(_ kit.Host) []kit.ID {
	return []kit.ID{kit.ActOpen, kit.ActClose}
}
func (p *palette) rows(m *Model) int { return m.Screen().Box(p.Size(m)).H - around - p.head() }

// Act takes the actions it names; see [kit.View].
func (p *palette) Act(kit.Host, *kit.Action) (tea.Cmd, bool) { return nil, true }

// Draw draws the view; see [kit.View].
func (p *palette) Draw(c *viz.Canvas, _ kit.Host) {
	p.field.Draw(c, c.Put(1, 0, ": ", viz.Ink{Role: viz.Focus}), 0)
	head := 2 + p.head()
	h := c.H - head - 2
	top := min(p.list.Top, max(len(p.hits)-h, 0))
	for y := 0; y < h && top+y < len(p.hits); y++ {
		cm := p.hits[top+y]
		ink := viz.Ink{}
		if top+y == p.list.At {
			c.Put(1, head+y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		c.Put(3, head+y, kindNames[cm.kind], viz.Ink{Role: viz.Muted})
		c.Fit(kindWide, head+y, c.W-kindWide-9, viz.Printable(cm.name, c.ASCII), ink)
		c.Right(c.W-1, head+y, cm.key, viz.Ink{Role: viz.Muted})
	}
	foot := viz.Count(len(p.hits)) + " found in actions, examples, lessons, knobs, words · ↑↓ · enter"
	switch {
	case len(p.hits) == 0:
		foot = "backspace takes a letter back · esc close"
		for y, line := range viz.WrapWords(emptyWords, c.W-4) {
			if y < h {
				c.Put(3, head+y, line, viz.Ink{})
			}
		}
	case p.nearest:
		cm := p.hits[p.list.At]
		name, _, _ := strings.Cut(cm.name, ":")
		typed := viz.Printable(strings.TrimSpace(p.field.Text()), c.ASCII)
		c.Fit(1, 2, c.W-2, "nothing is called "+typed+". Nearest: "+viz.Printable(name, c.ASCII)+" ("+kindNames[cm.kind]+"). enter takes it.", viz.Ink{})
		foot = "Words of the book work too: nucleus, greedy, prefill, beam, loop, JSON."
	case p.field.Text() == "":
		foot = "type a word: loop, cache, why, seed, json · ↑↓ · enter · all " + viz.Count(len(p.hits)) + " are listed"
	}
	c.Put(1, c.H-1, viz.CutTitle(foot, c.W-2), viz.Ink{Role: viz.Muted})
}

// Key takes what is typed; see [kit.Typist].
func (p *palette) Key(host kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	m := host.(*Model)
	if d := kit.MoveKey(k); d != 0 {
		p.list.Move(d, len(p.hits), p.rows(m))
		return nil, true
	}
	switch k.Type {
	case tea.KeyEsc:
		m.Close()
		return nil, true
	case tea.KeyTab:
		if p.list.At < len(p.hits) {
			p.fill(p.hits[p.list.At].name)
		}
		return nil, true
	case tea.KeyEnter:
		if p.list.At >= len(p.hits) {
			m.Say("nothing has these words")
			return nil, true
		}
		m.Close()
		return tea.Batch(p.hits[p.list.At].run(m), m.WantEffect()), true
	}
	if p.field.Key(k) {
		p.find()
	}
	return nil, true
}

// typeUntil opens the palette with the word until typed.
func typeUntil(m *Model) tea.Cmd {
	cmd := m.Open(kit.ViewCommands)
	if p, ok := m.top().(*palette); ok {
		p.fill(untilWord + " ")
	}
	return cmd
}
