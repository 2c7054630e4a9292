package predict

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/engine/goal"
	"logitscope/engine/quiz"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A Score is the score of predicting, and of sampling by hand.
type Score struct {
	Book quiz.Book // the questions answered with chips
	task int       // questions answered when the lesson's task began

	picked int     // tokens written by hand
	agreed int     // of them, those that would have been drawn
	bits   float64 // their surprisal under the raw model

	classed  []Classed // questions that a class answered
	clock    int       // in clocks
	nameless bool      // names are taken out
}

// BeginTask counts questions anew for the task of a lesson.
func (s *Score) BeginTask() { s.task = s.Book.Questions() }

// Witness says how many questions were answered; see [kit.Witness].
func (v *View) Witness() goal.Facts {
	n := max(v.lab.Score.Book.Questions()-v.lab.Score.task, 0)
	return goal.Facts{Voted: n > 0, Questions: n}
}

// View hides the bars before each draw and waits for ten chips; or lets
// the viewer write every token.
type View struct {
	byHand bool
	of     *engine.Step // the proposal that is guessed, as it first was
	ids    []int32      // tokens to choose from
	guess  quiz.Guess   // chips on ids, and last on something else
	asks   quiz.Question
	pick   int  // index in ids; len(ids) is something else
	shown  bool // the guess is locked
	asked  bool // the next token is on its way
	alone  bool // the text gives way
	lab    Lab

	all     everybody // who guesses beside the viewer
	counted bool      // the viewer's own chips were
}

// A Lab is what predict needs of the screen it is opened on.
type Lab struct {
	Score *Score                          // goes on from one opening to the next
	Text  func(c *viz.Canvas, h kit.Host) // draws the text pane of a host, box included
	Pause func()                          // stops what runs
	Back  func()                          // goes back to where predict was opened
	Class Class                           // who guesses as well; nil for nobody
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
	return v, v.prepare(host)
}

// prepare takes up a new proposal, and asks the class.
func (v *View) prepare(host kit.Host) tea.Cmd {
	s := host.Lane().View.Next
	switch {
	case s == nil || s.Trace == nil:
		v.of, v.ids = nil, nil
	case v.of != nil && v.of.Row == s.Row && v.of.Pos == s.Pos:
	default:
		v.of, v.pick, v.shown, v.asked = s, 0, false, false
		v.ids = v.candidates(host, s)
		v.guess = make(quiz.Guess, len(v.ids)+1)
		return v.ask(host)
	}
	return nil
}

// options is how many rows there are to choose from.
func (v *View) options() int {
	switch {
	case len(v.ids) == 0:
		return 0
	case v.byHand:
		return len(v.ids)
	}
	return len(v.ids) + 1
}

// question is what the proposal asks.
func (v *View) question(s *engine.Step) quiz.Question {
	share := func(id int32) float64 {
		if r := s.Trace.Row(id); r != nil {
			return float64(r.Prob)
		}
		return 0
	}
	offered := make([]float64, len(v.ids))
	for i, id := range v.ids {
		offered[i] = share(id)
	}
	return quiz.NewQuestion(offered, slices.Index(v.ids, s.Token), share(s.Token))
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
	switch msg := msg.(type) {
	case run.ViewMsg:
		return v.prepare(host)
	case clockMsg:
		return v.onClock(host, msg)
	}
	return nil
}

// whileHidden are the actions of the program that give nothing away.
var whileHidden = map[kit.ID]bool{
	kit.ActHelp: true, kit.ActCommands: true, kit.ActQuit: true, kit.ActAgain: true, kit.ActReseed: true, kit.ActMarks: true, kit.ActPrompt: true,
	kit.ActExamples: true, kit.ActSlower: true, kit.ActFaster: true, kit.ActTimeline: true, kit.ActClose: true, kit.ActJoin: true,
	kit.ActLessons: true,
}

// acts are the actions that mean something of their own here.
var acts = map[kit.ID]func(*View, kit.Host){
	kit.ActDown: by(1), kit.ActUp: by(-1), kit.ActFirst: by(-100), kit.ActLast: by(100), kit.ActLeft10: by(-100), kit.ActRight10: by(100),
	kit.ActOpen: (*View).enter, kit.ActPredict: (*View).turn,
	kit.ActNext: (*View).next, kit.ActRight: (*View).next, kit.ActRun: (*View).next,
	kit.ActForce: (*View).force, kit.ActClose: (*View).esc, kit.ActHands: (*View).countHands,
}

func by(n int) func(*View, kit.Host) {
	return func(v *View, host kit.Host) { v.move(host, n) }
}

// chips are the actions that move chips while the bars are hidden: knobs would
// give the answer away, so they rest then.
var chips = map[kit.ID]func(*View, kit.Host){
	kit.ActRaise: (*View).give, kit.ActLower: (*View).takeBack,
	kit.ActOff: (*View).empty, kit.ActReset: (*View).collect,
}

// hidden reports whether a guess is waited for.
func (v *View) hidden() bool { return v.of != nil && !v.shown && !v.byHand }

// Hides reports whether the bars are hidden: a guess is waited for, or its
// proposal is on the way.
func (v *View) Hides() bool { return !v.shown && !v.byHand || v.asked }

// left is how many chips are not placed yet.
func (v *View) left() int { return quiz.Chips - v.guess.Placed() }

// give puts a chip on the row.
func (v *View) give(host kit.Host) {
	if v.left() == 0 {
		host.Say("+: all ten chips are placed; - takes one off a row, enter reveals")
		return
	}
	v.guess[v.pick]++
}

// takeBack takes a chip off the row.
func (v *View) takeBack(host kit.Host) {
	if v.guess[v.pick] == 0 {
		host.Say("-: no chip lies on this row")
		return
	}
	v.guess[v.pick]--
}

// Act takes the actions it names; see [kit.View].
func (v *View) Act(host kit.Host, a *kit.Action) (tea.Cmd, bool) {
	if do, ok := acts[a.ID]; ok {
		do(v, host)
		return nil, true
	}
	switch a.ID {
	case kit.ActBack, kit.ActLeft:
		return v.back(host), true
	}
	if v.lab.Class != nil && !v.byHand {
		switch a.ID {
		case kit.ActSlower:
			return v.setClock(host, -1), true
		case kit.ActFaster:
			return v.setClock(host, 1), true
		case kit.ActTake:
			v.names(host)
			return nil, true
		}
	}
	if do, ok := chips[a.ID]; ok && v.hidden() {
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
	case v.hidden():
		host.Say(a.First() + ": not while the bars are hidden; enter locks the chips and reveals")
	default:
		return nil, false
	}
	return nil, true
}

// Lends is all that the view does not take: it shows the lab with the bars
// hidden.
func (v *View) Lends(host kit.Host) []kit.ID { return kit.OfLab }

// Hints are what the footer offers; see [kit.View].
func (v *View) Hints(host kit.Host) []kit.ID { return nil }

// Footer words the hints; see [kit.Footed].
func (v *View) Footer(host kit.Host) []kit.Hint {
	switch {
	case v.of == nil:
		return []kit.Hint{{ID: kit.ActAgain}, {ID: kit.ActReseed}, {ID: kit.ActClose, Word: "leave"}, {ID: kit.ActHelp}}
	case v.byHand:
		return []kit.Hint{{ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActOpen, Word: "writes it"}, {Keys: "1-5", Word: "preset"}, {ID: kit.ActPredict, Word: "off"}, {ID: kit.ActClose, Word: "leave"}, {ID: kit.ActHelp}}
	case v.all.counting:
		return []kit.Hint{{Keys: "0-9", Word: "hands for the row"}, {ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActOpen, Word: "reveals"}, {ID: kit.ActClose, Word: "stop counting"}}
	case v.shared() && v.shown:
		return []kit.Hint{{ID: kit.ActOpen, Word: "next question"}, {ID: kit.ActLeft, Word: "ask again"}, {ID: kit.ActForce, Word: "class pick instead"},
			{ID: kit.ActSlower, Keys: ", .", Word: "time to vote"}, {ID: kit.ActZoom, Word: "chart alone"}, {ID: kit.ActTake, Word: "names out"}, {ID: kit.ActClose, Word: "end"}}
	case v.lab.Class != nil:
		return []kit.Hint{{ID: kit.ActOpen, Word: "closes the vote and reveals"}, {ID: kit.ActSlower, Keys: ", .", Word: "time to vote"}, {ID: kit.ActRaise, Keys: "-/+", Word: "chip of your own"},
			{ID: kit.ActPredict, Word: "you sample"}, {ID: kit.ActClose, Word: "end"}, {ID: kit.ActHelp}}
	case v.shown:
		return []kit.Hint{{ID: kit.ActOpen, Word: "next"}, {ID: kit.ActLeft, Word: "back and try another"}, {ID: kit.ActForce, Word: "force the row instead"}, {ID: kit.ActClose, Word: "leave"}, {ID: kit.ActHelp}}
	}
	return []kit.Hint{{ID: kit.ActDown, Keys: "↑↓", Word: "choose"}, {ID: kit.ActRaise, Keys: "-/+", Word: "chip"}, {ID: kit.ActOpen, Word: v.enterWord()}, {ID: kit.ActPredict, Word: "you sample"}, {ID: kit.ActClose, Word: "leave"}, {ID: kit.ActHelp}}
}

// Help is the help line while nothing was said; see [kit.Helper].
func (v *View) Help(host kit.Host) (string, viz.Ink) {
	muted := viz.Ink{Role: viz.Muted}
	switch {
	case v.of == nil:
		return host.WhyNot(host.Lane()), muted
	case v.byHand:
		return "You sample: the bars are the model's, the choice is yours.", muted
	case v.shown && v.shared():
		return v.bestWords(host.Lane(), host.Screen().ASCII()), muted
	case v.shown && host.Lane().View.Next != nil:
		s := host.Lane().View.Next
		t := s.Trace
		if t.Greedy {
			return "Greedy: the best token is taken without a draw.", muted
		}
		if t.Race.Ran {
			return fmt.Sprintf("%s came in first, at %s.", host.Lane().Piece(s.Token, host.Screen().ASCII()), viz.ArrivalTime(t.Race.Time)), muted
		}
		return fmt.Sprintf("The draw u %s fell in %s %s.", viz.Three(t.U), host.Lane().Piece(s.Token, host.Screen().ASCII()), viz.Interval(t.Lo, t.Hi)), muted
	}
	return "Ten chips for what you believe. The order of the rows tells nothing.", muted
}

// enterWord says what enter does while the bars are hidden.
func (v *View) enterWord() string {
	switch v.left() {
	case 0:
		return "reveals"
	case quiz.Chips:
		return "all ten here, reveals"
	}
	return "the rest here, reveals"
}
