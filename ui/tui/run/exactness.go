package run

import (
	"strings"

	"logitscope/sampling/partial"
	"logitscope/viz"
)

// VerdictWords are a verdict in a few words, "" if there is none.
func VerdictWords(v partial.Verdict, ok bool) string {
	switch {
	case !ok:
		return ""
	case v.Exact:
		return "exact"
	case v.RestMax < 1:
		most := viz.Percent(v.RestMax)
		if !strings.HasPrefix(most, "<") {
			most = "≤ " + most
		}
		return "not exact: rest " + most
	}
	return "not exact, no bound"
}
