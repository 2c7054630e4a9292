package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/sampling/constrain"
	"logitscope/ui/tui/structure"
)

// sourceAt is the editor of the kind that stands n lines down in the list.
func sourceAt(t *testing.T, n, w, h int) (*bench, *structure.Editor) {
	t.Helper()
	b := newBench(t, testOptions(t), w, h)
	b.start(personPrompt)
	b.keys("J")
	for range n {
		b.keys("down")
	}
	b.keys("enter")
	return b, b.m.top().(*structure.Editor)
}

// What is written and left is there when the kind is opened again; what it
// was before is one undo away.
func TestSourceIsKeptWhenLeft(t *testing.T) {
	t.Parallel()
	b, _ := sourceAt(t, 4, 80, 24)
	b.keys("ctrl+u")
	b.send(typed("[0-9"))
	b.keys("esc")
	b.has("what you wrote is there")
	b.keys("up", "enter")
	e := b.m.top().(*structure.Editor)
	if e.Kind().Name != "JSON" {
		t.Fatalf("opened %s", e.Kind().Name)
	}
	b.keys("esc", "down", "enter")
	e = b.m.top().(*structure.Editor)
	if got := e.Text(); got != "[0-9" {
		t.Errorf("opened again with %q", got)
	}
	b.has("as you left it")
	b.send(tea.KeyMsg{Type: tea.KeyCtrlZ})
	if got := e.Text(); got != constrain.Kinds()[2].Templates[0].Text {
		t.Errorf("undone to %q", got)
	}
	b.keys("esc", "enter") // as it was at first: nothing is kept
	if e = b.m.top().(*structure.Editor); e.Text() != constrain.Kinds()[2].Templates[0].Text || strings.Contains(b.frame(), "as you left it") {
		t.Error("a template that was not touched counts as written")
	}
	// A click beside the box leaves as esc does.
	b.send(typed("x"))
	b.send(tea.MouseMsg{X: 3, Y: 23, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	if s := b.m.sources.Begun(2); s != constrain.Kinds()[2].Templates[0].Text+"x" {
		t.Errorf("a click outside kept %q", s)
	}
}

// A schema in force opens as it was typed, blanks and all, also while its
// mask is off.
func TestSourceOpensAsTyped(t *testing.T) {
	t.Parallel()
	const text = "{ \"type\":\"object\",\n        \"properties\" : {\"a\":{\"type\":\"integer\"}},\n  \"required\":[\"a\"] }\n"
	b, e := sourceAt(t, 0, 100, 30)
	b.run(e.Write(text))
	b.keys("ctrl+d")
	b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Constraint != nil })
	for _, k := range []string{"", "x"} {
		if k != "" {
			b.keys(k)
		}
		b.keys("enter")
		e, ok := b.m.top().(*structure.Editor)
		if !ok {
			t.Fatal("no editor")
		}
		if got := e.Text(); got != text {
			t.Errorf("opens as %q", got)
		}
		b.keys("esc")
	}
}

// A constraint that the lab starts with opens as its file has it.
func TestSourceOpensAsItsFile(t *testing.T) {
	t.Parallel()
	const (
		text   = "{ \"type\":\"object\",\n        \"properties\" : {} }\n"
		stored = `{"any_order":true,"schema":{"type":"object","properties":{}},"type":"json_schema"}`
	)
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("constraint", stored, sampling.FromFlag)
	opt.Written = map[string]string{stored: text}
	b := newBench(t, opt, 100, 30)
	b.keys("J", "enter")
	e, ok := b.m.top().(*structure.Editor)
	if !ok {
		t.Fatal("no editor")
	}
	if got := e.Text(); got != text || e.Stored() != stored {
		t.Errorf("opens as %q, %s", got, e.Stored())
	}
}

// A refused source leaves the cursor on its line, so that ctrl+u takes the
// line back; from another line the cursor goes to the fault.
func TestSourceCursorAfterAFault(t *testing.T) {
	t.Parallel()
	b, e := sourceAt(t, 2, 80, 24)
	b.keys("ctrl+u")
	b.send(typed("(yes|no), [a-z because"))
	b.keys("ctrl+d")
	if at := e.At(); at != len("(yes|no), [a-z because") {
		t.Errorf("the cursor went to byte %d", at)
	}
	if b.keys("ctrl+u"); e.Text() != "" {
		t.Errorf("left over: %q", e.Text())
	}
	b.run(e.Write("a\n(b\nc"))
	_, fault := e.Fault()
	b.keys("ctrl+home")
	if b.keys("ctrl+d"); fault >= 2 && e.At() != fault {
		t.Errorf("the cursor is at %d, the fault at %d", e.At(), fault)
	}
}

// ctrl+g goes through the notes, each with the cursor where it is about.
func TestSourceNotes(t *testing.T) {
	t.Parallel()
	const text = `{"type": "string", "uiHint": 1, "x-order": 2}`
	b, e := sourceAt(t, 0, 80, 24)
	b.run(e.Write(text))
	b.has("uiHint: is not a keyword")
	b.has("x-order: is not a keyword")
	for _, want := range []string{"1, ", "2}", "1, "} { // the value of each in turn, then the first again
		b.send(tea.KeyMsg{Type: tea.KeyCtrlG})
		if at := e.At(); !strings.HasPrefix(text[at:], want) {
			t.Errorf("the cursor stands before %q, want %q", text[at:], want)
		}
	}
	b.keys("ctrl+d")
	b.has("in force, with 2 notes that enter shows.")
}

// A list that does not fit says how many templates are left out, and where.
func TestTemplatesLeftOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 40, 12)
	b.start(personPrompt)
	b.keys("J")
	// Nine lines between the borders and help: a sentence, a blank, five left.
	b.has(fmt.Sprintf("⋮ %d more below", 8-4))
	b.keys("end")
	b.has(fmt.Sprintf("⋮ %d more above", 8-4))
	b.has("▸ choices")
}

// A kind without a text takes no letters, and leaves what was written under
// another kind to that one.
func TestSourceKindWithoutText(t *testing.T) {
	t.Parallel()
	b, e := sourceAt(t, 0, 80, 24)
	b.send(typed("x"))
	written := constrain.Kinds()[0].Templates[0].Text + "x"
	b.keys("tab")
	b.has("any JSON value")
	b.send(typed("y"))
	b.has("nothing to write here")
	if e.Text() != written || strings.Contains(e.Stored(), "x") {
		t.Errorf("the area holds %q, the source is %q", e.Text(), e.Stored())
	}
	b.keys("esc")
	if s := b.m.sources.Begun(0); s != written {
		t.Errorf("kept %+v", s)
	}
}
