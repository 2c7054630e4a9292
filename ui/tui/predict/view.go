package predict

import (
	"fmt"
	"math"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A Score is the score of predicting, and of sampling by hand.
type Score struct {
	Played, Right int // guesses, and those that the draw agreed with
	Likely        int // how often the most likely token was drawn

	picked int     // tokens written by hand
	agreed int     // of them, those that would have been drawn
	bits   float64 // their surprisal under the raw model
}

// View hides the bars before each draw and waits for a guess; or lets
// the viewer write every token.
type View struct {
	byHand bool
	of     *engine.Step // the proposal that is guessed, as it first was
	ids    []int32      // tokens to choose from
	pick   int          // index in ids
	shown  bool         // the guess is locked
	won    [2]int       // what the guess added to right and likely
	asked  bool         // the next token is on its way
	alone  bool         // the text gives way
	lab    Lab
}

// A Lab is what predict needs of the screen it is opened on.
type Lab struct {
	Score *Score                           // goes on from one opening to the next
	Text  func(c *viz.Canvas, l *run.Lane) // draws the text pane, box included
	Pause func()                           // stops what runs
	Back  func()                           // goes back to where predict was opened
}

// New opens predict on the lane that keys act on, or says why not.
func New(host kit.Host, lab Lab) (kit.View, tea.Cmd) {
	l := host.Lane()
	switch {
	case l.View.Phase == engine.Idle:
		host.Say("P: " + host.WhyNot(l))
		return nil, nil
	case l.View.Beam != nil || l.View.Contrastive != nil:
		host.Say("P: this search draws no token, so there is nothing to guess")
		return nil, nil
	case l.View.Draft != nil:
		host.Say("P: tokens come in drafted rounds; num_assistant_tokens 0 draws them one by one")
		return nil, nil
	}
	l.LookAt(0)
	lab.Pause()
	l.Eng.Post(engine.Advance{N: 0})
	v := &View{lab: lab}
	v.prepare(host)
	return v, nil
}

// prepare takes up a new proposal.
func (v *View) prepare(host kit.Host) {
	s := host.Lane().View.Next
	switch {
	case s == nil || s.Trace == nil:
		v.of, v.ids = nil, nil
	case v.of != nil && v.of.Row == s.Row && v.of.Pos == s.Pos:
	default:
		v.of, v.pick, v.shown, v.asked = s, 0, false, false
		v.ids = v.candidates(host, s)
	}
}

// Choices are the tokens to choose from, in the order of their rows.
func (v *View) Choices() []int32 { return v.ids }

// candidates are the tokens to choose from: in the order of the alphabet
// where the order must tell nothing, else by rank.
func (v *View) candidates(host kit.Host, s *engine.Step) []int32 {
	n := MaxGuesses
	if v.byHand {
		var ids []int32
		for _, r := range s.Trace.Rows() {
			if len(ids) < n && r.Rank == int32(len(ids)+1) {
				ids = append(ids, r.ID)
			}
		}
		return ids
	}
	return Guesses(host.Lane().Vocab(), s, n)
}

// Follow takes results and new views; see [kit.Follower].
func (v *View) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	if _, ok := msg.(run.ViewMsg); ok {
		v.prepare(host)
	}
	return nil
}

// whileHidden are the actions of the program that give nothing away.
var whileHidden = map[kit.ID]bool{
	kit.ActHelp: true, kit.ActCommands: true, kit.ActQuit: true, kit.ActAgain: true, kit.ActReseed: true, kit.ActMarks: true, kit.ActPrompt: true,
	kit.ActExamples: true, kit.ActSlower: true, kit.ActFaster: true, kit.ActTimeline: true, kit.ActClose: true,
}

// acts are the actions that mean something of their own here.
var acts map[kit.ID]func(*View, kit.Host)

func init() {
	move := func(n int) func(*View, kit.Host) {
		return func(v *View, host kit.Host) { v.move(host, n) }
	}
	acts = map[kit.ID]func(*View, kit.Host){
		kit.ActDown: move(1), kit.ActUp: move(-1), kit.ActFirst: move(-100), kit.ActLast: move(100), kit.ActLeft10: move(-100), kit.ActRight10: move(100),
		kit.ActOpen: (*View).enter, kit.ActPredict: (*View).turn,
		kit.ActNext: (*View).next, kit.ActRight: (*View).next, kit.ActRun: (*View).next,
		kit.ActBack: (*View).back, kit.ActLeft: (*View).back,
		kit.ActForce: (*View).force, kit.ActClose: (*View).esc,
	}
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if do, ok := acts[a.ID]; ok {
		do(v, host)
		return nil, true
	}
	if whileHidden[a.ID] {
		return nil, false
	}
	switch {
	case a.ID == kit.ActZoom:
		v.alone = !v.alone
	case a.ID == kit.ActPane || a.ID == kit.ActPaneBack:
		host.Say(a.First() + ": keys act in this pane only; esc goes back to the lab")
	case v.of != nil && !v.shown && !v.byHand:
		host.Say(a.First() + ": not while the bars are hidden; enter locks the pick and reveals")
	default:
		return nil, false
	}
	return nil, true
}

// Lends is all that the view does not take: it shows the lab with the bars
// hidden.
func (v *View) Lends(host kit.Host) []kit.ID { return kit.OfLab }

func (v *View) move(host kit.Host, n int) {
	switch {
	case len(v.ids) == 0:
		host.Say(host.WhyNot(host.Lane()))
	case v.shown:
		host.Say("the pick is locked; enter goes on, ← hides the bars again")
	case n < 0 && v.pick == 0:
		host.Say("this is the first token to choose")
	case n > 0 && v.pick == len(v.ids)-1:
		host.Say("this is the last token to choose")
	default:
		v.pick = min(max(v.pick+n, 0), len(v.ids)-1)
	}
}

// enter locks a pick, or goes on from one.
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
		v.shown = true
		v.won = [2]int{}
		if v.ids[v.pick] == s.Token {
			v.won[0] = 1
		}
		if MostLikely(s) == s.Token {
			v.won[1] = 1
		}
		v.lab.Score.Played++
		v.lab.Score.Right += v.won[0]
		v.lab.Score.Likely += v.won[1]
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
		host.Say("→: pick first; enter locks the pick and reveals")
	case !v.asked:
		v.asked = true
		l.Eng.Post(engine.Advance{N: 1})
	}
}

// back hides the bars again, and takes the score of this step back.
func (v *View) back(host kit.Host) {
	if !v.shown || v.asked {
		host.Say("←: nothing to take back at this step; esc, then b looks at earlier ones")
		return
	}
	v.shown = false
	v.lab.Score.Played--
	v.lab.Score.Right -= v.won[0]
	v.lab.Score.Likely -= v.won[1]
}

// force writes the pick instead of the token drawn.
func (v *View) force(host kit.Host) {
	switch l := host.Lane(); {
	case v.byHand:
		v.enter(host)
	case !v.shown || v.asked:
		host.Say("f: reveal first; then f writes your pick instead of the token drawn")
	default:
		v.asked = true
		l.Eng.Post(engine.Force{Token: v.ids[v.pick]})
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
	v.byHand, v.of = true, nil
	v.prepare(host)
}

// MostLikely is the token with the largest final probability.
func MostLikely(s *engine.Step) int32 {
	best, p := s.Token, float32(-1)
	for _, r := range s.Trace.Rows() {
		if r.Prob > p {
			best, p = r.ID, r.Prob
		}
	}
	return best
}

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(host kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(host kit.Host) []kit.Hint {
	switch {
	case v.of == nil:
		return []kit.Hint{{ID: kit.ActAgain}, {ID: kit.ActReseed}, {ID: kit.ActClose, Word: "leave"}, {ID: kit.ActHelp}}
	case v.byHand:
		return []kit.Hint{{ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActOpen, Word: "writes it"}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActPredict, Word: "off"}, {ID: kit.ActClose, Word: "leave"}, {ID: kit.ActHelp}}
	case v.shown:
		return []kit.Hint{{ID: kit.ActOpen, Word: "next"}, {ID: kit.ActLeft, Word: "back and try another"}, {ID: kit.ActForce, Word: "force your pick instead"}, {ID: kit.ActClose, Word: "leave"}, {ID: kit.ActHelp}}
	}
	return []kit.Hint{{ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActOpen, Word: "locks the pick and reveals"}, {ID: kit.ActPredict, Word: "you sample"}, {ID: kit.ActClose, Word: "leave"}, {ID: kit.ActHelp}}
}

// Help is the help line while nothing was said; see [kit.Helper].
func (v *View) Help(host kit.Host) (string, viz.Ink) {
	muted := viz.Ink{Role: viz.Muted}
	switch {
	case v.of == nil:
		return host.WhyNot(host.Lane()), muted
	case v.byHand:
		return "You sample: the bars are the model's, the choice is yours.", muted
	case v.shown && host.Lane().View.Next != nil:
		s := host.Lane().View.Next
		t := s.Trace
		if t.Greedy {
			return "Greedy: the best token is taken without a draw.", muted
		}
		return fmt.Sprintf("The draw u %s fell in %s %s.", viz.Three(t.U), host.Lane().Piece(s.Token, host.Screen().ASCII()), viz.Interval(t.Lo, t.Hi)), muted
	}
	return "Which token comes next? The order of the rows tells nothing.", muted
}
