package files

import (
	"testing"

	"logitscope/sampling"
)

func TestWholeConfigLeavesTheSeedOut(t *testing.T) {
	c := sampling.Config{}.MustWith("seed", 3, sampling.FromYou)
	if got := wholeConfig(c); got != "everything off" {
		t.Errorf("got %q", got)
	}
}
