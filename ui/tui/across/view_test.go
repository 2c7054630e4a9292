package across

import (
	"strings"
	"sync/atomic"
	"testing"

	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// While texts are written the view says how many there are, and looks again as
// long as the comparison is the one asked for.
func TestProgress(t *testing.T) {
	v := &View{lanes: &run.Lanes{All: make([]*run.Lane, 2)}, done: new(atomic.Int64)}
	v.done.Store(5)
	for _, w := range []int{60, 20, 3, 1} {
		c := viz.NewCanvas(w, 2, false)
		v.Draw(c, nil)
		if w == 60 && (!strings.Contains(c.Text(), "5 of 20 texts written · esc stops") || strings.Count(c.Text(), "█") != 14) {
			t.Errorf("5 of 20 in 58 cells:\n%s", c.Text())
		}
	}
	if v.Follow(nil, tickMsg{v.done}) == nil {
		t.Error("the view does not look again")
	}
	if v.Follow(nil, tickMsg{new(atomic.Int64)}) != nil {
		t.Error("an earlier comparison is still looked at")
	}
	if v.job.Ready = true; v.Follow(nil, tickMsg{v.done}) != nil {
		t.Error("a finished comparison is still looked at")
	}
}

// While texts are written esc stops them, and the footer says so as the box does.
func TestFooterSaysWhatEscDoes(t *testing.T) {
	v := new(View)
	if got := v.Footer(nil)[1].Word; got != "stop" {
		t.Errorf("while it runs esc is %q", got)
	}
	v.job.Ready = true
	if got := v.Footer(nil)[1].Word; got != "" {
		t.Errorf("once it is done esc is %q", got)
	}
}

// A listener hears what is said.
type listener struct {
	kit.Host
	said string
}

func (l *listener) Say(s string) { l.said = s }

// What is left before it is done says that it was stopped; a comparison that is
// done has nothing to say.
func TestLeftBeforeTheEnd(t *testing.T) {
	stopped := 0
	v := &View{lanes: &run.Lanes{All: make([]*run.Lane, 2)}, done: new(atomic.Int64), stop: func() { stopped++ }}
	v.done.Store(5)
	host := new(listener)
	v.Leave(host)
	if host.said != "X: stopped after 5 of 20 texts; X begins again" || stopped != 1 {
		t.Errorf("stopped %d times, says %q", stopped, host.said)
	}
	v.job.Ready, host.said = true, ""
	if v.Leave(host); host.said != "" {
		t.Errorf("says %q", host.said)
	}
}
