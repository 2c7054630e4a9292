package tui

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/engine/speculative"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/sampling/param"
	"logitscope/ui/tui/prompt"
	"logitscope/ui/tui/run"
	"logitscope/ui/tui/structure"
	"logitscope/viz"
)

var percents = regexp.MustCompile(`[<>]?[0-9.]+%`)

// Every number that the list of examples shows stands on the next screen too,
// as the raw probability of a token.
func TestExamplesShowTheNextScreensNumbers(t *testing.T) {
	t.Parallel()
	shown := 0
	list := newBench(t, withModels(testOptions(t)), 120, 40)
	list.m.Frugal = false
	list.keys("E")
	e := list.m.top().(*prompt.ExampleList)
	for i, x := range prompt.Examples {
		said := e.Shape(i, false) + " " + e.Watch(i)
		list.has(viz.CutTitle(e.Shape(i, false), 27))
		list.keys("down")
		b := newBench(t, withModels(testOptions(t)), 120, 40)
		b.keys("E")
		for range i {
			b.keys("down")
		}
		b.keys("enter")
		b.wait(func(v engine.View) bool { return v.PromptText == x.Prompt && v.Next != nil })
		raw := make(map[string]bool)
		for _, r := range b.m.Lane().Step().Trace.Rows() {
			raw[viz.Percent(float64(r.RawProb))] = true
		}
		for _, p := range percents.FindAllString(said, -1) {
			shown++
			if !raw[p] {
				t.Errorf("%q says %s, which is no token's share on the next screen: %s", x.Prompt, p, said)
			}
		}
		if (x.Best != 0) != strings.Contains(e.Shape(i, false), "%") {
			t.Errorf("%q shows %q", x.Prompt, e.Shape(i, false))
		}
	}
	if shown < 7 {
		t.Errorf("only %d numbers are shown", shown)
	}
}

// Every example's script can be pressed from the first to the last key without a
// complaint, and shows what it says.
func TestExampleScripts(t *testing.T) {
	t.Parallel()
	want := [][]string{ // on the screen after each part
		{"draw 1,000", "␣Copenhagen", "temperature        ──────○"},
		{"▸ top_p", "top_p 0.90 → 2 left", "top_p 0.60 → 1 left"},
		{"top_p 0.90 →", "top_p              ○", "top_k 40 → 40 left"},
		{"repeating since token 2", "step 2 of 40", "[2 chat]", "tokens"},
		{"10 of", "10 of", "10 of"},
		{"structured output", "■ done", "compare, 2 lanes"},
		{"1.10", "10 of", "no mark further on"},
		{"10 of", "step 6", "presence_penalty"},
		{"step 4", "z all panes", "was", "predict"},
		{"4,096 ▸ u 0.481", "p_less → 15 left", "p_less → 1 left"},
		{"4,096 ▸ u 0.481", "p_less_norm → 16 left", "p_less_norm → 1 left"},
		{"4,096 ▸ u 0.481", "top_a 0.20 → 73 left", "top_a 0.20 → 1 left"},
		{"4,096 ▸ u 0.324", "tfs 0.90 → 1 left", "step 8"},
		{"4,096 ▸ u 0.324", "4,096 ▸ smooth 0.30", "step 3"},
		{"4,096 ▸ u 0.481", "4,096 ▸ skew 1.0", "Elsie"},
		{"next token · step 1", "fable against fable-draft", "contrast 0.10/0.5 → 3 left"},
		{"4,096 ▸ u 0.324", "with and without the prompt", "4,096 ▸ cfg 2.0"},
		{"the text has ended (a loop)", "stand 3 times in a row", "token written · step 2"},
		{"girl.", "girl. Her name was", "boy. His"},
		{"thinking 8 → 1 left", ".</think>on", "which is a little boy.↵"},
		{"4,096 ▸ u 0.383", "mark 4.0 ↑1,024", "4,096 ▸ mark 4.0"},
		{"draft fable-draft", "round 4", "draft fable without layer 3", "round 6"},
		{"step 31", "draft ngram", "4 of 4 accepted", "draft lookahead", "4 of 4 accepted"},
		{"rule specinfer", "round 4", "verdict: agrees"},
		{"rule spectr", "round 4", "verdict: agrees"},
	}
	if len(want) != len(prompt.Examples) {
		t.Fatal("an example without a script to check")
	}
	on := newNeeds()
	if !testing.Short() {
		defer on.check(t)
	}
	for i, x := range prompt.Examples {
		if len(x.Script) < 3 || len(x.Script) > 5 || x.Say == "" {
			t.Errorf("%q: a script of %d parts, and says %q", x.Prompt, len(x.Script), x.Say)
		}
		if w := viz.Width(x.Say); w > 74 {
			t.Errorf("%q: %d cells to say: %q", x.Prompt, w, x.Say)
		}
		if testing.Short() && i%5 != 0 {
			continue
		}
		o, err := NewOffscreen(t.Context(), withModels(testOptions(t)), 120, 40)
		if err != nil {
			t.Fatal(err)
		}
		keys := append(append([]string{"E"}, slices.Repeat([]string{"down"}, i)...), "enter")
		if err := o.Press(keys...); err != nil {
			t.Fatal(err)
		}
		for k, p := range x.Script {
			on.take(o.m.Lane())
			if err := o.Press(p.Keys...); err != nil {
				t.Fatal(err)
			}
			on.take(o.m.Lane())
			if o.m.Warn {
				t.Errorf("%q: %v: %s", x.Prompt, p.Keys, o.m.Notice.Text)
			}
			if f := o.Frame().Text(); !strings.Contains(f, want[i][k]) {
				t.Errorf("%q: no %q after %v:\n%s", x.Prompt, want[i][k], p.Keys, f)
			}
		}
		o.Close()
	}
}

// The list shows every part of an example's script, the sentence to say and
// what to watch, whole, in a terminal of 80 by 24; what keys show stands in one
// column.
func TestExampleListShowsWholeScripts(t *testing.T) {
	t.Parallel()
	b := newBench(t, withModels(testOptions(t)), 80, 24)
	b.keys("E")
	e := b.m.top().(*prompt.ExampleList)
	for i, x := range prompt.Examples {
		f := b.frame()
		column := -1
		for _, p := range x.Script {
			at := -1
			for _, l := range strings.Split(f, "\n") {
				if head, _, ok := strings.Cut(l, " "+p.Shows); ok {
					at = viz.Width(head)
				}
			}
			if column < 0 {
				column = at
			}
			if at < 0 || at != column {
				t.Errorf("%q: %q stands at %d, the first part at %d:\n%s", x.Prompt, p.Shows, at, column, f)
			}
		}
		flat := strings.Join(strings.Fields(strings.ReplaceAll(f, "┃", " ")), " ")
		for _, want := range []string{"\"" + x.Say + "\"", "watch: " + e.Watch(i)} {
			if !strings.Contains(flat, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%q: no %q in\n%s", x.Prompt, want, f)
			}
		}
		b.keys("down")
	}
}

// needs are what an example or a lesson must turn on: see [newNeeds].
type needs map[string]bool

// newNeeds returns what the field published beyond the samplers of the four
// engines, from the tables themselves: stages that the lab's order alone has,
// stops and the watermark, every source of drafts and every right rule.
func newNeeds() needs {
	n := needs{}
	own, err := sampling.ParseOrder("lab")
	if err != nil {
		panic(err)
	}
	for i := range param.All() {
		p := &param.All()[i]
		elsewhere := slices.ContainsFunc(sampling.Orders(), func(o sampling.Order) bool {
			return o.String() != own.String() && o.Supports(p.Key)
		})
		if own.Supports(p.Key) && p.Stage != "" && !elsewhere {
			n["stage "+p.Stage] = false
		}
		if p.Group == param.Limit && p.Stage == "thinking" {
			n["stage thinking"] = false
		}
	}
	for _, key := range []string{"repetition_detection", "banned_phrases", "watermark_bias"} {
		n["setting "+key] = false
	}
	for _, a := range speculative.Algorithms() {
		if a.Exact && a.Algorithm != speculative.Block {
			n["rule "+string(a.Algorithm)] = false
		}
	}
	for _, d := range []string{"fable-draft", "fable without layer 3", "ngram", "lookahead"} {
		n["draft "+d] = false
	}
	return n
}

// take notes what is on in a lane.
func (n needs) take(l *run.Lane) {
	on := func(what string) {
		if _, ok := n[what]; ok {
			n[what] = true
		}
	}
	if next := l.View.Next; next != nil && next.Trace != nil {
		for _, s := range next.Trace.Stages() {
			on("stage " + s.Name)
		}
	}
	for _, key := range l.Config.Keys() {
		if p, ok := param.Lookup(key); ok && !p.IsOff(l.Config.Value(key)) {
			on("setting " + key)
		}
	}
	if d := l.View.Draft; d != nil && d.Last() != nil {
		on("rule " + string(d.Last().Algorithm))
		on("draft " + d.Last().Drafter)
	}
}

func (n needs) check(t *testing.T) {
	if len(n) < 15 {
		t.Errorf("only %d things need an example", len(n))
	}
	for what, on := range n {
		if !on {
			t.Errorf("%s: no example turns it on", what)
		}
	}
}

// underTemplate writes example i under the template of a kind, and returns the
// text and how many bits the constraint cost at most at a step.
func underTemplate(t *testing.T, i int, kind string) (text string, most float64) {
	t.Helper()
	b := newBench(t, testOptions(t), 120, 40)
	b.m.Pace = len(run.Paces) - 1
	b.keys("E")
	for range i {
		b.keys("down")
	}
	b.keys("enter")
	b.wait(func(v engine.View) bool { return v.PromptText == prompt.Examples[i].Prompt && v.Next != nil })
	b.m.Set("do_sample", false)
	b.keys("J")
	for _, k := range constrain.Kinds() {
		if k.Name == kind {
			break
		}
		for range max(len(k.Templates), 1) {
			b.keys("down")
		}
	}
	b.keys("enter")
	b.pump(func() bool { return b.m.top().(*structure.Editor).Known() })
	b.keys("ctrl+d")
	b.wait(func(v engine.View) bool {
		return v.Settings == b.m.Lane().Settings && v.Next != nil && v.Next.Constraint != nil
	})
	b.m.Advance(-1)
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
	v := b.m.Lane().View
	for _, s := range v.Steps {
		if s.Constraint != nil {
			most = max(most, float64(s.Constraint.Bits))
		}
	}
	return v.Text(), most
}

// The example of SQL is a query over the tables of the template, as the model
// writes it anyway; the first template of JSON holds the model to an order
// that it would not take.
func TestExamplesFitTheTemplates(t *testing.T) {
	t.Parallel()
	sql, json := -1, -1
	for i, x := range prompt.Examples {
		switch x.Kind {
		case "SQL":
			sql = i
		case "JSON":
			json = i
		}
	}
	if text, most := underTemplate(t, sql, "SQL"); !strings.HasPrefix(text, "SELECT name FROM users WHERE age > 30") || most > 1 {
		t.Errorf("the example of SQL under the template: %q, at most %.2f bits at a step", text, most)
	}
	if text, most := underTemplate(t, json, constrain.Kinds()[0].Name); !strings.HasPrefix(text, `{"age"`) || most < 5 {
		t.Errorf("the example of JSON under the first template: %q, at most %.2f bits at a step", text, most)
	}
}

// The next example takes back what one set and lent; where no draft model can
// be opened, the one that needs it says so and changes nothing.
func TestExamplesTakeBack(t *testing.T) {
	t.Parallel()
	at := slices.IndexFunc(prompt.Examples, func(x prompt.Example) bool { return x.Set["contrastive_alpha"] != nil })
	open := func(b *bench, i int) {
		b.keys("E")
		for range i {
			b.keys("down")
		}
		b.keys("enter")
	}
	b := newBench(t, withModels(testOptions(t)), 120, 40)
	open(b, at)
	b.wait(func(v engine.View) bool {
		return v.PromptText == prompt.Examples[at].Prompt && v.Next != nil && v.Err == nil
	})
	if b.m.Lanes.Draft.Model == nil || b.m.Lane().Config.Float("contrastive_alpha") == 0 {
		t.Fatal("the example set nothing")
	}
	open(b, 1)
	b.wait(func(v engine.View) bool { return v.PromptText == prompt.Examples[1].Prompt && v.Next != nil })
	if cfg := b.m.Lane().Config; b.m.Lanes.Draft.Active() || cfg.Float("contrastive_alpha") != 0 || cfg.Text("order") == "lab" {
		t.Errorf("left over: a draft %v, %v", b.m.Lanes.Draft.Active(), cfg)
	}

	b = newBench(t, testOptions(t), 120, 40)
	before := b.m.Lane().Config
	open(b, at)
	b.has("no model can be opened here; --draft names one")
	if !b.m.Lane().Config.Equal(before) {
		t.Error("the settings have changed")
	}
}
