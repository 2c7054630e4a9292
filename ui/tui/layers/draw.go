package layers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine/inside"
	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

var (
	muted   = viz.Ink{Role: viz.Muted}
	bold    = viz.Ink{}.With(viz.Bold)
	chosen  = viz.Ink{Role: viz.Chosen}
	focus   = viz.Ink{Role: viz.Focus}.With(viz.Bold)
	warning = viz.Ink{Role: viz.Warning}
	lost    = viz.Ink{Role: viz.Lost}
)

// Cells of the map: the names of the layers, and a column for each position.
const (
	nameWidth = 9
	mapWidth  = 17
)

// columns is how many positions the map has room for.
func (v *View) columns(s kit.Screen) int { return max(1, (s.W-2-nameWidth-1)/mapWidth) }

// A plan says which parts of the view have room, and how many lines each takes,
// borders included.
type plan struct {
	layers         []int // those shown in table and map, from the last down; of 1 to n
	mapped, barred bool
	mapH, tableH   int
	heads, lowH    int // heads shown, and the lines of the lower box
	words          int // lines of words at the bottom
	cols           int // positions of the map
	headFrom       int
}

// plan lays the view out: what gives way first are the bars, then layers in
// between, then the map.
func (v *View) plan(w, h int, in *sight) plan {
	n, heads := in.Anatomy.Layers(), in.Anatomy.Heads[v.layer]
	p := plan{words: 2, cols: min(max(1, (w-2-nameWidth-1)/mapWidth), in.Rows)}
	if h < 30 {
		p.words = 1
	}
	p.heads = min(heads, 8)
	p.lowH = 4 + p.heads
	if v.mode != gridMode {
		p.lowH = max(min(h/2, 24), 8)
	}
	room := h - p.words - p.lowH
	p.mapped = w >= 100 && room >= 4+5+5+4 || v.mode != gridMode && w >= 100 && room >= 9
	lines := func(k int) int { // of map and table with k layers
		out := k + 4
		if p.mapped {
			out += k + 5
		}
		if p.barred {
			out += k + 2
		}
		return out
	}
	p.barred = v.mode == gridMode
	k := n
	if lines(k) > room {
		p.barred = false
	}
	if v.mode != gridMode { // the table gives way to what the mode shows
		p.tableH = 0
		for k > 1 && k+5 > room {
			k--
		}
	} else {
		for k > 1 && lines(k) > room {
			k--
		}
	}
	p.layers = some(n, k, v.layer+1)
	k = len(p.layers)
	if p.mapped {
		p.mapH = k + 5
	}
	if v.mode == gridMode {
		p.tableH = k + 4
		if p.barred {
			p.tableH += k + 2
		}
	} else {
		p.lowH = h - p.words - p.mapH
	}
	p.headFrom = max(0, min(v.head-p.heads/2, heads-p.heads))
	return p
}

// some returns at most k of the layers 1 to n, from the last down: every
// second, every third, and the chosen one in the place of the nearest.
func some(n, k, chosen int) (out []int) {
	for l := n; l >= 1; l -= (n + k - 1) / k {
		out = append(out, l)
	}
	if len(out) < 2 || slices.Contains(out, chosen) {
		return out
	}
	away := func(l int) int { return max(l-chosen, chosen-l) }
	nearest := slices.MinFunc(out[1:], func(a, b int) int { return cmp.Compare(away(a), away(b)) })
	out[slices.Index(out, nearest)] = chosen
	return out
}

// Draw draws the view; see [kit.View].
func (v *View) Draw(c *viz.Canvas, h kit.Host) {
	in := v.seen()
	if in == nil {
		v.drawEmpty(c)
		return
	}
	p := v.plan(c.W, c.H, in)
	y := 0
	if p.mapped {
		v.drawMap(c.Sub(viz.Rect{Y: y, W: c.W, H: p.mapH}), in, p)
		y += p.mapH
	}
	if p.tableH > 0 {
		v.drawTable(c.Sub(viz.Rect{Y: y, W: c.W, H: p.tableH}), in, p)
		y += p.tableH
	}
	low := c.Sub(viz.Rect{Y: y, W: c.W, H: min(p.lowH, c.H-p.words-y)})
	switch v.mode {
	case bestMode:
		v.drawBest(low, in)
	case dolaMode:
		v.drawDoLa(low, in)
	case stripMode:
		v.drawStrips(low, in)
	case effectMode:
		v.drawEffects(low)
	default:
		v.drawHeads(low, in, p)
	}
	for i, s := range v.words(in, c.W-2, p.words, c.ASCII) {
		c.Put(1, y+low.H+i, s, viz.Ink{})
	}
}

func (v *View) drawEmpty(c *viz.Canvas) {
	inner := viz.Box(c, viz.Frame{Title: "layers and attention", Right: "A · esc", Focused: true})
	switch l := v.lane; {
	case v.look.Ready && v.look.Err != nil:
		inner.Put(1, 0, "! "+viz.CutTitle(viz.OneLine(viz.FirstLine(v.look.Err.Error()), c.ASCII), inner.W-4), warning)
	case l.View.Err != nil:
		inner.Put(1, 0, "! "+viz.CutTitle(viz.OneLine(viz.FirstLine(l.View.Err.Error()), c.ASCII), inner.W-4), warning)
	case l.Step() == nil:
		inner.Put(1, 0, "The prompt is being read; its layers can be seen after that.", muted)
	case l.Running():
		inner.Put(1, 0, "A look inside costs a pass, so it waits until the lane rests: space pauses.", muted)
	default:
		inner.Put(1, 0, "reading the text once more …", muted)
	}
}

// title is the first box's: whose words these are, and where a look stands
// still.
func (v *View) title() string {
	s := "what each layer would say next · its best token, through the last norm and the output matrix"
	if v.lane.Running() {
		s = fmt.Sprintf("paused at step %s · ", viz.Count(v.look.Key.step+1)) + s
	}
	return s
}

func (v *View) piece(id int32, ascii bool) string {
	if id < 0 {
		return "–"
	}
	return v.lane.Piece(id, ascii)
}

// layerName is a layer as the tables call it; 0 is the word itself.
func layerName(l int) string {
	if l == 0 {
		return "word"
	}
	return "layer " + strconv.Itoa(l)
}

// rowInk is the ink of a layer's row.
func (v *View) rowInk(l int) viz.Ink {
	if l == v.layer+1 {
		return bold
	}
	return viz.Ink{}
}

// drawMap draws the best token of each layer at the last positions.
func (v *View) drawMap(c *viz.Canvas, in *sight, p plan) {
	inner := viz.Box(c, viz.Frame{Title: v.title(), Right: "A · esc", Focused: v.pane == layerPane})
	from := in.Rows - p.cols // rows of the map that have no column
	first := len(in.Tokens) - p.cols
	if first > 0 {
		inner.Put(1, 0, viz.Cut("‹ "+viz.Count(first), nameWidth-1), muted)
	}
	for i := range p.cols {
		x := nameWidth + 1 + i*mapWidth
		inner.Fit(x, 0, mapWidth-1, v.piece(in.Tokens[first+i], c.ASCII), muted)
		for y, l := range append(slices.Clone(p.layers), 0) {
			cell := in.Map[l][from+i]
			share := viz.Percent(cell.Prob)
			name := viz.Cut(v.piece(cell.Token, c.ASCII), mapWidth-2-viz.Width(share))
			ink := v.rowInk(l)
			if i < p.cols-1 {
				ink = viz.Ink{}
			}
			if l == 0 {
				ink = muted
			}
			at := inner.Put(x, 1+y, name, ink)
			inner.Put(at+1, 1+y, share, muted)
		}
	}
	y := 1
	for _, l := range append(slices.Clone(p.layers), 0) {
		v.putLayer(inner, 1, y, l)
		y++
	}
	inner.Put(1, y, "is next", muted)
	for i := range p.cols {
		x := nameWidth + 1 + i*mapWidth
		words, ink := "▲ ", muted
		id := models.NoToken
		if i == p.cols-1 {
			var now bool
			if id, now = v.next(); now {
				words, ink = "▲ "+v.howNext(), chosen
			}
		} else {
			id = in.Tokens[first+i+1]
		}
		inner.Put(x, y, viz.Cut(words+v.piece(id, c.ASCII), mapWidth-1), ink)
	}
	if v.back > 0 {
		s := viz.Count(v.back) + " more ›"
		inner.Right(inner.W-1, 0, s, muted)
	}
}

// howNext says how the step's token came to be.
func (v *View) howNext() string {
	if s := v.lane.Step(); s != nil && s.Forced {
		return "forced: "
	}
	return "drawn: "
}

// putLayer writes a layer's name, marked where the cursor or something that is
// off is.
func (v *View) putLayer(c *viz.Canvas, x, y, l int) {
	ink := v.rowInk(l)
	name := layerName(l)
	if l > 0 && v.layerOff(l-1) {
		name, ink = viz.Cut("✗ "+strconv.Itoa(l)+v.offMark(l-1), nameWidth-1), lost
	}
	if l == 0 {
		ink = muted
	}
	c.Put(x, y, name, ink)
}

// layerOff reports whether a whole layer, its attention or its MLP is off.
func (v *View) layerOff(l int) bool {
	return v.isOff(models.Part{Kind: models.AttentionPart, Layer: l}) || v.isOff(models.Part{Kind: models.MLPPart, Layer: l})
}

func (v *View) offMark(l int) string {
	a, m := v.isOff(models.Part{Kind: models.AttentionPart, Layer: l}), v.isOff(models.Part{Kind: models.MLPPart, Layer: l})
	switch {
	case a && m:
		return " all"
	case a:
		return " attn"
	}
	return " MLP"
}

// Cells of the table: a column for each token, then what is left, the entropy
// and the rank.
const (
	tokenWidth  = 14
	tokenEdge   = 6 // of the first token's share, after the names
	othersEdge  = 6 // after the base that the tokens end at
	entropyEdge = 19
	rankEdge    = 36
	slimRank    = 26
)

// drawTable draws the last position through the layers.
func (v *View) drawTable(c *viz.Canvas, in *sight, p plan) {
	f := viz.Frame{Title: "the last position through the layers"}
	if p.barred {
		f.Title += " · full bar 100%"
	}
	if v.back > 0 {
		f.Title = strings.Replace(f.Title, "the last position", "position "+viz.Count(len(in.Tokens)-1), 1)
	}
	if !p.mapped {
		f.Title, f.Right, f.Focused = "what each layer would say next · through the last norm and the output matrix", "A · esc", v.pane == layerPane
	}
	inner := viz.Box(c, f)
	next, _ := v.next()
	slim := inner.W < 100
	edge := rankEdge
	if slim {
		edge = slimRank
	}
	names := nameWidth - 1 + len(strconv.Itoa(in.Anatomy.Layers()))
	ids := v.tableTokens(in, max(1, min(5, (inner.W-names-edge-1)/tokenWidth)))
	base := names + tokenWidth*len(ids)
	inner.Put(1, 0, "after", muted)
	for i, id := range ids {
		ink := muted
		if id == next {
			ink = chosen
		}
		inner.Put(names+i*tokenWidth, 0, viz.Cut(v.piece(id, c.ASCII), tokenWidth-1), ink)
	}
	inner.Right(base+othersEdge, 0, "others", muted)
	inner.Right(base+entropyEdge, 0, "entropy", muted)
	rank := "rank"
	if !slim {
		rank = viz.Cut("rank of "+v.piece(next, c.ASCII), rankEdge-entropyEdge-2)
	}
	if next >= 0 {
		inner.Right(base+edge, 0, rank, muted)
	}
	var shares []float64
	for y, l := range append(slices.Clone(p.layers), 0) {
		ink := v.rowInk(l)
		v.putLayer(inner, 1, 1+y, l)
		rest := 1.0
		for i, id := range ids {
			p := in.Prob(l, id)
			rest -= p
			inner.Right(names+tokenEdge+i*tokenWidth, 1+y, viz.Percent(p), ink)
		}
		inner.Right(base+othersEdge, 1+y, viz.Percent(max(0, rest)), ink)
		inner.Right(base+entropyEdge, 1+y, viz.Two(in.Laws[l].Entropy)+" b", ink)
		if next >= 0 {
			inner.Right(base+edge, 1+y, viz.Count(inside.Rank(in.Lens[l], next)), ink)
			shares = append(shares, in.Prob(l, next))
		}
	}
	if p.barred && next >= 0 {
		v.drawClimb(inner, len(p.layers)+3, next, append(slices.Clone(p.layers), 0), shares)
	}
}

// tableTokens are the best tokens of the last layer, the next one among them.
func (v *View) tableTokens(in *sight, n int) []int32 {
	ids := inside.Best(in.Lens[in.Anatomy.Layers()], n)
	if next, _ := v.next(); next >= 0 && !slices.Contains(ids, next) {
		ids[len(ids)-1] = next
	}
	return ids
}

// drawClimb draws the share of the next token after each layer as a bar.
func (v *View) drawClimb(c *viz.Canvas, y int, id int32, layers []int, shares []float64) {
	name := viz.Cut(v.piece(id, c.ASCII), 14)
	x := 1 + viz.Width(name) + 1 + len(strconv.Itoa(layers[0])) + 2
	for i, l := range layers {
		number := strconv.Itoa(l)
		if l == 0 {
			number = "–"
		}
		c.Put(1, y+i, name+" "+number, v.rowInk(l))
		drawShare(c.Sub(viz.Rect{X: x, Y: y + i, W: max(0, c.W-x-15), H: 1}), shares[i])
		c.Right(c.W-7, y+i, viz.Percent(shares[i]), v.rowInk(l))
	}
}

// drawShare draws a share as a bar over dots.
func drawShare(c *viz.Canvas, share float64) {
	c.Fill(viz.Rect{W: c.W, H: 1}, "·", muted)
	if math.Round(share*float64(c.W)*8) >= 1 {
		viz.Bars(c, []viz.Bar{{Final: share, Single: true}}, 1)
	}
}
