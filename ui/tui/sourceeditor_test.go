package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
)

// sourceAt is the editor of the kind that stands n lines down in the list.
func sourceAt(t *testing.T, n, w, h int) (*bench, *sourceEditor) {
	t.Helper()
	b := newBench(t, testOptions(t), w, h)
	b.start(personPrompt)
	b.keys("J")
	for range n {
		b.keys("down")
	}
	b.keys("enter")
	return b, b.m.top().(*sourceEditor)
}

// What is written and left is there when the kind is opened again; what it
// was before is one undo away.
func TestSourceIsKeptWhenLeft(t *testing.T) {
	b, _ := sourceAt(t, 2, 80, 24)
	b.keys("ctrl+u")
	b.send(typed("[0-9"))
	b.keys("esc")
	b.has("what you wrote is there")
	b.keys("up", "enter")
	e := b.m.top().(*sourceEditor)
	if constrain.Kinds()[e.kind].Name != "JSON" {
		t.Fatalf("opened %s", constrain.Kinds()[e.kind].Name)
	}
	b.keys("esc", "down", "enter")
	e = b.m.top().(*sourceEditor)
	if got := e.area.Text(); got != "[0-9" {
		t.Errorf("opened again with %q", got)
	}
	b.has("as you left it")
	b.send(tea.KeyMsg{Type: tea.KeyCtrlZ})
	if got := e.area.Text(); got != template(2).text {
		t.Errorf("undone to %q", got)
	}
	b.keys("esc", "enter") // as it was at first: nothing is kept
	if e = b.m.top().(*sourceEditor); !e.fresh {
		t.Error("a template that was not touched counts as written")
	}
	// A click beside the box leaves as esc does.
	b.send(typed("x"))
	b.send(tea.MouseMsg{X: 3, Y: 23, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	if s := b.m.sources.begun[2]; s.text != template(2).text+"x" {
		t.Errorf("a click outside kept %q", s.text)
	}
}

// A schema in force opens as it was typed, blanks and all, also while its
// mask is off.
func TestSourceOpensAsTyped(t *testing.T) {
	const text = "{ \"type\":\"object\",\n        \"properties\" : {\"a\":{\"type\":\"integer\"}},\n  \"required\":[\"a\"] }\n"
	b, e := sourceAt(t, 0, 100, 30)
	e.area.Replace(text)
	b.run(e.check())
	b.keys("ctrl+d")
	b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Constraint != nil })
	for _, k := range []string{"", "x"} {
		if k != "" {
			b.keys(k)
		}
		b.keys("enter")
		e, ok := b.m.top().(*sourceEditor)
		if !ok {
			t.Fatal("no editor")
		}
		if got := e.area.Text(); got != text {
			t.Errorf("opens as %q", got)
		}
		b.keys("esc")
	}
}

// A constraint that the lab starts with opens as its file has it.
func TestSourceOpensAsItsFile(t *testing.T) {
	const (
		text   = "{ \"type\":\"object\",\n        \"properties\" : {} }\n"
		stored = `{"any_order":true,"schema":{"type":"object","properties":{}},"type":"json_schema"}`
	)
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("constraint", stored, sampling.FromFlag)
	opt.Written = map[string]string{stored: text}
	b := newBench(t, opt, 100, 30)
	b.keys("J", "enter")
	e, ok := b.m.top().(*sourceEditor)
	if !ok {
		t.Fatal("no editor")
	}
	if got := e.source(); got != (source{kind: 0, text: text, options: constrain.Options{AnyOrder: true}}) {
		t.Errorf("opens as %+v", got)
	}
}

// A refused source leaves the cursor on its line, so that ctrl+u takes the
// line back; from another line the cursor goes to the fault.
func TestSourceCursorAfterAFault(t *testing.T) {
	b, e := sourceAt(t, 2, 80, 24)
	b.keys("ctrl+u")
	b.send(typed("(yes|no), [a-z because"))
	b.keys("ctrl+d")
	if at := e.area.At(); at != len("(yes|no), [a-z because") {
		t.Errorf("the cursor went to byte %d", at)
	}
	if b.keys("ctrl+u"); e.area.Text() != "" {
		t.Errorf("left over: %q", e.area.Text())
	}
	e.area.Replace("a\n(b\nc")
	b.run(e.check())
	if e.bad == nil {
		t.Skip("the regex is good")
	}
	e.area.GoTo(0)
	if b.keys("ctrl+d"); e.bad.at >= 2 && e.area.At() != e.bad.at {
		t.Errorf("the cursor is at %d, the fault at %d", e.area.At(), e.bad.at)
	}
}

// What is said of a source breaks at blanks; what does not fit is counted.
func TestSourceOutcome(t *testing.T) {
	bad := &remark{"one two three four", 0}
	notes := []remark{{"good", -1}, {"first note", -1}, {"second one here", -1}, {"third", -1}}
	for _, tt := range []struct {
		e    sourceEditor
		w, h int
		want []string
	}{
		{sourceEditor{}, 20, 2, []string{"compiling …"}},
		{sourceEditor{known: true, bad: bad}, 11, 3, []string{"! one two", "three four"}}, // "! one two t" would break a word
		{sourceEditor{known: true, bad: bad}, 11, 1, []string{"! one two …"}},
		{sourceEditor{known: true, notes: notes}, 40, 4, []string{"good", "first note", "second one here", "third"}},
		{sourceEditor{known: true, notes: notes}, 40, 3, []string{"good", "first note", "⋮ 2 more notes · ctrl+g shows them"}},
		{sourceEditor{known: true, notes: notes, note: 2}, 40, 3, []string{"second one here", "third"}},
		{sourceEditor{known: true, notes: []remark{{"one two three four", -1}, {"last", -1}}}, 11, 2, []string{"one two …", "⋮ 1 more…"}},
	} {
		if got := tt.e.outcome(tt.w, tt.h, false); !slices.Equal(got, tt.want) {
			t.Errorf("%d×%d: %q, want %q", tt.w, tt.h, got, tt.want)
		}
	}
}

// ctrl+g goes through the notes, each with the cursor where it is about.
func TestSourceNotes(t *testing.T) {
	const text = `{"type": "string", "uiHint": 1, "x-order": 2}`
	b, e := sourceAt(t, 0, 80, 24)
	e.area.Replace(text)
	b.run(e.check())
	b.has("uiHint: is not a keyword")
	b.has("x-order: is not a keyword")
	for _, want := range []string{"1, ", "2}", "1, "} { // the value of each in turn, then the first again
		b.send(tea.KeyMsg{Type: tea.KeyCtrlG})
		if at := e.area.At(); !strings.HasPrefix(text[at:], want) {
			t.Errorf("the cursor stands before %q, want %q", text[at:], want)
		}
	}
	b.keys("ctrl+d")
	b.has("in force, with 2 notes that enter shows.")
}

// The columns of the rows keep apart at every width: a label, a share of six
// cells and the word above it.
func TestMaskColumns(t *testing.T) {
	for w := 38; w <= 240; w++ {
		c := maskColumnsOf(w)
		end := c.label + c.labelW
		if c.raw > 0 && c.raw-6 <= end || c.raw == 0 && c.allowed-6 <= end {
			t.Errorf("at %d the label runs into a share: %+v", w, c)
		}
		if c.raw > 0 && c.allowed-len("allowed") <= c.raw || c.bar > 0 && (c.bar <= c.allowed || c.barW < 8 || c.bar+c.barW >= c.why) || c.why <= c.allowed || w-c.why < 11 {
			t.Errorf("at %d columns touch: %+v", w, c)
		}
	}
}

// A list that does not fit says how many kinds are left out, and where.
func TestKindsLeftOut(t *testing.T) {
	b := newBench(t, testOptions(t), 40, 12)
	b.start(personPrompt)
	b.keys("J")
	// Nine lines between the borders and help: a sentence, a blank, five left.
	b.has(fmt.Sprintf("⋮ %d more below", len(constrain.Kinds())-4))
	b.keys("end")
	b.has(fmt.Sprintf("⋮ %d more above", len(constrain.Kinds())-4))
	b.has("▸ choices")
}

// A kind without a text takes no letters, and leaves what was written under
// another kind to that one.
func TestSourceKindWithoutText(t *testing.T) {
	b, e := sourceAt(t, 0, 80, 24)
	b.send(typed("x"))
	written := template(0).text + "x"
	b.keys("tab")
	b.has("any JSON value")
	b.send(typed("y"))
	b.has("nothing to write here")
	if e.area.Text() != written || e.source().text != "" {
		t.Errorf("the area holds %q, the source is %q", e.area.Text(), e.source().text)
	}
	b.keys("esc")
	if s := b.m.sources.begun[0]; s.text != written {
		t.Errorf("kept %+v", b.m.sources.begun)
	}
}
