package tui

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// panes are the rectangles of the lab that say what was decided.
func (b *bench) panes() map[string]string {
	b.run(b.m.WantEffect())
	c := b.m.draw()
	out := map[string]string{}
	for i, r := range b.m.lab.Boxes()[1:] { // without the text
		name := [...]string{"chart and controls", "pipeline and entropy"}[i]
		out[name] = c.Sub(viz.Rect{X: 0, Y: r.Y, W: b.m.w, H: r.H}).Text()
	}
	return out
}

// recorded plays a session in a lab and returns its file and the panes before
// each token.
func recorded(t *testing.T, rows record.RowPolicy) (file []byte, shown []map[string]string) {
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	var buf bytes.Buffer
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	w := record.NewWriter(&buf, b.m.Lane().Model, record.Options{Top: 10, Rows: rows, Sealed: true, Program: "test", Now: func() time.Time {
		now = now.Add(300 * time.Millisecond)
		return now
	}})
	write := func() {
		t.Helper()
		if err := w.View(b.m.Lane().View); err != nil {
			t.Fatal(err)
		}
	}
	for k := range 8 {
		if k == 3 {
			b.keys("tab", "right", "right") // the temperature
			b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Settings == b.m.Lane().Settings })
			b.keys("shift+tab")
		}
		b.m.Lane().Base, b.m.Lane().Row = nil, b.m.Lane().View.Next.Token // where the cursor is was not recorded
		shown = append(shown, b.panes())
		b.keys("n")
		b.steps(k + 1)
		write()
	}
	if err := w.Marks(map[int]string{b.m.Lane().View.Steps[4].Pos: "look at u here"}); err != nil {
		t.Fatal(err)
	}
	if err := w.End(b.m.Lane().View); err != nil {
		t.Fatal(err)
	}
	shown = append(shown, b.panes())
	return buf.Bytes(), shown
}

// newReplayBench opens a recording in a lab.
func newReplayBench(t *testing.T, file []byte, w, h int) *bench {
	t.Helper()
	rec, err := record.Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	opt := testOptions(t)
	opt.Model, opt.Replay = rec.Takes[0].Model, &Replay{"folder/story.jsonl", rec.Takes[0]}
	b := newBench(t, opt, w, h)
	b.m.startReplay()
	b.at(0)
	return b
}

// at waits until k tokens are shown.
func (b *bench) at(k int) {
	b.t.Helper()
	b.wait(func(v engine.View) bool {
		return len(v.Steps) == k && (v.Next != nil || v.Phase == engine.Done) && v.Settings == b.m.Lane().Settings
	})
}

// With whole rows and no model every pane is that of the live lab, cell for
// cell, at every step.
func TestReplayShowsWhatWasShown(t *testing.T) {
	t.Parallel()
	file, shown := recorded(t, record.RowsFull)
	b := newReplayBench(t, file, 120, 40)
	for k := range shown {
		if k > 0 {
			b.keys("right")
			b.at(k)
		}
		for name, got := range b.panes() {
			if want := shown[k][name]; got != want {
				t.Errorf("after %d tokens the %s differ:\n%s", k, name, diff(got, want))
			}
		}
	}
	b.has("replay story.jsonl")
	b.has("no model loaded · rows complete")
	b.has("Every knob is exact")
}

// How fast a recording is read says nothing of a model: no lane of it has a
// rate, neither alone nor beside another.
func TestRecordedLanesHaveNoRate(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t, record.RowsFull)
	b := newReplayBench(t, file, 160, 45)
	b.keys("right", "right", "right")
	b.at(3)
	b.lacks("tok/s")
	b.keys("C")
	b.pump(func() bool { return len(b.m.All) == 2 && b.m.All[1].View.Next != nil })
	b.keys("n", "n")
	b.pump(func() bool { return len(b.m.All[0].View.Steps) > 4 && b.m.All[0].View.Next != nil })
	for _, l := range b.m.All {
		if l.View.Rate != 0 {
			t.Errorf("lane %d has a rate of %v", l.ID, l.View.Rate)
		}
	}
	b.lacks("tok/s")
}

// A step that was made with parts of the model off says so in the header.
func TestReplaySaysWhereTheModelWasNotWhole(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t, record.RowsBest)
	at := bytes.LastIndex(file, []byte(`"stages":`))
	file = slices.Concat(file[:at], []byte(`"off":["layer 3 head 3"],`), file[at:])
	b := newReplayBench(t, file, 120, 40)
	b.lacks("not whole")
	b.keys("end")
	b.at(8)
	b.has("not whole: layer 3 head 3 off")
	b.keys("left")
	b.at(7)
	b.lacks("not whole")
}

// The keys of a player, the bar and its marks.
func TestReplayIsPlayed(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t, record.RowsBest)
	b := newReplayBench(t, file, 120, 40)
	b.keys("end")
	b.at(8)
	b.has("step 8 of 8")
	b.keys("left", "left")
	b.at(6)
	b.keys("home")
	b.at(0)
	b.keys("]")
	b.at(4)
	b.has("look at u here")
	b.keys("[")
	b.has("no mark before this one")
	b.keys(".")
	b.has("plays at 2 of the recorded speed")
	r := b.m.barRect()
	b.send(tea.MouseMsg{X: r.X + 2, Y: r.Y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	b.at(0)
	b.send(tea.MouseMsg{X: r.X + 1 + b.m.player.Track(r.W), Y: r.Y + 3, Button: tea.MouseButtonLeft, Action: tea.MouseActionMotion})
	b.at(8)
	b.send(tea.MouseMsg{Action: tea.MouseActionRelease})
	// A knob asks what if; esc returns to the record.
	b.keys("home")
	b.at(0)
	before := b.m.Lane().Settings
	b.keys("+")
	b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Settings != before })
	b.has("What-if")
	b.keys("esc")
	b.at(0)
	if b.m.Lane().Settings != before || b.m.player.Changed(b.m) {
		t.Error("esc does not return to the record")
	}
	if got := b.frame(); !strings.Contains(got, "256 best") {
		t.Errorf("the help line does not say what the file holds:\n%s", got)
	}
}

// space plays in recorded time, and again pauses.
func TestReplayPlaysInRecordedTime(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t, record.RowsFull)
	b := newReplayBench(t, file, 80, 24)
	cmd := b.m.act(kit.ActRun)
	if cmd == nil || !strings.Contains(b.frame(), "▶") {
		t.Fatalf("it does not play:\n%s", b.frame())
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		msg = batch[0]()
	}
	b.m.Update(msg)
	b.at(1)
	b.keys("space")
	if strings.Contains(b.frame(), "▶") {
		t.Errorf("it does not pause:\n%s", b.frame())
	}
}

// A recording that ends is no fault, and one of a search says why it shows
// nothing.
func TestReplaySaysWhereItEnds(t *testing.T) {
	t.Parallel()
	file, shown := recorded(t, record.RowsFull)
	cut := file[:bytes.LastIndex(file[:bytes.LastIndex(file, []byte(`{"type":"step"`))], []byte("\n"))+1]
	b := newReplayBench(t, cut, 120, 40)
	b.keys("end")
	n := len(shown) - 2
	b.wait(func(v engine.View) bool { return len(v.Steps) == n && v.Phase == engine.Failed })
	b.keys("n")
	b.has("the recording ends after token")
	b.lacks("failed step")

	search := bytes.Replace(file, []byte(`{"type":"step"`), []byte(`{"type":"beam_step","step":0}`+"\n"+`{"type":"step"`), 1)
	newReplayBench(t, search, 120, 40).has("A search of texts keeps no rows")
}
