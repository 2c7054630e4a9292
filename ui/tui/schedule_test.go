package tui

import (
	"testing"
)

// The screen shows under which preset each token was written where a schedule
// changes them, and a knob turned on the way keeps the schedule.
func TestScheduleOnTheScreen(t *testing.T) {
	t.Parallel()
	opt := withModels(testOptions(t))
	opt.ConfigDir = t.TempDir()
	b := newBench(t, opt, 100, 30)
	b.start(storyPrompt)
	l := b.m.Lane()
	if !b.m.Set("schedule", []string{"at token 2: creative", "at token 4: factual"}) {
		t.Fatal("the schedule was not taken")
	}
	for i := 1; i <= 5; i++ {
		b.keys("n")
		b.steps(i)
	}
	v := l.View
	for k, want := range []string{"chat", "creative", "creative", "factual"} {
		if got := v.Steps[k].Settings.Label; got != want && got != want+"*" {
			t.Errorf("token %d was written under %s, want %s", k+1, got, want)
		}
	}
	b.m.Set("min_p", 0.01)
	b.keys("n")
	b.steps(6)
	if got := l.Config.Strings("schedule"); len(got) != 2 {
		t.Errorf("after a change the schedule is %q", got)
	}
	if got := l.View.Steps[len(l.View.Steps)-1].Settings.Label; got != "factual" {
		t.Errorf("after a change: %s", got)
	}
	// A preset saved now can be named by a rule.
	if err := b.m.presets.Save("warm", "", l.Config.Without("schedule"), false); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Comp.Settings(l.Config.MustWith("schedule", []string{"at token 9: warm"}, 0), ""); err != nil {
		t.Error(err)
	}
}
