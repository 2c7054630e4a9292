package tui

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"logitscope/engine/record"
)

// A cue stands at its token in the text and the timeline, [ ] goes to it and
// says its words, x takes it out, and a recording has what there is at its end.
func TestCue(t *testing.T) {
	t.Parallel()
	var seen []Recorded
	opt := testOptions(t)
	opt.Record = func(r Recorded) error { seen = append(seen, r); return nil }
	b := newBench(t, opt, 120, 40)
	b.start(storyPrompt)
	for k := range 6 {
		b.keys("n")
		b.steps(k + 1)
	}
	b.keys("b", "b") // token 5 is looked at
	b.keys("c", "l", "o", "o", "k", " ", "h", "e", "r", "e", "enter")
	b.keys("esc")
	b.has("▲")
	l := b.m.Lane()
	pos := l.View.Steps[4].Pos
	if want := map[int]string{pos: "look here"}; !maps.Equal(l.Cues, want) {
		t.Fatalf("%v, want %v", l.Cues, want)
	}
	b.keys("[")
	b.has("cue: look here")
	if l.Look.At != 5 {
		t.Errorf("[ shows token %d, want 5", l.Look.At)
	}
	b.keys("T")
	b.keys("home", "c", "o", "n", "e", "enter")
	b.keys("]")
	b.has("cue: look here")
	b.keys("esc")
	var buf bytes.Buffer
	w := record.NewWriter(&buf, l.Model, record.Options{Top: 10, Rows: record.RowsFull, Sealed: true})
	for _, r := range seen {
		if err := w.View(r.View); err != nil {
			t.Fatal(err)
		}
		if err := w.Marks(r.Cues); err != nil {
			t.Fatal(err)
		}
	}
	take, err := record.Read(bytes.NewReader(buf.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]string{pos: "look here", pos - 4: "one"}
	if got := take.Takes[0].Marks(); !maps.Equal(got, want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
	if n := strings.Count(buf.String(), `"type":"mark"`); n != 2 {
		t.Errorf("%d mark lines, want 2", n)
	}
	for b.m.lab.Focus != 0 {
		b.keys("tab")
	}
	b.keys("[", "[", "[", "]")
	b.has("cue: ")
	b.keys("x")
	b.has("the cue is taken out")
	if len(l.Cues) != 1 {
		t.Errorf("%v is left", l.Cues)
	}
	b.keys("c", "enter") // without words
	if len(l.Cues) != 1 {
		t.Errorf("%v after an empty cue", l.Cues)
	}
}

// In a replay cues go where the recording stands, and are kept by W.
func TestCueInReplay(t *testing.T) {
	t.Parallel()
	file, _ := recorded(t, record.RowsBest)
	b := newReplayBench(t, file, 120, 40)
	b.keys("]")
	b.at(4)
	b.has("look at u here")
	b.keys("right", "right")
	b.at(6)
	b.keys("c", "e", "n", "d", "enter", "home")
	b.at(0)
	b.keys("]", "]")
	b.at(6)
	b.has("end")
}
