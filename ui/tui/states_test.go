package tui

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/ui/tui/run"
)

// A slowModel answers only when it is let.
type slowModel struct {
	models.Model
	let chan struct{} // one forward pass each; closed lets all
}

func (m slowModel) NewSession() (models.Session, error) {
	s, err := m.Model.NewSession()
	return slowSession{s, m.let}, err
}

type slowSession struct {
	models.Session
	let chan struct{}
}

func (s slowSession) Forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	select {
	case <-s.let:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.Session.Forward(ctx, tokens, want)
}

// A long prompt shows how far it is read, every key answers meanwhile, esc
// stops it, and space or → reads on from there.
func TestReadingAPrompt(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	let := make(chan struct{})
	opt.Model = slowModel{opt.Model, let}
	b := newBench(t, opt, 120, 40)
	text := strings.Repeat("a big wolf and a fox ", 66)
	ids, err := engine.Prompt(context.Background(), opt.Model, text)
	if err != nil {
		t.Fatal(err)
	}
	if len(ids) < 390 || len(ids) > 510 {
		t.Fatalf("%d tokens", len(ids))
	}
	b.send(run.PromptMsg{Lane: b.m.Lane().ID, Text: text, IDs: ids, Err: nil})
	let <- struct{}{}
	b.wait(func(v engine.View) bool { return v.Phase == engine.Prefill && v.Prefill.Done > 0 })
	for _, s := range []string{"reading the prompt", " of " + strconv.Itoa(len(ids)) + " tokens", "esc stop reading"} {
		b.has(s)
	}
	for key, says := range map[string]string{
		"left": "still reading the prompt", "f": "f: no token to force yet", "n": "as soon as the prompt is read",
		"p": "p: no token to pin yet", "i": "still reading the prompt", "down": "no rows yet",
	} {
		b.keys(key)
		b.has(says)
	}
	b.keys("3")
	b.has("[3 ")
	b.keys("esc")
	stopped, let1 := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(let1)
		select {
		case let <- struct{}{}: // the pass under way, if one has begun
		case <-stopped:
		}
	}()
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused })
	close(stopped)
	<-let1
	done := b.m.Lane().View.Prefill.Done
	if v := b.m.Lane().View; v.Next != nil || done >= len(ids) {
		t.Errorf("read on to %d of %d", done, len(ids))
	}
	if strings.Contains(b.frame(), "reading the prompt") && !strings.Contains(b.frame(), "stopped") {
		t.Errorf("still says that it reads:\n%s", b.frame())
	}
	b.keys("down")
	b.has("no rows yet")
	b.keys("right")
	close(let)
	b.wait(func(v engine.View) bool { return len(v.Steps) == 1 && v.Next != nil })
}

// A step whose row was dropped is computed again when it is looked at: the
// screen says so, keeps answering, and then shows the step it showed before.
func TestReadingBack(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	let := make(chan struct{})
	opt.Model = slowModel{opt.Model, let}
	b := newBenchOn(t, opt, 120, 40, engine.Options{TraceWindow: 4, LogitsBudget: 1})
	pass := func(n int) {
		for range n {
			let <- struct{}{}
		}
	}
	ids, err := engine.Prompt(context.Background(), opt.Model, storyPrompt)
	if err != nil {
		t.Fatal(err)
	}
	b.send(run.PromptMsg{Lane: b.m.Lane().ID, Text: storyPrompt, IDs: ids, Err: nil})
	pass(1)
	b.steps(0)
	chart := b.settled()
	for i := range 100 {
		b.keys("n")
		pass(1)
		b.steps(i + 1)
	}
	b.keys("tab", "tab", "tab", "tab") // the text, whose home goes to the first token
	b.keys("home")
	if l := b.m.Lane(); l.Look.At != 1 {
		t.Fatalf("looks at %d", l.Look.At)
	}
	b.has("recomputing step 1 …")
	for key, says := range map[string]string{
		"f": "step 1 is being computed again", "i": "i: ", "down": "no rows yet", "left": "first token", "+": "kept; it shows as soon as",
	} {
		b.keys(key)
		if l := b.m.Lane(); l.Look.At != 1 {
			t.Errorf("%s went to %d", key, l.Look.At)
		}
		b.has(says)
	}
	close(let)
	b.wait(func(v engine.View) bool { return v.Looked != nil && v.Looked.Index == 1 })
	b.has("what-if · step 1")
	b.keys("u")
	shown := b.frame()
	for _, line := range strings.Split(chart, "\n") {
		if _, row, ok := strings.Cut(line, "␣"); ok && strings.Contains(row, "%") {
			row, _, _ = strings.Cut(row, "┃")
			row, _, _ = strings.Cut(row, "│")
			if !strings.Contains(shown, row) {
				t.Errorf("the step is not as it was; want %q:\n%s", row, shown)
			}
		}
	}
}
