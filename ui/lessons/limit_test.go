package lessons

import (
	"context"
	"strings"
	"testing"
	"time"

	"logitscope/engine/lesson"
)

// A lesson that takes too long is told so, at the task that it does not leave;
// one that was interrupted is an error.
func TestLimit(t *testing.T) {
	text, err := lesson.Template("t")
	if err != nil {
		t.Fatal(err)
	}
	l, faults := lesson.Parse([]byte(text), "t.md", Names())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	c := checker(t)
	c.Limit = time.Nanosecond
	v, err := c.Check(t.Context(), l)
	if err != nil || len(v) != 1 || v[0].OK || v[0].Task != 1 || v[0].Line != l.Tasks[0].Line || !strings.Contains(v[0].Why, "longer than 1ns") {
		t.Errorf("%+v, %v", v, err)
	}
	c.Limit = 0
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if v, err := c.Check(ctx, l); err == nil {
		t.Errorf("interrupted: %+v", v)
	}
}
