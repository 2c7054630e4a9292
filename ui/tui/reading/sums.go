package reading

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine/score"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// drawSums says what the text comes to.
func (v *View) drawSums(c *viz.Canvas, r *reading, host kit.Host) {
	in := viz.Box(c, viz.Frame{Title: "this text"})
	y := 0
	for _, s := range v.sums(r, host) {
		if s == "" {
			y++
			continue
		}
		for _, line := range viz.Fold(s, in.W-2, max(in.H-y, 0)) {
			if y < in.H {
				in.Put(1, y, line, viz.Ink{})
				y++
			}
		}
	}
}

// tenth is a number of bits with one decimal.
func tenth(bits float64) string { return strconv.FormatFloat(bits, 'f', 1, 64) }

// dearest is how many of the most surprising tokens are named.
const dearest = 5

// perByte says how many bits a byte of the text takes.
func (v *View) perByte(r *reading) string {
	n := len(v.text)
	if v.of != nil {
		n = v.of.bytes
	}
	if n < 0 {
		return "no bits a byte: some tokens' bytes are not in the file"
	}
	return fmt.Sprintf("%s bits a byte", viz.Three(r.sum.BitsPerByte(n)))
}

func (v *View) sums(r *reading, host kit.Host) []string {
	s := &r.sum
	least := ""
	if slices.ContainsFunc(r.tokens, func(t score.Token) bool { return t.Scored && t.Of.Rank == 0 }) {
		least = "at least "
	}
	out := []string{
		fmt.Sprintf("%s, %s", viz.Plural(s.Tokens, "token"), viz.Plural(len(v.text), "byte")),
		fmt.Sprintf("%s bits a token · perplexity %s", viz.Two(s.BitsPerToken()), viz.Perplexity(s.Perplexity())),
		v.perByte(r),
		fmt.Sprintf("best token in %s%s of %s", least, viz.Count(s.Best), viz.Count(s.Scored)), "",
	}
	if m := r.mark; m != nil {
		out = append(out[:len(out)-1], fmt.Sprintf("watermark: %s of %s green, z %s", viz.Count(m.Greens), viz.Count(m.Scored), viz.Two(m.Z)), "")
	}
	if v.of != nil {
		out = append(out[:len(out)-1], v.of.holds())
		if n := s.Tokens - s.Scored; n > 0 {
			out = append(out, viz.Plural(n, "token")+" without a value, in no mean")
		}
		out = append(out, "")
	}
	label := viz.Printable(host.Lane().ShownLabel(), host.Screen().ASCII())
	if s.A.Impossible == 0 {
		could := fmt.Sprintf("%s could have written all of it: %s bits a token under it", label, viz.Two(s.A.BitsPerToken()))
		if v.of != nil {
			could += ", of the tokens named"
		}
		out = append(out, could+".")
	} else {
		var by []string
		for _, stage := range s.A.Stages() {
			by = append(by, fmt.Sprintf("%d by %s", s.A.CutBy[stage], stage))
		}
		out = append(out, fmt.Sprintf("under %s: %s it could never have written, cut %s.", label, viz.Plural(s.A.Impossible, "token"), strings.Join(by, ", ")))
	}
	order := r.order
	var names []string
	for _, i := range order[:min(dearest, s.Scored)] {
		names = append(names, run.Label(r.vocab(), r.tokens[i].ID, host.Screen().ASCII())+" "+tenth(surprisal(&r.tokens[i])))
	}
	half, n := 0.0, 0
	for _, i := range order {
		if half*2 >= s.Bits {
			break
		}
		half += surprisal(&r.tokens[i])
		n++
	}
	return append(out, "", "dearest: "+strings.Join(names, " · "), "", fmt.Sprintf("Half of the bits lie on %s of %s.", viz.Count(n), viz.Plural(s.Scored, "token")))
}
