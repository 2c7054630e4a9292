package viz

import (
	"math"
	"strings"
	"testing"
)

func TestRace(t *testing.T) {
	for _, tt := range []struct {
		w    int
		list []Arrival
		want []string
	}{
		// 1.25 × 0.8 = 1 is the end: a tenth is two cells of twenty.
		{22, []Arrival{{"fox", 0.1, true}, {"dog", 0.5, false}, {"cat", 0.8, false}}, []string{"├──┼fox────┼dog──┼cat→", "   ↑"}},
		{22, []Arrival{{"fox", 0.1, true}, {"dog", 0.11, false}, {"cat", 0.8, false}}, []string{"├──┼fox──────────┼cat→", "   ↑"}},
		{8, []Arrival{{"fox", 2, true}, {"dog", math.Inf(1), false}}, []string{"├────┼f→", "     ↑"}},
		{6, nil, []string{"├────→", ""}},
		{3, []Arrival{{"fox", 2, true}}, []string{"", ""}},
	} {
		c := NewCanvas(tt.w, 2, false)
		Race(c, tt.list)
		rows := strings.Split(c.Text(), "\n")
		for y, want := range tt.want {
			if got := strings.TrimRight(rows[y], " "); got != want {
				t.Errorf("%d cells, %v: row %d is %q, want %q", tt.w, tt.list, y, got, want)
			}
		}
	}
}
