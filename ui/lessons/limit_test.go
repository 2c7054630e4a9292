package lessons

import (
	"strings"
	"testing"
	"time"

	"logitscope/engine/lesson"
)

// A lesson that would never end is told so, at the task that it does not leave.
func TestEndlessLesson(t *testing.T) {
	const endless = "# T\n\n```lesson\nid: endless\nmodel: table:two\n```\n```table two\n" +
		`{"kind":"markov1","vocab":["<end>","a"],"bos_id":1,"eos_id":0,"context":2000000000,"logits":[[null,0],[null,0]]}` +
		"\n```\n\n## A\n\n```setup\nprompt: a\n```\n```goal\nsteps = 3 : three\n```\n```solution\nsteps 2\n```\n## B\n```goal\nended = \"eos\" : an end that never comes\n```\n```solution\nset max_new_tokens=2000000000\ndone\n```\n"
	l, faults := lesson.Parse([]byte(endless), "endless.md", Names())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	c := checker(t)
	c.Limit = time.Second
	v, err := c.Check(t.Context(), l)
	if err != nil || len(v) != 2 || !v[0].OK || v[1].OK || v[1].Task != 2 || v[1].Line != 22 || !strings.Contains(v[1].Why, "longer than 1s") {
		t.Errorf("%+v, %v", v, err)
	}
}
