package class

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"logitscope/engine/quiz"
	"logitscope/ui/tui"
	"logitscope/ui/tui/predict"
	"logitscope/viz"
)

func seated(t *testing.T, h *Hub, key Key) *Seat {
	t.Helper()
	s, err := h.join(key, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func cast(t *testing.T, s *Seat, n int, chips ...int) {
	t.Helper()
	if err := s.vote(n, chips); err != nil {
		t.Fatal(err)
	}
}

var three = predict.Asked{Context: "once", Options: []string{"␣a", "␣b", "something else"}}

// drawnFirst is a question whose first option was drawn.
func drawnFirst() quiz.Question { return quiz.NewQuestion([]float64{0.5, 0.25}, 0, 0.5) }

// Until a question is closed nothing of the votes can be seen, by anybody; a
// vote can be changed until then, and counts once.
func TestResultsStayHiddenUntilClosed(t *testing.T) {
	t.Parallel()
	h := newHub(Options{Max: 10})
	var seats []*Seat
	for i := range 4 {
		seats = append(seats, seated(t, h, Key(fmt.Sprint(i))))
	}
	if err := seats[0].vote(1, quiz.Guess{10, 0, 0}); !errors.Is(err, errClosed) {
		t.Errorf("a vote before the question: %v", err)
	}
	h.Ask(three)
	cast(t, seats[0], 1, 0, 0, 10)
	cast(t, seats[0], 1, 10, 0, 0) // changed
	cast(t, seats[1], 1, 4, 4, 2)
	cast(t, seats[2], 1, 0, 10, 0)
	for _, bad := range []quiz.Guess{{10, 0}, {5, 4, 0}, {11, -1, 0}, nil} {
		if err := seats[3].vote(1, bad); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
	h.mu.Lock()
	h.flush()
	h.mu.Unlock()
	view, _ := h.Now()
	if p := view.Poll; p.Voted != 3 || !p.Open || p.Result != nil || h.Standing().Voted != 3 {
		t.Errorf("%+v", p)
	}
	if you := seats[3].you(); you.Guess != nil {
		t.Errorf("who did not vote has %v", you.Guess)
	}
	votes := h.Reveal(drawnFirst(), nil)
	if err := seats[0].vote(1, quiz.Guess{10, 0, 0}); !errors.Is(err, errClosed) {
		t.Errorf("a vote after the end: %v", err)
	}
	view, _ = h.Now()
	r := view.Poll.Result
	if r == nil || view.Poll.Open || votes.Pool.Guesses() != 3 {
		t.Fatalf("%+v", view.Poll)
	}
	// 14 of 30 chips on the first: (14+5)/(30+15)
	if want := -math.Log2(19.0 / 45); math.Abs(r.Class-want) > 1e-12 || r.Right != 2 || math.Abs(r.Held[1]-14.0/30) > 1e-12 {
		t.Errorf("%+v, want class %v", r, want)
	}
	if you := seats[1].you(); math.Abs(you.Bits+math.Log2(4.5/11.5)) > 1e-12 || you.Questions != 1 {
		t.Errorf("%+v", you)
	}
}

// With fewer than three votes the sum would tell single ones.
func TestSingleVotesAreShownToNobody(t *testing.T) {
	t.Parallel()
	h := newHub(Options{Max: 10})
	a, b := seated(t, h, "a"), seated(t, h, "b")
	h.Ask(three)
	cast(t, a, 1, 10, 0, 0)
	cast(t, b, 1, 0, 10, 0)
	votes := h.Reveal(drawnFirst(), nil)
	view, _ := h.Now()
	if r := view.Poll.Result; votes.Pool != nil || votes.Best != nil || r.Enough || r.Held != nil || r.Right != 0 || r.Class != 0 || r.Mean != 0 {
		t.Errorf("two votes can be told apart: %+v, %+v", votes, r)
	}
	c := seated(t, h, "c")
	h.Ask(three)
	for _, s := range []*Seat{a, b, c} {
		cast(t, s, 2, 10, 0, 0)
	}
	if v := h.Reveal(drawnFirst(), nil); v.Pool == nil || v.Best != nil {
		t.Errorf("%+v: c answered one question, so a name would tell its vote", v)
	}
	h.Ask(three)
	for _, s := range []*Seat{a, b, c} {
		cast(t, s, 3, 10, 0, 0)
	}
	if v := h.Reveal(drawnFirst(), nil); len(v.Best) != 3 || v.Best[0].Bits > v.Best[2].Bits {
		t.Errorf("best %+v", v.Best)
	}
}

func TestDropForgetsTheVotes(t *testing.T) {
	t.Parallel()
	h := newHub(Options{Max: 10})
	a := seated(t, h, "a")
	h.Ask(three)
	cast(t, a, 1, 10, 0, 0)
	h.Reveal(drawnFirst(), nil)
	h.Drop()
	if you := a.you(); you.Questions != 0 || you.Guess != nil {
		t.Errorf("%+v", you)
	}
	if view, _ := h.Now(); view.Poll != nil {
		t.Errorf("%+v", view.Poll)
	}
	h.Ask(three)
	if err := a.vote(1, quiz.Guess{10, 0, 0}); !errors.Is(err, errClosed) {
		t.Errorf("a late vote counts for another question: %v", err)
	}
	cast(t, a, 2, 10, 0, 0)
	h.Reveal(drawnFirst(), nil)
	h.Clear()
	if you := a.you(); you.Questions != 1 {
		t.Errorf("clearing the screen took a score back: %+v", you)
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	h := newHub(Options{Max: 10, FreeNames: true})
	a, b := seated(t, h, "a"), seated(t, h, "b")
	if err := a.rename("Zoë"); err != nil {
		t.Fatal(err)
	}
	if err := b.rename("Ada"); err != nil {
		t.Fatal(err)
	}
	asked := three
	asked.Options = []string{"␣a,\"b\"", "=b", "something else"}
	h.Ask(asked)
	cast(t, a, 1, 4, 0, 6)
	cast(t, b, 1, 0, 10, 0)
	h.Reveal(drawnFirst(), nil)
	a.Leave()
	var out bytes.Buffer
	if err := h.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	want := "name,question,chips,bits\n" +
		"Ada,1,10 on =b,4.5236\n" +
		"Zoë,1,\"4 on ␣a,\"\"b\"\"; 6 on something else\",1.3536\n"
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}

func TestSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(Options{Max: 2})
		a := seated(t, h, "a")
		b := seated(t, h, "b")
		if _, err := h.join("c", nil); !errors.Is(err, errFull) {
			t.Errorf("a third: %v", err)
		}
		again := seated(t, h, "a") // the same key, from another window
		select {
		case <-a.Gone():
		default:
			t.Error("the older window keeps the seat")
		}
		a.Leave() // must not end the newer one
		if n := h.Standing().Here; n != 2 {
			t.Errorf("%d here", n)
		}
		if err := a.vote(1, nil); !errors.Is(err, errElsewhere) {
			t.Errorf("the older window votes: %v", err)
		}
		name := again.you().Name
		b.Leave()
		h.Lock(true)
		if _, err := h.join("c", nil); !errors.Is(err, errLocked) {
			t.Errorf("into a locked room: %v", err)
		}
		again.Leave()
		if back := seated(t, h, "a"); back.you().Name != name {
			t.Errorf("%s came back as %s", name, back.you().Name)
		}
		h.Lock(false)
		// Many who come and go are forgotten, who answered is not.
		for i := range 50 {
			seated(t, h, Key(fmt.Sprint("k", i))).Leave()
			time.Sleep(time.Second)
		}
		if len(h.seats) > seatsPerMember*2 || len(h.names) != len(h.seats) {
			t.Errorf("%d seats and %d names are kept", len(h.seats), len(h.names))
		}
		h.End("over")
		if _, err := h.join("a", nil); !errors.Is(err, ErrEnded) {
			t.Errorf("after the end: %v", err)
		}
		synctest.Wait()
	})
}

// A reader that never reads costs nothing: views are overwritten, not queued.
func TestViewsAreOverwritten(t *testing.T) {
	t.Parallel()
	h := newHub(Options{Max: 2})
	first, next := h.Now()
	for i := range 1000 {
		h.Show(tui.Scene{Text: fmt.Sprint(i)})
	}
	select {
	case <-next:
	default:
		t.Fatal("nobody was told")
	}
	view, _ := h.Now()
	if view == first || view.Scene.Text != "999" {
		t.Errorf("%+v", view)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	n := newNames()
	taken := map[string]bool{}
	for range 1200 {
		s := n.give()
		if taken[s] || checkName(s) != nil || viz.Width(s) > maxName {
			t.Fatalf("gave %q", s)
		}
		taken[s] = true
	}
	for _, bad := range []string{"", " a", "-x", "=1+1", "a\x1b[31m", "a\u202eb", "a\u200bb", strings.Repeat("a", 17), "漢字漢字漢字漢字漢字", "a\nb", "9lives", "<b>", "a=b"} {
		if err := n.swap("x", bad); err == nil || viz.Printable(err.Error(), false) != err.Error() {
			t.Errorf("%q is a name, or comes back as it is: %v", bad, err)
		}
	}
	for _, good := range []string{"Ada", "Zoë", "Ann-Marie 2", "李明", "Ирина"} {
		if err := n.swap("x", good); err != nil {
			t.Error(err)
		}
	}
	if n.swap("x", "ADA") == nil {
		t.Error("a name is taken twice")
	}
	if err := n.swap("Ada", "ada"); err != nil {
		t.Errorf("one's own name in other letters: %v", err)
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	var list []*tui.Window
	for i, s := range sizes {
		for d := viz.TrueColor; d <= viz.NoColors; d++ {
			for range i + 1 {
				list = append(list, &tui.Window{W: s.w, H: s.h, Depth: d})
			}
		}
	}
	use := inUse(list)
	if len(use) != mostWindows || use[len(use)-1] != plainest {
		t.Fatalf("%v", use)
	}
	scene := tui.Scene{Frames: map[tui.Window]string{}}
	for _, w := range use {
		scene.Frames[w] = "frame"
	}
	for _, w := range list {
		if _, of, ok := frameFor(&scene, *w); !ok || of.W > w.W || of.H > w.H || of.Depth < w.Depth {
			t.Errorf("%v is shown %v, %v", *w, of, ok)
		}
	}
	for _, c := range []struct{ w, h, wide, high int }{{39, 12, 0, 0}, {40, 11, 0, 0}, {40, 12, 40, 12}, {131, 50, 120, 40}, {500, 500, 200, 60}, {120, 24, 80, 24}} {
		w, ok := windowFor(c.w, c.h, viz.NoColors, false)
		if w.W != c.wide || w.H != c.high || ok != (c.wide > 0) {
			t.Errorf("%d×%d is shown %d×%d", c.w, c.h, w.W, w.H)
		}
	}
}

// The card shows how many came in within the last minute, for the first time.
func TestJoinsAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(Options{Max: 10})
		for i := range 3 {
			seated(t, h, Key(fmt.Sprint(i))).Leave()
			time.Sleep(25 * time.Second)
		}
		seated(t, h, "2") // was here before
		if n := h.Standing().Joins; n != 2 {
			t.Errorf("%d joins in the last minute, want 2", n)
		}
		time.Sleep(time.Minute)
		if n := h.Standing().Joins; n != 0 {
			t.Errorf("%d joins a minute later", n)
		}
	})
}
