package predict

import (
	"math"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
)

func (v *View) move(host kit.Host, n int) {
	switch {
	case v.options() == 0:
		host.Say(host.WhyNot(host.Lane()))
	case v.shown:
		host.Say("the chips are locked; enter goes on, ← hides the bars again")
	case n < 0 && v.pick == 0:
		host.Say("this is the first row to choose")
	case n > 0 && v.pick == v.options()-1:
		host.Say("this is the last row to choose")
	default:
		v.pick = min(max(v.pick+n, 0), v.options()-1)
	}
}

// enter puts the chips that are left on the row, all ten if none was placed,
// and locks them; or goes on.
func (v *View) enter(host kit.Host) {
	l := host.Lane()
	s := l.View.Next
	switch {
	case s == nil || len(v.ids) == 0:
		host.Say("enter: " + host.WhyNot(l))
	case v.byHand:
		v.write(host, v.ids[v.pick])
	case v.shown:
		v.next(host)
	default:
		v.reveal(host)
	}
}

// next writes the token drawn and hides the one after it.
func (v *View) next(host kit.Host) {
	l := host.Lane()
	switch {
	case l.View.Next == nil:
		host.Say("→: " + host.WhyNot(l))
	case v.byHand:
		host.Say("→: you write the text here; enter takes the row, P leaves it to the draw again")
	case !v.shown:
		host.Say("→: place your chips first; enter locks them and reveals")
	case !v.asked:
		v.asked = true
		l.Eng.Post(engine.Advance{N: 1})
	}
}

// back hides the bars again, and takes the score of this step back.
func (v *View) back(host kit.Host) tea.Cmd {
	if !v.shown || v.asked {
		host.Say("←: nothing to take back at this step; esc, then b looks at earlier ones")
		return nil
	}
	return v.unreveal(host)
}

// force writes the row's token instead of the token drawn.
func (v *View) force(host kit.Host) {
	switch l := host.Lane(); {
	case v.byHand:
		v.enter(host)
	case !v.shown || v.asked:
		host.Say("f: reveal first; then f writes the row's token instead of the token drawn")
	case v.favourite() == len(v.ids):
		host.Say("f: something else is not one token; ← and another row, or P writes by hand")
	default:
		v.asked = true
		l.Eng.Post(engine.Force{Token: v.ids[v.favourite()]})
	}
}

// write writes token id and counts what it cost.
func (v *View) write(host kit.Host, id int32) {
	if v.asked {
		return
	}
	l := host.Lane()
	s := l.View.Next
	if r := s.Trace.Row(id); r != nil {
		v.lab.Score.bits -= math.Log2(float64(r.RawProb))
	}
	v.lab.Score.picked++
	if id == s.Token {
		v.lab.Score.agreed++
	}
	v.asked = true
	l.Eng.Post(engine.Force{Token: id})
}

// esc shows the text again where it gave way, else leaves.
func (v *View) esc(host kit.Host) {
	if v.alone {
		v.alone = false
		return
	}
	v.lab.Back()
}

// turn is P: from predicting to sampling by hand, and out.
func (v *View) turn(host kit.Host) {
	if v.byHand {
		v.lab.Back()
		host.Say("predict is off")
		return
	}
	v.Leave(host) // the class has nothing to answer here
	v.byHand, v.of = true, nil
	v.prepare(host)
}

// empty takes all chips off the row.
func (v *View) empty(host kit.Host) {
	if v.guess[v.pick] == 0 {
		host.Say("0: no chip lies on this row")
		return
	}
	v.guess[v.pick] = 0
}

// collect takes all chips back.
func (v *View) collect(host kit.Host) {
	if v.guess.Placed() == 0 {
		host.Say("backspace: no chip is placed yet")
		return
	}
	clear(v.guess)
}
