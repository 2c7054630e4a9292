package row

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSeenGoesOn: counting on from where it was gives what counting anew gives,
// whatever is called in between.
func TestSeenGoesOn(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 5))
	for range 200 {
		all := make([]int32, 120)
		for i := range all {
			all[i] = int32(rnd.IntN(30)) // some are not in the row
		}
		n := rnd.IntN(10)
		var r, fresh Row
		x := make([]float32, 25)
		r.Begin(nil, x, 0, nil, false)
		fresh.Begin(nil, x, 0, nil, false)
		went := 0
		for at := n; at <= len(all); at += rnd.IntN(4) {
			for range 1 + rnd.IntN(3) {
				prompt, output := all[:n], all[n:at]
				switch rnd.IntN(4) {
				case 0:
					prompt = nil
				case 1:
					output = output[max(len(output)-7, 0):]
				}
				r.HistoryGrows = rnd.IntN(6) > 0
				got, want := r.SeenTokens(prompt, output), fresh.SeenTokens(prompt, output)
				if !slices.Equal(got, want) {
					t.Fatalf("%v and %v: %v, want %v", prompt, output, got, want)
				}
			}
			went++
		}
		if went < 10 {
			t.Fatal("the history did not grow")
		}
	}
}
