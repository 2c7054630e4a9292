package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/disk"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// ready is a lab with the story's prompt read and n tokens written.
func ready(t testing.TB, n int) *bench {
	t.Helper()
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	for i := range n {
		b.keys("n")
		b.steps(i + 1)
	}
	return b
}

func (b *bench) text() string { return b.m.Lane().View.Text() }

// A slider moved while paused changes marks and numbers, but moves no row and
// keeps the scale.
func TestWhatIfMovesNoRow(t *testing.T) {
	t.Parallel()
	b := storyAt16(t, 120, 40)
	l := b.m.Lane()
	ids, scale := b.m.lab.ChartIDs(), l.Scale
	for range 12 {
		b.keys("+")
		next, err := l.View.Retrace(l.View.Next.Index-1, l.Settings)
		if err != nil {
			t.Fatal(err)
		}
		v := l.View
		v.Next = next
		b.apply(run.ViewMsg{View: v, OK: true})
	}
	b.has("what-if · step 16")
	b.has("1.30*")
	if got := b.m.lab.ChartIDs(); fmt.Sprint(got) != fmt.Sprint(ids) {
		t.Errorf("rows moved from %v to %v", ids, got)
	}
	if l.Scale != scale {
		t.Errorf("scale went from %v to %v", scale, l.Scale)
	}
	if l.Row != l.Base.Token {
		t.Errorf("the cursor left its token")
	}
}

// A preset taken while paused is in force at the next token, and the text
// says where.
func TestPresetSwitchIsMarked(t *testing.T) {
	t.Parallel()
	b := ready(t, 3)
	b.keys("3")
	b.keys("n")
	b.steps(4)
	b.has("⟨3 creative⟩")
	b.has("[3 creative]")
	if s := b.m.Lane().View.Steps; s[2].Settings.Label != "chat" || s[3].Settings.Label != "creative" {
		t.Errorf("labels %q, %q", s[2].Settings.Label, s[3].Settings.Label)
	}
}

// A run switches presets without stopping.
func TestPresetSwitchWhileRunning(t *testing.T) {
	t.Parallel()
	b := ready(t, 0)
	b.keys("space")
	b.wait(func(v engine.View) bool { return len(v.Steps) >= 2 })
	b.keys("3")
	b.wait(func(v engine.View) bool {
		n := len(v.Steps)
		return v.Phase == engine.Done || n > 0 && v.Steps[n-1].Settings.Label == "creative"
	})
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused || v.Phase == engine.Done })
	b.has("⟨3 creative⟩")
}

// Looking back and coming again gives the text of never having looked.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	straight := ready(t, 8)
	b := ready(t, 5)
	b.keys("b", "b", "left")
	b.has("step 3 of 5")
	b.keys("V", "esc", "O", "esc", "d", "esc", "i", "esc")
	if b.m.Lane().Look.At != 0 {
		t.Error("esc did not return to the newest step")
	}
	for i := range 3 {
		b.keys("n")
		b.steps(6 + i)
	}
	if b.text() != straight.text() {
		t.Errorf("looked: %q\nstraight: %q", b.text(), straight.text())
	}
}

// What-if on an old step rewrites nothing until asked; then it branches, and
// undo returns to the text that was left.
func TestBranchAndUndo(t *testing.T) {
	t.Parallel()
	b := ready(t, 6)
	before := b.text()
	b.keys("b", "b", "b")
	b.has("step 4 of 6")
	b.keys("5")
	b.has("what-if")
	if b.text() != before {
		t.Error("looking at another setting rewrote the text")
	}
	b.keys("n")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && len(v.Steps) == 4 && v.Next != nil })
	if s := b.m.Lane().View.Steps; s[3].Settings.Label != "greedy" || s[2].Settings.Label != "chat" {
		t.Errorf("labels %q, %q", s[2].Settings.Label, s[3].Settings.Label)
	}
	b.keys("u")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && len(v.Steps) == 6 && v.Next != nil })
	if b.text() != before {
		t.Errorf("undo gave %q, want %q", b.text(), before)
	}
	b.keys("U")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && len(v.Steps) == 4 && v.Next != nil })
}

func TestForceWritesTheRowsToken(t *testing.T) {
	t.Parallel()
	b := ready(t, 1)
	b.keys("down", "down")
	want := b.m.Lane().Row
	b.keys("f")
	b.steps(2)
	s := b.m.Lane().View.Steps[1]
	if s.Token != want || !s.Forced {
		t.Errorf("wrote %d (forced %v), want %d", s.Token, s.Forced, want)
	}
	b.has("◆")
}

func TestUndoSettings(t *testing.T) {
	t.Parallel()
	b := ready(t, 1)
	l := b.m.Lane()
	was := l.Config
	b.m.SelectKnob("top_k")
	b.keys("0")
	b.m.SelectKnob("top_p")
	b.keys("0", "u")
	if !l.Config.Order().Supports("top_p") || l.Config.Float("top_p") != .9 || l.Config.Int("top_k") != 0 {
		t.Errorf("after one undo top_p is %v, top_k %v", l.Config.Float("top_p"), l.Config.Int("top_k"))
	}
	b.keys("u")
	if !l.Config.Equal(was) {
		t.Error("two undos did not bring the settings back")
	}
	b.keys("U", "U")
	if l.Config.Float("top_p") != 1 {
		t.Error("redo did not take top_p off again")
	}
	b.keys("U")
	b.has("nothing to redo")
}

func TestFlipAB(t *testing.T) {
	t.Parallel()
	b := ready(t, 1)
	l := b.m.Lane()
	b.keys("a")
	b.has("B holds a copy")
	b.keys("4")
	b.keys("a")
	if l.Preset != 1 {
		t.Errorf("A holds preset %d, want chat", l.Preset)
	}
	b.keys("a")
	if l.Preset != 3 {
		t.Errorf("B holds preset %d, want neutral", l.Preset)
	}
}

func TestOrderCyclesThroughEngines(t *testing.T) {
	t.Parallel()
	b := ready(t, 1)
	seen := map[string]bool{}
	for range len(sampling.Orders()) {
		b.keys("o")
		seen[b.m.Lane().Config.Order().Name()] = true
	}
	if len(seen) != len(sampling.Orders()) {
		t.Errorf("saw %v", seen)
	}
}

// Stages move and are switched off from the pipeline.
func TestStagesMoveAndGoOut(t *testing.T) {
	t.Parallel()
	b := ready(t, 1)
	l := b.m.Lane()
	b.m.lab.Focus = lab.PanePipeline
	for i, st := range l.View.Next.Trace.Stages() {
		if st.Name == "temperature" {
			b.m.Stage = i
		}
	}
	b.keys(">")
	b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Settings == l.Settings })
	b.has("custom")
	stages := l.View.Next.Trace.Stages()
	if i := b.m.Stage; stages[i].Name != "temperature" || stages[i-1].Name != "top_k" {
		t.Errorf("temperature did not pass top_k: %v", run.StageNames(l.Config))
	}
	b.keys("x")
	if l.Config.Float("temperature") != 1 {
		t.Errorf("x left temperature at %v", l.Config.Float("temperature"))
	}
	b.m.lab.Focus = lab.PaneControls
	b.m.SelectKnob("temperature")
	b.keys("x")
	if l.Config.Float("temperature") != .7 {
		t.Errorf("x brought temperature back as %v", l.Config.Float("temperature"))
	}
}

// Every key of the table does something or says why not, in every state.
func TestNoDeadKey(t *testing.T) {
	t.Parallel()
	for i, state := range []struct {
		name string
		make func() *bench
	}{
		{"empty", func() *bench { return newBench(t, testOptions(t), 100, 30) }},
		{"looking", func() *bench { b := storyAt16(t, 120, 40); b.keys("b"); return b }},
		{"paused", func() *bench { return storyAt16(t, 80, 24) }},
	} {
		t.Run(state.name, func(t *testing.T) {
			for k, a := range newKeymap(actions()).list {
				if a.ID == kit.ActQuit || a.ID == kit.ActInterrupt || len(a.Keys()) == 0 || testing.Short() && k%3 != i {
					continue
				}
				b := state.make()
				b.m.Notice.Text = ""
				before, undo := b.frame(), len(b.m.Lane().Undo)
				b.keys(strings.ReplaceAll(a.Keys()[0], " ", "space"))
				if b.frame() == before && b.m.Notice.Text == "" && len(b.m.Lane().Undo) == undo && !b.m.overlaid() && !posted[a.ID] {
					t.Errorf("%s (%s) changed nothing and said nothing", a.ID, a.Keys()[0])
				}
			}
		})
	}
}

// posted are the actions that ask the lane for something, which shows when
// the lane answers.
var posted = map[kit.ID]bool{kit.ActRun: true, kit.ActNext: true, kit.ActRight: true, kit.ActRight10: true}

func (m *Model) overlaid() bool { return len(m.overlays) > 0 }

func TestRebindKeys(t *testing.T) {
	t.Parallel()
	k := newKeymap(actions())
	if wrong := k.rebind(strings.NewReader("# mine\nrun x\ntake\n"), "keys"); wrong != nil {
		t.Fatal(wrong)
	}
	if k.find(keyMsg("x")).ID != kit.ActRun || k.find(keyMsg("space")) != nil || k.byID[kit.ActTake].First() != "" {
		t.Error("run did not move to x")
	}
	// A line that is wrong is named, and the others act.
	for _, bad := range []string{"fly x", "run ctrl+c", "run frobnicate", "run alt+", "run ctrl+enter+x", "run \x1b", "run " + strings.Repeat("x", 60_000), strings.Repeat("é", 30_000) + " x"} {
		k := newKeymap(actions())
		wrong := k.rebind(strings.NewReader("zoom Z\n"+bad+"\nrun x"), "keys")
		if len(wrong) != 1 || !strings.HasPrefix(wrong[0].Error(), "keys:2: ") || len(wrong[0].Error()) > 3000 || strings.Contains(wrong[0].Error(), "\x1b") {
			t.Errorf("%.40q: %.200v", bad, wrong)
		}
		if k.find(keyMsg("Z")).ID != kit.ActZoom || k.find(keyMsg("x")).ID != kit.ActRun {
			t.Errorf("%.40q: the lines that are right do not act", bad)
		}
	}
	for _, good := range []string{"x", "Z", "é", "space", "enter", "esc", "pgup", "shift+up", "ctrl+k", "alt+x", "f5", "alt+enter", "shift+tab", "?"} {
		if wrong := newKeymap(actions()).rebind(strings.NewReader("run "+good), "keys"); wrong != nil {
			t.Errorf("%s: %v", good, wrong)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "keys"), []byte("zoom Z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k = newKeymap(actions())
	if wrong := newKeymap(actions()).rebind(strings.NewReader("version 1\nrun x"), "keys"); wrong != nil {
		t.Errorf("version 1: %v", wrong)
	}
	if wrong := newKeymap(actions()).rebind(strings.NewReader("version 2\nrun x"), "keys"); len(wrong) != 1 || !strings.Contains(wrong[0].Error(), "keys:1: version: 2 is of a newer program, this one reads 1") {
		t.Errorf("version 2: %v", wrong)
	}
	if wrong := loadKeys(k, disk.Open(dir)); wrong != nil || k.find(keyMsg("Z")).ID != kit.ActZoom {
		t.Errorf("keys file: %v", wrong)
	}
	opt := testOptions(t)
	b := newBench(t, opt, 120, 40)
	b.m.keys = k
	b.start("Once")
	b.keys("?")
	b.has("Z")
}

func TestDoneSaysHow(t *testing.T) {
	t.Parallel()
	b := ready(t, 0)
	b.m.Set("max_new_tokens", int64(3))
	b.m.Pace = len(run.Paces) - 1
	b.m.Lane().Eng.Post(engine.Pace{})
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
	b.has("ended by max_new_tokens, 3")
	b.has("■ done: max_new_tokens")
	b.keys("left")
	b.has("step 3 of 3")
	b.keys("esc", "space")
	b.has("the text has ended")
}

// After the end a knob tries the last step again, and going on from there
// takes another way.
func TestKnobAfterTheEnd(t *testing.T) {
	t.Parallel()
	b := ready(t, 0)
	b.m.Set("max_new_tokens", int64(2))
	b.keys("n")
	b.steps(1)
	b.keys("n")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
	b.m.Set("max_new_tokens", int64(5))
	b.has("what-if at step 2 of 2")
	b.keys("4")
	b.has("[4 neutral]")
	b.keys("n")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && len(v.Steps) == 2 && v.Next != nil })
	if l := b.m.Lane(); l.Preset != 3 || l.Config.Int("max_new_tokens") == 2 {
		t.Errorf("preset %d, max_new_tokens %d", l.Preset, l.Config.Int("max_new_tokens"))
	}
	b.keys("b", "1", "r")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && len(v.Steps) == 0 && v.Next != nil })
	if l := b.m.Lane(); l.Preset != 0 || l.View.Next.Settings.Label != "factual" {
		t.Errorf("restarted under preset %d, %s", l.Preset, l.View.Next.Settings.Label)
	}
}

// A sample of hostile labels keeps every column in place.
func TestHostileLabels(t *testing.T) {
	t.Parallel()
	c := viz.NewCanvas(40, 9, false)
	for y, s := range []string{"日本語", " 👨\u200d👩\u200d👧", "🇵🇹", "سلام", "z\u0300\u0301\u0302\u0303\u0304\u0305algo", "\x1b]0;x\x07", "\u202eabc", "\xe2\x96", "a\tb\r\n"} {
		c.Fit(2, y, 12, viz.Label(s, false), viz.Ink{})
		c.Put(20, y, "|", viz.Ink{})
	}
	exact(t, c.Text(), 40, 9, "labels")
	for _, line := range strings.Split(c.Text(), "\n") {
		if viz.Width(line[:strings.IndexByte(line, '|')]) != 20 {
			t.Errorf("the column moved: %q", line)
		}
	}
}

// Without colour every mark is a glyph or a word; the frame is the same text.
func TestNoColorKeepsEveryGlyph(t *testing.T) {
	t.Parallel()
	b := storyAt16(t, 120, 40)
	plain := b.m.draw().Render(viz.NewPalette(true, viz.NoColors, false))
	if strings.Contains(plain, "38;") || strings.Contains(plain, "\x1b[9") || strings.Contains(plain, "\x1b[3") {
		t.Error("colour in a frame without colours")
	}
	for _, dark := range []bool{true, false} {
		for d := viz.TrueColor; d <= viz.NoSGR; d++ {
			exact(t, b.m.draw().Render(viz.NewPalette(dark, d, false)), 120, 40, "palette")
		}
	}
	if strings.Contains(b.m.draw().Render(viz.NewPalette(true, viz.NoSGR, false)), "\x1b") {
		t.Error("a sequence for a dumb terminal")
	}
}

func TestASCII(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.ASCII = true
	for _, s := range [][2]int{{160, 45}, {120, 40}, {80, 24}, {60, 20}, {40, 12}} {
		b := storyWith(t, opt, s[0], s[1])
		for _, r := range b.frame() {
			if r > 126 {
				t.Fatalf("%q in an ASCII frame:\n%s", r, b.frame())
			}
		}
		for id := range views {
			b.run(b.m.Open(id))
			for _, r := range b.frame() {
				if r > 126 {
					t.Fatalf("%s: %q in an ASCII frame:\n%s", id, r, b.frame())
				}
			}
			b.m.Close()
		}
	}
}

// What a server leaves out of its row has a line of its own.
func TestUnreportedMassIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	l := b.m.Lane()
	v := engine.View{Phase: engine.Paused, Settings: l.Settings, PromptText: "x", Prompt: []int32{0}, StopAt: -1}
	v.Next = &engine.Step{Index: 1, Pos: 1, Settings: l.Settings,
		Row: &engine.Row{IDs: []int32{300, 301, 302}, Values: []float32{-.7, -1.6, -2.3}, Rest: .2}}
	next, err := v.Retrace(0, l.Settings)
	if err != nil {
		t.Fatal(err)
	}
	v.Next = next
	b.apply(run.ViewMsg{View: v, OK: true})
	b.has("outside top 3")
	if t.Failed() {
		return
	}
	exact(t, b.frame(), 120, 40, "partial row")
}

// A window that shrinks keeps the row of the cursor.
func TestTheCursorKeepsItsRow(t *testing.T) {
	t.Parallel()
	b := storyAt16(t, 160, 45)
	b.keys("down", "down", "down", "down", "down", "down")
	want := b.m.Lane().Piece(b.m.Lane().Row, false)
	for _, s := range [][2]int{{120, 40}, {100, 30}, {80, 24}, {60, 20}, {40, 12}, {200, 60}} {
		b.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
		b.has(want)
	}
}
