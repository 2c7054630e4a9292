package engine

import (
	"math"
	"testing"
	"time"
)

// TestRateOverWallTime feeds tokens as servers send them: the rate is how many
// came in how long, whatever they came in.
func TestRateOverWallTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		burst int           // tokens that come at once
		every time.Duration // between bursts
		n     int
		want  float64
	}{
		{"one at a time", 1, 20 * time.Millisecond, 300, 50},
		{"eight at once", 8, 100 * time.Millisecond, 80, 80},
		{"forty at once, rarely", 40, 3 * time.Second, 6, 40.0 / 3},
		{"fast", 1, 2 * time.Millisecond, 2000, 500},
		{"slow", 1, 4 * time.Second, 5, 0.25},
		{"once", 30, time.Second, 1, 0},
	} {
		var r rate
		now := time.Unix(1000, 0)
		for range c.n {
			for range c.burst {
				r.arrived(now)
			}
			now = now.Add(c.every)
		}
		if got := r.perSecond(); math.Abs(got-c.want) > c.want/50 {
			t.Errorf("%s: %.3f tokens a second, want %.3f", c.name, got, c.want)
		}
	}
}
