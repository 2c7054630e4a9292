package tui

import (
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// grown is a text of 20 tokens under chat, with a branch forced at token 13
// that has 16 and is the present one.
func grown(t *testing.T, w, h int) *bench {
	b := newLanes(t, w, h, "chat")
	b.m.Lane().Eng.Post(engine.Advance{N: 20})
	b.steps(20)
	for range 8 {
		b.keys("b")
	}
	b.keys("down", "f")
	b.steps(13)
	b.m.Lane().Eng.Post(engine.Advance{N: 3})
	b.steps(16)
	return b
}

// timelineAt is the step that the timeline shows.
func (b *bench) timelineAt() int {
	_, rest, _ := strings.Cut(b.frame(), "· step ")
	at, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		b.t.Fatal(err)
	}
	return at
}

// settled waits until nothing is computed any more in a lane with n tokens.
func (b *bench) rests(n int) {
	b.t.Helper()
	b.wait(func(v engine.View) bool {
		return len(v.Steps) == n && (v.Phase == engine.Paused && v.Next != nil || v.Phase == engine.Done)
	})
}

func TestBranchAndReturn(t *testing.T) {
	t.Parallel()
	b := grown(t, 120, 40)
	l := b.m.Lane()
	second := l.View.Text()
	b.keys("T")
	b.has("1 main")
	b.has("2  forced")
	b.has("both branches share the first 12 tokens of the cache")
	if list := l.Limbs(); len(list) != 2 || list[1].Shared != 12 || list[1].Parent != 0 || list[1].Index != -1 {
		t.Fatalf("limbs %+v", list)
	}
	forwarded := l.View.ForwardPositions
	b.keys("up")
	b.has("timeline · main · step 16 of 20")
	b.keys("enter")
	b.rests(20)
	first := l.View.Text()
	if first == second {
		t.Error("the branch was not taken")
	}
	b.keys("u")
	b.rests(16)
	if l.View.Text() != second {
		t.Errorf("undo gave %q, want %q", l.View.Text(), second)
	}
	if n := l.View.ForwardPositions - forwarded; n > 3 {
		t.Errorf("going to a branch and back computed %d positions", n)
	}
	b.keys("U")
	b.rests(20)
	if l.View.Text() != first {
		t.Error("redo did not return to the branch")
	}
	b.keys("T")
	b.has("1 main")
	b.has("timeline · main")
}

// Going on from a past step makes a branch if anything differs there; if not,
// the same text would come again.
func TestGoOnFromAPastStep(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 120, 40, "chat")
	b.m.Lane().Eng.Post(engine.Advance{N: 12})
	b.steps(12)
	l := b.m.Lane()
	b.m.Pace = 0 // it is not over before space stops it
	b.keys("T", "left", "left", "space")
	b.has("the same text would come again")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Running })
	b.keys("space")
	b.must(b.player().Settle())
	b.m.Pace = len(run.Paces) - 1
	if len(l.Branches) > 0 {
		t.Error("a branch was made though nothing differs")
	}
	n := len(l.View.Steps)
	b.keys("esc", "3", "T", "home", "right", "right", "right", "space")
	b.wait(func(v engine.View) bool {
		return v.Phase == engine.Done && len(v.Steps) > 5 && v.Steps[3].Settings.Label == "creative"
	})
	if s := l.View.Steps; s[2].Settings.Label != "chat" || s[3].Settings.Label != "creative" || len(l.Branches) != 1 {
		t.Fatalf("%d branches, labels %s and %s", len(l.Branches), s[2].Settings.Label, s[3].Settings.Label)
	}
	b.has("creative")
	b.keys("u")
	b.wait(func(v engine.View) bool { return len(v.Steps) == n })
}

func TestWhatIfInTheTimeline(t *testing.T) {
	t.Parallel()
	b := grown(t, 120, 40)
	l := b.m.Lane()
	text := l.View.Text()
	b.keys("T", "home", "right", "right", "4")
	b.has("what-if")
	b.has("not written:")
	if l.Look.At != 3 || l.Look.Tried == nil || l.View.Text() != text {
		t.Fatalf("look %d", l.Look.At)
	}
	b.keys("x")
	if l.Look.Tried != nil {
		t.Error("x did not drop the what-if")
	}
	b.keys("4", "space")
	b.wait(func(v engine.View) bool { return len(v.Steps) > 2 && v.Steps[2].Settings.Label == "neutral" })
	if len(l.Branches) != 2 {
		t.Errorf("%d branches", len(l.Branches))
	}
}

func TestBranchesHaveNamesAndGo(t *testing.T) {
	t.Parallel()
	b := grown(t, 120, 40)
	l := b.m.Lane()
	b.keys("T", "up", "N", "ctrl+u")
	b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("first \x1b try")})
	b.keys("enter")
	b.has("1 first")
	if strings.Contains(b.frame(), "\x1b") {
		t.Error("a name reached the terminal raw")
	}
	b.keys("x")
	if n := len(l.Limbs()); n != 1 {
		t.Errorf("%d texts after one was taken out", n)
	}
	b.has("is taken out; u puts it back")
	b.keys("x")
	b.has("x: this is the text the lane holds")
	b.keys("u")
	if n := len(l.Limbs()); n != 2 {
		t.Errorf("%d texts after undo", n)
	}
	b.keys("U")
	if n := len(l.Limbs()); n != 1 {
		t.Errorf("%d texts after redo", n)
	}
}

// Two branches become lanes, with the prefix they share computed once.
func TestBranchesAsLanes(t *testing.T) {
	t.Parallel()
	b := grown(t, 160, 45)
	text := b.m.Lane().View.Text()
	b.keys("T", "up", "C")
	b.pump(func() bool {
		for _, l := range b.m.All {
			if l.View.Phase != engine.Paused || l.View.Next == nil {
				return false
			}
		}
		return len(b.m.All[1].View.Steps) == 20
	})
	if b.m.screen.id != kit.ViewCompare || b.m.All[0].View.Text() != text {
		t.Fatal("the lanes do not hold the branches")
	}
	if n := b.m.All[1].View.ForwardPositions; n > 2 {
		t.Errorf("the new lane computed %d positions", n)
	}
	b.has("first place where the texts part: token 13")
	b.has("was forced")
}

// The pointer chooses steps, held or not, and branches.
func TestTimelineMouse(t *testing.T) {
	t.Parallel()
	b := grown(t, 120, 40)
	b.keys("T")
	click := func(x, y int, a tea.MouseAction) {
		b.send(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: a})
	}
	click(1+13+2*4, 3, tea.MouseActionPress)
	if at := b.timelineAt(); at != 5 {
		t.Errorf("click chose step %d, want 5", at)
	}
	for x := 24; x <= 30; x++ {
		click(x, 6, tea.MouseActionMotion)
	}
	if at := b.timelineAt(); at != 9 {
		t.Errorf("dragging chose step %d, want 9", at)
	}
	b.send(tea.MouseMsg{X: 30, Y: 6, Button: tea.MouseButtonWheelUp, Action: tea.MouseActionPress})
	if at := b.timelineAt(); at != 1 {
		t.Errorf("the wheel went to step %d, want 1", at)
	}
	_, y := b.find("┃ branches")
	click(10, y+1, tea.MouseActionPress)
	b.has("timeline · main")
	click(10, y+1, tea.MouseActionPress)
	b.rests(20)
	if b.m.screen.id != kit.ViewLab {
		t.Error("a second click did not go to the branch")
	}
}

func TestTimelineSaysWhatIsKept(t *testing.T) {
	t.Parallel()
	b := grown(t, 120, 40)
	v := b.m.Lane().View
	old := append([]*engine.Step(nil), v.Steps...)
	for i := range 4 {
		s := *old[i]
		s.Row, s.Trace = nil, nil
		old[i] = &s
	}
	v.Steps = old
	b.apply(run.ViewMsg{Lane: b.m.Lane().ID, View: v, OK: true})
	b.keys("T")
	b.has("logits of the last 12 of 16 steps are kept")
}

// A text written again under other settings is a branch from where they
// changed, also where the same tokens come; and esc goes back to the lanes.
func TestSameTextOtherSettings(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 120, 40, "chat max_new_tokens=12", "chat max_new_tokens=12")
	l := b.m.Lane()
	for i := range 6 {
		b.keys("right")
		b.together(i + 1)
	}
	b.keys("T", "home", "right", "+", "space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Done && v.Steps[1].Settings == l.Settings })
	list := l.Limbs()
	if len(list) != 2 || list[1].Shared != 1 {
		t.Fatalf("limbs %+v", list)
	}
	b.has("T 0.75")
	b.keys("esc")
	if b.m.screen.id != kit.ViewCompare {
		t.Errorf("esc went to %s", b.m.screen.id)
	}
}

// The name of every row is whole, and ends before the map, in a window of any
// size.
func TestTimelineNamesAreWhole(t *testing.T) {
	t.Parallel()
	b := ready(t, 3)
	b.send(tea.WindowSizeMsg{Width: 40, Height: 20})
	b.keys("T")
	for _, name := range []string{"token ", "drawn ", "rank 1 ", "entropy ", "surprisal ", "sum "} {
		b.has("┃ " + name)
	}
}
