package lessons

import (
	"os"
	"slices"
	"strings"
	"testing"

	"logitscope/engine/lesson"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/presets"
	"logitscope/presets/exchange"
)

func checker(t *testing.T) *Checker {
	t.Helper()
	c, err := newChecker(func(name string) (models.Model, error) {
		if name == lesson.FableDraft {
			return fable.OpenDraft(llama.Options{})
		}
		return fable.Open(llama.Options{})
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func check(t *testing.T, c *Checker, l *lesson.Lesson) []Verdict {
	t.Helper()
	v, err := c.Check(t.Context(), l)
	if err != nil || len(v) != len(l.Tasks) {
		t.Fatalf("%d verdicts of %d: %v", len(v), len(l.Tasks), err)
	}
	return v
}

// minimal checks that every task of l is right, and that no line of a solution
// can be left out: a check that did not look would let a solution through that
// proves nothing.
func minimal(t *testing.T, c *Checker, l *lesson.Lesson) {
	t.Helper()
	for _, v := range check(t, c, l) {
		if !v.OK {
			t.Errorf("task %d, line %d: %s", v.Task, v.Line, v.Why)
		}
	}
	for i, task := range l.Tasks {
		for k, cmd := range task.Solution {
			less := *l
			less.Tasks = slices.Clone(l.Tasks[:i+1])
			less.Tasks[i].Solution = slices.Delete(slices.Clone(task.Solution), k, k+1)
			if v := check(t, c, &less); v[i].OK {
				t.Errorf("task %d holds without line %d: %s", i+1, cmd.Line, cmd.Text)
			}
		}
	}
}

func TestSolutionsAreMinimal(t *testing.T) {
	list, faults := lesson.Builtin(Names())
	if len(faults) > 0 || len(list) != 14 {
		t.Fatalf("%d lessons, faults %v; want 14 and none", len(list), faults)
	}
	c := checker(t)
	for _, l := range list {
		t.Run(l.ID, func(t *testing.T) { minimal(t, c, l) })
	}
}

// The lesson that was written with the guide alone is right.
func TestLessonOfTheGuide(t *testing.T) {
	l, faults, err := ReadFile("../../docs/lesson-ending.md")
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	minimal(t, checker(t), l)
}

// The lesson printed in the guide is one that holds.
func TestLessonInTheGuide(t *testing.T) {
	b, err := os.ReadFile("../../docs/lessons.md")
	if err != nil {
		t.Fatal(err)
	}
	const fence = "````\n"
	parts := strings.SplitN(string(b), fence, 3)
	if len(parts) != 3 {
		t.Fatal("the guide has no lesson between four backquotes")
	}
	l, faults, err := Read(strings.NewReader(parts[1]), "guide")
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	minimal(t, checker(t), l)
}

// The settings printed in the lesson on presets are those of the presets: each
// call is imported as anybody's file would be.
func TestListingsImport(t *testing.T) {
	list, _ := lesson.Builtin(Names())
	i := slices.IndexFunc(list, func(l *lesson.Lesson) bool { return l.ID == "presets" })
	code := list[i].Intro[slices.IndexFunc(list[i].Intro, func(b lesson.Block) bool { return b.Kind == lesson.Code })]
	for call, name := range []string{"factual", "chat", "creative"} {
		in, err := exchange.Import([]byte(strings.Join(code.Lines, "\n")), "listing.py", exchange.Options{Call: call + 1})
		if err != nil || in.Calls != 3 || len(in.Unread) != 2 || len(in.Unknown) > 0 { // the two other calls
			t.Fatalf("%s: %v, %+v", name, err, in)
		}
		p, err := presets.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"temperature", "top_p", "top_k", "repetition_penalty", "do_sample"} {
			want, set := p.Config.Lookup(key)
			got, has := in.Config.Lookup(key)
			if set && (!has || got.Value != want.Value) {
				t.Errorf("%s: the listing has %s %v, the preset %v", name, key, got.Value, want.Value)
			}
		}
	}
}
