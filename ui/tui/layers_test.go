package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models/table"
	"logitscope/ui/tui/kit"
)

// layersAt is the view of layers at the first step of a text.
func layersAt(t *testing.T, w, h int) *bench {
	b := newBench(t, testOptions(t), w, h)
	b.start("The capital of France is")
	b.keys("A")
	return b
}

// In every mode, whole and with parts off, the view draws exactly at every
// class, and drawing changes nothing.
func TestLayersAreExact(t *testing.T) {
	t.Parallel()
	sizes := classSizes()
	b := layersAt(t, 120, 40)
	for _, keys := range [][]string{{}, {"v"}, {"v"}, {"v"}, {"i"}, {"v", "x"}, {"tab", "x"}, {"left", "left"}, {"v", "up"}} {
		b.keys(keys...)
		for _, s := range sizes {
			b.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
			one := b.frame()
			exact(t, one, s[0], s[1], strings.Join(keys, " "))
			if b.frame() != one {
				t.Fatalf("%v at %v draws differently the second time", keys, s)
			}
		}
	}
}

// Every key does something among the layers, or says why not.
func TestNoDeadKeyInLayers(t *testing.T) {
	t.Chdir(t.TempDir())
	var b *bench
	for _, a := range newKeymap(actions()).list {
		if len(a.Keys()) == 0 || a.ID == kit.ActQuit || a.ID == kit.ActInterrupt || a.ID == kit.ActClose {
			continue
		}
		// A short run presses on where the key before left nothing open.
		if !testing.Short() || b == nil || b.m.screen.id != kit.ViewLayers || b.m.overlaid() || len(b.m.All) != 1 {
			b = layersAt(t, 100, 30)
		}
		b.m.Notice.Text = ""
		before := b.frame()
		b.keys(strings.ReplaceAll(a.Keys()[0], " ", "space"))
		if b.frame() == before && b.m.Notice.Text == "" && !b.m.overlaid() && !posted[a.ID] {
			t.Errorf("%s (%s) changed nothing and said nothing", a.ID, a.Keys()[0])
		}
	}
}

// A head that is switched off moves the law of this step and of those after it,
// the header says so wherever the lane is seen, and taking it back makes the
// next law the whole model's to the last bit.
func TestSwitchOffAndBack(t *testing.T) {
	t.Parallel()
	b := layersAt(t, 120, 40)
	b.keys("tab")
	b.keys("x")
	b.must(b.player().Off(1))
	b.has("not whole: layer 3 head 3 off")
	b.lacks("␣Paris 59.1%")
	b.keys("esc")
	b.has("not whole: layer 3 head 3 off")
	b.has("whole   final")
	b.has("from the whole model")
	b.keys("A", "n")
	b.steps(1)
	if s := b.m.Lane().View.Steps[0]; s.Off == nil || s.Whole == nil {
		t.Error("the step was not made without the head")
	}
	whole := b.m.Lane().View.Next.Row.Whole
	b.keys("backspace")
	b.must(b.player().Off(0))
	b.lacks("not whole")
	b.keys("b") // the step before was made without it
	b.has("not whole: layer 3 head 3 off")
	row := b.m.Lane().View.Next.Row
	for i, v := range row.Values {
		if v != whole[i] {
			t.Fatal("the law is not the whole model's")
		}
	}
}

// What each part does was tried with others on: after x it is not of now.
func TestTrialAfterASwitch(t *testing.T) {
	t.Parallel()
	b := layersAt(t, 160, 45)
	b.keys("i")
	b.has("each part off by itself, at this position")
	b.keys("x")
	b.must(b.player().Off(1))
	b.has("with other parts off: i tries them again")
	b.lacks("of another position")
}

// The look is not made while the lane runs, and follows when it rests.
func TestLayersWaitForTheLane(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.start("Once upon a time")
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Running && len(v.Steps) > 0 })
	b.keys("A")
	b.has("waits until the lane rests")
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && v.Next != nil })
	b.has("what each layer would say next")
	n := len(b.m.Lane().View.Steps)
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Running && len(v.Steps) > n })
	b.has("paused at step")
}

// What a server or a table cannot show is said.
func TestLayersOfClosedModels(t *testing.T) {
	t.Parallel()
	m, err := table.Open("../../models/table/testdata/garden1.json")
	if err != nil {
		t.Fatal(err)
	}
	opt := testOptions(t)
	opt.Model = m
	b := newBench(t, opt, 80, 24)
	b.keys("A")
	b.has("layers are not sent; a model file shows them")
	b = newBench(t, testOptions(t), 80, 24)
	b.keys("A")
	b.lacks("what each layer")
}

// What is shown is saved beside what was saved before.
func TestLayersAreSaved(t *testing.T) {
	t.Chdir(t.TempDir())
	b := layersAt(t, 120, 40)
	b.keys("y")
	b.has("saved ./layers-position5-lens.npy")
	b.keys("y")
	b.has("saved ./layers-position5-2-lens.npy")
	files, err := filepath.Glob("layers-*")
	if err != nil || len(files) != 8 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile("layers-position5-lens.csv")
	if err != nil || !strings.Contains(string(data), "\n5,1,") || !strings.Contains(string(data), "␣Paris") {
		t.Error(err, string(data[:min(len(data), 300)]))
	}
}
