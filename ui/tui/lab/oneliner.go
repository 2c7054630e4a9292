package lab

import (
	"cmp"
	"strings"

	"logitscope/sampling"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A brevity says what the one-liner leaves out, each step more than the one
// before. The arrow of a stage and its number never go.
type brevity uint8

const (
	inFull   brevity = iota
	lastLeft         // "left" stands at the last cut alone
	noZeros          // 0.90 is .90
	cutsOnly         // stages that only shift logits have no value
	nBrevities
)

// stageWord is a stage in the one-liner: its name and value, then what it left
// or, after the arrow given, how many tokens it shifted.
func stageWord(st sampling.StageTrace, i int, short brevity, last bool, arrow string) string {
	if i == 0 {
		return viz.Count(st.Kept)
	}
	value := st.Setting
	if short >= noZeros && len(value) > 2 && value[0] == '0' && value[1] == '.' {
		value = value[1:]
	}
	name := run.Short(st.Name)
	switch {
	case st.Removed > 0, isCut(st.Name) && st.Touched == 0:
		if d := sampling.StageNamed(st.Name); d != nil && d.Cuts { // "p 0.90" would hide which setting it is
			name = cmp.Or(d.Short, d.Name)
		}
		left := " left"
		if short >= lastLeft && !last {
			left = ""
		}
		return strings.TrimSpace(name+" "+value) + " → " + viz.Count(st.Kept) + left
	case st.Touched > 0:
		if short >= cutsOnly {
			value = ""
		}
		return strings.TrimSpace(name+" "+value) + " " + arrow + viz.Count(st.Touched)
	}
	return strings.TrimSpace(name + " " + value)
}

// isCut reports whether a stage can only remove tokens, so that how many it
// leaves is what it did.
func isCut(name string) bool {
	d := sampling.StageNamed(name)
	return d != nil && d.Cuts
}

// A word of the one-liner, and the stage it is about.
type stagePart struct {
	text  string
	stage int
}

// oneLiner is the pipeline in one line of at most w cells: as much of it as
// fits, and the draw where there is room. Where even the shortest words do not
// fit, the earlier stages give way to ….
func oneLiner(t *sampling.Trace, w int) []stagePart {
	list := drawnStages(t)
	last := 0
	for i, st := range list {
		if st.Removed > 0 || isCut(st.Name) {
			last = i
		}
	}
	draw := stagePart{drawWord(t), len(list)} // greedy's own stage; a draw has none
	var parts []stagePart
	for short := range nBrevities {
		parts = nil
		for i, st := range list {
			parts = append(parts, stagePart{stageWord(st, i, short, i == last, moveArrow(t, i)), i})
		}
		if !t.Greedy {
			if all := append(parts[:len(parts):len(parts)], draw); lineWidth(all) <= w {
				return all
			}
		} else {
			parts = append(parts, draw)
		}
		if lineWidth(parts) <= w {
			return parts
		}
	}
	for len(parts) > 2 && lineWidth(parts) > w {
		if parts[1].text != "…" {
			parts[1] = stagePart{"…", -1}
			continue
		}
		parts = append(parts[:2], parts[3:]...)
	}
	return parts
}

func lineWidth(parts []stagePart) int {
	n := (len(parts) - 1) * viz.Width(stageGap)
	for _, p := range parts {
		n += viz.Width(p.text)
	}
	return n
}

// drawOneLiner draws the pipeline in one line from x on, and which stage is
// selected while keys act on them.
func (lb *View) drawOneLiner(c *viz.Canvas, x, y, w int, t *sampling.Trace) {
	at := lb.sel.StageOf(len(t.Stages()))
	for i, p := range oneLiner(t, w) {
		if i > 0 {
			x = c.Put(x, y, stageGap, viz.Ink{})
		}
		end := c.Put(x, y, p.text, viz.Ink{})
		if p.stage == at && lb.has(PanePipeline) {
			c.Mark(viz.Rect{X: x, Y: y, W: end - x, H: 1}, viz.Reverse)
		}
		x = end
	}
}

// drawnStages are the stages before the draw. Greedy takes the best token in a
// stage of its own, which stands in the draw's place.
func drawnStages(t *sampling.Trace) []sampling.StageTrace {
	list := t.Stages()
	if n := len(list); t.Greedy && n > 0 && list[n-1].Name == "greedy" {
		return list[:n-1]
	}
	return list
}

// drawWord is the draw: its u, or that there was none.
func drawWord(t *sampling.Trace) string {
	switch {
	case t.Greedy:
		return "greedy → 1 left"
	case t.Race.Ran:
		return "in first at " + viz.ArrivalTime(t.Race.Time)
	case undrawn(t):
		return "the server's choice"
	}
	return "u " + viz.Three(t.U)
}

// undrawn reports whether nothing was drawn because the token came from a
// server that chooses by itself.
func undrawn(t *sampling.Trace) bool { return !t.Greedy && !t.Race.Ran && t.U == 0 && t.Hi == t.Lo }
