package tui

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/presets"
	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/store"
	"logitscope/ui/tui/course"
)

// lessonOptions are those of a lab on the built-in model with its lessons, the
// one called id open.
func lessonOptions(t *testing.T, id string) Options {
	t.Helper()
	list, faults := lesson.Builtin(lesson.Names{
		Preset:  func(name string) (sampling.Config, error) { p, err := presets.Named(name); return p.Config, err },
		Exports: exchange.TargetNames(),
	})
	for _, f := range faults {
		t.Fatal(f)
	}
	opt := testOptions(t)
	opt.OpenModel = func(name string) (models.Model, error) {
		if name == lesson.FableDraft {
			return fable.OpenDraft(llama.Options{})
		}
		return fable.Open(llama.Options{})
	}
	m, err := opt.OpenModel(lesson.Fable)
	if err != nil {
		t.Fatal(err)
	}
	opt.Model, opt.Lessons.List, opt.Lessons.Start, opt.Lessons.Preset = m, list, opt.Config, opt.PresetName
	for _, l := range list {
		if l.ID == id {
			opt.Lessons.Open = l
		}
	}
	return opt
}

// A reader is somebody in front of a lab with a lesson open.
type reader struct {
	*Offscreen
	t *testing.T
}

func read(t *testing.T, opt Options, w, h int) reader {
	t.Helper()
	o, err := NewOffscreen(t.Context(), opt, w, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return reader{o, t}
}

// keys presses keys, parted by blanks; "-*14" is one of them fourteen times.
func (r reader) keys(list string) {
	r.t.Helper()
	for _, name := range strings.Fields(list) {
		n := 1
		if key, times, ok := strings.Cut(name, "*"); ok && times != "" {
			name, n = key, 0
			for _, d := range times {
				n = 10*n + int(d-'0')
			}
		}
		for range n {
			if err := r.Press(name); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

func (r reader) has(words ...string) {
	r.t.Helper()
	for _, s := range words {
		if !strings.Contains(r.Frame().Text(), s) {
			r.t.Errorf("the screen lacks %q:\n%s", s, r.Frame().Text())
		}
	}
}

func (r reader) lacks(words ...string) {
	r.t.Helper()
	for _, s := range words {
		if strings.Contains(r.Frame().Text(), s) {
			r.t.Errorf("the screen has %q:\n%s", s, r.Frame().Text())
		}
	}
}

// done reports whether the task that is open is done.
func (r reader) done() bool {
	reading, _, _ := r.Lesson()
	return reading.Done
}

// A lesson is passed with the keys of the lab alone, in a large window and in
// a small one; what was seen stays, and nothing goes on by itself.
func TestLessonWalk(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{120, 40}, {80, 24}, {200, 60}, {60, 20}, {40, 12}} {
		r := read(t, lessonOptions(t, "temperature"), size[0], size[1])
		at := func(task int) {
			t.Helper()
			if reading, _, err := r.Lesson(); reading.At != task-1 || err != nil {
				t.Fatalf("%v: at task %d, want %d: %v", size, reading.At+1, task, err)
			}
		}
		r.keys("enter") // what stands before the first task
		at(1)
		r.keys("9 6 . 8 % enter")
		if reading, _, _ := r.Lesson(); !reading.Answered || reading.Answer.Num != 0.968 {
			t.Errorf("%v: the answer is %+v", size, reading.Answer)
		}
		r.keys("-*13")
		if r.done() {
			t.Errorf("%v: done one key too early", size)
		}
		r.keys("-")
		if !r.done() {
			t.Fatalf("%v: temperature 0.30 is not met:\n%s", size, r.Frame().Text())
		}
		r.keys("- -") // what was met stays
		at(1)
		if !r.done() {
			t.Errorf("%v: what was met is lost", size)
		}
		r.keys("enter")
		at(2)
		r.keys("enter +*10")
		at(2)
		if r.done() {
			t.Errorf("%v: 1.50 is enough", size)
		}
		r.keys("+ enter")
		at(3)
		r.keys("enter") // the wrong line
		if reading, _, _ := r.Lesson(); !reading.Answered {
			t.Errorf("%v: no answer", size)
		}
		r.keys("-*8 enter")
		at(4)
		r.keys("x -*14 V esc")
		if !r.done() {
			t.Errorf("%v: task 4 is not done:\n%s", size, r.Frame().Text())
		}
		r.keys("enter")
		r.has("━ lessons ━")
	}
}

// Frames of a lesson in every class of window.
func TestLessonFrames(t *testing.T) {
	t.Parallel()
	for _, f := range []struct {
		name, lesson string
		w, h         int
		keys         string
	}{
		{"intro-120x40", "one-token", 120, 40, ""},
		{"met-120x40", "temperature", 120, 40, "enter ] +*11"},
		{"choice-120x40", "temperature", 120, 40, "enter ] ] down"},
		{"answered-80x24", "temperature", 80, 24, "enter 9 0 enter"},
		{"folded-80x24", "temperature", 80, 24, "enter ] L"},
		{"unfolded-80x24", "temperature", 80, 24, "enter ] +*11"},
		{"intro-200x60", "beams", 200, 60, ""},
		{"folded-60x20", "temperature", 60, 20, "enter ] L"},
		{"read-60x20", "temperature", 60, 20, "enter ]"},
		{"folded-40x12", "temperature", 40, 12, "enter ] L"},
		{"list-80x24", "temperature", 80, 24, "enter ] ] ] enter x x enter"},
	} {
		t.Run(f.name, func(t *testing.T) {
			r := read(t, lessonOptions(t, f.lesson), f.w, f.h)
			r.keys(f.keys)
			file := filepath.Join("testdata", "lessons", f.name+".txt")
			got := ""
			for _, line := range strings.Split(r.Frame().Text(), "\n") {
				got += strings.TrimRight(line, " ") + "\n"
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs:\n%s", file, diff(got, string(want)))
			}
		})
	}
}

// esc takes off one thing a press, the lesson last; L brings it back.
func TestLessonFolds(t *testing.T) {
	t.Parallel()
	r := read(t, lessonOptions(t, "temperature"), 120, 40)
	r.keys("enter ] n V")
	r.has("effective values")
	r.keys("esc")
	r.has("task 2 of 4")
	r.keys("z")
	r.lacks("pipeline")
	r.keys("esc")
	r.has("task 2 of 4", "pipeline")
	r.keys("esc")
	r.lacks("task 2 of 4")
	r.has("L reads on", "␣Copenhagen has at least 1%")
	r.keys("T L") // another view makes room for it as the lab does
	r.has("task 2 of 4", "━ timeline ·", "branches")
	r.keys("tab")
	r.has("L brings them back to the lesson", "╭─ lesson 4")
	r.keys("L i esc")
	r.has("━ lesson 4", "controls", "hint: 1.50")
}

// A view that a setup opens has the lesson above it, or under the lesson where
// the window is low.
func TestLessonOverView(t *testing.T) {
	t.Parallel()
	r := read(t, lessonOptions(t, "valid-not-true"), 120, 40)
	r.keys("enter 0 enter space")
	r.has("structured output · token 15", "Where the model agrees, a constraint is free")
	r = read(t, lessonOptions(t, "valid-not-true"), 80, 24)
	r.has("━ structured output", "adds knowledge.")
	r.keys("enter 0 enter esc")
	r.lacks("━ lesson 11")
	r.has("━ structured output", "○ a whole object, under one bit", "L reads on")
	r.keys("space")
	r.keys("L")
	r.has("a constraint is free")
	r.keys("tab")
	r.lacks("a constraint is free")
	r.keys("esc") // the view
	r.has("╭─ text")
}

// Keys that are not the lesson's are the lab's while it has the focus, and all
// are after tab; digits are an answer only while one is asked for.
func TestLessonKeys(t *testing.T) {
	t.Parallel()
	r := read(t, lessonOptions(t, "temperature"), 120, 40)
	preset := func() int { return r.m.Lane().Preset }
	before := preset()
	r.keys("enter 2 5 backspace")
	r.has("percent: 2▌")
	if preset() != before {
		t.Error("a digit of the answer took a preset")
	}
	r.keys("tab 2")
	if preset() == before {
		t.Error("2 is no preset after tab")
	}
	r.keys("shift+tab backspace") // a digit taken out of the answer, not a knob reset
	r.has("percent: ▌")
	r.keys("backspace") // as the lesson has it
	if preset() != before {
		t.Error("backspace did not set the task up again")
	}
	r.keys("x i")
	r.has("hint: The key - lowers the selected knob")
	r.keys("i")
	r.has("no more hints")
	r.keys("enter")
	r.has("one goal is open")
	r.keys("x")
	r.has("Skipped. Once done it says", "– not answered: 96.8%.")
	r.keys("enter [ [")
	r.has("The model hands over logits")
	r.keys("?")
	r.has("lesson · keys of this pane", "next hint", "task before, task after")
	r.keys("esc tab ?")
	r.lacks("next hint")
}

// The numbers before the answers of a question choose one, whatever they do
// elsewhere; and once a number is begun, words after it are the answer's.
func TestLessonAnswersAreTyped(t *testing.T) {
	r := read(t, lessonOptions(t, "one-token"), 120, 40)
	preset, steps := r.m.Lane().Preset, len(r.m.Lane().View.Steps)
	r.keys("enter")
	r.has("▸ 1 from the row before")
	r.keys("3")
	r.has("▸ 3 from the whole text")
	r.keys("4")
	r.has("4: the answers are 1 to 3", "▸ 3 from the whole text")
	if r.m.Lane().Preset != preset {
		t.Fatal("the number of an answer took a preset")
	}
	r.keys("enter ] 2 space b i t s")
	r.has("in bits: 2 bits▌")
	r.keys("enter")
	r.has("✓ you said 2.00 bits")
	if n := len(r.m.Lane().View.Steps); n != steps || r.m.Lane().Running() {
		t.Fatalf("the words of an answer steered the lab: %d steps", n)
	}
	r.keys("] ] 4 esc")
	r.has("in percent: ▌", "task 4 of 6")
	r.keys("esc")
	r.has("○ task 4 of 6 has a question")
}

// A view that the reader opens has the keys, and the lesson has them again
// when the view is left: ten questions are answered so.
func TestLessonYields(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		r := read(t, lessonOptions(t, "calibrated"), size[0], size[1])
		r.keys("enter ] P")
		r.has("ten chips: what comes next?", "hidden")
		for i := range 10 {
			if r.done() {
				t.Errorf("done after %d questions", i)
			}
			r.keys("down + + enter enter")
		}
		if !r.done() {
			t.Error("ten questions are not enough")
		}
		r.keys("esc")
		r.has("What you saw: Below the rows", "enter goes on to task 3")
	}
}

// In a low window the lesson gives way to the panes while they have the keys;
// what was seen when a task was done stays, whatever the lab shows now.
func TestLessonGivesWay(t *testing.T) {
	t.Parallel()
	r := read(t, lessonOptions(t, "temperature"), 80, 24)
	r.keys("enter ] +*11")
	r.has("task 2 of 4", "fell from 59.1% to 37.3%")
	r.keys("+*3")
	r.has("now 1.21%", "fell from 59.1% to 37.3%")
	r.keys("tab tab tab down up")
	r.has("━ controls ━", "✓ task 2 of 4 is done   L reads on")
	r.lacks("What you saw")
	r.keys("esc") // nothing of the lesson is there to fold
	r.keys("L")
	r.has("What you saw")
	r.lacks("━ controls ━")
	r.keys("tab shift+tab")
	r.has("What you saw")
	r.keys("z tab")
	r.lacks("What you saw")
}

// A setup that fails says so and takes nothing away.
func TestLessonFails(t *testing.T) {
	t.Parallel()
	opt := lessonOptions(t, "beams")
	l := *opt.Lessons.Open
	l.Model = lesson.Model{Name: "other"}
	opt.Lessons.Open, opt.Lessons.List = &l, []*lesson.Lesson{&l}
	opt.Model = testModel()
	opt.OpenModel = nil
	r := read(t, opt, 80, 24)
	r.keys("enter")
	r.has("the model other cannot be opened here")
	r.keys("enter L q")
}

// Who comes back is offered the task to go on with, in the first line and in
// the list; a lesson is found by a word of its title or section.
func TestLessonComesBack(t *testing.T) {
	t.Parallel()
	done := time.Date(2026, 11, 30, 10, 12, 0, 0, time.UTC)
	opt := lessonOptions(t, "")
	opt.Lessons.Progress = map[string]store.LessonProgress{
		"one-token":   {SHA: "of another file", Tasks: []store.TaskProgress{{Done: &done}, {Done: &done}}},
		"temperature": {Tasks: []store.TaskProgress{{Done: &done}, {Skipped: true}}},
	}
	r := read(t, opt, 120, 40)
	r.has("You were in the lessons: Temperature: sharper and flatter, task 3 of 4 is open. L goes on")
	r.keys("L")
	r.has("▸ ○  4 Temperature", "1 of 4", "changed since · 2 of 6", "14 lessons, 0 done (0%), 3 tasks of 53")
	r.keys("enter")
	r.has("task 3 of 4 · the same luck, cooler")
	if n := len(r.m.course.Progress["temperature"].Tasks); n < 3 {
		t.Errorf("%d tasks are kept, want 3", n)
	}

	r = read(t, opt, 80, 24)
	r.has("L goes on with Temperature")
	r.keys("space :")
	for _, key := range "nucleus" {
		r.keys(string(key))
	}
	r.has("lesson 6: Top-p")
	r.keys("enter")
	r.has("lesson 6 · Top-p: as many as it takes")
	r.keys("L L L")
	r.lacks("lesson 6 ·")

	opt.Lessons.Progress["calibrated"] = store.LessonProgress{Tasks: []store.TaskProgress{{Done: &done}}}
	r = read(t, opt, 40, 12)
	r.keys("L")
	r.has("▸ ○ 14 Calib")

	opt.Lessons.Progress = nil
	r = read(t, opt, 80, 24)
	r.lacks("L goes on")
	r.has("e writes a prompt, L has lessons.")
}

// Keys, mouse and sizes at random in every lesson: nothing panics, every frame
// is exact, and what was done stays done.
func TestLessonMonkey(t *testing.T) {
	t.Parallel()
	moves := 120
	if testing.Short() {
		moves = 25
	}
	keys := strings.Fields("enter enter enter up down down tab tab shift+tab i x backspace [ ] ] L L z esc esc n n b - + 0 1 4 2 5 V T C J P B S F ? r u space home end pgdown f")
	opt := lessonOptions(t, "")
	for i, l := range some(opt.Lessons.List, 5) {
		t.Run(l.ID, func(t *testing.T) {
			opt.Lessons.Open = l
			r := read(t, opt, 120, 40)
			random := rand.New(rand.NewPCG(uint64(i), 7))
			done := 0
			var did []string
			for range moves {
				switch n := random.IntN(20); n {
				case 0:
					w, h := 30+random.IntN(180), 8+random.IntN(60)
					did = append(did, fmt.Sprintf("size %dx%d", w, h))
					r.player.Send(tea.WindowSizeMsg{Width: w, Height: h})
				case 1:
					e := tea.MouseMsg{X: random.IntN(r.m.w), Y: random.IntN(r.m.h), Button: []tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonWheelUp, tea.MouseButtonWheelDown}[random.IntN(3)]}
					did = append(did, fmt.Sprintf("mouse %d %d", e.X, e.Y))
					r.player.Send(e)
				default:
					key := keys[random.IntN(len(keys))]
					did = append(did, key)
					r.keys(key)
				}
				exact(t, r.m.View(), r.m.w, r.m.h, fmt.Sprintf("after %q", did))
				n := 0
				for _, task := range r.m.course.Progress[l.ID].Tasks {
					if task.Done != nil {
						n++
					}
				}
				if n < done || len(r.m.panics) > 0 {
					t.Fatalf("%d tasks done, were %d; panics %v after %q", n, done, r.m.panics, did)
				}
				done = n
			}
		})
	}
}

// Beside a goal its terms have the words of the screen: no name of a term or of
// a measure as it is spelled in a lesson, but for parameters, which are keys.
func TestGoalsNameWhatTheyMeasure(t *testing.T) {
	opt := lessonOptions(t, "temperature")
	sc := goal.NewScene(goal.State{Lanes: []goal.Lane{{Model: opt.Model}}})
	seen := map[string]string{}
	for _, l := range opt.Lessons.List {
		for _, task := range l.Tasks {
			for _, g := range task.Goals {
				for _, leaf := range g.Expr.Now(sc) {
					if leaf.Value.Kind == goal.Truth {
						continue
					}
					seen[leaf.Source] = course.Named(leaf, false)
					if _, isKey := param.Lookup(leaf.Term); !isKey && strings.ContainsAny(seen[leaf.Source], `_"(`) {
						t.Errorf("%s: %s is called %s", l.ID, leaf.Source, seen[leaf.Source])
					}
				}
			}
		}
	}
	for source, want := range map[string]string{
		"steps": "tokens –", "forced": "written by you 0", `prob(" United")`: "final ␣United –", "lane(3, perplexity)": "lane 3 perplexity –", "raw_best(2)": "raw of the best 2 –",
	} {
		got := seen[source]
		if i := strings.LastIndex(want, " "); got == "" || !strings.HasPrefix(got, want[:i+1]) {
			t.Errorf("%s is called %q, want %q", source, got, want)
		}
	}
}

// A question that nobody answered stands there with what is right once the task
// is over, and a task that was left out is done when its goals are met after
// all.
func TestLessonWithoutAnAnswer(t *testing.T) {
	r := read(t, lessonOptions(t, "one-token"), 120, 40)
	r.keys("enter n n")
	if reading, _, _ := r.Lesson(); !reading.Done || reading.Answered {
		t.Fatalf("%+v", reading)
	}
	r.has("What was it computed from?", "– not answered: from the whole text, the new token included: The model reads", "What you saw")
	r.keys("backspace x x")
	r.has("Skipped. Once done", "Skipped. enter goes on to task 2")
	r.keys("n n")
	r.has("What you saw", "The goal is met.", "✓ three tokens")
	r.lacks("Skipped")
}

// The knob that a task speaks of is marked in the list at every size, however
// far down it stands.
func TestLessonPointsAtItsKnob(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {200, 60}, {100, 36}} {
		opt := lessonOptions(t, "beams")
		opt.Lessons.Task = 1
		r := read(t, opt, size[0], size[1])
		r.has("▸ num_beams")
		r.m.tutor.Fold()
		r.has("▸ num_beams")
	}
}

// All letters are a token's, so a question for one is left out by enter alone.
func TestLessonAsksForAToken(t *testing.T) {
	src := "# T\n```lesson\nid: t\n```\n## A\n```setup\nprompt: The capital of France is\n```\n```predict\nask: Which is the best?\nkind: token\nanswer: \" Paris\"\n```\n```goal\nsteps >= 9 : nine\n```\n"
	l, faults := lesson.Parse([]byte(src), "t", lesson.Names{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	opt := lessonOptions(t, "")
	opt.Lessons.Open = l
	r := read(t, opt, 80, 24)
	r.keys("x i L")
	r.has("your token (␣ is a blank): xiL▌", "enter answer · esc clear")
	r.keys("esc")
	r.has("your token (␣ is a blank): ▌", "enter without a token leaves it out.")
	r.keys("enter")
	r.has("the question is left out")
	r.lacks("Which is the best?")
}
