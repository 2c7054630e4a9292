package run

import (
	"fmt"

	"logitscope/engine/compare"
	"logitscope/viz"
)

// CrossWords are the bits a token of a text under a law, and how many of its
// tokens the law could not have written: "0.29 +27✗".
func CrossWords(c *compare.Cross) string {
	bits := "–"
	if c.Kept > 0 {
		bits = viz.Two(c.BitsPerToken())
	}
	if c.Impossible > 0 {
		bits += fmt.Sprintf(" +%s✗", viz.Count(c.Impossible))
	}
	return bits
}
