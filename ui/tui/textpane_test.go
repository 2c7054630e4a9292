package tui

import (
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Bytes that are no whole character yet are held back in the text and shown
// before the caret.
func TestHalfACharacterIsHeldBack(t *testing.T) {
	t.Parallel()
	b := ready(t, 0)
	l := b.m.Lane()
	half := models.NoToken
	for id := range int32(l.Vocab().Size()) {
		if l.Vocab().Piece(id) == "\xe2" {
			half = id
		}
	}
	if half == models.NoToken {
		t.Skip("the vocabulary has no token of one byte of a character")
	}
	l.Row = half
	b.keys("f")
	b.steps(1)
	b.has("‹E2 …›▌")
	if got := l.View.Text(); got != "" {
		t.Errorf("text %q", got)
	}
}

// A character that spans tokens is drawn whole, in the text and in the prompt.
func TestACharacterMaySpanTokens(t *testing.T) {
	t.Parallel()
	b := ready(t, 0)
	l := b.m.Lane()
	pieces := make(map[string]int32)
	for id := range int32(l.Vocab().Size()) {
		pieces[l.Vocab().Piece(id)] = id
	}
	for i, c := range []byte("é日") {
		id, ok := pieces[string([]byte{c})]
		if !ok {
			t.Skip("the vocabulary has no such byte")
		}
		l.Eng.Post(engine.Force{Token: id})
		b.steps(i + 1)
	}
	var steps []*engine.Step
	for _, s := range l.View.Steps {
		drawn := *s
		drawn.Forced = false // no marks between them
		steps = append(steps, &drawn)
	}
	l.View.Steps = steps
	b.has("╎é日▌")
	for _, g := range b.m.Flow(l, 1000) {
		if g.Text == "日" && g.Step != 3 {
			t.Errorf("日 belongs to step %d", g.Step)
		}
	}
}

// The window of a penalty is drawn around the tokens it looks at.
func TestPenaltyWindowInTheText(t *testing.T) {
	t.Parallel()
	b := ready(t, 3)
	b.m.Set("order", "llama.cpp")
	b.m.Set("repeat_last_n", int64(4))
	b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Settings == b.m.Lane().Settings })
	b.m.Marks = run.ByWindow
	b.has("⟦")
	b.has("⟧▌")
	frame := b.frame()
	inside := frame[strings.Index(frame, "⟦"):strings.Index(frame, "⟧")]
	if n := len(strings.Fields(strings.TrimPrefix(inside, "⟦"))); n < 3 || n > 5 {
		t.Errorf("the window holds %q, want the last 4 tokens", inside)
	}
}

// A long text is gathered only around what is shown, and shows the same.
func TestLongTextIsWindowed(t *testing.T) {
	t.Parallel()
	b := storyAt16(t, 80, 24)
	l := b.m.Lane()
	v := l.View
	steps := append([]*engine.Step(nil), v.Steps...)
	for len(steps) < 3000 {
		s := *v.Steps[len(steps)%15]
		s.Index = len(steps) + 1
		steps = append(steps, &s)
	}
	v.Steps, v.Written = steps, nil
	for _, s := range steps {
		v.Written = append(v.Written, l.Vocab().Piece(s.Token)...)
	}
	l.View = v
	all := b.m.Flow(l, 1<<20)
	some := b.m.Flow(l, 78*2)
	if len(some) >= len(all)/4 {
		t.Errorf("gathered %d of %d glyphs", len(some), len(all))
	}
	tail := func(g []run.Glyph) (s string) {
		for _, gl := range g[len(g)-150:] {
			s += gl.Text
		}
		return s
	}
	if tail(all) != tail(some) {
		t.Errorf("the windowed text ends in %q, want %q", tail(some), tail(all))
	}
	l.Look.At = 1500
	b.has("╭─ text")
	found := false
	for _, gl := range b.m.Flow(l, 78*2) {
		found = found || gl.Step == 1500
	}
	if !found {
		t.Error("the step looked back at is not gathered")
	}
}

// The marks of the penalty window say so where no penalty looks at any token.
func TestPenaltyWindowWithoutPenalties(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 100, 30)
	b.start(storyPrompt)
	b.keys("m", "m", "m", "m")
	b.has("⟦ ⟧ around the tokens the penalties look at")
	b.keys("m", "4")
	b.tuned()
	b.keys("m", "m", "m", "m")
	b.has("no penalty is on here")
}

// The controls alone on the screen show both lines of what a knob does.
func TestZoomedControlsSayTheEffect(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		b := storyAt16(t, size[0], size[1])
		b.m.lab.Focus, b.m.lab.Zoom = lab.PaneControls, true
		b.run(b.m.WantEffect())
		b.has("survive;")
		b.has("off would keep")
	}
}

// What a banned phrase may still take back is dim.
func TestHeldTextIsDim(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("order", "lab", 0).MustWith("banned_phrases", []string{"never said"}, 0)
	b := newBench(t, opt, 120, 40)
	b.start(storyPrompt)
	for k := range 12 {
		b.keys("n")
		b.steps(k + 1)
	}
	l := b.m.Lane()
	held := l.View.Unsaid()
	if held < 2 || held > 11 {
		t.Fatalf("%d of 12 steps are held", held)
	}
	for _, g := range b.m.Flow(l, 2000) {
		if dim := g.Ink.Role == viz.Muted && g.Ink.Attr&viz.Italic != 0; g.Step > 0 && dim != (g.Step > 12-held) {
			t.Errorf("step %d of 12, of which %d are held: %q %+v", g.Step, held, g.Text, g.Ink)
		}
	}
}
