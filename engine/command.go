package engine

import (
	"time"

	"logitscope/engine/speculative"
	"logitscope/models"
)

// A Command asks a lane to do something. Commands posted to one lane take
// effect in the order they were posted, between forward passes.
type Command interface{ command() }

type (
	// Start drops what the lane holds and begins again from Prompt. The lane
	// reads the prompt, proposes the first token, and waits.
	Start struct {
		Text     string // as typed, for the record
		Prompt   []int32
		Settings *Settings

		// Turns are the conversation for a server that wraps it itself; nil for
		// Text as the user's turn.
		Turns []models.Message
	}

	// Advance commits up to N more tokens (rounds, beam steps), on top of
	// what an earlier one still has to commit; a negative N means until
	// something else stops the lane. Zero pauses.
	Advance struct{ N int }

	// Tune changes how the next token will be chosen. The proposal is traced
	// again from the logits already in hand, so no forward pass is needed.
	Tune struct{ Settings *Settings }

	// Force commits Token in place of the proposal.
	Force struct{ Token int32 }

	// Rewind keeps the first Len generated tokens, drops the rest, and pauses.
	Rewind struct{ Len int }

	// Adopt makes the lane hold other steps, such as another branch of the
	// same prompt. The cache keeps the longest prefix it has, so going to a
	// branch computes nothing that was computed before.
	Adopt struct {
		Text     string
		Prompt   []int32
		Steps    []*Step // not modified
		Settings *Settings

		cache *held // handed over by another lane's Fork
	}

	// Fork makes lane To start as this lane is after its first Len generated
	// tokens, sharing what the cache holds of them. If Steps is not nil, To
	// starts with those instead, another branch of the same prompt, and shares
	// what any cache of this lane holds of them. To must be on the same model
	// and running.
	Fork struct {
		To       *Lane
		Len      int
		Steps    []*Step // not modified
		Settings *Settings
		Then     int // tokens that To commits by itself after that
	}

	// Pin names the tokens every trace must show wherever they rank.
	Pin struct{ IDs []int32 }

	// Pace sets the least time between two commits; zero is as fast as the
	// model goes.
	Pace struct{ Every time.Duration }

	// Look recomputes the row of step Index (from 1), which the memory window
	// has dropped. The answer comes in View.Looked.
	Look struct{ Index int }

	// Judge changes how drafted tokens are judged, to one of the algorithms
	// of package speculative; the wrong ones show what goes wrong.
	Judge struct{ Algorithm speculative.Algorithm }

	// Assist gives the lane another draft, the zero value none. The text stays.
	Assist struct{ Draft Draft }

	// Cancel stops reading a prompt.
	Cancel struct{}

	// Until pauses the lane once at the first proposal, or after the first step
	// of a search, for which Holds says yes of the view. Before a speculative
	// round it pauses where Holds says yes for one of its tokens. Holds runs in
	// the lane's goroutine and must not wait. Done gets the view at that token,
	// for which it must have room, and is closed then; it is closed without one
	// where the text ends first, and by another Until, be it the zero value, or
	// a Start.
	Until struct {
		Holds func(View) bool
		Done  chan<- View
	}

	// Settle asks for the lane's state once it has nothing more to do: all
	// commands before this one are done, what was to be advanced is written
	// and the next token is proposed. Done must have room for one view.
	Settle struct{ Done chan<- View }
)

func (Start) command()   {}
func (Advance) command() {}
func (Tune) command()    {}
func (Force) command()   {}
func (Rewind) command()  {}
func (Adopt) command()   {}
func (Fork) command()    {}
func (Pin) command()     {}
func (Pace) command()    {}
func (Look) command()    {}
func (Judge) command()   {}
func (Assist) command()  {}
func (Cancel) command()  {}
func (Until) command()   {}
func (Settle) command()  {}
