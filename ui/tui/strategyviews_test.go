package tui

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/speculative"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/sampling"
	"logitscope/ui/tui/draft"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

var openDraft = sync.OnceValues(func() (models.Model, error) { return fable.OpenDraft(llama.Options{Workers: 1}) })

// withModels lets a lab open the built-in draft.
func withModels(opt Options) Options {
	opt.OpenModel = func(string) (models.Model, error) { return openDraft() }
	return opt
}

// beams waits until the search has taken n steps and rests.
func (b *bench) beams(n int) {
	b.t.Helper()
	b.must(b.player().Beams(n))
}

// rounds waits until n rounds are drafted, the last of them not yet written.
func (b *bench) rounds(n int) {
	b.t.Helper()
	b.must(b.player().Rounds(n))
}

// tuned waits until the lane has taken the newest settings.
func (b *bench) tuned() {
	b.t.Helper()
	b.wait(func(v engine.View) bool { return v.Settings == b.m.Lane().Settings })
}

// beamAt is beam search from the story's prompt after n steps.
func beamAt(t testing.TB, n, w, h int) *bench {
	b := newBench(t, testOptions(t), w, h)
	b.m.Pace = len(run.Paces) - 1
	b.start(storyPrompt)
	b.keys("B")
	b.beams(1)
	for i := 2; i <= n; i++ {
		b.keys("n")
		b.beams(i)
	}
	b.keys("?", "esc") // what was said when it opened goes
	return b
}

func TestBeamFrame(t *testing.T) {
	t.Parallel()
	sameFrame(t, beamAt(t, 6, 120, 36).frame(), "beam-120x36")
}

// The numbers of the tree, the candidates and the greedy text are the
// search's own, and the cut line stands after the best four.
func TestBeamViewShowsTheSearch(t *testing.T) {
	t.Parallel()
	b := beamAt(t, 6, 120, 40)
	s := b.m.Lane().View.Beam.Last()
	lines := strings.Split(b.frame(), "\n")
	at := func(s string) int {
		for i, line := range lines {
			if strings.Contains(line, s) {
				return i
			}
		}
		return -1
	}
	cut := at("the best 4 of 8 candidates go on")
	if head := at("hypothesis"); head < 0 || cut != head+5 {
		t.Errorf("the cut line is on line %d, the head on %d:\n%s", cut, head, b.frame())
	}
	if !strings.Contains(lines[cut+1], "✗") || strings.Contains(lines[cut-1], "✗") {
		t.Errorf("✗ on the wrong side of the line:\n%s", b.frame())
	}
	if want := strings.Trim(b.m.Lane().Vocab().Piece(s.Groups[0].Candidates[0].Node.Token), " "); !strings.Contains(lines[cut-4], want) {
		t.Errorf("the first candidate is not %q:\n%s", want, lines[cut-4])
	}
	b.has("● leads")
	b.has("= greedy")
	b.has("no child in the best 4")
}

// Steps go on and back; leaving gives the lane back as it was.
func TestBeamViewGoesBackAndLeaves(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 100, 30)
	b.start(storyPrompt)
	b.keys("n")
	b.steps(1)
	was, text := b.m.Lane().Config, b.m.Lane().View.Text()
	b.keys("B")
	b.beams(1)
	b.keys("n")
	b.beams(2)
	b.keys("b")
	b.beams(1)
	b.keys("right")
	b.beams(2)
	b.keys("left")
	b.beams(1)
	b.keys("esc")
	b.steps(1)
	l := b.m.Lane()
	if !l.Config.Equal(was) || l.View.Text() != text || l.View.Beam != nil {
		t.Errorf("after leaving: %q, wanted %q; beams %v", l.View.Text(), text, l.View.Beam != nil)
	}
	if len(l.Undo) > 0 {
		t.Error("opening and leaving the view can be undone")
	}
}

// A change of length_penalty ranks the texts anew and says which moved.
func TestBeamViewRanksAnew(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("max_new_tokens", 30, sampling.FromFlag)
	b := newBench(t, opt, 120, 40)
	b.start("User: Hello! Who are you?\nAssistant:")
	b.keys("B")
	b.beams(1)
	b.keys(".", ".", "space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
	if len(b.m.Lane().View.Beam.Finished()) < 2 {
		t.Fatalf("one text only")
	}
	b.keys("tab", "tab")
	for range 30 {
		b.keys("-")
	}
	b.tuned()
	if got := b.m.Lane().Config.Float("length_penalty"); got != -2 {
		t.Fatalf("length_penalty %v", got)
	}
	search := b.m.Lane().View.Beam
	for i, h := range search.Finished() {
		if best := search.Result()[0]; h.Score > best.Score {
			t.Errorf("text %d has %v, the best %v", i+1, h.Score, best.Score)
		}
	}
	b.has("length^−2.00")
	b.keys("u")
	b.tuned()
	if b.m.Lane().Config.Int("num_beams") != 4 {
		t.Error("undo turned the search off")
	}
}

func TestBeamViewAlongTheWinner(t *testing.T) {
	t.Parallel()
	b := beamAt(t, 6, 60, 20)
	var path []int32
	for _, n := range b.m.Lane().View.Beam.Tree().Nodes {
		if n.Winning && n.Node != nil {
			path = append(path, n.Node.Token)
		}
	}
	if len(path) != 6 {
		t.Fatalf("the winner has %d tokens", len(path))
	}
	for i := len(path) - 1; i >= 0; i-- {
		b.keys("[")
		// The node under the cursor is in view, however narrow the window.
		if label := "▸" + run.StripLabel(testModel().Vocab(), path[i], false); !strings.Contains(b.frame(), label) {
			t.Errorf("token %d of the winner, %s, is out of sight:\n%s", i+1, label, b.frame())
		}
	}
	b.keys("[")
	b.has("the winner's first token")
	b.has("step 1 of 6")
}

// Two groups may hold one text; a change that moves nothing says so.
func TestBeamGroupsMoveNothing(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("num_beams", 4, sampling.FromFlag).MustWith("num_beam_groups", 2, sampling.FromFlag).MustWith("do_sample", false, sampling.FromFlag)
	b := newBench(t, opt, 120, 40)
	ids, err := engine.Prompt(t.Context(), b.m.Lane().Model, storyPrompt)
	if err != nil {
		t.Fatal(err)
	}
	b.send(run.PromptMsg{Lane: 0, Text: storyPrompt, IDs: ids, Err: nil})
	b.keys("B")
	b.beams(1)
	b.has("in 2 groups")
	b.has("group 2 of 2")
	b.keys("+")
	b.tuned()
	b.has("every text keeps its place")
}

// v turns plain beams into diverse and sampled ones, and back.
func TestKindsOfBeams(t *testing.T) {
	t.Parallel()
	b := beamAt(t, 2, 120, 40)
	b.has("v diverse beams")
	b.keys("v")
	b.wait(func(v engine.View) bool { return v.Beam != nil && v.Beam.Settings.Groups == 2 })
	b.has("in 2 groups")
	b.has("v sampled beams")
	b.keys("v")
	b.wait(func(v engine.View) bool { return v.Beam != nil && v.Beam.Settings.Sample })
	b.has("beam sampling")
	b.keys("v")
	b.wait(func(v engine.View) bool {
		return v.Beam != nil && !v.Beam.Settings.Sample && v.Beam.Settings.Groups == 1
	})
	b.has("beam search")
}

func TestContrastiveView(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("penalty_alpha", 0.6, sampling.FromFlag).MustWith("top_k", 4, sampling.FromFlag)
	b := newBench(t, opt, 100, 30)
	ids, err := engine.Prompt(t.Context(), b.m.Lane().Model, storyPrompt)
	if err != nil {
		t.Fatal(err)
	}
	b.send(run.PromptMsg{Lane: 0, Text: storyPrompt, IDs: ids, Err: nil})
	b.keys("B")
	b.wait(func(v engine.View) bool {
		return v.Contrastive != nil && len(v.Contrastive.Steps) == 1 && v.Phase == engine.Paused
	})
	b.has("contrastive search · step 1 · penalty_alpha 0.60 · top_k 4")
	b.has("likeness")
	b.has("n step · b back · space run · -/+ value · ↑↓ setting · esc lab")
	b.has("▸ penalty_alpha")
	b.lacks("dead ends")
	b.keys("n")
	b.wait(func(v engine.View) bool { return v.Contrastive != nil && len(v.Contrastive.Steps) == 2 })
	b.keys("b")
	b.wait(func(v engine.View) bool { return v.Contrastive != nil && len(v.Contrastive.Steps) == 1 })
}

func specAt(t testing.TB, n, w, h int) *bench {
	b := newBench(t, withModels(testOptions(t)), w, h)
	b.m.Pace = len(run.Paces) - 1
	b.start("Once upon a time there was a little")
	b.keys("S")
	b.rounds(1)
	for i := 2; i <= n; i++ {
		b.keys("n")
		b.rounds(i)
	}
	return b
}

func TestSpeculativeView(t *testing.T) {
	t.Parallel()
	b := specAt(t, 3, 100, 30)
	r := b.m.Lane().View.Draft.Last()
	b.has("speculative · round 3 · " + strconv.Itoa(r.Accepted) + " of 4 accepted")
	b.has("draft fable-draft")
	b.has("accepted in a round")
	b.has("plain step")
	if r.Accepted < 4 {
		b.has("refused: draw again from max(p − q, 0)")
		b.has("residual")
	}
	b.keys("b")
	b.has("round 2 of 3")
	b.keys("[")
	b.keys("esc")
	b.has("round 3 ·")
	b.keys("-")
	b.wait(func(v engine.View) bool {
		return v.Draft != nil && v.Next != nil && v.Draft.Last().K == 3
	})
	b.has("k 3, draft")
	b.keys("esc")
	b.wait(func(v engine.View) bool { return v.Draft == nil && v.Next != nil && v.Next.Round == nil })
}

// The exact rule agrees with the target; a wrong one, chosen with o, differs.
func TestProof(t *testing.T) {
	t.Parallel()
	b := specAt(t, 2, 100, 30)
	b.m.screen.View.(*draft.View).Draws = 20_000
	b.keys("d")
	b.has("verdict: agrees")
	b.has("by calculation this rule is exact")
	b.keys("o", "o")
	b.has("rule no_residual")
	b.has("verdict: differs")
	b.keys("esc")
	b.wait(func(v engine.View) bool {
		return v.Draft != nil && v.Next != nil && !v.Draft.Last().Algorithm.IsExact()
	})
	b.has("(wrong)")
	b.keys("esc")
	b.wait(func(v engine.View) bool { return v.Draft == nil && v.Next != nil })
}

// The drafts that need no file are offered one after the other: another model,
// the model without a layer, the text, its own guesses; and rules of several
// drafts only where they can judge.
func TestDraftsOffered(t *testing.T) {
	t.Parallel()
	b := specAt(t, 2, 140, 40)
	for _, want := range []string{"draft fable without layer 3", "draft ngram", "draft lookahead", "draft fable-draft"} {
		b.keys("x")
		b.wait(func(v engine.View) bool {
			return v.Draft != nil && v.Next != nil && "draft "+v.Draft.Last().Drafter == want
		})
		b.has(want)
	}
	for _, a := range speculative.Algorithms()[1:] { // past the rules of one draft
		b.keys("o")
		if a.Algorithm == speculative.SpecInfer {
			break
		}
	}
	b.wait(func(v engine.View) bool {
		return v.Draft != nil && v.Next != nil && v.Draft.Last().Algorithm == speculative.SpecInfer
	})
	b.has("rule specinfer")
	r := b.m.Lane().View.Draft.Last()
	if len(r.Trials) == 0 || len(r.Branches) == 0 {
		t.Fatalf("%+v", r)
	}
	b.has("drafts, k 4, draft fable-draft")
	b.has("run in 1 pass")
	for range 8 {
		b.keys("left")
	}
	b.keys("i")
	b.has("stands with")
	b.keys("o")
	b.wait(func(v engine.View) bool {
		return v.Draft != nil && v.Next != nil && v.Draft.Last().Algorithm == speculative.SpecTr
	})
	b.keys("x") // a layer less: spectr goes on
	b.keys("x") // the text: it cannot
	b.wait(func(v engine.View) bool {
		return v.Draft != nil && v.Next != nil && v.Draft.Last().Drafter == "ngram" && v.Draft.Last().Algorithm == speculative.Exact
	})
	b.keys("enter", "ctrl+u", "tab", "tab", "tab", "enter")
	b.keys("enter", "ctrl+u")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("self:9")})
	b.keys("enter")
	b.has("self:9: layer 9: must be from 1 to 5")
}

func TestNGramDraft(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 100, 30) // no model can be opened
	b.start("one two three one two")
	b.keys("S")
	b.rounds(1)
	b.has("draft ngram")
	b.keys("enter", "ctrl+u")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("other.gguf")})
	b.keys("enter")
	b.has("ngram needs none")
}

// Every view of a strategy draws exactly at every class, with something in it,
// and drawing changes nothing.
func TestStrategyViewsAreExact(t *testing.T) {
	t.Parallel()
	sizes := classSizes()
	for name, b := range map[string]*bench{
		"beam": beamAt(t, 9, 120, 40), "speculative": specAt(t, 3, 120, 40), "constraint": constraintAt(t, 4, 120, 40), "constraint off": constraintAt(t, 4, 120, 40),
	} {
		t.Run(name, func(t *testing.T) {
			if name == "constraint off" {
				b.keys("x")
				b.tuned()
			}
			for _, s := range sizes {
				b.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
				one := b.frame()
				exact(t, one, s[0], s[1], name)
				if b.frame() != one {
					t.Fatalf("%s draws differently the second time", name)
				}
			}
			b.send(tea.WindowSizeMsg{Width: 100, Height: 30})
			exact(t, b.m.draw().Render(b.m.pal), 100, 30, name)
		})
	}
}

// Every key does something in every view of a strategy, or says why not.
func TestNoDeadKeyInStrategies(t *testing.T) {
	t.Parallel()
	for i, tt := range []struct {
		name string
		make func() *bench
	}{
		{"beam", func() *bench { return beamAt(t, 3, 100, 30) }},
		{"speculative", func() *bench { return specAt(t, 2, 100, 30) }},
		{"constraint", func() *bench { return constraintAt(t, 2, 100, 30) }},
		{"no constraint", func() *bench {
			b := newBench(t, testOptions(t), 100, 30)
			b.start(storyPrompt)
			b.keys("J")
			return b
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := tt.make()
			screen, constraint := b.m.screen, b.m.Lane().Config.Text("constraint")
			for k, a := range newKeymap(actions()).list {
				switch {
				case testing.Short() && k%4 != i: // each key in one of the views
					continue
				case a.ID == kit.ActQuit || a.ID == kit.ActInterrupt || len(a.Keys()) == 0 || a.ID == kit.ActClose:
					continue
				case b.m.screen.View != screen.View || len(b.m.All) > 1 || b.m.Lane().Config.Text("constraint") != constraint: // a key led elsewhere
					b = tt.make()
					screen = b.m.screen
				}
				b.m.overlays = nil
				if f, ok := b.m.screen.View.(interface{ Typing() bool }); ok && f.Typing() {
					b.keys("esc") // else the key moves in the field
				}
				b.m.Notice.Text = ""
				before, config, undo := b.frame(), b.m.Lane().Config, len(b.m.Lane().Undo)
				b.keys(strings.ReplaceAll(a.Keys()[0], " ", "space"))
				if b.frame() == before && b.m.Notice.Text == "" && b.m.Lane().Config.Equal(config) && len(b.m.Lane().Undo) == undo && !b.m.overlaid() && !posted[a.ID] && a.ID != kit.ActBack && a.ID != kit.ActLeft && a.ID != kit.ActLeft10 {
					t.Errorf("%s (%s) changed nothing and said nothing", a.ID, a.Keys()[0])
				}
			}
		})
	}
}

// A search draws no token: the lab shows the text that leads, how far it is
// and where to see it, and keeps all of it when the search is over.
func TestLabShowsTheSearchesText(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]sampling.Config{
		"beam search":        testOptions(t).Config.MustWith("num_beams", 3, sampling.FromFlag),
		"contrastive search": testOptions(t).Config.MustWith("penalty_alpha", 0.6, sampling.FromFlag).MustWith("top_k", 4, sampling.FromFlag),
	} {
		t.Run(name, func(t *testing.T) {
			opt := testOptions(t)
			opt.Config = config.MustWith("max_new_tokens", 8, sampling.FromFlag)
			b := newBench(t, opt, 120, 40)
			ids, err := engine.Prompt(t.Context(), b.m.Lane().Model, storyPrompt)
			if err != nil {
				t.Fatal(err)
			}
			b.send(run.PromptMsg{Lane: 0, Text: storyPrompt, IDs: ids, Err: nil})
			b.wait(func(v engine.View) bool { return v.Phase == engine.Paused && len(v.Prompt) > 0 })
			b.keys("n")
			b.wait(func(v engine.View) bool { return len(v.Written) > 0 && v.Phase == engine.Paused })
			b.has(storyPrompt + "╎" + b.m.Lane().View.Text() + "▌")
			b.has("1 step in")
			b.keys(".", ".", "space")
			b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
			text := b.m.Lane().View.Text()
			if text == "" {
				t.Fatal("no text")
			}
			b.has(storyPrompt + "╎" + text + "■")
			b.has("8 of 8 tokens")
			b.has(name)
			b.has("8 steps in")
			b.has("ended by max_new_tokens")
		})
	}
}
