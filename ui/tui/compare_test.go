package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/table"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// together waits until every lane has n tokens and the next proposed.
func (b *bench) together(n int) {
	b.t.Helper()
	b.must(b.player().Together(n))
}

// newLanes opens compare with a lane for each preset, all on the story.
func newLanes(t testing.TB, w, h int, names ...string) *bench {
	t.Helper()
	opt := testOptions(t)
	for _, name := range names {
		name, set, _ := strings.Cut(name, " ")
		for _, p := range opt.Presets {
			if p.Name != name {
				continue
			}
			cfg := p.Config.MustWith("seed", 42, sampling.FromFlag)
			for _, s := range strings.Fields(set) {
				key, value, _ := strings.Cut(s, "=")
				param, _ := param.Lookup(key)
				x, err := param.Parse(value)
				if err != nil {
					t.Fatal(err)
				}
				cfg = cfg.MustWith(key, x, sampling.FromFlag)
			}
			opt.Lanes = append(opt.Lanes, Lane{Model: opt.Model, Config: cfg, Label: name})
		}
	}
	b := newBench(t, opt, w, h)
	b.m.Conduct()
	b.m.Pace = len(run.Paces) - 1
	for _, l := range b.m.All {
		ids, err := engine.Prompt(context.Background(), l.Model, storyPrompt)
		if err != nil {
			t.Fatal(err)
		}
		b.send(run.PromptMsg{Lane: l.ID, Text: storyPrompt, IDs: ids, Err: nil})
	}
	b.pump(func() bool {
		for _, l := range b.m.All {
			if l.View.Phase != engine.Paused || l.View.Next == nil && l.View.Beam == nil {
				return false
			}
		}
		return true
	})
	return b
}

func alone(t testing.TB, name string, n int) string {
	b := newLanes(t, 120, 40, name)
	b.m.Lane().Eng.Post(engine.Advance{N: n})
	b.together(n)
	return b.text()
}

// Four lanes at once write what each writes alone.
func TestLanesWriteWhatTheyWriteAlone(t *testing.T) {
	t.Parallel()
	names := []string{"factual", "chat", "creative", "neutral"}
	b := newLanes(t, 200, 60, names...)
	for i := range 24 {
		b.keys("right")
		b.together(i + 1)
	}
	for i, name := range names {
		if got, want := b.m.All[i].View.Text(), alone(t, name, 24); got != want {
			t.Errorf("%s beside others: %q\nalone: %q", name, got, want)
		}
	}
	b.keys("w", "space")
	b.pump(func() bool { return run.AllEnded(b.m.All) || len(b.m.All[0].View.Steps) > 40 })
	b.keys("space")
	b.pump(func() bool { return !b.m.Running() })
	for i, name := range names {
		v := b.m.All[i].View
		if n := len(v.Steps); v.Phase == engine.Paused {
			if want := alone(t, name, n); v.Text() != want {
				t.Errorf("%s, free: %q\nalone: %q", name, v.Text(), want)
			}
		}
	}
}

// C in the lab puts the text under the neighbouring preset beside the run, with
// nothing computed twice.
func TestCompareFromTheLab(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 160, 45, "chat")
	b.m.Lane().Eng.Post(engine.Advance{N: 10})
	b.steps(10)
	b.keys("C")
	b.together(10)
	b.has("2 · T .90 top_p .95 rep 1.15 · creative")
	b.has("same text so far")
	b.keys("?")
	b.has("one/all")
	b.keys("esc")
	if n := b.m.All[1].View.ForwardPositions; n > 1 {
		t.Errorf("the copy computed %d positions", n)
	}
	if b.m.All[0].View.Text() != b.m.All[1].View.Text() {
		t.Error("the copy holds another text")
	}
	b.keys("tab", "t", "4") // lane 2 alone
	b.pump(func() bool {
		return b.m.All[1].View.Next != nil && b.m.All[1].View.Next.Settings.Label == "neutral"
	})
	if b.m.All[0].Config.Float("temperature") != 0.7 {
		t.Error("the preset reached the other lane")
	}
	b.keys("t", "right")
	b.together(11)
	b.keys("enter")
	if b.m.screen.id != kit.ViewLab || b.m.Cur != 1 {
		t.Error("enter did not open lane 2 in the lab")
	}
	b.has("neutral")
	b.keys("C")
	b.has("2 · all off · neutral")
	b.keys("C")
	b.together(11)
	b.has("compare, 3 lanes")
	b.keys("x")
	b.has("compare, 2 lanes")
	b.keys("u")
	b.has("compare, 3 lanes")
	b.keys("right")
	b.together(12)
	b.keys("x", "x")
	b.has("two lanes are the least")
}

// parted is a comparison that has come to where the texts part.
func parted(t testing.TB, w, h int) *bench {
	return partedOf(t, w, h, "chat", "creative")
}

func partedOf(t testing.TB, w, h int, presets ...string) *bench {
	b := newLanes(t, w, h, presets...)
	for i := range 8 {
		b.keys("right")
		b.together(i + 1)
	}
	return b
}

// [ goes to where the texts part, and says why they do.
func TestWhyTheyPart(t *testing.T) {
	t.Parallel()
	b := parted(t, 160, 45)
	b.keys("[")
	b.has("why they part here")
	b.has("One change at a time")
	at := run.FirstDifference(b.m.All[0].View.Steps, b.m.All[1].View.Steps, 8)
	if x, y := b.m.All[0].Step(), b.m.All[1].Step(); at < 0 || x.Index-1 != at || y.Index-1 != at {
		t.Errorf("[ went to tokens %d and %d, they part at %d", x.Index, y.Index, at+1)
	}
	b.has(viz.Three(b.m.All[0].Step().Trace.U))
}

// f writes the current lane's token in the others, at a past step as a branch.
func TestForceInTheOtherLane(t *testing.T) {
	t.Parallel()
	b := parted(t, 160, 45)
	b.keys("[")
	at := run.ShownIndex(b.m.All[0])
	want := b.m.All[0].View.Steps[at].Token
	b.keys("f")
	b.pump(func() bool {
		v := b.m.All[1].View
		return len(v.Steps) == at+1 && v.Next != nil
	})
	if s := b.m.All[1].View.Steps[at]; s.Token != want || !s.Forced {
		t.Errorf("wrote %d, want %d", s.Token, want)
	}
	if len(b.m.All[1].Branches) != 1 {
		t.Error("the text that was left is no branch")
	}
	b.keys("f")
	b.has("have the same token")
}

// A seed, a prompt and a value typed reach every lane that keys act on.
func TestAllLanesTogether(t *testing.T) {
	t.Parallel()
	b := parted(t, 160, 45)
	b.keys("s")
	b.together(0)
	if x, y := b.m.All[0].Config.Uint("seed"), b.m.All[1].Config.Uint("seed"); x != y || x == 42 {
		t.Errorf("new seeds %d and %d", x, y)
	}
	b.keys("tab", "tab", "home", "enter", "ctrl+u", "1", ".", "1", "enter")
	for i, l := range b.m.All {
		if x := l.Config.Float("temperature"); x != 1.1 {
			t.Errorf("lane %d has temperature %v", i+1, x)
		}
	}
	b.keys("esc", "e", "ctrl+u")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("The cat")})
	b.keys("ctrl+d")
	b.pump(func() bool {
		for _, l := range b.m.All {
			if l.View.PromptText != "The cat" || l.View.Next == nil {
				return false
			}
		}
		return true
	})
	b.keys("space")
	b.pump(func() bool { return len(b.m.All[0].View.Steps) > 3 })
	b.keys("space")
	b.pump(func() bool { // the step under way is finished
		x, y := b.m.All[0].View, b.m.All[1].View
		return !b.m.Running() && (len(x.Steps) == len(y.Steps) || run.AllEnded(b.m.All[:1]) || run.AllEnded(b.m.All[1:]))
	})
}

// A lane may run a strategy: beams have no draw, but a text and scores.
func TestBeamLane(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 160, 45, "chat", "factual num_beams=3")
	b.keys("right")
	b.pump(func() bool {
		return len(b.m.All[0].View.Steps) == 1 && b.m.All[1].View.Beam != nil && len(b.m.All[1].View.Beam.Steps) == 1
	})
	b.keys("right", "right")
	b.pump(func() bool { return len(b.m.All[0].View.Steps) == 3 && len(b.m.All[1].View.Beam.Steps) == 3 })
	b.has("beam search · 3 running")
	for _, k := range everyKey {
		b.keys(k)
	}
	exact(t, b.frame(), 160, 45, "beam lane")
}

// everyKey are keys that leave compare as it is.
var everyKey = []string{"up", "down", "home", "end", "left", "right", "m", "i", "p", "t", "w", "tab", "shift+tab", "[", "]", "f", "u", "z", "z"}

// Every size draws exactly, with the lanes before and after they part, and
// drawing changes nothing.
func TestCompareAtEverySize(t *testing.T) {
	t.Parallel()
	two, four := parted(t, 80, 24), newLanes(t, 80, 24, "factual", "chat", "creative", "neutral")
	for i := range 5 {
		four.keys("right")
		four.together(i + 1)
	}
	step := 11
	if testing.Short() {
		step = 23
	}
	for _, b := range []*bench{two, four} {
		for _, id := range []kit.ViewID{kit.ViewCompare, kit.ViewTimeline, kit.ViewPredict} {
			if id != kit.ViewCompare {
				b.run(b.m.Open(id))
			}
			for w := 1; w <= 200; w += step {
				for h := 1; h <= 60; h += 1 + (w+h)%4 {
					b.send(tea.WindowSizeMsg{Width: w, Height: h})
					frame := b.m.draw().Render(b.m.pal)
					exact(t, frame, w, h, string(id))
					if again := b.m.draw().Render(b.m.pal); again != frame {
						t.Fatalf("%s at %d×%d: drawn twice, two frames", id, w, h)
					}
				}
			}
		}
	}
}

// Each key of the table acts or says something in each of the views.
func TestNoDeadKeysBesideTheLab(t *testing.T) {
	t.Parallel()
	for i, id := range []kit.ViewID{kit.ViewCompare, kit.ViewTimeline, kit.ViewPredict} {
		var b *bench
		for k, a := range actions() {
			if len(a.Keys()) == 0 || a.ID == kit.ActQuit || a.ID == kit.ActInterrupt {
				continue
			}
			if testing.Short() && k%3 != i {
				continue // each key in one of the views
			}
			// A short run presses on where the key before left nothing open.
			if !testing.Short() || b == nil || b.m.screen.id != id || b.m.overlaid() || len(b.m.All) != 2 {
				b = partedOf(t, 120, 40, "chat max_new_tokens=24", "creative max_new_tokens=24")
				if id != kit.ViewCompare {
					b.run(b.m.Open(id))
				}
			}
			b.m.Notice.Text = ""
			before := b.frame()
			at := b.m.screen.id
			b.keys(a.Keys()[0])
			if b.frame() == before && b.m.screen.id == at {
				if b.player().Pump(func() bool { return b.frame() != before }) != nil {
					t.Errorf("%s: %s (%s) neither acts nor says why not", id, a.Keys()[0], a.ID)
				}
			}
		}
	}
}

// Three lanes or more collapse to the answer that most of them gave, once all
// have ended.
func TestLanesVote(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 120, 40, "greedy", "factual", "neutral")
	for _, l := range b.m.All {
		set, err := l.Compile(l.Config.MustWith("max_new_tokens", 2, sampling.FromFlag), l.Preset)
		if err != nil {
			t.Fatal(err)
		}
		l.Config, l.Settings = set.Config(), set
		b.m.Start(l)
	}
	b.lacks("voted:")
	b.keys("pgdown")
	b.pump(func() bool { return run.AllEnded(b.m.All) })
	if a, c := b.m.All[0].View.Text(), b.m.All[1].View.Text(); a != c {
		t.Fatalf("greedy %q and factual %q differ: nothing to test", a, c)
	}
	b.has("voted: " + strings.TrimSpace(b.m.All[0].View.Text()) + " (")
	b.has(" of 3 lanes; by the first line)")
	b.keys("ctrl+e")
	b.has("the answer of a lane is the last number")
	b.has("voted: no lane has an answer (by the last number, 3 without one; ctrl+e takes another)")
	b.keys("ctrl+e")
	b.has(" of 3 lanes; by the whole text)")
	b.keys("ctrl+e")
	b.player().Type("(")
	b.keys("enter")
	b.has("! extract: ") // not an expression: the field stays
	b.keys("backspace")
	b.player().Type("[a-z]")
	b.keys("enter")
	b.has(" of 3 lanes; by the match of [a-z])")
	b.keys("ctrl+e")
	b.has("; by the first line)")
	b.keys("ctrl+e", "ctrl+e", "ctrl+e")
	b.player().Type("!")
	for _, s := range [][2]int{{40, 12}, {80, 24}, {120, 40}} { // what is typed is seen
		b.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
		b.has("finds: [a-z]!")
		b.has("enter takes it")
		exact(t, b.frame(), s[0], s[1], "vote")
	}
	b.keys("esc")
	b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	b.has("voted: " + strings.TrimSpace(b.m.All[0].View.Text()) + " (")
	for _, s := range [][2]int{{40, 12}, {80, 24}, {200, 60}} {
		b.keys("ctrl+e")
		b.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
		exact(t, b.frame(), s[0], s[1], "vote")
	}
}

// Two lanes do not vote.
func TestTwoLanesDoNotVote(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 120, 40, "greedy", "factual")
	b.keys("ctrl+e")
	b.has("ctrl+e: 3 lanes or more vote; C adds one")
	b.keys("esc", "ctrl+e")
	b.has("ctrl+e: what the lanes of a comparison vote with; C puts lanes side by side")
}

// The first lanes given on the command line are what compare opens with.
func TestOpensWithLanes(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 120, 40, "factual", "creative")
	if b.m.screen.id != kit.ViewCompare || len(b.m.All) != 2 {
		t.Fatalf("opened %s with %d lanes", b.m.screen.id, len(b.m.All))
	}
	b.has(" · factual")
	b.keys("esc")
	if b.m.screen.id != kit.ViewLab {
		t.Error("esc did not go to the lab")
	}
}

// However many lanes send views, no more frames are drawn than fit the pace.
func TestFramesKeepTheirPace(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 200, 60, "factual", "chat", "creative", "neutral")
	drawn := 0
	start := time.Now()
	for range 200 {
		for _, l := range b.m.All {
			b.m.dirty = true
			b.m.paceFrames()
			if b.m.dirty {
				drawn++
			}
			_ = l
		}
	}
	if most := 2 + int(time.Since(start)/(time.Second/30)); drawn > most {
		t.Errorf("%d frames drawn, %d are the pace", drawn, most)
	}
}

// With ASCII glyphs nothing else is drawn, but for the text itself.
func TestASCIIBesideTheLab(t *testing.T) {
	t.Parallel()
	b := parted(t, 120, 40)
	b.m.pal = viz.NewPalette(true, viz.NoColors, true)
	for _, id := range []kit.ViewID{kit.ViewCompare, kit.ViewTimeline, kit.ViewPredict} {
		if id != kit.ViewCompare {
			b.run(b.m.Open(id))
		}
		for _, size := range [][2]int{{200, 60}, {120, 40}, {80, 24}, {60, 20}, {40, 12}} {
			b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			frame := b.m.draw().Render(b.m.pal)
			exact(t, frame, size[0], size[1], string(id))
			for _, r := range frame {
				if r > 0x7e {
					t.Errorf("%s at %v draws %q:\n%s", id, size, r, frame)
					break
				}
			}
		}
	}
}

// Lanes may run models with different vocabularies: their texts are compared
// letter by letter, and nothing is said about distributions.
func TestLanesOfDifferentModels(t *testing.T) {
	t.Parallel()
	toy, err := table.Parse("toy.json", strings.NewReader(`{"kind": "markov1", "vocab": ["<eos>", " the", " edge", " of", " fox", " lived", " in", " who", " little", " a", " was", " there", " time", " upon", "Once", " x"],
		"eos_id": 0, "context": 200, "logits": [`+strings.Repeat(`[-9,1,2,3,1,0,0,0,0,0,0,0,0,0,0,2],`, 15)+`[-9,1,2,3,1,0,0,0,0,0,0,0,0,0,0,2]]}`))
	if err != nil {
		t.Fatal(err)
	}
	opt := testOptions(t)
	for _, m := range []models.Model{opt.Model, toy} {
		opt.Lanes = append(opt.Lanes, Lane{Model: m, Config: opt.Config, Label: "chat"})
	}
	b := newBench(t, opt, 160, 45)
	b.m.Conduct()
	b.m.Pace = len(run.Paces) - 1
	for _, l := range b.m.All {
		ids, err := engine.Prompt(context.Background(), l.Model, "Once upon a time there was a little fox who lived in the")
		if err != nil {
			t.Fatal(err)
		}
		b.send(run.PromptMsg{Lane: l.ID, Text: storyPrompt, IDs: ids, Err: nil})
	}
	b.together(0)
	for i := range 6 {
		b.keys("right")
		b.together(i + 1)
	}
	b.has("different vocabularies")
	b.has("other vocabulary")
	at, parts := run.Part(b.m.All[0], b.m.All[1], true)
	x, y := b.m.All[0].View.Text(), b.m.All[1].View.Text()
	if !parts || x == y {
		t.Fatalf("%q and %q do not part", x, y)
	}
	for i, l := range b.m.All {
		s := ""
		for _, st := range l.View.Steps[:at[i]] {
			s += l.Vocab().Piece(st.Token)
		}
		if !strings.HasPrefix(x, s) || !strings.HasPrefix(y, s) {
			t.Errorf("lane %d parts at %d, but %q is not common to both", i+1, at[i], s)
		}
	}
	for _, k := range everyKey {
		b.keys(k)
	}
	exact(t, b.frame(), 160, 45, "two models")
}

// A lane that wrote alone is not called empty.
func TestCompareLanesOfDifferentLength(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 120, 40, "chat", "chat")
	b.has("Nothing is written yet")
	b.keys("t", "n", "n")
	b.pump(func() bool { return len(b.m.All[0].View.Steps) == 2 && b.m.All[0].View.Next != nil })
	b.has("Lane 1 has 2 tokens, lane 2 has 0 tokens: nothing stands side by side yet.")
	b.keys("tab", "n")
	b.pump(func() bool { return len(b.m.All[1].View.Steps) == 1 && b.m.All[1].View.Next != nil })
	b.has("one lane stands at token 3, the other at token 2.")
}
