package beam

import (
	"fmt"
	"strings"
)

// flat is a group's step as one line: what two searches must have alike.
func (s *Step) flat() string {
	var b strings.Builder
	for i := range s.Groups {
		gs := &s.Groups[i]
		for _, c := range gs.Candidates {
			fmt.Fprint(&b, c.Parent, c.Node.Token, c.Node.Sum, c.Fate, " ")
		}
		for _, n := range gs.Running {
			fmt.Fprint(&b, n.Tokens(), n.Sum, " ")
		}
		for _, h := range gs.Finished {
			fmt.Fprint(&b, h.Parent, h.Tokens(), h.Score, h.Kept, " ")
		}
		fmt.Fprintln(&b, gs.Done)
	}
	return b.String()
}

// flatResults is what a search returns as one line.
func flatResults(v *View) string {
	var b strings.Builder
	for _, h := range v.Result() {
		fmt.Fprintln(&b, h.Tokens(), h.Score, h.Node.Sum, h.Node.Depth, h.Finished)
	}
	return b.String()
}
