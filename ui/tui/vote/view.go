package vote

import (
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/bench/votes"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// Options say what is voted on and where the votes go.
type Options struct {
	Pairs []votes.Pair // New shuffles them by Seed
	File  string       // one JSON object a line; votes are added
	Voter string       // empty for nameless
	Seed  uint64       // of the order and the sides
}

// View is a blind vote. Nothing on it tells the lanes apart: no names, no
// counts of wins, sides shuffled, both boxes alike.
type View struct {
	opt   Options
	box   *votes.Box
	at    int             // of the pair that is asked; the number of pairs at the end
	alone int             // the side that is shown alone; both if negative
	down  int             // lines of the texts above their boxes
	asked time.Time       // when this pair was first on the screen
	paces []time.Duration // that each answer of this sitting took
}

// New opens a vote, which goes on after the votes that the file has; nil after
// saying why it cannot be opened.
func New(h kit.Host, opt Options) (kit.View, tea.Cmd) {
	if len(opt.Pairs) == 0 {
		h.Say("D: no two texts to vote on; K writes texts of two configs or more")
		return nil, nil
	}
	box, err := h.Files().Votes(opt.File, opt.Voter)
	if err != nil {
		h.Complain("votes: " + viz.FirstLine(err.Error()))
		return nil, nil
	}
	opt.Pairs = append([]votes.Pair(nil), opt.Pairs...)
	votes.Shuffle(opt.Pairs, opt.Seed)
	v := &View{opt: opt, box: box, alone: both}
	v.next()
	return v, nil
}

// next goes to the first pair that is not decided.
func (v *View) next() {
	for v.at = 0; v.at < len(v.opt.Pairs) && v.box.Decided(v.opt.Pairs[v.at].ID); v.at++ {
	}
	v.down, v.asked = 0, time.Now()
	if v.alone != both {
		v.alone = 0
	}
}

// both sides are shown.
const both = -1

// fewest is how many answers a sitting must have before its pace is told.
const fewest = 3

// left is how long the pairs that are left will take at the pace of this
// sitting: the median, so that a break counts as one answer.
func (v *View) left() (time.Duration, bool) {
	n := len(v.opt.Pairs) - v.decided()
	if len(v.paces) < fewest || n == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(v.paces))
	return sorted[len(sorted)/2] * time.Duration(n), true
}

// Leave closes the file of votes.
func (v *View) Leave(kit.Host) { v.box.Close() }

// answers are the actions that decide a pair.
var answers = map[kit.ID]votes.Answer{
	kit.ActLeft: votes.Left, kit.ActRight: votes.Right, kit.ActUp: votes.Left, kit.ActDown: votes.Right, kit.ActRaise: votes.Tie, kit.ActTake: votes.Bad,
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(h kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if a.ID == kit.ActUndo {
		switch _, ok, err := v.box.Undo(); {
		case err != nil:
			h.Complain("votes: " + viz.FirstLine(err.Error()))
		case !ok:
			h.Say("u: no answer to take back")
		}
		v.next()
		return nil, true
	}
	if v.looks(h, a.ID) {
		return nil, true
	}
	answer, ok := answers[a.ID]
	if !ok {
		return nil, false
	}
	if v.at == len(v.opt.Pairs) {
		h.Say("all is decided; u takes the last answer back, esc goes to the lab")
		return nil, true
	}
	if err := v.box.Cast(v.opt.Pairs[v.at], answer); err != nil {
		h.Complain("votes: " + viz.FirstLine(err.Error()))
		return nil, true
	}
	v.paces = append(v.paces, time.Since(v.asked))
	v.next()
	return nil, true
}

// looks takes the actions that change what is seen of the pair.
func (v *View) looks(h kit.Host, id kit.ID) bool {
	switch id {
	case kit.ActZoom:
		if v.alone == both {
			v.alone = 0
		} else {
			v.alone = both
		}
		v.down = 0
	case kit.ActPane, kit.ActPaneBack:
		if v.alone == both {
			h.Say("both texts are on the screen; z shows one of them alone")
		} else {
			v.alone, v.down = 1-v.alone, 0
		}
	case kit.ActRight10, kit.ActLeft10:
		page := 1
		if id == kit.ActLeft10 {
			page = -1
		}
		l := v.layout(h)
		v.down = min(max(v.down+page*max(l.rows-1, 1), 0), l.below)
	default:
		return false
	}
	return true
}

// NotHere says what to do for what acts on the lab alone.
func (v *View) NotHere(kit.Host) string { return "not in a vote; esc stops it, D goes on later" }

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActLeft, kit.ActRight, kit.ActRaise, kit.ActTake, kit.ActUndo, kit.ActZoom, kit.ActPane, kit.ActRight10, kit.ActClose, kit.ActHelp}
}

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(h kit.Host) []kit.Hint {
	side := names(v.stacked(h))
	hints := []kit.Hint{{ID: kit.ActLeft, Keys: "←", Word: side[0]}, {ID: kit.ActRight, Keys: "→", Word: side[1]}, {ID: kit.ActRaise, Keys: "=", Word: "no difference"},
		{ID: kit.ActTake, Word: "both bad"}, {ID: kit.ActUndo, Word: "take back"}}
	if v.alone == both {
		hints = append(hints, kit.Hint{ID: kit.ActZoom, Word: "one alone"})
	} else {
		hints = append(hints, kit.Hint{ID: kit.ActPane, Word: "other side"}, kit.Hint{ID: kit.ActZoom, Word: "both"})
	}
	return append(hints, kit.Hint{ID: kit.ActClose, Word: "stop"}, kit.Hint{ID: kit.ActHelp})
}

// Help says what is asked, in the place of what a knob of the lab does.
func (v *View) Help(kit.Host) (string, viz.Ink) {
	return "the answer key is the only way on: nothing goes on by itself", viz.Ink{Role: viz.Muted}
}

// decided is how many of the pairs have an answer.
func (v *View) decided() (n int) {
	for _, p := range v.opt.Pairs {
		if v.box.Decided(p.ID) {
			n++
		}
	}
	return n
}

// Header says how far the vote is, and nothing about who is ahead.
func (v *View) Header(h kit.Host, k kit.Class) (left, right []kit.HeaderPart) {
	muted := viz.Ink{Role: viz.Muted}
	left = []kit.HeaderPart{{Text: "logitscope", Rank: 9, Ink: muted}, {Text: "vote blind", Ink: viz.Ink{}.With(viz.Bold)}}
	right = []kit.HeaderPart{{Text: fmt.Sprintf("%d of %d decided", v.decided(), len(v.opt.Pairs))}, {Text: fmt.Sprintf("seed %d shuffles", v.opt.Seed), Rank: 7, Ink: muted}}
	return left, right
}
