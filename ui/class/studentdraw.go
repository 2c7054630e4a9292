package class

import (
	"fmt"
	"strings"
	"time"

	"logitscope/engine/quiz"
	"logitscope/viz"
)

// drawQuestion draws what is asked, and the chips.
func (m *student) drawQuestion(c *viz.Canvas, p *Poll) {
	muted := viz.Ink{Role: viz.Muted}
	title := fmt.Sprintf("question %d · what comes next?", p.N)
	in := viz.Box(c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: c.H - 1}), viz.Frame{Title: title, Right: m.standing(p), Focused: true})
	rows := len(p.Options)
	y := 0
	text := viz.Fold(viz.Printable(p.Context, c.ASCII), in.W-2, max(in.H-rows-3, 1))
	for _, s := range text {
		in.Put(1, y, s, viz.Ink{})
		y++
	}
	y = min(y+1, max(in.H-rows-1, 1))
	fit := max(in.H-y-1, 1)
	top := min(max(m.pick-fit+1, 0), max(rows-fit, 0))
	label := 0
	for _, o := range p.Options {
		label = max(label, viz.Width(o))
	}
	label = min(label, in.W-5-chipsWide)
	for i := top; i < rows && i-top < fit; i++ {
		ink := viz.Ink{}
		if i == m.pick {
			in.Put(1, y, "▸", viz.Ink{Role: viz.Focus})
			ink = ink.With(viz.Bold)
		}
		in.Fit(3, y, label, p.Options[i], ink)
		if n := m.guess[i]; n > 0 {
			in.Put(5+label, y, fmt.Sprintf("%s %d", strings.Repeat("●", n), n), viz.Ink{Role: viz.Chosen})
		}
		y++
	}
	in.Put(1, in.H-1, viz.CutTitle(m.chipWords(), in.W-2), muted)
}

// chipsWide is how wide ten chips and their number are.
const chipsWide = quiz.Chips + 3

// chipWords say where the vote stands.
func (m *student) chipWords() string {
	left := quiz.Chips - m.guess.Placed()
	switch {
	case m.same():
		return "Handed in. You may change it until the question is closed."
	case len(m.you.Guess) > 0:
		return fmt.Sprintf("Changed and not handed in: %s left, enter puts them here and hands in.", viz.Plural(left, "chip"))
	case left == quiz.Chips:
		all := quiz.AllOn(max(len(m.guess), 2), 0)
		return fmt.Sprintf("Ten chips; what you believe pays best. All on the right row: %s bits, on a wrong one: %s.", viz.Two(all.Bits(0)), viz.Two(all.Bits(1)))
	}
	return fmt.Sprintf("%s left; enter puts them here and hands in.", viz.Plural(left, "chip"))
}

// standing says how many have voted, and how long there is left.
func (m *student) standing(p *Poll) string {
	s := fmt.Sprintf("%d of %d voted", p.Voted, p.Here)
	if p.Ends.IsZero() {
		return s
	}
	return s + fmt.Sprintf(" · %d s", max(int(time.Until(p.Ends).Seconds()+0.999), 0))
}

// drawRows draws the numbers behind the bars.
func (m *student) drawRows(c *viz.Canvas) {
	s := &m.view.Scene
	f := viz.Frame{Title: "numbers", Right: s.Title, Focused: true}
	in := viz.Box(c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: c.H - 1}), f)
	muted := viz.Ink{Role: viz.Muted}
	switch {
	case s.Hidden:
		in.Put(1, 0, viz.CutTitle("The numbers are hidden until the draw.", in.W-2), muted)
		return
	case len(s.Rows) == 0:
		in.Put(1, 0, viz.CutTitle("There is no step to show yet.", in.W-2), muted)
		return
	}
	raw, final := in.W-12, in.W-2
	in.Put(3, 0, "token", muted)
	in.Right(raw, 0, "raw", muted)
	in.Right(final, 0, "final", muted)
	for i, r := range s.Rows[:min(len(s.Rows), in.H-1)] {
		ink := viz.Ink{}
		if r.Chosen {
			in.Put(1, i+1, "●", viz.Ink{Role: viz.Chosen})
			ink.Role = viz.Chosen
		}
		in.Fit(3, i+1, raw-12, r.Token, ink)
		in.Right(raw, i+1, viz.Percent(r.Raw), muted)
		last := viz.Percent(r.Final)
		if r.Cut {
			last = viz.Removed
		}
		in.Right(final, i+1, last, ink)
	}
}

// studentHelp is what the keys are.
var studentHelp = [][2]string{
	{"↑ ↓", "choose a row of the question"},
	{"enter", "put all chips that are left on it, and hand in"},
	{"+ -", "give the row a chip, take one"},
	{"v", "the question, or the lab behind it"},
	{"r", "the numbers behind the bars"},
	{"N", "choose a name, where the class allows it"},
	{"esc", "close what is open"},
	{"q", "leave the class"},
}

func (m *student) drawHelp(c *viz.Canvas) {
	in := viz.Box(c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: c.H - 1}), viz.Frame{Title: "help", Focused: true})
	muted := viz.Ink{Role: viz.Muted}
	y := 0
	for _, k := range studentHelp {
		in.Put(1, y, k[0], viz.Ink{})
		in.Put(8, y, viz.CutTitle(k[1], in.W-9), muted)
		y++
	}
	for _, s := range viz.Fold("You look at the teacher's lab. A question has ten chips: put them down as you believe. A vote can be changed until "+
		"the question is closed. Nobody sees your vote, the teacher included; your name here is "+m.you.Name+".", in.W-2, max(in.H-y-1, 0)) {
		y++
		in.Put(1, y, s, viz.Ink{})
	}
}
