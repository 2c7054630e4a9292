package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"logitscope/models"
	"logitscope/sampling"
)

// A feed is a text that a server writes by itself, token by token. The lane
// takes each as it comes and shows what its own settings would have made of
// it; the choice is the server's.
type feed struct {
	seen   chan observed
	cancel context.CancelFunc
	over   bool
	reason string // why the server stopped, in its own word
	left   Reason // why the lane stopped listening, "" if it did not
	err    error
}

// observed is one observation, copied, or the end of the text.
type observed struct {
	token   int32
	row     *Row
	logprob float32
	took    time.Duration // waited for it
	over    bool
	reason  string
	err     error
}

// observedParams are the settings that are sent to the server, under the names
// that chat APIs share with the parameters here.
var observedParams = []string{"temperature", "top_p", "frequency_penalty", "presence_penalty", "seed", "stop"}

// observing reports whether the lane's model chooses its tokens itself.
func (l *Lane) observing() bool { return l.model.Info().Caps.ObserveOnly }

// startFeed asks the server for a text.
func (l *Lane) startFeed(ctx context.Context) {
	l.stopFeed()
	o, ok := l.model.(models.Observer)
	if !ok {
		l.fail(fmt.Errorf("%s: %w", l.model.Info().Name, models.ErrNotSupported))
		return
	}
	cfg := l.settings.Config()
	req := models.ObserveRequest{
		Messages:  l.turns,
		MaxTokens: l.settings.limit, Params: map[string]any{},
	}
	if req.Messages == nil {
		req.Messages = []models.Message{{Role: "user", Content: l.text}}
	}
	for _, key := range observedParams {
		if s, set := cfg.Lookup(key); set {
			req.Params[key] = s.Value
		}
	}
	inner, cancel := context.WithCancel(ctx)
	w := &feed{seen: make(chan observed, 1), cancel: cancel}
	l.feed = w
	go func() {
		asked := time.Now()
		send := func(x observed) error {
			select {
			case w.seen <- x:
				return nil
			case <-inner.Done():
				return inner.Err()
			}
		}
		reason, err := o.Observe(inner, req, func(x models.Observation) error {
			took := time.Since(asked)
			row := l.memory.keep(x.Logits)
			err := send(observed{token: x.Token, row: row, logprob: x.Logprob, took: took})
			asked = time.Now() // not while the lane had enough
			return err
		})
		send(observed{over: true, reason: reason, err: err})
	}()
}

func (l *Lane) stopFeed() {
	if l.feed != nil {
		l.feed.cancel()
		l.feed = nil
	}
}

// workFeed is work for a lane that watches: it waits for the server's next
// token, or for a command.
func (l *Lane) workFeed(ctx context.Context) (wait time.Duration, busy bool) {
	if len(l.pending) > 0 {
		if l.budget == 0 {
			return 0, false
		}
		l.commit(l.pending...)
		if r := l.ended(); r != "" && !l.feed.over { // by a limit or a stop string of ours
			l.feed.cancel()
			l.feed.over, l.feed.left = true, r
		}
		return 0, true
	}
	if l.feed.over {
		return 0, false
	}
	select {
	case x := <-l.feed.seen:
		l.see(x)
	case <-l.inbox.ready:
	case <-ctx.Done():
	}
	return 0, true
}

// see makes the server's next token the proposal, or ends the text.
func (l *Lane) see(x observed) {
	if x.over {
		l.feed.over, l.feed.reason = true, x.reason
		if l.feed.err = x.err; x.err != nil {
			l.fail(x.err)
		}
		return
	}
	if len(x.row.Values) == 0 {
		l.fail(fmt.Errorf("%s reports no probabilities; the chart needs them", l.model.Info().Name))
		return
	}
	old := &Step{Index: len(l.steps) + 1, Pos: len(l.tokens), Token: x.token, Took: x.took, Row: x.row}
	old.Summary.RawLogprob = x.logprob
	s, err := observe(old, l.settings, &l.scratch, l.input())
	if err != nil {
		l.fail(err)
		return
	}
	l.decode.Done++
	l.decode.Took += s.Took
	l.rate.arrived(time.Now())
	l.pending = []*Step{s}
}

// observe makes a step of a token that the server chose: of old, its row and
// what the server said of the token, under other settings.
func observe(old *Step, set *Settings, scratch *sampling.Scratch, in stepInput) (*Step, error) {
	s := &Step{Index: old.Index, Pos: old.Pos, Took: old.Took, Row: old.Row, Observed: true}
	pins := in.pins
	in.pins = append(slices.Clip(pins), old.Token)
	if err := traceStep(s, set, scratch, in); err != nil {
		return nil, err
	}
	s.take(old.Token, pins, in, 0) // nothing was drawn
	s.Trace.U, s.Trace.Greedy = 0, false
	if lp := old.Summary.RawLogprob; !math.IsInf(float64(lp), -1) {
		s.Trace.RawLogprob, s.Summary.RawLogprob = lp, lp
	}
	return s, nil
}

// ended returns why a watched text ended, "" while it goes on.
func (w *feed) ended() Reason {
	switch {
	case w == nil || !w.over || w.err != nil:
		return ""
	case w.left != "":
		return w.left
	case w.reason == "length":
		return Length
	}
	return EOS
}
