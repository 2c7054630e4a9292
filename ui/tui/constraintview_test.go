package tui

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/ui/tui/structure"
	"logitscope/viz"
)

const personPrompt = "Extract the person's name and age from: Ana Silva is 41 years old.\n"

// ageFirst wants the age before the name, which the model would not write.
const ageFirst = `{"type":"object","properties":{"age":{"type":"integer","minimum":0,"maximum":150},"name":{"type":"string","maxLength":20}},"required":["age","name"],"additionalProperties":false}`

// constraintAt is the person's schema after n steps.
func constraintAt(t testing.TB, n, w, h int) *bench {
	t.Helper()
	b := newBench(t, testOptions(t), w, h)
	b.m.Pace = len(run.Paces) - 1
	b.start(personPrompt)
	b.keys("J", "enter")
	b.run(b.m.top().(*structure.Editor).Write(ageFirst))
	b.keys("ctrl+d")
	b.wait(func(v engine.View) bool {
		return v.Phase == engine.Paused && len(v.Steps) == 0 && v.Next != nil && v.Next.Constraint != nil
	})
	for i := 1; i <= n; i++ {
		b.keys("n")
		b.steps(i)
	}
	b.m.Notice.Text = ""
	return b
}

func TestConstraintView(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 1, 120, 30)
	s := b.m.Lane().Step()
	b.has("structured output · token 2 · after {")
	b.has("schema age, then name")
	// The model wants name, which dies at its first byte; age is forced.
	name := s.Trace.Rows()[0]
	i, by := s.Constraint.Constraint.Dies(s.Constraint.State, name.ID)
	b.has("⊘ name")
	b.has("╱╱╱")
	b.has(run.Refusal{At: i, What: by}.Words())
	b.has("bits spent so far")
	b.has("where the model wanted name")
	b.has("to complete at least " + strconv.Itoa(s.Constraint.Distance) + " bytes")
	b.has("end not allowed")
	if s.Constraint.Bits < 5 {
		t.Errorf("%v bits at a step where the model is overruled", s.Constraint.Bits)
	}
	// The lab's own chart hatches it too.
	b.keys("esc")
	b.has("⊘")
	b.has("╱╱╱")
}

func TestConstraintMaskOffAndOn(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 1, 120, 30)
	b.keys("x")
	b.tuned()
	b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Constraint == nil })
	b.has("mask off")
	b.has("● name")
	b.keys("x")
	b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Constraint != nil })
	if s := b.m.Lane().Step(); s.Constraint.TotalBits < 5 {
		t.Errorf("the state before the step was lost: %v bits in all", s.Constraint.TotalBits)
	}
	b.keys("0")
	if b.m.Lane().Config.Text("constraint") != "" {
		t.Error("0 left the constraint")
	}
	b.has("No constraint")
}

// o moves the mask behind the draw and back: what was drawn without it shows
// its final shares, and a draw that was refused is told.
func TestConstraintDrawOrder(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 0, 120, 30)
	b.keys("o")
	b.has("draw_order draw_then_check")
	b.tuned()
	b.has("token 1 · draw, then check")
	b.has("raw    final") // {" may come, and was drawn at once
	b.has("first draw: it is allowed")
	b.m.Notice.Text = ""
	b.has("The draw was made without the mask and is allowed")
	b.keys("n")
	b.steps(1)
	b.has("raw  allowed") // name may not, and has all of the mass
	b.has("● age")
	b.has("second draw: the first was refused")
	b.has("The first draw fell on a ⊘: it was made again under the mask.")
	b.send(tea.WindowSizeMsg{Width: 40, Height: 12})
	b.has("second draw")
	b.send(tea.WindowSizeMsg{Width: 200, Height: 30})
	b.has("o mask first")
	b.keys("o")
	b.has("draw_order mask_first")
	b.tuned()
	b.has("o draw, then check")
	if strings.Contains(b.frame(), "second draw") {
		t.Error("a second draw although the mask comes first")
	}
}

// Going back shows what the constraint knew there, also with its mask off; an
// undo puts the mask back on.
func TestConstraintKnowsWhereItLooks(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 2, 120, 30)
	b.keys("b", "b")
	b.has("token 1 · schema age, then name")
	b.has("end not allowed")
	b.keys("x")
	b.has("mask off")
	b.has("⊘ N ")
	b.has("end not allowed")
	b.keys("x", "n", "x") // on again, and at step 2 off
	b.has("token 2 · after {\" · mask off")
	b.has("dies at byte 1, 6E n")
	b.keys("u")
	if strings.Contains(b.frame(), " · mask off ·") {
		t.Errorf("undone, and still off:\n%s", b.frame())
	}
}

// A mask that was off for some tokens begins anew, and says so.
func TestConstraintMaskOnBeginsAnew(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 1, 120, 30)
	b.keys("x")
	b.tuned()
	b.keys("n")
	b.steps(2)
	b.keys("x")
	b.has("the mask is on, from its start")
}

// What the mask did is told at the projector's size too.
func TestConstraintWordsFit(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 1, 80, 24)
	b.has("allowed 3 of 4,096 · end not allowed · mass kept <0.01%, 19.92 bits · memo")
	b.has("below: bits, full height 1.00") // of what is written: the age is only proposed
	b.keys("n")
	b.steps(2)
	b.has("below: bits, full height 19.92")
	b.has("═══")
	b.send(tea.WindowSizeMsg{Width: 40, Height: 12})
	b.keys("b")
	b.has("allowed 3 · end not allowed · <0.01%")
	b.has("byte 1, 6E  ┃")
	b = constraintAt(t, 0, 80, 24) // next to nothing is spent on {"
	b.has("below: bits, full height 1.00")
	b.lacks("═══")
}

// Near the token budget the view says that the text is being closed, and which
// tokens that costs.
func TestConstraintCloses(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 0, 80, 24)
	b.m.Set("max_new_tokens", int64(13)) // fewer than the model would take
	b.tuned()
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
	b.m.Notice.Text = ""
	b.has("closing, to complete at least 2 bytes more; 1 token left")
	b.has("over the budget")
	b.has("The token budget is near: only what lets the text close in time may come.")
}

// The keys of this view alone are offered first, as they act now.
func TestConstraintFooter(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 0, 80, 24)
	b.has(" ←→ token · enter edit, templates · r again with it · x mask off · ? help")
	b.keys("o", "x")
	b.has(" ←→ token · enter edit, templates · r again with it · x mask on · ? help")
}

// The reasons of all rows have one form, the long one only where all have room.
func TestConstraintReasonsAlike(t *testing.T) {
	t.Parallel()
	for _, w := range []int{40, 54, 66, 74, 76, 80, 100, 120} {
		b := constraintAt(t, 1, w, 24)
		frame := b.frame()
		long, all := strings.Count(frame, "dies at byte"), strings.Count(frame, "byte 1, ")
		if long > 0 && long < all || all == 0 {
			t.Errorf("%d cells: %d of %d reasons are long:\n%s", w, long, all, frame)
		}
	}
}

// y copies the constraint as it was written, so that it can be pasted back.
func TestConstraintCopy(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ stored, file, want string }{
		{`{"schema":{"type":"integer"},"type":"json_schema"}`, "logitscope-schema.json", "{ \"type\": \"integer\" }\n"},
		{`{"grammar":"root ::= \"a\"\n","type":"grammar"}`, "logitscope-grammar.gbnf", "root ::= \"a\"\n"},
		{`{"choices":["a","b"],"type":"choice"}`, "logitscope-choices.txt", "a\nb"},
		{`{"object":true,"type":"json"}`, "logitscope-constraint.json", `{"object":true,"type":"json"}`},
	} {
		opt := testOptions(t)
		opt.Config = opt.Config.MustWith("constraint", tt.stored, sampling.FromFlag)
		if strings.HasSuffix(tt.file, "schema.json") {
			opt.Written = map[string]string{tt.stored: tt.want}
		}
		b := newBench(t, opt, 80, 24)
		b.m.pal = viz.NewPalette(true, viz.NoSGR, false) // a terminal that takes no copy: a file has it
		b.keys("J", "y")
		if got, err := os.ReadFile(tt.file); err != nil || string(got) != tt.want {
			t.Errorf("%s holds %q, %v, want %q", tt.file, got, err, tt.want)
		}
	}
}

// The text is complete JSON under the schema when the run has ended.
func TestConstraintRunsToTheEnd(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 0, 100, 30)
	b.keys("space")
	for b.m.Pace < len(run.Paces)-1 {
		b.keys(".")
	}
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
	var got struct {
		Age  *int
		Name *string
	}
	if err := json.Unmarshal([]byte(b.m.Lane().View.Text()), &got); err != nil || got.Age == nil || got.Name == nil {
		t.Errorf("%q: %v", b.m.Lane().View.Text(), err)
	}
}

// C holds the run against the same prompt without the constraint.
func TestConstraintWithout(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 2, 120, 40)
	b.keys("C")
	if len(b.m.All) != 2 || b.m.screen.id != kit.ViewCompare {
		t.Fatalf("%d lanes, screen %s", len(b.m.All), b.m.screen.id)
	}
	if a, c := b.m.All[0].Config.Text("constraint"), b.m.All[1].Config.Text("constraint"); a == "" || c != "" {
		t.Errorf("lane 1 %q, lane 2 %q", a, c)
	}
	b.together(2) // as far as lane 1
	b.has("2 · constraint off · chat")
	b.send(tea.WindowSizeMsg{Width: 200, Height: 60})
	b.has("1 · constraint JSON Schema · chat")
}

// A lane that drew twice at one token has other luck there, with the same
// seed; and its few survivors have rows, however badly they rank.
func TestConstraintWithoutAfterTheDraw(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 0, 200, 60)
	b.m.Set("order", "llama.cpp")
	b.tuned()
	b.keys("n")
	b.steps(1)
	b.keys("n")
	b.steps(2)
	b.keys("C")
	b.together(2)
	b.keys("[") // name stands against age
	b.has("the constraint refused lane 1's first draw. Lane 1: constraint removed name; u falls in age [0, 1). Lane 2: top_p removed age;")
	b.has("● age ")
	b.keys("esc", "n", "n", "n", "n")
	b.together(6) // 41 and a blank are written: the comma ranks beyond 1,000
	l := b.m.All[0]
	for _, r := range l.Step().Trace.Rows() {
		if r.Prob > 0.01 {
			b.has(" " + l.Piece(r.ID, false) + " ")
		}
	}
}

// The token drawn has a row, however far down it ranks.
func TestConstraintShowsTheTokenDrawn(t *testing.T) {
	t.Parallel()
	for _, h := range []int{12, 18, 24, 40} {
		b := constraintAt(t, 1, 100, h)
		s := b.m.Lane().Step()
		if s.Trace.Rank < 5 {
			t.Fatalf("the token drawn ranks %d: nothing to test", s.Trace.Rank)
		}
		b.has("● " + b.m.Lane().Piece(s.Token, false))
		b.has("⊘ " + b.m.Lane().Piece(s.Trace.Rows()[0].ID, false))
	}
}

func TestConstraintMouse(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 1, 120, 30)
	l := b.m.Lane()
	under := func(y int) string { return strings.Split(b.frame(), "\n")[y] }
	b.send(tea.MouseMsg{X: 12, Y: 1 + 2 + 4 + 3, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	if row := under(10); !strings.Contains(row, "▸") || !strings.Contains(row, l.Piece(l.Row, false)) {
		t.Errorf("a click on the fourth row selects %s: %s", l.Piece(l.Row, false), row)
	}
	b.send(tea.MouseMsg{X: 12, Y: 9, Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress})
	if row := under(11); !strings.Contains(row, "▸") || !strings.Contains(row, l.Piece(l.Row, false)) {
		t.Error("the wheel does not move the row")
	}
}

// Fields of a constraint that have no switch are named, and stay while it is
// edited; another kind would refuse them.
func TestSourceKeepsOtherFields(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	const stored = `{"closed":true,"schema":{},"type":"json_schema","whitespace":"compact"}`
	opt.Config = opt.Config.MustWith("constraint", stored, sampling.FromFlag)
	b := newBench(t, opt, 100, 30)
	b.keys("J", "enter")
	b.has("constraint · JSON Schema · closed, whitespace compact")
	b.keys("space")
	e := b.m.top().(*structure.Editor)
	if got := e.Stored(); got != stored {
		t.Errorf("stored %s, want %s", got, stored)
	}
	b.keys("tab", "tab")
	if what, _ := e.Fault(); strings.Contains(what, "no field") {
		t.Errorf("as %s: %s", e.Kind().Name, what)
	}
}

func TestSourceEditor(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 100, 30)
	b.start(personPrompt)
	b.keys("J", "down", "down", "down", "down", "enter")
	b.has("constraint · regex")
	for range 60 {
		b.keys("backspace")
	}
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("[a-z")})
	b.has("! ")
	b.keys("ctrl+d")
	b.has("not yet") // and the cursor stands at the fault
	b.keys("end")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("]{3}")})
	b.has("good: the shortest text has 3 bytes")
	b.keys("tab", "tab", "tab", "tab", "tab", "tab")
	b.has("constraint · regex")
	b.keys("ctrl+d")
	b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Constraint != nil })
	b.has("structured output · token 1")
}

// Where the whole sentence of the cost does not fit, a short one tells it all.
func TestConstraintCostFits(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 1, 120, 30)
	b.has("where the model wanted name")
	b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	for _, line := range strings.Split(b.frame(), "\n") {
		if strings.Contains(line, "bits spent so far") && (!strings.Contains(line, ", not name (") || strings.Contains(line, "…")) {
			t.Errorf("the cost is cut: %s", line)
		}
	}
}

// Where knobs are listed a constraint goes by its kind: its text says nothing
// in a few cells.
func TestConstraintAsAValue(t *testing.T) {
	t.Parallel()
	b := constraintAt(t, 0, 160, 45)
	b.keys("esc", "tab", "end", "up", "up") // seed and max_new_tokens are the last two
	for range 2 {
		var row string
		for _, line := range strings.Split(b.frame(), "\n") {
			if strings.Contains(line, " constraint   ") && !strings.Contains(line, "4,094") { // a stage, not the knob
				row = line
			}
		}
		if !strings.Contains(row, "JSON") || strings.Contains(row, "type") {
			t.Errorf("shown as %q:\n%s", row, b.frame())
		}
		b.keys("V", "end")
	}
}

// Each template says what it would cost on the prompt: as much as it does once
// it is in force.
func TestTemplatesBite(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.m.Frugal = false
	b.start(personPrompt)
	b.m.Set("do_sample", false)
	b.m.Pace = len(run.Paces) - 1
	b.keys("J")
	b.pump(func() bool { return strings.Contains(b.frame(), "21.11 bits in  1 token,  21.11 a token") })
	b.m.Frugal = true // what is there is kept over openings
	b.keys("esc", "J")
	b.m.Frugal = false
	b.has("▸ JSON Schema      age before name               191 bits in 27 tokens,  7.07 a token · least mass kept <0.01%")
	b.has("name before age             0.001 bits in 15 tokens")
	b.keys("enter")
	b.pump(func() bool { return b.m.top().(*structure.Editor).Known() })
	b.keys("tab")
	b.has("constraint · JSON Schema · name before age")
	b.keys("shift+tab")
	b.pump(func() bool { return b.m.top().(*structure.Editor).Known() })
	b.keys("ctrl+d")
	b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Constraint != nil })
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
	b.has("27 tokens · 191 bits spent")
	b.has("valid, 27 tokens")
	b.pump(func() bool { return strings.Contains(b.frame(), "age before name (191 bits) · a greeting (73.44)") })
	for w := 40; w <= 200; w += 13 {
		for _, h := range []int{12, 24, 36, 40, 60} {
			b.send(tea.WindowSizeMsg{Width: w, Height: h})
			exact(t, b.frame(), w, h, "structured")
		}
	}
}

// A template is not written under where that takes long, but with a key.
func TestTemplatesOfALargeModelWait(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Model = large{opt.Model}
	b := newBench(t, opt, 120, 40)
	b.start(personPrompt)
	b.keys("J")
	b.has("age before name           v writes a text under it")
	b.keys("v")
	b.pump(func() bool { return strings.Contains(b.frame(), " bits in ") })
}

// A large model says that it has many weights.
type large struct{ models.Model }

func (m large) Info() models.Info {
	i := m.Model.Info()
	i.Params = 8e9
	return i
}
