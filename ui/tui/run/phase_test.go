package run

import (
	"testing"

	"logitscope/engine"
)

// From a thousand on the header's counts have a comma, as all others.
func TestPhaseCounts(t *testing.T) {
	l := &Lane{View: engine.View{Phase: engine.Paused, Steps: make([]*engine.Step, 1100)}}
	l.Look.At = 1099
	if got := PhaseWords(l); got != "‖ step 1,099 of 1,100" {
		t.Errorf("%q", got)
	}
	l.Look.At, l.View.Phase = 0, engine.Failed
	if got := PhaseWords(l); got != "! failed at step 1,101" {
		t.Errorf("%q", got)
	}
}
