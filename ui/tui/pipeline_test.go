package tui

import (
	"math"
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

func words(parts []stagePart) string {
	var out []string
	for _, p := range parts {
		out = append(out, p.text)
	}
	return strings.Join(out, " ▸ ")
}

// Greedy stands once at the end of the pipeline, in the draw's place, and its
// token is the best of those that reached it.
func TestOneLinerOfGreedy(t *testing.T) {
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("do_sample", false, sampling.FromFlag).MustWith("min_new_tokens", 5, sampling.FromFlag).
		MustWith("repetition_penalty", 1.0, sampling.FromFlag)
	b := newBench(t, opt, 120, 40)
	b.start(storyPrompt)
	tr := b.m.Lane().Step().Trace
	for _, tt := range []struct {
		w    int
		want string
	}{
		{60, "logits 4096 ▸ min new 4095 ▸ greedy"}, // 35 cells
		{34, "logits 4096 ▸ … ▸ greedy"},
	} {
		if got := words(oneLiner(tr, tt.w)); got != tt.want {
			t.Errorf("in %d cells %q, want %q", tt.w, got, tt.want)
		}
	}
	b.has("no draw: ␣edge is the best of 4,095")
	b.keys("down", "f")
	b.steps(1)
	b.keys("left")
	b.has("forced ␣old; greedy would have taken ␣edge")
	if strings.Contains(b.frame(), "the draw u") {
		t.Error("greedy is said to have drawn")
	}
}

// A token forced is not the one that the draw fell on, and leaves the strip as
// it was.
func TestForcedTokenAndTheDraw(t *testing.T) {
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	tr := *b.m.Lane().Step().Trace
	drawn, strip := tr.Token, spans(&tr, b.m.Lane().Vocab(), false)
	b.keys("down", "f") // a survivor, which the draw did not fall on
	b.steps(1)
	b.keys("left")
	s := b.m.Lane().Step()
	if !s.Forced || s.Drawn != drawn || s.Token == drawn {
		t.Fatalf("forced %v: token %d, drawn %d, want %d", s.Forced, s.Token, s.Drawn, drawn)
	}
	b.has("; the draw u " + viz.Three(tr.U) + " would have taken " + b.m.Lane().Piece(drawn, false))
	for i, x := range spans(s.Trace, b.m.Lane().Vocab(), false) {
		if math.Abs(x.Hi-strip[i].Hi) > 1e-6 {
			t.Errorf("%s ends at %v on the strip, not at %v", x.Label, x.Hi, strip[i].Hi)
		}
	}
}

// A stage that cannot move any further says at which end it is.
func TestMoveStageEnds(t *testing.T) {
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	b.m.lab.focus, b.m.Stage = panePipeline, 1
	b.keys("<")
	b.has("is first already")
	b.m.Stage = len(b.m.Lane().Step().Trace.Stages()) - 1
	b.keys(">")
	b.has("is last already")
}

// No number of the one-liner can be taken for a setting that is not in force:
// what a cut keeps is said to be that where it could be.
func TestOneLinerIsNoOtherSetting(t *testing.T) {
	tried := 0
	for _, p := range sampling.Params() {
		if !isCut(p.Key) {
			continue
		}
		for _, setting := range []string{"1", "2", "5", "40", "0.05", "0.5", "0.90"} {
			v, err := p.Parse(setting)
			if err != nil {
				continue
			}
			if _, err := (sampling.Config{}).With(p.Key, v, sampling.FromYou); err != nil {
				continue
			}
			for kept := 1; kept < 120; kept++ {
				tried++
				word := stageWord(sampling.StageTrace{Name: p.Key, Setting: setting, Kept: kept, Removed: 7}, 1)
				shown, ok := strings.CutPrefix(word, run.Short(p.Key)+" ")
				if !ok {
					t.Fatalf("%s: %q", p.Key, word)
				}
				read, err := p.Parse(shown)
				if err != nil || shown == setting {
					continue
				}
				if _, err := (sampling.Config{}).With(p.Key, read, sampling.FromYou); err == nil {
					t.Fatalf("%s %s keeps %d: %q reads as another setting", p.Key, setting, kept, word)
				}
			}
		}
	}
	t.Logf("%d cases", tried)
	if tried < 1000 {
		t.Errorf("only %d cases", tried)
	}
}

// The projector's title counts the tokens before and after the settings, at
// every width.
func TestProjectorCountsBothLaws(t *testing.T) {
	for w := 40; w <= 200; w += 10 {
		b := storyAt16(t, w, 40)
		b.keys("z")
		tr := b.m.Lane().Step().Trace
		raw, _ := viz.Many(float64(tr.RawBits))
		final, _ := viz.Many(float64(tr.Bits))
		line := strings.SplitN(b.frame(), "\n", 3)[0]
		if !strings.Contains(line, raw) || !strings.Contains(line, final) {
			t.Errorf("%d wide: %q has not both %s and %s", w, line, raw, final)
		}
	}
}
