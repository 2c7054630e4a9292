package engine

import (
	"context"
	"errors"
	"math"
	"time"

	"logitscope/models"
)

// How soon a command gets the better of a server: at once while the server is
// known to be in trouble, later while it may just be slow, since a request
// that is given up has to be made again.
const (
	glance   = 50 * time.Millisecond // between two looks at the inbox
	patience = 5 * time.Second
)

// attend returns a context for work that may wait for the lane's server. It
// ends early, with errInterrupted as its cause, if a command comes while the
// server is being waited for. Local models are never waited for. The caller
// must call stop.
func (l *Lane) attend(ctx context.Context) (inner context.Context, stop func()) {
	meter, ok := l.model.(models.Meter)
	if !ok {
		return ctx, func() {}
	}
	inner, cancel := context.WithCancelCause(ctx)
	start := time.Now()
	var timer *time.Timer
	timer = time.AfterFunc(time.Hour, func() {
		switch {
		case inner.Err() != nil:
		case l.inbox.waiting() && (meter.Stats().Waiting != "" || time.Since(start) > patience):
			cancel(errInterrupted)
		default:
			timer.Reset(glance)
		}
	})
	timer.Reset(glance)
	return inner, func() { timer.Stop(); cancel(nil) }
}

// interrupted reports whether a command ended the work done under a context
// from attend.
func interrupted(inner context.Context) bool {
	return errors.Is(context.Cause(inner), errInterrupted)
}

// remote reports whether the lane's model runs on a server, so that waiting
// for it takes no core from the other lanes.
func (l *Lane) remote() bool { return onServer(l.model) }

// enter lets the lane compute. The caller must call leave if there is no error.
func (l *Lane) enter(ctx context.Context) error {
	if l.remote() {
		return ctx.Err()
	}
	return l.opt.Gate.enter(ctx)
}

func (l *Lane) leave() {
	if !l.remote() {
		l.opt.Gate.leave()
	}
}

// normalised reports whether the values are log-probabilities rather than
// logits: with the rest they add up to 1. A repetition penalty means
// something else on those.
func (r *Row) normalised() bool {
	sum := float64(r.Rest)
	for _, v := range r.Values {
		sum += math.Exp(float64(v))
	}
	return math.Abs(sum-1) < 1e-3
}

// stale reports whether the proposal's row must be fetched again because the
// settings now need the logits behind its log-probabilities, tokens that it
// does not name, or a second row.
func (l *Lane) stale() bool {
	if len(l.pending) == 0 || l.pending[0].Row == nil || l.pending[0].Observed {
		return false
	}
	if l.narrowed && l.needsMore(l.pending[0].Row) || l.lacksSecond() {
		return true
	}
	if !l.settings.needsLogits() {
		return false
	}
	_, ok := l.cache.now.sess.(models.Leveller)
	return ok && !l.model.Info().Caps.Normalised && l.pending[0].Row.normalised()
}
