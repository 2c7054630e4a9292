package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/quiz"
	"logitscope/ui/tui/join"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/predict"
	"logitscope/viz"
)

// A pretended class writes down what it is told.
type pretended struct {
	told  []string
	asked predict.Asked
	votes []quiz.Guess
	locks bool
	shown Scene
	hands int
	push  Push

	labs    []join.Lab
	watched string
	picture *viz.Canvas
}

func (c *pretended) Ask(q predict.Asked) {
	c.told, c.asked = append(c.told, fmt.Sprint("ask ", len(q.Options))), q
}
func (c *pretended) Standing() kit.Standing {
	return kit.Standing{Here: 31, Voted: len(c.votes), Locked: c.locks}
}
func (c *pretended) Until(t time.Time) { c.told, c.asked.Ends = append(c.told, "until"), t }
func (c *pretended) Reveal(q quiz.Question, hands []quiz.Guess) predict.Votes {
	c.told, c.hands = append(c.told, "reveal"), len(hands)
	p := quiz.NewPool(len(q.Law))
	for _, g := range append(c.votes, hands...) {
		p.Add(g)
	}
	return predict.Votes{Pool: p, Best: []predict.Named{{Name: "amber-owl", Bits: 1.37}}}
}
func (c *pretended) Drop()  { c.told = append(c.told, "drop") }
func (c *pretended) Clear() { c.told = append(c.told, "clear") }
func (c *pretended) Windows() []Window {
	return []Window{{W: 80, H: 24, Depth: viz.NoColors}, {W: 120, H: 40}}
}
func (c *pretended) Show(s Scene)                { c.shown = s }
func (c *pretended) Lock(on bool)                { c.locks = on }
func (c *pretended) Bring(p Push)                { c.push = p }
func (c *pretended) Labs() []join.Lab            { return c.labs }
func (c *pretended) Watch(name string, w, h int) { c.watched = fmt.Sprintf("%s %d×%d", name, w, h) }
func (c *pretended) Seen() *viz.Canvas           { return c.picture }

// said returns what the class was told since the last time.
func (c *pretended) said() string {
	s := strings.Join(c.told, " ")
	c.told = nil
	return s
}

func newClass(t *testing.T, w, h int) (*bench, *pretended) {
	t.Helper()
	c := &pretended{}
	opt := testOptions(t)
	opt.Class, opt.Join = c, join.Card{Web: "http://10.0.0.7:8089/4821", Code: "4821", SSH: "ssh -p 2222 10.0.0.7", Fingerprint: "SHA256:x5KobcfFHjzj9gAMGhqCWD6ReweQcy33VVfjG3cUsuM4"}
	b := newBench(t, opt, w, h)
	b.start(storyPrompt)
	return b, c
}

// A question is asked to the class while the bars hide, its votes are closed
// before they show, and each way out of it tells the class.
func TestClassIsAsked(t *testing.T) {
	t.Parallel()
	b, c := newClass(t, 120, 40)
	b.keys("P")
	if got := c.said(); got != "ask 11" || !strings.HasSuffix(c.asked.Context, "who lived in the …") || !c.asked.Ends.IsZero() || c.asked.Options[10] != "something else" {
		t.Fatalf("%s: %+v", got, c.asked)
	}
	b.m.standing = c.Standing()
	b.has("31 students · 0 voted")
	b.has("0 of 31 voted")
	b.has("join: http://10.0.0.7:8089/4821")
	s := b.m.scene(c.Windows())
	if !s.Hidden || s.Rows != nil || s.Title != "" {
		t.Errorf("a scene tells what is hidden: %+v", s)
	}
	for w, f := range s.Frames {
		if strings.Contains(f, "%") {
			t.Errorf("%v tells a number before the draw:\n%s", w, f)
		}
	}
	for range 4 {
		c.votes = append(c.votes, quiz.AllOn(11, 4), quiz.AllOn(11, 6))
	}
	b.keys("enter")
	if got := c.said(); got != "reveal" {
		t.Errorf("enter: %s", got)
	}
	b.has("◇ 4 of 8, 50.0%")
	b.has("4 of 8 had it   the class as one forecaster")
	b.has("so far 1 question: class")
	b.has("best so far: amber-owl 1.37 (given names)")
	b.keys("x")
	b.lacks("amber-owl")
	if s := b.m.scene(nil); s.Hidden || len(s.Rows) < 10 {
		t.Errorf("the scene after the draw: %+v", s)
	}
	b.keys("left")
	if got := c.said(); got != "drop ask 11" {
		t.Errorf("←: %s", got)
	}
	b.lacks("so far")
	b.keys("esc")
	if got := c.said(); got != "drop" {
		t.Errorf("esc from an open question: %s", got)
	}
	b.keys("P", "enter", "esc")
	if got := c.said(); got != "ask 11 reveal clear" {
		t.Errorf("esc from a closed one: %s", got)
	}
}

// The clock closes a question by itself, and not the one after it.
func TestClassClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, c := newClass(t, 120, 40)
		b.keys("P")
		c.said()
		v := b.predict()
		faster := &b.m.keys.byID[kit.ActFaster].Action
		first, _ := v.Act(b.m, faster)
		cmd, _ := v.Act(b.m, faster) // 20 seconds; what the first brings is an old clock's
		if c.said() != "until until" || time.Until(c.asked.Ends) != 20*time.Second {
			t.Fatalf("%+v", c.asked)
		}
		b.has("20 seconds to vote")
		if v.Follow(b.m, first()) != nil {
			t.Error("an old clock goes on")
		}
		start := time.Now()
		for n := 0; cmd != nil; n++ {
			if n > 30 || c.said() != "" {
				t.Fatal("the clock closes at another time")
			}
			cmd = v.Follow(b.m, cmd())
		}
		if got := c.said(); got != "reveal" || time.Since(start) < 19*time.Second || time.Since(start) > 20*time.Second {
			t.Errorf("%s after %v", got, time.Since(start))
		}
	})
}

// Without a network the teacher counts hands, with the same result.
func TestHandsAreCounted(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 120, 40)
	b.start(storyPrompt)
	b.keys("P")
	b.m.act(kit.ActHands)
	b.keys("1", "2", "down", "0", "down", "7", "backspace", "3", "down", "9", "9", "9", "9")
	b.has("12 hands")
	b.has("999▌")
	b.has("1,014 hands counted")
	b.keys("backspace", "backspace", "backspace", "enter")
	b.has("12 of 15, 80.0%")
	b.has("3 of 15, 20.0%")
	b.has("the class as one forecaster")
	if b.m.score.Book.Questions() != 0 {
		t.Error("the teacher's own score has a question that was the class's")
	}
}

// A frame for another window is what a lab of that size would show, and
// making it changes nothing.
func TestScenesAreFrames(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{}, {"n", "n", "tab"}, {"P"}, {"P", "enter"}, {"?"}, {"z"}, {"T"}, {"V"}, {"C"}, {":"}, {"O"}} {
		b, _ := newClass(t, 120, 40)
		b.keys(keys...)
		before := b.frame()
		for _, size := range sizesOfWindows {
			w := Window{W: size[0], H: size[1], Depth: viz.NoColors}
			got := b.m.sized(w).draw().Text()
			exact(t, got, w.W, w.H, fmt.Sprint(keys, w))
			if again := b.m.sized(w).draw().Text(); again != got {
				t.Errorf("%v: two frames of one lab differ", keys)
			}
		}
		if b.frame() != before {
			t.Errorf("%v: drawing for others changed the screen", keys)
		}
	}
	for _, keys := range [][]string{{}, {"n", "n"}, {"P"}, {"z"}, {"V"}} {
		a, _ := newClass(t, 120, 40)
		a.keys(keys...)
		for _, size := range [][2]int{{80, 24}, {160, 45}} {
			b, _ := newClass(t, size[0], size[1])
			b.keys(keys...)
			if got, want := a.m.sized(Window{W: size[0], H: size[1], Depth: viz.NoColors}).draw().Text(), b.frame(); got != want {
				t.Errorf("%v at %v:\n%s\nwant\n%s", keys, size, got, want)
			}
		}
	}
}

var sizesOfWindows = [][2]int{{200, 60}, {160, 45}, {120, 40}, {100, 30}, {80, 24}, {60, 20}, {40, 12}}

// Scenes are made when something changed, or somebody looks from another
// window, and not otherwise.
func TestScenesAreMadeOnce(t *testing.T) {
	t.Parallel()
	b, c := newClass(t, 120, 40)
	b.m.onScene()
	if len(c.shown.Frames) != 2 || !strings.Contains(c.shown.Text, "little fox") || len(c.shown.Rows) < 10 || c.shown.Rows[0].Raw < c.shown.Rows[1].Raw {
		t.Fatalf("%+v", c.shown)
	}
	c.shown = Scene{}
	b.m.onScene()
	if c.shown.Frames != nil {
		t.Error("nothing changed, and a scene was made")
	}
	b.m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("5")})
	b.m.onScene()
	if c.shown.Frames == nil {
		t.Error("a change was not shown")
	}
}

// The card lies over a question, locks the room, and goes again.
func TestJoinCard(t *testing.T) {
	t.Parallel()
	b, c := newClass(t, 120, 40)
	b.keys("P")
	c.said()
	b.m.act(kit.ActJoin)
	b.has("4821")
	b.has("▀▀▀▀▀▀▀")
	for _, size := range sizesOfWindows {
		b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		exact(t, b.frame(), size[0], size[1], "the card")
		if text := strings.Join(strings.Fields(b.frame()), ""); size[0] >= 80 && !strings.Contains(strings.ReplaceAll(text, "┃", ""), "uM4") {
			t.Errorf("%v: the key is cut:\n%s", size, b.frame())
		}
	}
	b.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.keys("x")
	if !c.locks {
		t.Error("x does not lock")
	}
	b.keys("esc")
	b.has("what comes next?")
	if got := c.said(); got != "" {
		t.Errorf("the card ended the question: %s", got)
	}
	b.keys("esc")
	b.m.act(kit.ActBring)
	if c.push.Prompt != storyPrompt || c.push.Preset != b.m.Lane().Preset {
		t.Errorf("brought to %+v", c.push)
	}
}

// The board of own labs: chosen, looked into, and left.
func TestBoard(t *testing.T) {
	t.Parallel()
	b, c := newClass(t, 120, 40)
	b.m.act(kit.ActLabs)
	b.has("nobody has a lab of their own")
	c.labs = []join.Lab{{Name: "amber-owl", Tasks: []bool{true, false}}, {Name: "quiet-fox", Tasks: []bool{true, true}}}
	b.m.act(kit.ActLabs)
	b.has("amber-owl         ✓ ○")
	b.has("2 of 2")
	c.picture = viz.NewCanvas(120, 37, false)
	c.picture.Put(0, 0, "what quiet-fox sees", viz.Ink{})
	b.keys("down", "enter")
	if c.watched != "quiet-fox 120×37" {
		t.Errorf("watches %q", c.watched)
	}
	b.has("what quiet-fox sees")
	b.keys("esc")
	b.has("amber-owl")
	c.labs = c.labs[:1] // the other leaves
	b.keys("up", "down", "enter", "esc", "esc")
	if c.watched != " 0×0" || b.m.screen.id != kit.ViewLab {
		t.Errorf("watches %q", c.watched)
	}
}

// Suspended the program would leave the whole class standing; a guest would
// suspend the teacher.
func TestClassIsNotSuspended(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*Options){func(o *Options) { o.Class = new(pretended) }, func(o *Options) { o.share = &share{} }, func(*Options) {}} {
		opt := testOptions(t)
		change(&opt)
		b := newBench(t, opt, 120, 40)
		cmd := b.m.onKey(tea.KeyMsg{Type: tea.KeyCtrlZ})
		if goes := opt.Class != nil || opt.share != nil; goes != (cmd == nil) || goes != strings.Contains(b.m.Notice.Text, "goes on") {
			t.Errorf("class %v, guest %v: command %v, %q", opt.Class != nil, opt.share != nil, cmd != nil, b.m.Notice.Text)
		}
	}
}
