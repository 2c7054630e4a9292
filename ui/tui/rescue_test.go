package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// failing is a view that panics where it is told to.
type failing struct{ act, follow bool }

func (failing) Draw(*viz.Canvas, kit.Host) {}
func (v *failing) Act(_ kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if v.act && a.ID == kit.ActNext {
		panic("act")
	}
	return nil, false
}
func (failing) Frame(kit.Host) viz.Frame { return viz.Frame{} }
func (failing) Size(kit.Host) (int, int) { return 10, 5 }
func (failing) Hints(kit.Host) []kit.ID  { return nil }
func (v *failing) Follow(kit.Host, tea.Msg) tea.Cmd {
	if v.follow {
		panic("follow")
	}
	return nil
}

// A panic while a key or a view is taken stops the run, saves it, closes what
// was open and says where it was; then the session goes on.
func TestPanicKeepsTheSession(t *testing.T) {
	t.Parallel()
	for _, v := range []*failing{{act: true}, {follow: true}} {
		dir := t.TempDir()
		opt := testOptions(t)
		opt.ConfigDir = dir
		b := newBench(t, opt, 100, 30)
		b.panics = true
		b.start(storyPrompt)
		b.keys("right")
		b.steps(1)
		b.keys("+", "space")
		b.m.overlays = append(b.m.overlays, opened{"failing", v})
		if v.act {
			b.keys("n")
		} else {
			l := b.m.Lane()
			b.m.Update(run.ViewMsg{Lane: l.ID, View: <-l.Eng.Views(), OK: true})
		}
		if len(b.m.panics) != 1 || len(b.m.overlays) != 0 || b.m.screen.id != kit.ViewLab {
			t.Fatalf("%+v: %d panics, %d overlays, screen %s", *v, len(b.m.panics), len(b.m.overlays), b.m.screen.id)
		}
		b.has("internal error in ui/tui/rescue_test.go:")
		file := filepath.Join(dir, "rescued-1.jsonl")
		rec, err := record.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := rec.Takes[0].Steps(); n < 1 {
			t.Errorf("%d steps were saved", n)
		}
		if report, err := os.ReadFile(filepath.Join(dir, "rescued-1.txt")); err != nil || !strings.Contains(string(report), "failing") {
			t.Errorf("report %q, %v", report, err)
		}
		b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && v.Next != nil })
		n := len(b.m.Lane().View.Steps)
		b.keys("n")
		b.steps(n + 1)
		if len(b.m.panics) != 1 {
			t.Error(b.m.panics[1])
		}
	}
}

// A text that was saved is not saved again for every further panic.
func TestOneTextIsSavedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opt := testOptions(t)
	opt.ConfigDir = dir
	b := newBench(t, opt, 100, 30)
	b.panics = true
	b.start(storyPrompt)
	for range 5 {
		b.m.overlays = append(b.m.overlays, opened{"failing", &failing{act: true}})
		b.keys("n")
	}
	if list, _ := filepath.Glob(filepath.Join(dir, "rescued-*.jsonl")); len(list) != 1 || len(b.m.panics) != 5 {
		t.Errorf("%d panics, files %q", len(b.m.panics), list)
	}
}

// A lane's next view is asked for though taking the last one failed.
func TestPanicAsksForTheNextView(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.ConfigDir = t.TempDir()
	b := storyWith(t, opt, 100, 30)
	b.panics = true
	b.m.overlays = append(b.m.overlays, opened{"failing", &failing{follow: true}})
	l := b.m.Lane()
	_, cmd := b.m.Update(run.ViewMsg{Lane: l.ID, View: l.View, OK: true})
	if cmd == nil || len(b.m.panics) != 1 {
		t.Errorf("%d panics, next view asked for: %v", len(b.m.panics), cmd != nil)
	}
}
