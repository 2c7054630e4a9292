package engine

import (
	"slices"
	"time"
)

// A rate measures decoding speed as the median of the last second.
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

// median returns tokens per second, 0 if none was made.
func (r *rate) median() float64 { return r.value }
