package course

import (
	"math"
	"strconv"
	"strings"

	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/viz"
)

// Words is a value as the screen shows it; a token has every blank visible.
func Words(v goal.Value, ascii bool) string {
	if !v.Defined {
		if ascii {
			return "-"
		}
		return viz.Removed
	}
	switch v.Kind {
	case goal.Share:
		return share(v)
	case goal.Bits:
		return viz.Two(v.Num) + " bits"
	case goal.Number:
		return plain(v.Num)
	case goal.Token:
		return viz.Label(v.Str, ascii)
	case goal.Truth:
		if v.Yes {
			return "yes"
		}
		return "no"
	}
	return viz.Printable(v.Str, ascii)
}

// names are the words of the screen for terms of goals, where they are not the
// term itself.
var names = map[string]string{
	"prob": "final", "cut_by": "stage that cuts", "survivors": "left", "raw_bits": "raw entropy", "bits": "entropy",
	"rank_drawn": "rank drawn", "outside": "outside the best", "raw_best": "raw of the best",
	"steps": "tokens", "forced": "written by you", "ended": "ended by", "vocab": "vocabulary",
	"repeated4": "repeated runs of four", "distinct2": "different pairs", "loop": "copies",
	"beam_width": "beams", "leads": "best text", "greedy_text": "greedy", "gain": "nats over greedy",
	"tokens_a_pass": "tokens a pass", "alpha": "accepted", "accepted": "accepted a round",
	"spent_bits": "forced by the constraint", "max_spent": "dearest token", "parted": "parted at step", "tv": "distance to lane",
	"predicted": "you said",
}

// Named is a term of a goal and what it comes to, as the screen names both.
func Named(l goal.Leaf, ascii bool) string { return named(l, ascii) + " " + Words(l.Value, ascii) }

func named(l goal.Leaf, ascii bool) string {
	if l.Term == "at" {
		return viz.Printable(l.Source, ascii) // its settings are what it is about
	}
	parts := []string{names[l.Term]}
	if parts[0] == "" {
		parts[0] = l.Term
	}
	for _, a := range l.Args {
		switch {
		case a.Term != "":
			parts = append(parts, named(a, ascii))
		case a.Value.Kind.IsNumber():
			parts = append(parts, plain(a.Value.Num))
		default:
			parts = append(parts, viz.Label(a.Value.Str, ascii))
		}
	}
	return strings.Join(parts, " ")
}

// share words a probability, or the difference of two in points.
func share(v goal.Value) string {
	switch {
	case v.Points:
		return viz.Two(v.Num*100) + " points"
	case v.Num < 0:
		return "−" + viz.Percent(-v.Num)
	case v.Num > 1:
		return viz.Two(v.Num*100) + "%"
	}
	return viz.Percent(v.Num)
}

// plain words a number: whole ones as counts, others with three digits after
// the point at most.
func plain(x float64) string {
	switch {
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return viz.Count(int(x))
	case math.Abs(x) >= 100:
		return viz.Two(x)
	}
	s := viz.Three(x)
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	if s == "0" || s == "−0" { // too small for three digits
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return s
}

// Text returns a span's words: what an expression comes to in a scene, or the
// text as it stands. Without a scene an expression is undefined.
func Text(s lesson.Span, sc *goal.Scene, ascii bool) string {
	switch {
	case s.Expr == nil:
		return viz.Printable(s.Text, ascii)
	case sc == nil:
		return Words(goal.Value{}, ascii)
	}
	return Words(s.Expr.Eval(sc), ascii)
}
