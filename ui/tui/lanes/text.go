package lanes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling/inert"
	"logitscope/sampling/param"
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
			ink := gl.Ink
			if gl.Step > 0 && d.v.lanes.Marks == run.ByPreset { // the colours here are the lanes'
				ink = viz.Ink{Attr: ink.Attr &^ (viz.Italic | viz.Underline)}
			}
			x = in.Put(x, y, gl.Text, ink)
		}
	}
	if l.View.Phase == engine.Failed && l.View.Err != nil && y < h {
		for _, s := range viz.Fold("! "+viz.Printable(viz.FirstLine(l.View.Err.Error()), in.ASCII), in.W, h-y) {
			in.Put(0, y, s, viz.Ink{Role: viz.Warning})
			y++
		}
	}
	if note := d.v.partingNote(i, in.W); note != "" && y+1 < h {
		in.Put(0, y+1, viz.CutTitle(note, in.W), viz.Ink{Role: viz.Muted})
	}
}

// laneText returns the text of lane i with the place marked where it parts
// from the others, in lines of w cells, and the first of the h lines to show.
func (v *View) laneText(host kit.Host, i, w, h int) (g []run.Glyph, lines [][2]int, top int) {
	l := v.lanes.All[i]
	g = v.lanes.Flow(l, max(w*h, 1))
	if _, search := l.Searched(); !search {
		if at, ok := v.partsAt(i); ok {
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
func (v *View) partsAt(i int) (at int, ok bool) {
	ref := v.reference()
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

const firstPlace = "⟪ ⟫ first place where the texts part: token "

// partingNote says where lane i parts, below its text of w cells.
func (v *View) partingNote(i, w int) string {
	at, ok := v.partsAt(i)
	ref := v.reference()
	switch {
	case ok && w < viz.Width(firstPlace)+viz.Width(viz.Count(at+1)) && v.lanes.All[i].View.Beam == nil:
		return fmt.Sprintf("⟪ ⟫ parts at token %s", viz.Count(at+1))
	case len(v.lanes.All) == 2 && ok && v.lanes.All[i].View.Beam == nil:
		return firstPlace + viz.Count(at+1)
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
var titleKnobs = func() []*param.Param {
	list := slices.Clone(run.Knobs)
	slices.SortStableFunc(list, func(a, b *param.Param) int { return strategyFirst(a) - strategyFirst(b) })
	return list
}()

func strategyFirst(p *param.Param) int {
	switch p.Key {
	case "num_beams", "num_assistant_tokens", "penalty_alpha", "constraint", "order", "do_sample":
		return 0
	}
	return 1
}

// differing are the knobs in which any lane differs from the first.
func (v *View) differing() []*param.Param {
	first := v.lanes.All[0].ShownConfig()
	return slices.DeleteFunc(slices.Clone(titleKnobs), func(p *param.Param) bool {
		return p.Key == "max_new_tokens" || !slices.ContainsFunc(v.lanes.All, func(o *run.Lane) bool {
			return !run.SameSetting(first, o.ShownConfig(), p.Key)
		})
	})
}

// telling are those of knobs whose value tells something of l: a lane that
// draws need not say so, one that takes the best has nothing to say of how it
// would draw.
func telling(l *run.Lane, knobs []*param.Param) []*param.Param {
	set := l.ShownSettings()
	if set == nil {
		return knobs
	}
	cfg := l.ShownConfig()
	draws := cfg.Value("do_sample") == true
	out := slices.DeleteFunc(slices.Clone(knobs), func(p *param.Param) bool {
		if p.Key == "do_sample" {
			return draws
		}
		return !draws && p.IsOff(cfg.Value(p.Key)) || set.Pipeline.Inert(p.Key, nil).Reason == inert.IsGreedy
	})
	if len(out) == 0 || draws && len(out) == 1 {
		return knobs
	}
	return out
}

// modelTitle names the model of l by what differs between the lanes: its name,
// or else how it computes.
func (v *View) modelTitle(l *run.Lane) string {
	info, first := l.Model.Info(), v.lanes.All[0].Model.Info()
	differ := func(f func(models.Info) string) bool {
		return slices.ContainsFunc(v.lanes.All, func(o *run.Lane) bool { return f(o.Model.Info()) != f(first) })
	}
	if differ(func(i models.Info) string { return i.Name }) {
		return run.ModelName(info)
	}
	title := "arith " + info.Arithmetic.Name
	if differ(func(i models.Info) string { return i.Arithmetic.KVType }) {
		title += " " + info.Arithmetic.KVType
	}
	if info.Arithmetic.FlashAttention {
		title += " flash"
	}
	return title
}

// laneName names lane i in a row of w cells: as its title does where that has
// room for all that differs, else by its preset.
func (v *View) laneName(host kit.Host, i, w int) string {
	title, rest := v.titleOf(host, i, w)
	if rest == titleCut {
		title = fmt.Sprintf("%d %s", i+1, viz.Printable(v.lanes.All[i].ShownLabel(), host.Screen().ASCII()))
	}
	return viz.CutTitle(title, w)
}

// laneTitle names lane i in w cells, with its preset only where all lanes have
// room for theirs.
func (v *View) laneTitle(host kit.Host, i, w int) string {
	title, rest := v.titleOf(host, i, w)
	for k := range v.lanes.All {
		if _, r := v.titleOf(host, k, w); rest == titleLabelled && r != titleLabelled {
			return strings.TrimSuffix(title, v.labelPart(host, i))
		}
	}
	return title
}

// labelPart is the end of a title that names the lane's preset.
func (v *View) labelPart(host kit.Host, i int) string {
	return " · " + viz.Printable(v.lanes.All[i].ShownLabel(), host.Screen().ASCII())
}

// What of a title had room.
type titleRest uint8

const (
	titleLabelled titleRest = iota // all of it, the preset too
	titleWhole                     // all that differs, without the preset
	titleCut                       // not all that differs
)

// titleOf names lane i in w cells by what differs between the lanes: the
// values, those of the first lane too, then the preset. Short of room the preset
// goes, then the values that tell least apart, from the right; the number stays.
func (v *View) titleOf(host kit.Host, i, w int) (string, titleRest) {
	l, ascii := v.lanes.All[i], host.Screen().ASCII()
	number := strconv.Itoa(i + 1)
	label := v.labelPart(host, i)
	var parts []string
	if slices.ContainsFunc(v.lanes.All, func(o *run.Lane) bool { return o.Model != v.lanes.All[0].Model }) {
		parts = append(parts, viz.Printable(v.modelTitle(l), ascii))
	}
	knobs := v.differing()
	for k := range i {
		o := v.lanes.All[k]
		if o.Model == l.Model && !slices.ContainsFunc(knobs, func(p *param.Param) bool { return !run.SameSetting(o.ShownConfig(), l.ShownConfig(), p.Key) }) {
			return viz.FirstFit(w, fmt.Sprintf("%s · same as %d%s", number, k+1, label), fmt.Sprintf("%s · same as %d", number, k+1)), titleLabelled
		}
	}
	knobs = telling(l, knobs)
	off := len(knobs) > 1
	last := make([]int, len(parts), len(parts)+len(knobs)) // in which order parts go: the highest first
	for _, p := range knobs {
		value := l.ShownConfig().Value(p.Key)
		off = off && p.IsOff(value)
		parts, last = append(parts, titleWords(p, value, w, ascii)), append(last, len(v.lanes.All)-v.values(p))
	}
	if off {
		n := len(parts) - len(knobs)
		parts, last = append(parts[:n], "all off"), append(last[:n], 0)
	}
	if len(parts) == 0 {
		return viz.FirstFit(w, number+label, number), titleLabelled
	}
	for whole := true; ; whole = false {
		head := number + " · " + strings.Join(parts, " ")
		if whole && viz.Width(head+label) <= w {
			return head + label, titleLabelled
		}
		rest := titleWhole
		if !whole {
			head, rest = head+" …", titleCut
		}
		if viz.Width(head) <= w {
			return head, rest
		}
		if len(parts) == 1 {
			break
		}
		drop := len(parts) - 1
		for k := len(parts) - 1; k >= 0; k-- {
			if last[k] > last[drop] {
				drop = k
			}
		}
		parts, last = slices.Delete(parts, drop, drop+1), slices.Delete(last, drop, drop+1)
	}
	key, value, _ := strings.Cut(parts[0], " ")
	return number + " · " + viz.CutTitle(key, max(w-viz.Width(number+" ·  "+value), 1)) + " " + value, titleCut
}

// values is how many values the lanes have of a knob: the more, the better it
// tells them apart.
func (v *View) values(p *param.Param) int {
	seen := make(map[string]bool)
	for _, l := range v.lanes.All {
		seen[p.Format(l.ShownConfig().Value(p.Key))] = true
	}
	return len(seen)
}

// narrowTitle is the width below which names and values of a title are short.
const narrowTitle = 46

// titleWords is a setting in a title: "top_p 0.90", and where there is little
// room "p .90".
func titleWords(p *param.Param, value any, w int, ascii bool) string {
	key := p.Key
	if s, ok := run.ShortKeys[key]; ok {
		key = s
	}
	text := viz.Printable(viz.Cut(run.ValueWords(p, value), 24), ascii)
	if w < narrowTitle {
		if s, ok := narrowKeys[p.Key]; ok {
			key = s
		}
	}
	if len(text) > 2 && text[0] == '0' && text[1] == '.' {
		text = text[1:]
	}
	return key + " " + text
}

// narrowKeys are the shortest names of settings.
var narrowKeys = map[string]string{"top_k": "k", "top_p": "p", "min_p": "min", "repetition_penalty": "rep"}
