package engine

import (
	"context"
	"fmt"
	"math"
	"time"

	"logitscope/models"
)

// A feed is a text that a server writes by itself, token by token. The lane
// takes each as it comes and shows what its own settings would have made of
// it; the choice is the server's.
type feed struct {
	seen   chan observed
	cancel context.CancelFunc
	over   bool
	reason string
	err    error
}

// observed is one observation, copied, or the end of the text.
type observed struct {
	token   int32
	row     *Row
	logprob float32
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
		Messages:  []models.Message{{Role: "user", Content: l.text}},
		MaxTokens: l.settings.limit, Params: map[string]any{},
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
		send := func(x observed) error {
			select {
			case w.seen <- x:
				return nil
			case <-inner.Done():
				return inner.Err()
			}
		}
		reason, err := o.Observe(inner, req, func(x models.Observation) error {
			row := l.memory.keep(x.Logits)
			return send(observed{token: x.Token, row: row, logprob: x.Logprob})
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
		if x.err != nil {
			l.fail(x.err)
		}
		return
	}
	s := &Step{Index: len(l.steps) + 1, Pos: len(l.tokens), Took: time.Since(l.last), Row: x.row, Observed: true}
	in := l.input()
	in.pins = append(in.pins[:len(in.pins):len(in.pins)], x.token)
	if len(x.row.Values) == 0 {
		l.fail(fmt.Errorf("%s reports no probabilities; the chart needs them", l.model.Info().Name))
		return
	}
	if err := traceStep(s, l.settings, &l.scratch, in); err != nil {
		l.fail(err)
		return
	}
	s.take(x.token, l.pins, in, s.Trace.U)
	if !math.IsInf(float64(x.logprob), -1) {
		s.Trace.RawLogprob, s.Summary.RawLogprob = x.logprob, x.logprob
	}
	l.decode.Done++
	l.pending = []*Step{s}
}

// watched returns why a watched text ended, "" while it goes on.
func (w *feed) ended() Reason {
	switch {
	case w == nil || !w.over || w.err != nil:
		return ""
	case w.reason == "length":
		return Length
	}
	return EOS
}
