package vote

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/bench/votes"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// Options say what is voted on and where the votes go.
type Options struct {
	Pairs []votes.Pair
	File  string
	Voter string
	Seed  uint64 // of the order and the sides
}

// View is a blind vote. Nothing on it tells the lanes apart: no names, no
// counts of wins, sides shuffled, both boxes alike.
type View struct {
	opt Options
	box *votes.Box
	at  int // of the pair that is asked; the number of pairs at the end
}

// New opens a vote, which goes on after the votes that the file has; nil after
// saying why it cannot be opened.
func New(h kit.Host, opt Options) (kit.View, tea.Cmd) {
	if len(opt.Pairs) == 0 {
		h.Say("D: no two texts to vote on; K writes texts of two configs or more")
		return nil, nil
	}
	box, err := votes.Open(opt.File, opt.Voter)
	if err != nil {
		h.Complain("votes: " + viz.FirstLine(err.Error()))
		return nil, nil
	}
	opt.Pairs = append([]votes.Pair(nil), opt.Pairs...)
	votes.Shuffle(opt.Pairs, opt.Seed)
	v := &View{opt: opt, box: box}
	v.next()
	return v, nil
}

// next goes to the first pair that is not decided.
func (v *View) next() {
	for v.at = 0; v.at < len(v.opt.Pairs) && v.box.Decided(v.opt.Pairs[v.at].ID); v.at++ {
	}
}

// Leave closes the file of votes.
func (v *View) Leave(kit.Host) { v.box.Close() }

// answers are the actions that decide a pair.
var answers = map[kit.ID]votes.Answer{
	kit.ActLeft: votes.Left, kit.ActRight: votes.Right, kit.ActUp: votes.Left, kit.ActDown: votes.Right, kit.ActRaise: votes.Tie, kit.ActTake: votes.Bad,
}

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
	v.next()
	return nil, true
}

// NotHere says what to do for what acts on the lab alone.
func (v *View) NotHere(kit.Host) string { return "not in a vote; esc stops it, D goes on later" }

func (v *View) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActLeft, kit.ActRight, kit.ActRaise, kit.ActTake, kit.ActUndo, kit.ActClose, kit.ActHelp}
}

func (v *View) Footer(h kit.Host) []kit.Hint {
	left, right := "left", "right"
	if v.stacked(h) {
		left, right = "upper", "lower"
	}
	return []kit.Hint{{ID: kit.ActLeft, Keys: "←", Word: left}, {ID: kit.ActRight, Keys: "→", Word: right}, {ID: kit.ActRaise, Keys: "=", Word: "no difference"},
		{ID: kit.ActTake, Word: "both bad"}, {ID: kit.ActUndo, Word: "take back"}, {ID: kit.ActClose, Word: "stop"}, {ID: kit.ActHelp}}
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

// stacked reports whether the texts stand one under the other.
func (v *View) stacked(h kit.Host) bool { return h.Screen().Class() < kit.Class100 }

func (v *View) Draw(c *viz.Canvas, h kit.Host) {
	if v.at == len(v.opt.Pairs) {
		v.drawEnd(c)
		return
	}
	p := v.opt.Pairs[v.at]
	prompt := viz.WrapWords(viz.Line(p.Prompt, 600, c.ASCII), max(c.W-4, 1))
	if most := max(1, c.H/6); len(prompt) > most {
		prompt = prompt[:most]
	}
	top, below := len(prompt)+2, 4
	if c.H < 16 {
		below = 0
	}
	drawLines(viz.Box(c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: top}), viz.Frame{Title: "prompt"}), prompt)
	space := c.H - top - below
	names, wide, most := [2]string{"left", "right"}, c.W/2, space
	if v.stacked(h) {
		names, wide, most = [2]string{"upper", "lower"}, c.W, space/2
	}
	var texts [2][]string
	longest := 0
	for i := range p.Texts {
		for line := range strings.SplitSeq(strings.TrimSpace(p.Texts[i]), "\n") {
			texts[i] = append(texts[i], viz.WrapWords(viz.Printable(line, c.ASCII), max(wide-4, 1))...)
		}
		longest = max(longest, len(texts[i]))
	}
	high := min(most, max(longest+2, 8)) // alike, whatever the texts
	for i := range texts {
		at := viz.Rect{X: i * wide, Y: top, W: wide, H: high}
		if v.stacked(h) {
			at = viz.Rect{X: 0, Y: top + i*high, W: wide, H: high}
		}
		drawLines(viz.Box(c.Sub(at), viz.Frame{Title: names[i], Focused: true}), texts[i])
	}
	if below == 0 {
		return
	}
	n, all := v.decided(), len(v.opt.Pairs)
	bar := strings.Repeat("█", 40*n/all) + strings.Repeat("·", 40-40*n/all)
	under := top + high
	if v.stacked(h) {
		under += high
	}
	drawLines(c.Sub(viz.Rect{X: 0, Y: under, W: c.W, H: below}), []string{
		"", fmt.Sprintf("which would you rather read?   %s  %d of %d", bar, n, all),
		"Names, settings and the score stay hidden until the end: who knows the score votes by it. Sides are shuffled.",
		"Each answer is saved at once; esc stops, D goes on later.",
	})
}

func drawLines(c *viz.Canvas, lines []string) {
	for y, s := range lines {
		if y < c.H {
			c.Fit(1, y, max(c.W-2, 0), s, viz.Ink{})
		}
	}
}

// drawEnd says what the votes came to, with the names.
func (v *View) drawEnd(c *viz.Canvas) {
	t := votes.Count(v.box.Votes())
	box := viz.Box(c, viz.Frame{Title: "all is decided", Right: "esc", Focused: true})
	var lines []string
	for _, s := range append(t.Lines(), "", "saved in "+v.opt.File+"; logitscope vote --tally FILE counts it, files of several voters too") {
		lines = append(lines, viz.WrapWords(viz.Printable(s, c.ASCII), max(box.W-2, 1))...)
	}
	drawLines(box, lines)
}
