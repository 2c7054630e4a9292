package lanes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

func (d *laneDrawer) text(c *viz.Canvas, i int) {
	l := d.v.lanes.All[i]
	in := d.pane(c, viz.Frame{Title: d.v.laneTitle(d.host, i, c.W-6), Focused: d.focused(i), Ink: viz.Ink{Role: laneRoles[i]}})
	if l.View.Phase == engine.Idle {
		in.Put(1, 0, viz.Cut("No prompt yet: e writes one.", in.W-2), viz.Ink{Role: viz.Muted})
		return
	}
	in = in.Sub(viz.Rect{X: 1, Y: 0, W: in.W - 2, H: in.H})
	h := in.H
	if d.lay.lines.H > 0 && h >= 3 { // the numbers have no box of their own
		h--
		in.Put(0, h, viz.CutTitle(numbers(l), in.W), viz.Ink{Role: viz.Muted})
	}
	g, lines, top := d.v.laneText(d.host, i, in.W, h)
	y := 0
	for ; y < h && top+y < len(lines); y++ {
		x := 0
		for _, gl := range g[lines[top+y][0]:lines[top+y][1]] {
			x = in.Put(x, y, gl.Text, gl.Ink)
		}
	}
	if l.View.Phase == engine.Failed && l.View.Err != nil && y < h {
		for _, s := range viz.Fold("! "+viz.Printable(viz.FirstLine(l.View.Err.Error()), in.ASCII), in.W, h-y) {
			in.Put(0, y, s, viz.Ink{Role: viz.Warning})
			y++
		}
	}
	if note := d.v.partingNote(d.host, i, in.W); note != "" && y+1 < h {
		in.Put(0, y+1, viz.CutTitle(note, in.W), viz.Ink{Role: viz.Muted})
	}
}

// laneText returns the text of lane i with the place marked where it parts
// from the others, in lines of w cells, and the first of the h lines to show.
func (v *View) laneText(host kit.Host, i, w, h int) (g []run.Glyph, lines [][2]int, top int) {
	l := v.lanes.All[i]
	g = v.lanes.Flow(l, max(w*h, 1))
	if _, search := l.Searched(); !search {
		if at, ok := v.partsAt(host, i); ok {
			g = v.markParting(host, l, g, at+1)
		}
	}
	lines = run.Wrap(g, max(w, 1))
	if n := len(lines); n > 1 && lines[n-1][0] == lines[n-1][1] {
		lines = lines[:n-1]
	}
	top = max(len(lines)-h, 0)
	if l.Look.At > 0 {
		for k, ln := range lines {
			if ln[1] > ln[0] && g[ln[1]-1].Step >= l.Look.At {
				top = min(top, max(k-h/2, 0))
				break
			}
		}
	}
	return g, lines, top
}

// partsAt returns the first step, from 0, at which lane i parts from the lane
// it is measured against, or any lane from it.
func (v *View) partsAt(host kit.Host, i int) (at int, ok bool) {
	ref := v.reference(host)
	for k, o := range v.lanes.All {
		if k == i || i != ref && k != ref {
			continue
		}
		p := v.pairOf(v.lanes.All[i], o)
		if !p.parts {
			continue
		}
		x := p.at[0]
		if _, turned := keyOf(v.lanes.All[i], o); turned {
			x = p.at[1]
		}
		if !ok || x < at {
			at, ok = x, true
		}
	}
	return at, ok
}

// markParting puts ⟪ ⟫ around step k of the text; around the proposal if
// that is it.
func (v *View) markParting(host kit.Host, l *run.Lane, g []run.Glyph, k int) []run.Glyph {
	if n := len(g); n > 0 && g[n-1].Step == 0 && k == len(l.View.Steps)+1 && l.View.Next != nil && l.Look.At == 0 {
		return slices.Concat(g[:n-1], proposal(l, host.Screen().ASCII()), g[n-1:]) // before the caret
	}
	lo, hi := spanOf(g, k)
	if lo == hi {
		return g
	}
	inside, end := slices.Clone(g[lo:hi]), partingMark("⟫")
	for i := range inside {
		inside[i].Ink = inside[i].Ink.With(viz.Bold)
	}
	if last := &inside[len(inside)-1]; last.End { // the mark stays on its line
		last.End, end.End = false, true
	}
	return slices.Concat(g[:lo], []run.Glyph{partingMark("⟪")}, inside, []run.Glyph{end}, g[hi:])
}

// partingMark is one of the marks around the place where the texts part.
func partingMark(s string) run.Glyph {
	return run.Glyph{Text: s, W: 1, Ink: viz.Ink{Role: viz.CutLine, Attr: viz.Bold}}
}

// spanOf returns which glyphs are of step k: without the space that it begins
// with, and up to the end of its line.
func spanOf(g []run.Glyph, k int) (lo, hi int) {
	lo = slices.IndexFunc(g, func(x run.Glyph) bool { return x.Step == k })
	if lo < 0 {
		return 0, 0
	}
	for g[lo].Gap && lo+1 < len(g) && g[lo+1].Step == k {
		lo++
	}
	for hi = lo; hi < len(g) && g[hi].Step == k; hi++ {
		if g[hi].End {
			return lo, hi + 1
		}
	}
	return lo, hi
}

// proposal is the token that l proposes, with the marks around it.
func proposal(l *run.Lane, ascii bool) []run.Glyph {
	piece, spaced := strings.CutPrefix(l.Vocab().Piece(l.View.Next.Token), " ")
	var out []run.Glyph
	if spaced {
		out = append(out, run.Glyph{Text: " ", W: 1, Gap: true})
	}
	out = append(out, partingMark("⟪"))
	for _, cl := range viz.Clusters(nil, piece, ascii) {
		out = append(out, run.Glyph{Text: cl.Text, W: cl.W, Ink: viz.Ink{Role: viz.Chosen}})
	}
	return append(out, partingMark("⟫"))
}

// partingNote says where lane i parts, below its text of w cells.
func (v *View) partingNote(host kit.Host, i, w int) string {
	at, ok := v.partsAt(host, i)
	ref := v.reference(host)
	switch {
	case ok && w < 34 && v.lanes.All[i].View.Beam == nil:
		return fmt.Sprintf("⟪ ⟫ parts at token %s", viz.Count(at+1))
	case len(v.lanes.All) == 2 && ok && v.lanes.All[i].View.Beam == nil:
		return fmt.Sprintf("⟪ ⟫ first place where the texts part: token %s", viz.Count(at+1))
	case len(v.lanes.All) == 2 && !ok:
		return "the texts are the same so far"
	case i == ref && ok:
		return fmt.Sprintf("⟪ ⟫ the lanes part at token %s", viz.Count(at+1))
	case i == ref:
		return ""
	case ok && v.lanes.All[i].View.Beam == nil:
		return fmt.Sprintf("⟪ ⟫ parts from lane %d at token %s", ref+1, viz.Count(at+1))
	case !ok:
		return fmt.Sprintf("same as lane %d so far", ref+1)
	}
	return ""
}

// titleKnobs are the knobs as a title lists them: a change of strategy before
// changes of degree.
var titleKnobs = func() []*sampling.Param {
	list := slices.Clone(run.Knobs)
	slices.SortStableFunc(list, func(a, b *sampling.Param) int { return strategyFirst(a) - strategyFirst(b) })
	return list
}()

func strategyFirst(p *sampling.Param) int {
	switch p.Key {
	case "num_beams", "num_assistant_tokens", "penalty_alpha", "constraint", "order", "do_sample":
		return 0
	}
	return 1
}

// laneTitle names lane i and how its settings differ from those of the first,
// in w cells. What differs gives way last: first the words around it, then
// what other lanes have too.
func (v *View) laneTitle(host kit.Host, i, w int) string {
	l, first, ascii := v.lanes.All[i], v.lanes.All[0], host.Screen().ASCII()
	number := strconv.Itoa(i + 1)
	name := "lane " + number
	switch n := len(v.lanes.All); {
	case n > 1 && w < ofHowMany && host.Screen().W < oneInView: // the others are out of view
		name = fmt.Sprintf("lane %d of %d", i+1, n)
	case w < wordLane:
		name = number
	}
	label := " · " + viz.Printable(l.ShownLabel(), ascii)
	if l.Model != first.Model {
		label += " · " + viz.Printable(run.ModelName(l.Model.Info()), ascii)
	}
	if i == 0 {
		return name + label
	}
	parts := v.changes(l, w, ascii)
	if len(parts) == 0 {
		return viz.FirstFit(w, name+label+" · same settings", name+label)
	}
	heads := []string{name + label + ": ", number + label + ": "}
	alone := !slices.ContainsFunc(v.lanes.All, func(o *run.Lane) bool { return o != l && o.ShownLabel() == l.ShownLabel() })
	if !alone { // the label tells nothing apart
		heads = append(heads, number+": ")
	}
	for n := len(parts); n > 0; n-- {
		more := strings.Join(parts[:n], " ")
		if n < len(parts) {
			more += " …"
		}
		for _, head := range heads {
			if s := head + more; viz.Width(s) <= w {
				return s
			}
		}
	}
	if alone {
		return viz.FirstFit(w, name+label, number+label)
	}
	key, value, _ := strings.Cut(parts[0], " ")
	return number + ": " + viz.CutTitle(key, max(w-viz.Width(number+":  "+value), 1)) + " " + value
}

// What a title has from a width on, in cells.
const (
	wordLane   = 40  // the word lane before the number
	ofHowMany  = 60  // below, how many lanes there are, if oneInView
	bothValues = 70  // both values of a setting
	fullNames  = 120 // the names of settings in full

	oneInView = 80 // of the window: below it one lane is shown at a time
)

// changes are the settings in which l differs from the first lane, as a title
// of w cells words them: first those that fewest other lanes have.
func (v *View) changes(l *run.Lane, w int, ascii bool) []string {
	a, b := v.lanes.All[0].ShownConfig(), l.ShownConfig()
	shared := func(p *sampling.Param) (n int) {
		for _, o := range v.lanes.All {
			if run.SameSetting(o.ShownConfig(), b, p.Key) {
				n++
			}
		}
		return n
	}
	list := slices.DeleteFunc(slices.Clone(titleKnobs), func(p *sampling.Param) bool {
		return run.SameSetting(a, b, p.Key) || p.Key == "max_new_tokens"
	})
	slices.SortStableFunc(list, func(p, q *sampling.Param) int { return shared(p) - shared(q) })
	var parts []string
	for _, p := range list {
		key := p.Key
		if s, ok := run.ShortKeys[key]; ok && w < fullNames && (key != "temperature" || w < bothValues) {
			key = s
		}
		from, to := viz.Cut(run.ValueWords(p, a.Value(p.Key)), 24), viz.Cut(run.ValueWords(p, b.Value(p.Key)), 24)
		if from == to {
			to = "another " + to
		}
		if w >= bothValues {
			to = from + "→" + to
		}
		parts = append(parts, key+" "+viz.Printable(to, ascii))
	}
	return parts
}
