package remote

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// firstNotice is how long a server may be silent before somebody is told; each
// further notice comes after twice the time.
const firstNotice = 5 * time.Second

// A silence is the time in which a call has not heard a good answer.
type silence struct {
	c     *Client
	mu    sync.Mutex
	since time.Time
	timer *time.Timer
	next  time.Duration
	what  string // is waited for
	fault string // what went wrong last, or empty
	tries int
	over  bool
}

type silenceKey struct{}

// listen begins a silence, which ends with the returned function.
func (c *Client) listen(ctx context.Context) (context.Context, *silence, func()) {
	s := &silence{c: c, since: time.Now(), next: firstNotice, what: "an answer"}
	s.timer = time.AfterFunc(s.next, s.tell)
	return context.WithValue(ctx, silenceKey{}, s), s, func() {
		s.mu.Lock()
		s.over = true
		s.timer.Stop()
		s.mu.Unlock()
	}
}

// silenceOf returns the silence of ctx, or nil.
func silenceOf(ctx context.Context) *silence {
	s, _ := ctx.Value(silenceKey{}).(*silence)
	return s
}

// awaits says what is being waited for.
func (s *silence) awaits(what string) {
	if s != nil {
		s.mu.Lock()
		s.what = what
		s.mu.Unlock()
	}
}

// failed notes a try that did not work.
func (s *silence) failed(fault string) {
	s.mu.Lock()
	s.fault = fault
	s.tries++
	s.mu.Unlock()
}

// heard notes a part of a good answer.
func (s *silence) heard() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.since, s.next = time.Now(), firstNotice
		s.timer.Reset(s.next)
	}
}

// tell says what is waited for and for how long.
func (s *silence) tell() {
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return
	}
	for at := time.Since(s.since); s.next <= at; {
		s.next *= 2
	}
	s.timer.Reset(s.next - time.Since(s.since))
	text := fmt.Sprintf("waiting for %v for %s", time.Since(s.since).Round(time.Second), s.what)
	if s.fault != "" {
		text += fmt.Sprintf("; tried %d times, last: %s", s.tries, s.fault)
	}
	text = s.c.Clean(text)
	s.mu.Unlock()
	s.c.Meter.wait(text)
	if s.c.notice != nil {
		s.c.notice(s.c.Name + ": " + text)
	}
}
