package beam

import (
	"math"

	"logitscope/engine/rows"
	"logitscope/sampling/luck"
)

// Streams of the coin that beam sampling draws from, one for each draw of a
// step.
const streamBeam uint32 = 0x6265_0000

// draw draws k of the picks without replacement, each time in proportion to
// exp(sum) among those left, and returns them in the order drawn: fewer where
// fewer have any probability.
func draw(all []rows.Pick, k int, seed uint64, pos int) []rows.Pick {
	top := math.Inf(-1)
	for i := range all {
		top = max(top, all[i].Sum)
	}
	w := make([]float64, len(all))
	var total float64
	for i := range all {
		w[i] = math.Exp(all[i].Sum - top)
		total += w[i]
	}
	var out []rows.Pick
	for j := 0; j < k; j++ {
		u := luck.Coin(seed, pos, streamBeam+uint32(j)) * total
		at, last := -1, -1
		for i := range w {
			if w[i] <= 0 {
				continue
			}
			last = i
			if u -= w[i]; u < 0 {
				at = i
				break
			}
		}
		if at < 0 {
			at = last // rounding ran past the end
		}
		if at < 0 {
			break
		}
		out = append(out, all[at])
		w[at] = 0
		// Summed again so that the total does not drift as it shrinks.
		total = 0
		for _, x := range w {
			total += x
		}
	}
	return out
}
