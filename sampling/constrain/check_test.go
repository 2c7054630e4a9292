package constrain

import (
	"strings"
	"testing"

	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/schema"
)

func TestCheckerReadsInParts(t *testing.T) {
	t.Parallel()
	g := constraintest.Compile(t, schema.JSON(schema.JSONOptions{}))
	text := `{"naïve": ["日本", 1.5e3]}` + "!"
	want := len([]rune(text)) - 1
	c := g.Checker()
	for i := 0; i < len(text); i++ {
		c.Write([]byte{text[i]})
	}
	if c.Accepted() || c.DeadAt() != want {
		t.Errorf("dead at %d, want %d", c.DeadAt(), want)
	}
	if ok, at := g.Check([]byte(text)); ok || at != want {
		t.Errorf("in one piece: dead at %d, want %d", at, want)
	}
	if ok, _ := g.Check([]byte(strings.TrimSuffix(text, "!"))); !ok {
		t.Error("rejected without the mark")
	}
}
