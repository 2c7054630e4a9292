package kit

import (
	"logitscope/sampling"
	"logitscope/viz"
)

// StageColumns are the number columns of a table of stages.
var StageColumns = []struct {
	Head  string
	Right int
	Text  func(st sampling.StageTrace) string
}{
	{"kept", 26, func(st sampling.StageTrace) string { return viz.Count(st.Kept) }},
	{"removed", 35, func(st sampling.StageTrace) string {
		if st.Removed == 0 {
			return viz.Removed
		}
		return viz.Count(st.Removed)
	}},
	{"mass", 43, func(st sampling.StageTrace) string { return viz.Percent(float64(st.Mass)) }},
	{"bits", 49, func(st sampling.StageTrace) string { return viz.Two(float64(st.Bits)) }},
}
