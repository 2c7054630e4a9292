package predict

import (
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/quiz"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// clocks are how long a class may vote; the first is as long as the viewer
// likes.
var clocks = [...]time.Duration{0, 10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute}

// A clockMsg comes while a question has an end.
type clockMsg struct{ ends time.Time }

// everybody is who guesses beside the viewer on the question on the screen.
type everybody struct {
	ends     time.Time // of the vote; the zero time if it waits for the viewer
	votes    Votes     // once it is revealed
	hands    []int     // counted by row; nil where none are
	counting bool      // digits go to hands
}

// A Classed is what one question cost a class, in bits.
type Classed struct{ Class, Model float64 }

// ask opens the question on the screen to the class.
func (v *View) ask(host kit.Host) tea.Cmd {
	v.all = everybody{}
	if v.lab.Class == nil || v.byHand || v.of == nil {
		return nil
	}
	v.all.ends = v.end()
	options := make([]string, v.options())
	for i := range options {
		options[i] = v.name(host.Lane(), i, false)
	}
	v.lab.Class.Ask(Asked{Context: v.context(host, contextCells), Options: options, Ends: v.all.ends})
	return v.tick()
}

// contextCells is how much of the text a class is shown with a question.
const contextCells = 400

// end is when a vote that begins now ends.
func (v *View) end() time.Time {
	if d := clocks[v.lab.Score.clock]; d > 0 {
		return time.Now().Add(d)
	}
	return time.Time{}
}

// tick brings a message within a second, while there is a clock.
func (v *View) tick() tea.Cmd {
	ends := v.all.ends
	if ends.IsZero() {
		return nil
	}
	return tea.Tick(min(time.Second, max(time.Until(ends), 0)), func(time.Time) tea.Msg { return clockMsg{ends} })
}

// onClock reveals when the time is up.
func (v *View) onClock(host kit.Host, msg clockMsg) tea.Cmd {
	switch {
	case !v.hidden() || msg.ends != v.all.ends:
		return nil
	case time.Now().Before(msg.ends):
		return v.tick()
	}
	v.reveal(host)
	return nil
}

// setClock chooses another time to vote, from now on.
func (v *View) setClock(host kit.Host, d int) tea.Cmd {
	k := &v.lab.Score.clock
	*k = min(max(*k+d, 0), len(clocks)-1)
	words := "no clock: enter reveals"
	if clocks[*k] > 0 {
		words = fmt.Sprintf("%d seconds to vote", int(clocks[*k].Seconds()))
	}
	host.Say(words)
	if !v.hidden() {
		return nil
	}
	v.all.ends = v.end()
	v.lab.Class.Until(v.all.ends)
	return v.tick()
}

// reveal closes the vote and shows the bars. The viewer's own chips count
// where there is no class, or some were placed.
func (v *View) reveal(host kit.Host) {
	v.asks, v.shown = v.question(host.Lane().View.Next), true
	v.counted = !v.shared() || v.guess.Placed() > 0
	if v.counted {
		v.guess[v.pick] += v.left()
		v.lab.Score.Book.Add(quiz.Answer{Question: v.asks, Guess: v.guess})
	}
	v.all.counting = false
	hands := v.handGuesses()
	switch {
	case v.lab.Class != nil:
		v.all.votes = v.lab.Class.Reveal(v.asks, hands)
	case len(hands) > 0:
		v.all.votes.Pool = quiz.NewPool(v.options())
		for _, g := range hands {
			v.all.votes.Pool.Add(g)
		}
	}
	if p := v.all.votes.Pool; p != nil {
		v.lab.Score.classed = append(v.lab.Score.classed, Classed{p.Bits(v.asks.Drawn), v.asks.Model()})
	}
}

// shared reports whether others vote on the question.
func (v *View) shared() bool { return v.lab.Class != nil || v.all.hands != nil }

// unreveal undoes reveal, and asks again.
func (v *View) unreveal(host kit.Host) tea.Cmd {
	if v.counted {
		v.lab.Score.Book.TakeBack()
	}
	if v.all.votes.Pool != nil {
		v.lab.Score.classed = v.lab.Score.classed[:len(v.lab.Score.classed)-1]
	}
	v.shown, v.guess = false, make(quiz.Guess, len(v.guess))
	if v.lab.Class != nil {
		v.lab.Class.Drop()
	}
	return v.ask(host)
}

// Leave ends the question; see [kit.Leaver].
func (v *View) Leave(kit.Host) {
	switch {
	case v.lab.Class == nil:
	case v.hidden():
		v.lab.Class.Drop()
	default:
		v.lab.Class.Clear()
	}
}

// mostHands bounds what is counted on one row.
const mostHands = 999

// countHands lets the viewer type how many hands are up for each row.
func (v *View) countHands(host kit.Host) {
	switch {
	case !v.hidden():
		host.Say("count hands: while the bars are hidden; P asks")
	case v.all.counting:
		v.all.counting = false
	default:
		v.all.counting = true
		if v.all.hands == nil {
			v.all.hands = make([]int, v.options())
		}
	}
}

// Key takes digits while hands are counted; see [kit.Typist].
func (v *View) Key(_ kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	if !v.all.counting || !v.hidden() {
		return nil, false
	}
	n := &v.all.hands[v.pick]
	switch {
	case k.Type == tea.KeyBackspace:
		*n /= 10
	case k.Type == tea.KeyEsc:
		v.all.counting = false
	case k.Type == tea.KeyRunes && !k.Paste && len(k.Runes) == 1 && k.Runes[0] >= '0' && k.Runes[0] <= '9':
		if more := *n*10 + int(k.Runes[0]-'0'); more <= mostHands {
			*n = more
		}
	default:
		return nil, false
	}
	return nil, true
}

// handGuesses are the hands as guesses: each has all its chips on one row.
func (v *View) handGuesses() []quiz.Guess {
	var out []quiz.Guess
	for i, n := range v.all.hands {
		out = append(out, slices.Repeat([]quiz.Guess{quiz.AllOn(v.options(), i)}, n)...)
	}
	return out
}

// names shows the best names, or takes them out.
func (v *View) names(host kit.Host) {
	v.lab.Score.nameless = !v.lab.Score.nameless
	if v.lab.Score.nameless {
		host.Say("names are out; x puts them back")
	}
}

// favourite is the row that f writes: the class's own, where there is one.
func (v *View) favourite() int {
	if p := v.all.votes.Pool; p != nil {
		return p.Favourite()
	}
	return v.pick
}

// standingWords say how the vote stands, while it is open.
func (v *View) standingWords() string {
	s := v.lab.Class.Standing()
	words := fmt.Sprintf("%d of %d voted", s.Voted, s.Here)
	if !v.all.ends.IsZero() {
		words += fmt.Sprintf(" · %d s", int(max(time.Until(v.all.ends), 0).Seconds()+0.5))
	}
	return words
}

// handWords say how many hands were counted.
func (v *View) handWords() string {
	n := 0
	for _, h := range v.all.hands {
		n += h
	}
	return viz.Plural(n, "hand") + " counted · digits are the row's · enter reveals"
}

// classWords are the lines below the rows once the votes are in.
func (v *View) classWords(host kit.Host, w int) []string {
	p, q := v.all.votes.Pool, v.asks
	drawn := "drawn " + v.name(host.Lane(), q.Drawn, host.Screen().ASCII())
	law := viz.FirstFit(w,
		fmt.Sprintf("model %s bits · the least anybody can have on average here %s bits · blind, %d equal chances %s bits",
			viz.Two(q.Model()), viz.Two(q.Floor()), len(q.Law), viz.Two(quiz.Blind(len(q.Law)))),
		fmt.Sprintf("model %s · floor %s · blind %s", viz.Two(q.Model()), viz.Two(q.Floor()), viz.Two(quiz.Blind(len(q.Law)))))
	if p == nil {
		return append([]string{viz.FirstFit(w, drawn+" · too few voted to show what without showing who", drawn+" · too few votes"), law}, v.soFar(w)...)
	}
	had := fmt.Sprintf("%d of %d had it", p.Favourites(q.Drawn), p.Guesses())
	return append([]string{viz.FirstFit(w,
		fmt.Sprintf("%s   %s   the class as one forecaster %s bits · its members on average %s bits", drawn, had, viz.Two(p.Bits(q.Drawn)), viz.Two(p.MeanBits(q.Drawn))),
		fmt.Sprintf("%s · %s · class %s · members %s", drawn, had, viz.Two(p.Bits(q.Drawn)), viz.Two(p.MeanBits(q.Drawn))),
		fmt.Sprintf("%s · class %s", had, viz.Two(p.Bits(q.Drawn)))), law}, v.soFar(w)...)
}

// soFar sums up the questions that the class answered, if there are any.
func (v *View) soFar(w int) []string {
	all := v.lab.Score.classed
	if len(all) == 0 {
		return nil
	}
	var sum Classed
	for _, c := range all {
		sum.Class += c.Class
		sum.Model += c.Model
	}
	n := float64(len(all))
	words := fmt.Sprintf("so far %s: class %s · model %s", viz.Plural(len(all), "question"), viz.Two(sum.Class/n), viz.Two(sum.Model/n))
	if v.lab.Score.nameless || len(v.all.votes.Best) == 0 {
		return []string{words}
	}
	best := " · best so far: "
	for i, b := range v.all.votes.Best {
		if i > 0 {
			best += ", "
		}
		best += viz.Printable(b.Name, false) + " " + viz.Two(b.Bits)
	}
	return []string{viz.FirstFit(w, words+best+" (given names)", words+best, words)}
}

// share words what a class has on row i: whose favourite it is, and the part
// of all chips there.
func share(p *quiz.Pool, i int) string {
	return fmt.Sprintf("%d of %d, %s", p.Favourites(i), p.Guesses(), viz.Percent(p.Held(i)))
}

// bestWords name the chips that the law itself would have placed.
func (v *View) bestWords(l *run.Lane, ascii bool) string {
	g := quiz.Best(v.asks.Law)
	words := ""
	for n := quiz.Chips; n > 0; n-- {
		for i, c := range g {
			if c == n {
				words += fmt.Sprintf(", %d on %s", c, v.name(l, i, ascii))
			}
		}
	}
	return "Best on average: chips" + words[1:] + fmt.Sprintf(": %s bits here.", viz.Two(g.Bits(v.asks.Drawn)))
}
