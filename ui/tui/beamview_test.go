package tui

import (
	"testing"

	"logitscope/engine"
	"logitscope/sampling"
)

// A preset taken after the end of a search leaves it a search without chance,
// and at rest, though the preset draws by chance and allows a longer text.
func TestPresetAfterASearch(t *testing.T) {
	opt := testOptions(t)
	opt.Config = opt.Config.MustWith("max_new_tokens", 5, sampling.FromFlag)
	b := newBench(t, opt, 120, 40)
	b.start(storyPrompt)
	b.m.pace = len(paces) - 1
	b.keys("B")
	b.beams(1)
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
	b.keys("3")
	b.tuned()
	b.wait(func(v engine.View) bool { return v.Phase == engine.Paused })
	l := b.m.lane()
	if n := len(l.view.Beam.Steps); n != 5 || l.view.Beam.Settings.Sample {
		t.Errorf("%d steps, by chance: %v", n, l.view.Beam.Settings.Sample)
	}
	b.has("beam search · step 5 ·")
}
