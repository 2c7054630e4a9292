package remote

import (
	"sync"
	"time"

	"logitscope/models"
)

// A Meter counts what a client does. It is safe for concurrent use.
type Meter struct {
	mu sync.Mutex
	s  models.Stats
}

func (m *Meter) sent(n int) {
	m.mu.Lock()
	m.s.Requests++
	m.s.BytesOut += uint64(n)
	m.mu.Unlock()
}

func (m *Meter) received(n int) {
	m.mu.Lock()
	m.s.BytesIn += uint64(n)
	m.mu.Unlock()
}

// retried notes that attempt n failed and is about to be repeated.
func (m *Meter) retried(why string, n int) {
	m.mu.Lock()
	m.s.Retries++
	m.s.Waiting = why
	m.mu.Unlock()
}

func (m *Meter) wait(why string) {
	m.mu.Lock()
	m.s.Waiting = why
	m.mu.Unlock()
}

// Asked notes that n more tokens are in flight; n is negative when they come.
func (m *Meter) Asked(n int) {
	m.mu.Lock()
	m.s.InFlight += n
	m.mu.Unlock()
}

// Cache notes how many tokens a server had in its cache and how many it ran.
func (m *Meter) Cache(cached, evaluated int) {
	m.mu.Lock()
	m.s.Cached += uint64(max(0, cached))
	m.s.Evaluated += uint64(max(0, evaluated))
	m.mu.Unlock()
}

// Rows notes that n rows came, ahead of them from those fetched before, in d.
func (m *Meter) Rows(n, ahead int, d time.Duration) {
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

// Stats returns what was counted so far.
func (m *Meter) Stats() models.Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.s
}
