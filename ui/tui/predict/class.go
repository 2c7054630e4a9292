package predict

import (
	"cmp"
	"time"

	"logitscope/engine/quiz"
	"logitscope/ui/tui/kit"
)

// A Class is who guesses beside the viewer: it is asked what the viewer is
// asked, and its votes are closed before the bars are shown. Its methods do
// not wait.
type Class interface {
	// Ask opens a question to everybody.
	Ask(Asked)

	// Standing is who is here, and who has voted on the question that is open.
	Standing() kit.Standing

	// Until gives the question that is open another end.
	Until(time.Time)

	// Reveal closes the question that is open, with what was drawn, and
	// returns its votes, and with them the hands that were counted.
	Reveal(q quiz.Question, hands []quiz.Guess) Votes

	// Drop takes the last question back as if it had not been asked. Clear
	// takes one that is closed off the screens, and its scores stay.
	Drop()
	Clear()
}

// An Asked is a question as the class sees it.
type Asked struct {
	Context string    // the end of the text before the token
	Options []string  // tokens as they are shown, and something else
	Ends    time.Time // when it closes; the zero time if it waits for the viewer
}

// Votes are what a class put down on one question. Nobody's own vote is in
// them.
type Votes struct {
	Pool *quiz.Pool // nil where too few voted to hide who
	Best []Named    // the lowest means so far
}

// A Named is a member of a class by its given name.
type Named struct {
	Name string
	Bits float64 // mean so far
}

// Compare orders by bits, then by name.
func (n Named) Compare(o Named) int {
	return cmp.Or(cmp.Compare(n.Bits, o.Bits), cmp.Compare(n.Name, o.Name))
}
