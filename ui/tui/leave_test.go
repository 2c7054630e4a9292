package tui

import (
	"fmt"
	"testing"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/prompt"
)

// A leaving view counts how often it is told that it is left.
type leaving struct {
	failing
	n int
}

func (v *leaving) Leave(kit.Host) { v.n++ }

// However an overlay is closed, it is told so, once: what it computes must not
// go on.
func TestOverlaysAreTold(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(b *bench){
		"esc":          func(b *bench) { b.keys("esc") },
		"its own key":  func(b *bench) { b.m.Open("leaving") },
		"another view": func(b *bench) { b.keys("J") },
		"to the lab":   func(b *bench) { b.m.toLab() },
		"brought":      func(b *bench) { b.m.onBring(Push{Prompt: storyPrompt, Config: b.m.Lane().Config}) },
		"the way back": func(b *bench) { b.m.wayBack()() },
	} {
		b := storyWith(t, testOptions(t), 100, 30)
		v := new(leaving)
		b.m.overlays = append(b.m.overlays, opened{"leaving", v})
		if leave(b); v.n != 1 || len(b.m.overlays) != 0 {
			t.Errorf("%s: told %d times, %d overlays are open", name, v.n, len(b.m.overlays))
		}
	}
}

// The draft model of an example that comes once another example was taken is of
// no use, and is closed; one that came is not opened again.
func TestExamplesDraftComesLate(t *testing.T) {
	t.Parallel()
	at := -1
	for i, x := range prompt.Examples {
		if x.Set["contrastive_alpha"] != nil {
			at = i
		}
	}
	opened, closed := 0, 0
	opt := testOptions(t)
	opt.OpenModel = func(string) (models.Model, error) {
		m, err := openDraft()
		opened++
		return closing{m, &closed}, err
	}
	b := newBench(t, opt, 120, 40)
	choose := func(i int) {
		b.keys("E")
		for range i {
			b.keys("down")
		}
	}
	on := func(i int) func(engine.View) bool {
		return func(v engine.View) bool {
			return v.PromptText == prompt.Examples[i].Prompt && v.Next != nil && v.Err == nil
		}
	}
	choose(at)
	late := b.m.onKey(keyMsg("enter"))
	choose(1)
	b.keys("enter")
	b.wait(on(1))
	b.run(late)
	if b.m.Lane().Text != prompt.Examples[1].Prompt || b.m.Lanes.Draft.Active() || opened != 1 || closed != 1 {
		t.Errorf("on %q with a draft %v: %d opened, %d closed", b.m.Lane().Text, b.m.Lanes.Draft.Active(), opened, closed)
	}
	for range 2 {
		choose(at)
		b.keys("enter")
		b.wait(on(at))
		if !b.m.Lanes.Draft.Active() {
			t.Error("no draft model")
		}
		choose(1)
		b.keys("enter")
		b.wait(on(1))
	}
	if opened != 2 || closed != 1 {
		t.Errorf("%d opened, %d closed", opened, closed)
	}
}

// A closing model counts how often it is closed.
type closing struct {
	models.Model
	n *int
}

func (m closing) Close() error {
	*m.n++
	return nil
}

// A map of another model's texts is not opened: its prompt is in other tokens.
func TestSweepOfAnotherModel(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Sweep = sweepReport(t)
	b := storyWith(t, opt, 120, 40)
	b.run(b.m.ChangeModel(b.m.Lane().ID, large{b.m.Lane().Model}))
	b.keys("enter")
	b.has("lane 1 has another model than the sweep; r runs it anew")
	b.keys("esc", "H")
	b.has("sweep · one prompt under a grid of settings")
	b.lacks("of the texts, 95%")
	b.lacks("tab map") // there is none
}

// From the text and from the entropy enter goes to the chart, at the step
// looked at, as the footer says; where the settings were switched it opens what
// that changed, and the footer says that.
func TestEnterOpensTheStep(t *testing.T) {
	t.Parallel()
	for _, pane := range []lab.Pane{lab.PaneText, lab.PaneEntropy} {
		b := storyAt16(t, 120, 40)
		b.m.lab.Focus = pane
		b.keys("left", "left")
		b.has("enter that step")
		at := b.m.Lane().Looking()
		b.keys("enter")
		b.has(fmt.Sprintf("step %d in the chart", at))
		if b.m.lab.Focus != lab.PaneChart || b.m.Lane().Looking() != at || len(b.m.overlays) != 0 {
			t.Errorf("pane %d: focus %d, step %d, %d overlays", pane, b.m.lab.Focus, b.m.Lane().Looking(), len(b.m.overlays))
		}
	}
	b := newBench(t, testOptions(t), 80, 24)
	b.start(storyPrompt)
	b.keys("n")
	b.steps(1)
	b.keys("3", "n")
	b.steps(2)
	b.m.lab.Focus = lab.PaneText
	b.m.Notice.Text = ""
	b.has("enter since the switch")
	if b.keys("enter"); b.m.topID() != kit.ViewSince {
		t.Errorf("%s opened", b.m.topID())
	}
}

// A saved response that was read from its file once another text was pasted
// does not take that text's place.
func TestAFileComesLate(t *testing.T) {
	t.Parallel()
	const saved = `{"choices":[{"index":0,"message":{"role":"assistant","content":"ab"},"logprobs":{"content":[{"token":"ab","logprob":-0.5,"bytes":[97,98],"top_logprobs":[]}]},"finish_reason":"stop"}]}`
	for _, soon := range []bool{true, false} {
		b := storyWith(t, testOptions(t), 120, 40)
		b.start(storyPrompt)
		b.keys("R")
		late := b.m.tell(kit.FileMsg{Name: "saved.json", Text: saved})
		if soon {
			b.run(late)
			b.has("saved.json, 2 bytes")
			continue
		}
		b.send(typed(miller))
		b.keys("ctrl+d")
		b.run(late)
		b.has("pasted text, 159 bytes")
	}
}
