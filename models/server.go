package models

import (
	"context"
	"time"
)

// A ContextEncoder is a [Vocab] that asks somebody else to split the text, so
// that splitting may wait and may fail. Its plain Encode waits for a bounded
// time and returns nil where EncodeContext would return an error.
type ContextEncoder interface {
	Vocab
	EncodeContext(ctx context.Context, text string, opt EncodeOptions) ([]int32, error)
}

// Encode splits text into tokens with v, through EncodeContext where v has it.
// Callers that can report an error should prefer it to v.Encode.
func Encode(ctx context.Context, v Vocab, text string, opt EncodeOptions) ([]int32, error) {
	if e, ok := v.(ContextEncoder); ok {
		return e.EncodeContext(ctx, text, opt)
	}
	return v.Encode(text, opt), nil
}

// A ChatRenderer is a [Model] whose server wraps conversations itself.
type ChatRenderer interface {
	// RenderChat returns the prompt for a conversation, up to where the
	// model's answer begins.
	RenderChat(ctx context.Context, turns []Message) (string, error)
}

// A TemplateTeller is a [Model] whose server shows what its own chat template
// makes of a conversation.
type TemplateTeller interface {
	// ApplyTemplate returns the server's prompt for a conversation, up to
	// where the model's answer begins. The error wraps [ErrNotSupported] where
	// the server cannot tell.
	ApplyTemplate(ctx context.Context, turns []Message) (string, error)
}

// A Meter is a [Model] that counts what talking to its backend costs. Stats
// may be called at any time from any goroutine and does not wait.
type Meter interface {
	Stats() Stats
}

// Stats are the counts of a [Meter] since it was opened.
type Stats struct {
	Rows      uint64        // rows of logits handed out
	AheadHits uint64        // of these, the rows that had been fetched before they were asked for
	Requests  uint64        // requests sent, repeated ones included
	Retries   uint64        // requests repeated after a fault
	BytesOut  uint64        // bytes of request bodies
	BytesIn   uint64        // bytes of answers
	Cached    uint64        // tokens the backend found in its prefix cache, where it says so
	Evaluated uint64        // tokens the backend ran through the model, where it says so
	InFlight  int           // tokens asked for and not answered yet
	Latency   time.Duration // time from asking for a row to having it, moving average over about 16
	Waiting   string        // why the backend is being waited for, one line; empty while all is well
}

// A Lookahead is a [Session] that can fetch rows before they are asked for:
// those that follow if the tokens to come are the ones that it guesses. A guess
// that was wrong is thrown away; results are the same with and without it.
type Lookahead interface {
	Session

	// SetAhead says how to look ahead from the next call of Forward on. The
	// zero value, which is what a session begins with, fetches nothing that
	// was not asked for. With others a request may go on after Forward has
	// returned; its rows are handed out by later calls, or thrown away.
	SetAhead(a Ahead)
}

// Ahead says how far a session may look ahead, and what it can guess by.
type Ahead struct {
	Rows   int  // most rows to fetch beyond the one that is asked for; the session fetches as many as are likely to be used
	Greedy bool // the most probable token is always the one taken

	// Draws are the numbers in [0, 1) with which the next tokens will be drawn,
	// where that is known: the token is the first, from the most probable on,
	// at which the running sum of probabilities reaches the number. The first
	// is for the row that is asked for. Law is what they are drawn from.
	Draws []float64
	Law   []Setting

	// Lone means that a number is used up also where one token is left.
	Lone bool
}

// A Setting is a sampling setting by its usual name, such as "top_k".
type Setting struct {
	Name  string
	Value float64
}

// A Leveller is a [Session] of a backend that reports log-probabilities and
// works out the logits behind them at the cost of more work for each row.
type Leveller interface {
	Session

	// SetLevels says whether that is needed, which it is at first. Without it
	// rows are log-probabilities: the same up to a constant, which matters to
	// a repetition penalty and to nothing else.
	SetLevels(needed bool)
}

// A Narrower is a [Session] of a backend to which a row of the whole
// vocabulary costs much more than one of the most probable tokens.
type Narrower interface {
	Session

	// SetNarrow says whether rows may name the most probable tokens only, at
	// most n of them; at first, and with n 0, they name as many as the
	// backend was opened for. It reports whether that makes a difference.
	SetNarrow(n int) bool

	// Whole returns the row that follows the last token again, as if narrow
	// rows were not allowed. It is valid until the next call on the session,
	// which must hold a token.
	Whole(ctx context.Context) (Logits, error)
}

// An Observer is a [Model] whose backend chooses the tokens itself (see
// [Caps].ObserveOnly); a caller can only watch.
type Observer interface {
	// Observe lets the backend generate and calls yield once for each token,
	// in order, until the backend stops, yield returns an error, or ctx ends.
	// It returns why the backend stopped, in its own word, such as "stop" or
	// "length".
	Observe(ctx context.Context, req ObserveRequest, yield func(Observation) error) (reason string, err error)
}

// ObserveRequest says what an [Observer] lets its backend generate.
type ObserveRequest struct {
	Messages  []Message      // the conversation; at least one message
	MaxTokens int            // most tokens to generate; 0 leaves it to the backend
	Params    map[string]any // sampling settings, under the backend's own names
}

// A Message is one turn of a conversation.
type Message struct{ Role, Content string }

// An Observation is one token a backend chose, and what it chose from.
type Observation struct {
	Token int32 // the token chosen
	// Logits are the most probable tokens at this position as the backend
	// reports them, without its sampling settings. Token need not be among
	// them. They are valid until yield returns.
	Logits  Logits
	Logprob float32 // log-probability of Token; -Inf if the backend did not say
}
