package engine

import (
	"slices"
	"time"
)

// A rate measures decoding speed: as the median of the last second where each
// token has a time of its own, and as tokens over wall time where a server
// sends several at once.
type rate struct {
	at   [512]time.Time
	took [512]time.Duration
	n    int // samples ever taken

	value  float64 // as last computed
	when   time.Time
	sorted []time.Duration
}

// refresh is how often the median is taken again.
const refresh = 50 * time.Millisecond

func (r *rate) reset() { r.n, r.value, r.when = 0, 0, time.Time{} }

func (r *rate) add(now time.Time, took time.Duration) {
	i := r.n % len(r.at)
	r.at[i], r.took[i] = now, took
	r.n++
	if now.Sub(r.when) < refresh {
		return
	}
	r.when = now
	r.sorted = r.sorted[:0]
	for k := 1; k <= min(r.n, len(r.at)); k++ {
		j := (r.n - k) % len(r.at)
		if now.Sub(r.at[j]) > time.Second && k > 1 {
			break
		}
		r.sorted = append(r.sorted, r.took[j])
	}
	slices.Sort(r.sorted)
	if m := r.sorted[len(r.sorted)/2]; m > 0 {
		r.value = 1 / m.Seconds()
	}
}

// How far back wall time is looked at: as long as there are tokens, and further
// where all of them came at once.
const (
	wallWindow = 2 * time.Second
	wallMost   = 10 * time.Second
	atOnce     = 5 * time.Millisecond
)

// arrived notes a token that may have come with others.
func (r *rate) arrived(now time.Time) {
	r.at[r.n%len(r.at)] = now
	r.n++
	oldest := now
	for k := 1; k <= min(r.n, len(r.at)); k++ {
		at := r.at[(r.n-k)%len(r.at)]
		if age := now.Sub(at); age > wallMost || age > wallWindow && now.Sub(oldest) > atOnce {
			break
		}
		oldest = at
	}
	// What came first took its time before it came, which is not known.
	later := 0
	for k := 1; k <= min(r.n, len(r.at)) && r.at[(r.n-k)%len(r.at)].Sub(oldest) > atOnce; k++ {
		later++
	}
	if later > 0 {
		r.value = float64(later) / now.Sub(oldest).Seconds()
	}
}

// perSecond returns tokens per second, 0 if none was made.
func (r *rate) perSecond() float64 { return r.value }
