package lesson

import (
	"slices"
	"testing"
	"unicode/utf8"
)

// The built-in lessons can be read beside the bars: ten minutes, a few tasks of
// few words, code that fits half a window, and an answer that is not always
// the first.
func TestBuiltinIsReadable(t *testing.T) {
	n := names
	n.Exports = []string{"vllm"}
	list, faults := Builtin(n)
	if len(faults) > 0 || len(list) != 14 {
		t.Fatalf("%d lessons, faults %v; want 14 and none", len(list), faults)
	}
	choices, first := 0, 0
	for i, l := range list {
		if l.Order != i+1 || l.Minutes < 6 || l.Minutes > 12 || len(l.Tasks) < 3 || len(l.Tasks) > 6 || l.Section == "" {
			t.Errorf("%s: order %d, %d minutes, %d tasks, section %q", l.ID, l.Order, l.Minutes, len(l.Tasks), l.Section)
		}
		if !slices.ContainsFunc(l.Intro, func(b Block) bool { return b.Kind == Code && b.Lang == "python" && len(b.Lines) <= 10 }) {
			t.Errorf("%s: no code of at most ten lines before the first task", l.ID)
		}
		asked := 0
		for k, task := range l.Tasks {
			prose := append(append(Prose{}, task.Text...), task.Reveal...)
			for _, b := range append(prose, l.Intro...) {
				for _, line := range b.Lines {
					if w := utf8.RuneCountInString(line); w > 56 {
						t.Errorf("%s: a line of code has %d cells, want at most 56: %s", l.ID, w, line)
					}
				}
			}
			if w := len(prose.Plain()); w > 800 {
				t.Errorf("%s, task %d: %d bytes of text to read at once", l.ID, k+1, w)
			}
			if task.Predict == nil {
				continue
			}
			asked++
			for c, o := range task.Predict.Choices {
				if o.Right {
					if choices++; c == 0 {
						first++
					}
				}
			}
		}
		if asked == 0 {
			t.Errorf("%s asks nothing", l.ID)
		}
	}
	if first*4 > choices {
		t.Errorf("the right answer is the first of %d choices out of %d", first, choices)
	}
}
