package vote

import (
	"fmt"
	"math"
	"strings"
	"time"

	"logitscope/engine/bench/votes"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// names are what the two sides are called.
func names(stacked bool) [2]string {
	if stacked {
		return [2]string{"upper", "lower"}
	}
	return [2]string{"left", "right"}
}

// stacked reports whether the texts stand one under the other.
func (v *View) stacked(h kit.Host) bool { return h.Screen().Class() < kit.Class100 }

// asks is how many rows the question takes, its box included; shortAsk where
// there is less room, and none in a small window.
const (
	asks     = 7
	shortAsk = 3
)

// A layout is where everything stands.
type layout struct {
	prompt []string
	top    int // rows of the prompt's box
	sides  [2]viz.Rect
	texts  [2][]string
	shown  []int // sides that are drawn
	rows   int   // of text in a side's box
	below  int   // the most lines that can stand above the boxes
	ask    viz.Rect
}

// layout places the pair that is asked.
func (v *View) layout(h kit.Host) layout {
	body, ascii := h.Screen().Body(), h.Screen().ASCII()
	if v.at == len(v.opt.Pairs) {
		return layout{}
	}
	p := v.opt.Pairs[v.at]
	l := layout{prompt: viz.WrapWords(viz.Line(p.Prompt, 600, ascii), max(body.W-4, 1)), shown: []int{0, 1}}
	if most := max(1, body.H/6); len(l.prompt) > most {
		l.prompt = l.prompt[:most]
	}
	l.top = len(l.prompt) + 2
	ask := asks
	switch {
	case body.H < 16:
		ask = 0
	case v.stacked(h) || body.H < 26:
		ask = shortAsk
	}
	wide, most := body.W/2, body.H-l.top-ask
	stacked := v.stacked(h)
	if stacked {
		wide, most = body.W, most/2
	}
	if v.alone != both {
		l.shown = []int{v.alone}
		wide, most = body.W, body.H-l.top-ask
	}
	longest := 0
	for i := range p.Texts {
		for line := range strings.SplitSeq(strings.TrimSpace(p.Texts[i]), "\n") {
			l.texts[i] = append(l.texts[i], viz.WrapWords(viz.Printable(line, ascii), max(wide-4, 1))...)
		}
		longest = max(longest, len(l.texts[i]))
	}
	high := min(most, max(longest+2, 8)) // alike, whatever the texts
	l.rows = max(high-2, 0)
	l.below = max(longest-l.rows, 0)
	under := l.top
	for k, i := range l.shown {
		at := viz.Rect{X: k * wide, Y: l.top, W: wide, H: high}
		if stacked {
			at.X, at.Y = 0, l.top+k*high
		}
		l.sides[i], under = at, at.Y+high
	}
	l.ask = viz.Rect{X: 0, Y: under, W: body.W, H: ask}
	return l
}

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, h kit.Host) {
	if v.at == len(v.opt.Pairs) {
		v.drawEnd(c)
		return
	}
	l, side := v.layout(h), names(v.stacked(h))
	drawLines(viz.Box(c.Sub(viz.Rect{X: 0, Y: 0, W: c.W, H: l.top}), viz.Frame{Title: "prompt"}), l.prompt)
	down := min(v.down, l.below)
	for _, i := range l.shown {
		f := viz.Frame{Title: side[i], Focused: true}
		if l.below > 0 {
			f.Right = "pgup pgdown"
		}
		drawLines(viz.Box(c.Sub(l.sides[i]), f), l.texts[i][min(down, len(l.texts[i])):])
	}
	switch l.ask.H {
	case asks:
		drawLines(viz.Box(c.Sub(l.ask), viz.Frame{Title: question}), []string{
			"←  " + side[0] + "      →  " + side[1] + "      =  no difference      x  both bad      u  takes the last answer back",
			"",
			"decided " + v.progress(c.W),
			"Names, settings, counts, speeds stay hidden until the end: who knows the score votes by it.",
			"The side is shuffled for each pair. Your answers are saved after each key; esc stops, D goes on later.",
		})
	case shortAsk:
		drawLines(c.Sub(l.ask), []string{
			question + "  " + v.progress(c.W),
			"Names stay hidden until the end: who knows the score votes by it.",
			"Sides are shuffled. Saved after each key; esc stops, D goes on later.",
		})
	}
}

const question = "which would you rather read?"

// progress is a bar where there is room for it, how many pairs are decided,
// and how long the others will take.
func (v *View) progress(w int) string {
	n, all := v.decided(), len(v.opt.Pairs)
	line := fmt.Sprintf("%d of %d", n, all)
	if w >= 100 {
		const wide = 60
		line = strings.Repeat("█", wide*n/all) + strings.Repeat("·", wide-wide*n/all) + " " + line
	}
	if d, ok := v.left(); ok {
		if line += " · " + minutes(d) + " left"; w >= 100 {
			line += " at your pace"
		}
	}
	return line
}

// minutes says a time as people do.
func minutes(d time.Duration) string {
	switch m := int(math.Round(d.Minutes())); {
	case d < time.Minute:
		return "under a minute"
	case m == 1:
		return "about a minute"
	default:
		return fmt.Sprintf("about %d minutes", m)
	}
}

func drawLines(c *viz.Canvas, lines []string) {
	for y, s := range lines {
		if y < c.H {
			c.Fit(1, y, max(c.W-2, 0), s, viz.Ink{})
		}
	}
}

// drawEnd says what the votes came to, with the names.
func (v *View) drawEnd(c *viz.Canvas) {
	t := votes.Count(v.box.Votes())
	box := viz.Box(c, viz.Frame{Title: "all is decided", Right: "esc", Focused: true})
	var lines []string
	for _, s := range append(t.Lines(), "", "saved in "+v.opt.File+"; logitscope vote --tally FILE counts it, files of several voters too") {
		lines = append(lines, viz.WrapWords(viz.Printable(s, c.ASCII), max(box.W-2, 1))...)
	}
	drawLines(box, lines)
}
