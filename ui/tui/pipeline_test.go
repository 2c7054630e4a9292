package tui

import (
	"math"
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/ui/tui/lab"
	"logitscope/viz"
)

// Greedy stands once at the end of the pipeline, in the draw's place, and its
// token is the best of those that reached it.
func TestOneLinerOfGreedy(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("do_sample", false, sampling.FromFlag).MustWith("min_new_tokens", 5, sampling.FromFlag).
		MustWith("repetition_penalty", 1.0, sampling.FromFlag)
	b := newBench(t, opt, 120, 40)
	b.start(storyPrompt)
	b.has("4,096 ▸ min new 5 → 4,095 left ▸ greedy → 1 left")
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
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	tr := *b.m.Lane().Step().Trace
	drawn, strip := tr.Token, lab.Spans(&tr, b.m.Lane().Vocab(), false)
	b.keys("down", "f") // a survivor, which the draw did not fall on
	b.steps(1)
	b.keys("left")
	s := b.m.Lane().Step()
	if !s.Forced || s.Drawn != drawn || s.Token == drawn {
		t.Fatalf("forced %v: token %d, drawn %d, want %d", s.Forced, s.Token, s.Drawn, drawn)
	}
	b.has("; the draw u " + viz.Three(tr.U) + " would have taken " + b.m.Lane().Piece(drawn, false))
	for i, x := range lab.Spans(s.Trace, b.m.Lane().Vocab(), false) {
		if math.Abs(x.Hi-strip[i].Hi) > 1e-6 {
			t.Errorf("%s ends at %v on the strip, not at %v", x.Label, x.Hi, strip[i].Hi)
		}
	}
}

// A stage that cannot move any further says at which end it is.
func TestMoveStageEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	b.m.lab.Focus, b.m.Stage = lab.PanePipeline, 1
	b.keys("<")
	b.has("is first already")
	b.m.Stage = len(b.m.Lane().Step().Trace.Stages()) - 1
	b.keys(">")
	b.has("is last already")
}

// What picks the token stays last, and the line says so.
func TestMoveStagePastThePick(t *testing.T) {
	t.Parallel()
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("order", "llama.cpp", sampling.FromFlag).MustWith("adaptive_target", 0.3, sampling.FromFlag)
	b := newBench(t, opt, 120, 40)
	b.start(storyPrompt)
	b.m.lab.Focus = lab.PanePipeline
	for i, key := range []string{"<", ">"} {
		b.m.Stage = len(b.m.Lane().Step().Trace.Stages()) - 1 - i
		order := b.m.Lane().ShownConfig().Order()
		b.keys(key)
		b.has("adaptive_p stays last: it picks the token")
		if b.m.Lane().ShownConfig().Order() != order {
			t.Errorf("%s: the order is %s", key, b.m.Lane().ShownConfig().Order())
		}
	}
}

// The projector's title counts the tokens before and after the settings, at
// every width.
func TestProjectorCountsBothLaws(t *testing.T) {
	t.Parallel()
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
