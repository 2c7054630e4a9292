package tui

import (
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/sampling"
)

// At the end of a text no view offers a key that only says that the text has
// ended, and the header of a search does not show the lane's own cache.
func TestFootersAtTheEnd(t *testing.T) {
	for _, open := range []string{"", "z", "T", "C", "B", "S", "J"} {
		opt := withModels(testOptions(t))
		opt.Config = opt.Config.MustWith("max_new_tokens", 3, sampling.FromFlag)
		b := newBench(t, opt, 160, 45)
		b.m.pace = len(paces) - 1
		b.start(storyPrompt)
		if open != "B" && open != "S" {
			b.keys("space")
			b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
		}
		if open != "" {
			b.keys(open)
		}
		switch open {
		case "B":
			b.beams(1)
		case "S":
			b.rounds(1)
		case "C":
			b.pump(func() bool { return b.m.lanes[1].view.Phase == engine.Done })
		}
		if open == "B" || open == "S" {
			if head, _, _ := strings.Cut(b.frame(), "\n"); strings.Contains(head, "kv ") {
				t.Errorf("%s: the header shows the lane's cache: %s", open, head)
			}
			b.keys("space")
			b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
		}
		for _, s := range b.m.footerSpans(b.m.w, classOf(b.m.w, b.m.h)) {
			if s.id == "run" || s.id == "next" {
				t.Errorf("%q: the footer offers %q", open, s.text)
			}
		}
		if open != "J" { // nothing is under a constraint there
			b.has("r again")
		}
	}
}

// The header of a lane that was copied does not pass off a token as the
// reading of its prompt.
func TestHeaderOfACopiedLane(t *testing.T) {
	b := newBench(t, testOptions(t), 160, 45)
	b.start(storyPrompt)
	b.has("prefill 14 tok")
	b.keys("C")
	b.pump(func() bool { return b.m.lanes[1].view.Next != nil })
	b.keys("enter")
	if b.m.lane() != b.m.lanes[1] {
		t.Fatal("the lab shows the first lane")
	}
	if strings.Contains(b.frame(), "prefill") {
		t.Errorf("the header of a copy: %s", strings.SplitN(b.frame(), "\n", 2)[0])
	}
}
