package lab

import (
	"errors"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// An error is whole on the screen, however long, if the pane has room; if not
// it says that there is more. What can be done stays in view.
func TestErrorsWrap(t *testing.T) {
	model, err := openFable()
	if err != nil {
		t.Fatal(err)
	}
	packed := func(s string) string { return strings.Join(strings.Fields(s), "") }
	word := "server llama-server at http://127.0.0.1:8080 answered " + strings.Repeat("status 500: out of memory, ", 1)
	tried := 0
	for n := 1; n <= 40; n++ {
		for _, sep := range []string{" ", "\n"} {
			why := strings.TrimSpace(strings.Repeat(word+sep, n)) + " END"
			for _, size := range [][2]int{{38, 4}, {60, 8}, {78, 12}, {118, 20}, {198, 40}} {
				tried++
				c := viz.NewCanvas(size[0], size[1], false)
				drawFailed(c, &run.Lane{Model: model, View: engine.View{Phase: engine.Failed, Err: errors.New(why)}})
				text := packed(c.Text())
				whole := strings.Contains(text, packed(why))
				if !strings.Contains(text, packed("Nothing was drawn. e edits the prompt, r tries again.")) || whole == strings.Contains(text, "…") {
					t.Errorf("%d words at %v: whole %v:\n%s", n, size, whole, c.Text())
				}
			}
		}
	}
	t.Logf("%d cases", tried)
}
