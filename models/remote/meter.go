package remote

import (
	"sync"
	"time"

	"logitscope/models"
)

// A meter counts what a client does. It is safe for concurrent use.
type meter struct {
	mu sync.Mutex
	s  models.Stats
}

func (m *meter) sent(n int) {
	m.mu.Lock()
	m.s.Requests++
	m.s.BytesOut += uint64(n)
	m.mu.Unlock()
}

func (m *meter) received(n int) {
	m.mu.Lock()
	m.s.BytesIn += uint64(n)
	m.mu.Unlock()
}

// retried notes that attempt n failed and is about to be repeated.
func (m *meter) retried(why string, n int) {
	m.mu.Lock()
	m.s.Retries++
	m.s.Waiting = why
	m.mu.Unlock()
}

func (m *meter) wait(why string) {
	m.mu.Lock()
	m.s.Waiting = why
	m.mu.Unlock()
}

// asked notes that n more tokens are in flight; n is negative when they come.
func (m *meter) asked(n int) {
	m.mu.Lock()
	m.s.InFlight += n
	m.mu.Unlock()
}

// cache notes how many tokens a server had in its cache and how many it ran.
func (m *meter) cache(cached, evaluated int) {
	m.mu.Lock()
	m.s.Cached += uint64(max(0, cached))
	m.s.Evaluated += uint64(max(0, evaluated))
	m.mu.Unlock()
}

// rows notes that n rows came, ahead of them from those fetched before, in d.
func (m *meter) rows(n, ahead int, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.s.Rows += uint64(n)
	m.s.AheadHits += uint64(ahead)
	each := d / time.Duration(max(1, n))
	if m.s.Latency == 0 {
		m.s.Latency = each
	} else {
		m.s.Latency += (each - m.s.Latency) / 16
	}
}

func (m *meter) stats() models.Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.s
}
