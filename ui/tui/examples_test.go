package tui

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/sampling/constrain"
	"logitscope/ui/tui/prompt"
	"logitscope/ui/tui/run"
	"logitscope/ui/tui/structure"
	"logitscope/viz"
)

var percents = regexp.MustCompile(`[<>]?[0-9.]+%`)

// Every number that the list of examples shows stands on the next screen too,
// as the raw probability of a token.
func TestExamplesShowTheNextScreensNumbers(t *testing.T) {
	shown := 0
	for i, x := range prompt.Examples {
		b := newBench(t, testOptions(t), 120, 40)
		b.keys("E")
		e := b.m.top().(*prompt.ExampleList)
		said := e.Shape(i, false) + " " + e.Watch(i)
		b.has(viz.CutTitle(e.Shape(i, false), 27))
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
	want := [][]string{ // on the screen after each part
		{"draw 1,000", "␣Copenhagen", "temperature        ○"},
		{"▸ top_p", "top_p 0.90 → 2 left", "top_p 0.60 → 1 left"},
		{"top_p 0.90 →", "top_p              ○", "top_k 40 → 40 left"},
		{"repeating since token 2", "step 2 of 40", "[2 chat]", "tokens"},
		{"10 of", "10 of", "10 of"},
		{"structured output", "■ done", "compare, 2 lanes"},
		{"1.10", "10 of", "no mark further on"},
		{"10 of", "step 6", "presence_penalty"},
		{"step 4", "z all panes", "was", "predict"},
	}
	if len(want) != len(prompt.Examples) {
		t.Fatal("an example without a script to check")
	}
	for i, x := range prompt.Examples {
		if len(x.Script) < 3 || len(x.Script) > 5 || x.Say == "" {
			t.Errorf("%q: a script of %d parts, and says %q", x.Prompt, len(x.Script), x.Say)
		}
		if w := viz.Width(x.Say); w > 74 {
			t.Errorf("%q: %d cells to say: %q", x.Prompt, w, x.Say)
		}
		o, err := NewOffscreen(t.Context(), testOptions(t), 120, 40)
		if err != nil {
			t.Fatal(err)
		}
		keys := append(append([]string{"E"}, slices.Repeat([]string{"down"}, i)...), "enter")
		if err := o.Press(keys...); err != nil {
			t.Fatal(err)
		}
		for k, p := range x.Script {
			if err := o.Press(p.Keys...); err != nil {
				t.Fatal(err)
			}
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
