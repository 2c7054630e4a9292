package tui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/predict"
	"logitscope/viz"
)

func guessing(t *testing.T, w, h, n int) *bench {
	b := newLanes(t, w, h, "chat")
	for i := range n {
		b.keys("n")
		b.steps(i + 1)
	}
	b.keys("P")
	return b
}

func (b *bench) predict() *predict.View { return b.m.screen.View.(*predict.View) }

// Tokens that have no row in a low window are counted.
func TestPredictCountsTheRest(t *testing.T) {
	t.Parallel()
	b := guessing(t, 40, 12, 3)
	v := b.predict()
	rows := len(regexp.MustCompile(`\? +┃`).FindAllString(b.frame(), -1))
	b.has(fmt.Sprintf("⋮ %d more", len(v.Choices())+1-rows))
	b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	if strings.Contains(b.frame(), "⋮") {
		t.Error("all tokens have a row, and yet some are counted as left out")
	}
}

// Whatever the draw fell on, the hidden screen is the same, colours included,
// as long as the tokens to choose from are; and they do not depend on it
// while it is among the likely ones.
func TestHiddenGivesNothingAway(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{160, 45}, {80, 24}, {40, 12}} {
		b := guessing(t, size[0], size[1], 8)
		l := b.m.Lane()
		seen, lists := map[string]bool{}, map[string]bool{}
		for _, id := range b.predict().Choices() {
			s := *l.View.Next
			tr := *s.Trace
			r := tr.Row(id)
			tr.Token, tr.Rank, tr.Prob, tr.RawProb, tr.U, tr.Lo, tr.Hi = id, r.Rank, r.Prob, r.RawProb, 0.5, 0.4, 0.6
			s.Token, s.Trace = id, &tr
			l.View.Next = &s
			if r.Rank <= 8 {
				var pieces []string
				for _, id := range predict.Guesses(l.Vocab(), &s, predict.MaxGuesses) {
					pieces = append(pieces, l.Vocab().Piece(id))
				}
				lists[strings.Join(pieces, "|")] = true
			}
			b.m.dirty = true
			b.run(b.m.WantEffect())
			seen[b.m.draw().Render(viz.NewPalette(true, viz.TrueColor, false))] = true
		}
		if len(seen) != 1 {
			t.Errorf("%v: %d hidden screens for as many draws", size, len(seen))
		}
		if len(lists) != 1 {
			t.Errorf("%v: %d lists to choose from", size, len(lists))
		}
		frame := b.frame()
		for _, word := range []string{"%", "rank", "others", "█", "●", "↑ ", " u "} {
			if strings.Contains(frame, word) {
				t.Errorf("%v: the hidden screen shows %q:\n%s", size, word, frame)
			}
		}
	}
}

// What is offered does not depend on the draw: the best by raw probability
// are among it, and what was drawn need not be.
func TestGuessesDoNotKnowTheDraw(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 80, 24, "neutral")
	b.keys("+", "+", "+", "+", "+", "+") // hot: the tail is drawn from
	b.tuned()
	b.keys("P")
	none := 0
	for range 40 {
		v, l := b.predict(), b.m.Lane()
		if l.View.Next == nil {
			break
		}
		if len(v.Choices()) != predict.MaxGuesses {
			t.Fatalf("%d to choose from", len(v.Choices()))
		}
		for _, r := range l.View.Next.Trace.Rows() {
			if r.Rank <= predict.MaxGuesses-2 && !slices.Contains(v.Choices(), r.ID) {
				t.Fatalf("rank %d is not offered", r.Rank)
			}
		}
		if !slices.Contains(v.Choices(), l.View.Next.Token) {
			none++
		}
		n := len(l.View.Steps)
		b.keys("enter", "enter")
		b.wait(func(v engine.View) bool { return len(v.Steps) > n && (v.Next != nil || v.Phase == engine.Done) })
	}
	if none == 0 {
		t.Error("every token drawn was offered: this test needs some that were not")
	}
}

func TestPredictKeepsScore(t *testing.T) {
	t.Parallel()
	b := guessing(t, 80, 24, 8)
	v, l := b.predict(), b.m.Lane()
	b.keys("n", "O", "i")
	b.has("not while the bars are hidden")
	b.keys("z") // the rows alone, still hidden
	if s := b.frame(); strings.Contains(s, "text · coloured") || !strings.Contains(s, "hidden") {
		t.Errorf("z leaves the text on the screen, or shows what is hidden:\n%s", s)
	}
	b.keys("esc")
	b.has("text · coloured")
	b.has("hidden")
	if len(b.m.overlays) > 0 || len(l.View.Steps) != 8 {
		t.Fatal("a key looked behind the bars")
	}
	to := func(id int32) {
		b.keys("home")
		for range slices.Index(v.Choices(), id) {
			b.keys("down")
		}
	}
	book := &b.m.score.Book
	to(l.View.Next.Token)
	b.keys("enter")
	b.has("revealed")
	b.has("10 chips on")
	if got := book.Mean().Guess; got < 0.56 || got > 0.57 || book.Questions() != 1 {
		t.Errorf("all in and right: %v bits after %d questions, want 0.56", got, book.Questions())
	}
	b.keys("left")
	b.has("hidden")
	if book.Questions() != 0 {
		t.Error("← did not take the answer back")
	}
	wrong := v.Choices()[0]
	if wrong == l.View.Next.Token {
		wrong = v.Choices()[1]
	}
	settings := l.Settings
	to(l.View.Next.Token)
	b.keys("+", "+", "+", "+", "-", "-")
	b.has("8 chips left")
	to(wrong)
	b.keys("+", "0", "backspace")
	b.has("10 chips left")
	to(l.View.Next.Token)
	b.keys("+", "+")
	to(wrong)
	b.keys("enter") // the other eight
	b.has("2 chips on")
	if l.Settings != settings {
		t.Error("a chip turned a knob")
	}
	if got := book.Mean().Guess; got < 2.63 || got > 2.64 { // −log2 (2.5 / 15.5)
		t.Errorf("2 of 10 chips: %v bits, want 2.63", got)
	}
	b.keys("f")
	b.steps(9)
	if s := l.View.Steps[8]; !s.Forced || s.Token != wrong {
		t.Errorf("f wrote %d, want the row %d", s.Token, wrong)
	}
	b.has("hidden")
	b.keys("end", "enter")
	b.has("something else")
	b.keys("f")
	b.has("something else is not one token")
	b.keys("enter")
	b.steps(10)
	if l.View.Steps[9].Forced {
		t.Error("going on forced a token")
	}
}

// After ten questions the calibration stands below, in the space there is.
func TestPredictCalibrates(t *testing.T) {
	t.Parallel()
	b := guessing(t, 120, 40, 0)
	for i := range 10 {
		if i > 0 {
			b.has("calibration after " + viz.Plural(10-i, "more question"))
		}
		b.keys("enter", "enter")
		b.steps(i + 1)
	}
	b.has("what you gave")
	b.has("was drawn")
	b.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	if s := b.frame(); !regexp.MustCompile(`10 questions: .* · [·▁-█]{10} `).MatchString(s) {
		t.Errorf("no strip at 80x24:\n%s", s)
	}
}

// P, again and again: predict, sample by hand, off. By hand every token is
// the viewer's.
func TestYouSample(t *testing.T) {
	t.Parallel()
	b := guessing(t, 80, 24, 0)
	b.keys("P")
	b.has("you sample")
	for i := range 3 {
		b.keys("home", "down", "enter")
		b.steps(i + 1)
	}
	for i, s := range b.m.Lane().View.Steps {
		if !s.Forced || s.Summary.Rank != 2 {
			t.Errorf("token %d has rank %d, forced %v", i+1, s.Summary.Rank, s.Forced)
		}
	}
	b.has("3 tokens by you")
	b.keys("P")
	if b.m.screen.id != kit.ViewLab {
		t.Error("P did not lead back to the lab")
	}
}
