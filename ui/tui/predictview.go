package tui

import (
	"fmt"
	"math"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A game is the score of predicting, and of sampling by hand.
type game struct {
	played, right int // guesses, and those that the draw agreed with
	likely        int // how often the most likely token was drawn

	picked int     // tokens written by hand
	agreed int     // of them, those that would have been drawn
	bits   float64 // their surprisal under the raw model
}

// predictView hides the bars before each draw and waits for a guess; or lets
// the viewer write every token.
type predictView struct {
	byHand bool
	of     *engine.Step // the proposal that is guessed, as it first was
	ids    []int32      // tokens to choose from
	pick   int          // index in ids
	shown  bool         // the guess is locked
	won    [2]int       // what the guess added to right and likely
	asked  bool         // the next token is on its way
	alone  bool         // the text gives way
	from   opened       // what esc goes back to, if not the lab
}

func openPredict(m *Model) (kit.View, tea.Cmd) {
	l := m.Lane()
	switch {
	case l.View.Phase == engine.Idle:
		m.Say("P: " + m.WhyNot(l))
		return nil, nil
	case l.View.Beam != nil || l.View.Contrastive != nil:
		m.Say("P: this search draws no token, so there is nothing to guess")
		return nil, nil
	case l.View.Draft != nil:
		m.Say("P: tokens come in drafted rounds; num_assistant_tokens 0 draws them one by one")
		return nil, nil
	}
	l.LookAt(0)
	m.advanceAll(0)
	l.Eng.Post(engine.Advance{N: 0})
	v := &predictView{from: m.screen}
	v.prepare(m)
	return v, nil
}

// prepare takes up a new proposal.
func (v *predictView) prepare(m *Model) {
	s := m.Lane().View.Next
	switch {
	case s == nil || s.Trace == nil:
		v.of, v.ids = nil, nil
	case v.of != nil && v.of.Row == s.Row && v.of.Pos == s.Pos:
	default:
		v.of, v.pick, v.shown, v.asked = s, 0, false, false
		v.ids = v.candidates(m, s)
	}
}

// candidates are the tokens to choose from: in the order of the alphabet
// where the order must tell nothing, else by rank.
func (v *predictView) candidates(m *Model, s *engine.Step) []int32 {
	n := maxGuesses
	if v.byHand {
		var ids []int32
		for _, r := range s.Trace.Rows() {
			if len(ids) < n && r.Rank == int32(len(ids)+1) {
				ids = append(ids, r.ID)
			}
		}
		return ids
	}
	return guesses(m.Lane().Vocab(), s, n)
}

func (v *predictView) Follow(host kit.Host, msg tea.Msg) tea.Cmd {
	m := host.(*Model)
	if _, ok := msg.(run.ViewMsg); ok {
		v.prepare(m)
	}
	return nil
}

// whileHidden are the actions of the program that give nothing away.
var whileHidden = map[kit.ID]bool{
	kit.ActHelp: true, kit.ActCommands: true, kit.ActQuit: true, kit.ActAgain: true, kit.ActReseed: true, kit.ActMarks: true, kit.ActPrompt: true,
	kit.ActExamples: true, kit.ActSlower: true, kit.ActFaster: true, kit.ActTimeline: true, kit.ActClose: true,
}

// predictActions are the actions that mean something of their own here.
var predictActions map[kit.ID]func(*predictView, *Model)

func init() {
	move := func(n int) func(*predictView, *Model) {
		return func(v *predictView, m *Model) { v.move(m, n) }
	}
	predictActions = map[kit.ID]func(*predictView, *Model){
		kit.ActDown: move(1), kit.ActUp: move(-1), kit.ActFirst: move(-100), kit.ActLast: move(100), kit.ActLeft10: move(-100), kit.ActRight10: move(100),
		kit.ActOpen: (*predictView).enter, kit.ActPredict: (*predictView).turn,
		kit.ActNext: (*predictView).next, kit.ActRight: (*predictView).next, kit.ActRun: (*predictView).next,
		kit.ActBack: (*predictView).back, kit.ActLeft: (*predictView).back,
		kit.ActForce: (*predictView).force, kit.ActClose: (*predictView).esc,
	}
}

func (v *predictView) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	m := host.(*Model)
	if do, ok := predictActions[a.ID]; ok {
		do(v, m)
		return nil, true
	}
	if whileHidden[a.ID] {
		return nil, false
	}
	switch {
	case a.ID == kit.ActZoom:
		v.alone = !v.alone
	case a.ID == kit.ActPane || a.ID == kit.ActPaneBack:
		m.Say(a.First() + ": keys act in this pane only; esc goes back to the lab")
	case v.of != nil && !v.shown && !v.byHand:
		m.Say(a.First() + ": not while the bars are hidden; enter locks the pick and reveals")
	default:
		return nil, false
	}
	return nil, true
}

// Lends is all that the view does not take: it shows the lab with the bars
// hidden.
func (v *predictView) Lends(kit.Host) []kit.ID { return kit.OfLab }

func (v *predictView) move(m *Model, n int) {
	switch {
	case len(v.ids) == 0:
		m.Say(m.WhyNot(m.Lane()))
	case v.shown:
		m.Say("the pick is locked; enter goes on, ← hides the bars again")
	case n < 0 && v.pick == 0:
		m.Say("this is the first token to choose")
	case n > 0 && v.pick == len(v.ids)-1:
		m.Say("this is the last token to choose")
	default:
		v.pick = min(max(v.pick+n, 0), len(v.ids)-1)
	}
}

// enter locks a pick, or goes on from one.
func (v *predictView) enter(m *Model) {
	l := m.Lane()
	s := l.View.Next
	switch {
	case s == nil || len(v.ids) == 0:
		m.Say("enter: " + m.WhyNot(l))
	case v.byHand:
		v.write(m, v.ids[v.pick])
	case v.shown:
		v.next(m)
	default:
		v.shown = true
		v.won = [2]int{}
		if v.ids[v.pick] == s.Token {
			v.won[0] = 1
		}
		if mostLikely(s) == s.Token {
			v.won[1] = 1
		}
		m.game.played++
		m.game.right += v.won[0]
		m.game.likely += v.won[1]
	}
}

// next writes the token drawn and hides the one after it.
func (v *predictView) next(m *Model) {
	l := m.Lane()
	switch {
	case l.View.Next == nil:
		m.Say("→: " + m.WhyNot(l))
	case v.byHand:
		m.Say("→: you write the text here; enter takes the row, P leaves it to the draw again")
	case !v.shown:
		m.Say("→: pick first; enter locks the pick and reveals")
	case !v.asked:
		v.asked = true
		l.Eng.Post(engine.Advance{N: 1})
	}
}

// back hides the bars again, and takes the score of this step back.
func (v *predictView) back(m *Model) {
	if !v.shown || v.asked {
		m.Say("←: nothing to take back at this step; esc, then b looks at earlier ones")
		return
	}
	v.shown = false
	m.game.played--
	m.game.right -= v.won[0]
	m.game.likely -= v.won[1]
}

// force writes the pick instead of the token drawn.
func (v *predictView) force(m *Model) {
	switch l := m.Lane(); {
	case v.byHand:
		v.enter(m)
	case !v.shown || v.asked:
		m.Say("f: reveal first; then f writes your pick instead of the token drawn")
	default:
		v.asked = true
		l.Eng.Post(engine.Force{Token: v.ids[v.pick]})
	}
}

// write writes token id and counts what it cost.
func (v *predictView) write(m *Model, id int32) {
	if v.asked {
		return
	}
	l := m.Lane()
	s := l.View.Next
	if r := s.Trace.Row(id); r != nil {
		m.game.bits -= math.Log2(float64(r.RawProb))
	}
	m.game.picked++
	if id == s.Token {
		m.game.agreed++
	}
	v.asked = true
	l.Eng.Post(engine.Force{Token: id})
}

// esc shows the text again where it gave way, else leaves.
func (v *predictView) esc(m *Model) {
	if v.alone {
		v.alone = false
		return
	}
	v.end(m)
}

// end goes back to where predict was opened.
func (v *predictView) end(m *Model) {
	m.Close()
	if v.from.id == kit.ViewCompare {
		m.show(v.from)
	}
}

// turn is P: from predicting to sampling by hand, and out.
func (v *predictView) turn(m *Model) {
	if v.byHand {
		m.overlays = nil // those over it go with it
		v.end(m)
		m.Say("predict is off")
		return
	}
	v.byHand, v.of = true, nil
	v.prepare(m)
}

// mostLikely is the token with the largest final probability.
func mostLikely(s *engine.Step) int32 {
	best, p := s.Token, float32(-1)
	for _, r := range s.Trace.Rows() {
		if r.Prob > p {
			best, p = r.ID, r.Prob
		}
	}
	return best
}

func (v *predictView) Hints(kit.Host) []kit.ID { return nil }

func (v *predictView) Footer(_ kit.Host) []kit.Hint {
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

func (v *predictView) Help(host kit.Host) (string, viz.Ink) {
	m := host.(*Model)
	muted := viz.Ink{Role: viz.Muted}
	switch {
	case v.of == nil:
		return m.WhyNot(m.Lane()), muted
	case v.byHand:
		return "You sample: the bars are the model's, the choice is yours.", muted
	case v.shown && m.Lane().View.Next != nil:
		s := m.Lane().View.Next
		t := s.Trace
		if t.Greedy {
			return "Greedy: the best token is taken without a draw.", muted
		}
		return fmt.Sprintf("The draw u %s fell in %s %s.", viz.Three(t.U), m.Lane().Piece(s.Token, m.pal.ASCII), viz.Interval(t.Lo, t.Hi)), muted
	}
	return "Which token comes next? The order of the rows tells nothing.", muted
}
