package layers

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"logitscope/models"
	"logitscope/viz"
)

// Cells of the heads: the names, and a column for each position.
const (
	headsFrom  = 10
	headsWidth = 15
	headsBar   = 8
)

// attentionTitle says which layer's heads are shown, and what bounds them.
func (v *View) attentionTitle(in *sight) string {
	a := in.Anatomy
	parts := []string{"attention", fmt.Sprintf("layer %d of %d", v.layer+1, a.Layers())}
	if v.back > 0 {
		parts = append(parts, fmt.Sprintf("from position %s", viz.Count(len(in.Tokens)-1)))
	}
	if w := a.Windows[v.layer]; w > 0 {
		parts = append(parts, fmt.Sprintf("sees the last %s", viz.Count(w)))
	}
	if g := a.Heads[v.layer] / a.KVHeads[v.layer]; g > 1 {
		parts = append(parts, fmt.Sprintf("%d heads to a KV head", g))
	}
	if a.Cache == "f16" {
		parts = append(parts, "the cache rounds keys and values to f16")
	}
	return strings.Join(parts, " · ")
}

// drawHeads draws what the heads of a layer look at, at the last positions.
func (v *View) drawHeads(c *viz.Canvas, in *sight, p plan) {
	right := ""
	if n := in.Anatomy.Heads[v.layer]; p.heads < n {
		right = fmt.Sprintf("heads %d–%d of %d", p.headFrom+1, p.headFrom+p.heads, n)
	}
	inner := viz.Box(c, viz.Frame{Title: v.attentionTitle(in), Right: right, Focused: v.pane == headPane})
	inner.Put(1, 0, viz.FirstFit(inner.W-2, "who looks at what, at the last position: the share of each head's attention", "the share of each head's attention"), muted)
	sink := in.Anatomy.Sinks
	cols := max(1, (inner.W-headsFrom)/headsWidth)
	if sink && cols > 1 {
		cols--
	}
	n := len(in.Tokens)
	cols = min(cols, n)
	if n > cols {
		inner.Put(1, 1, viz.Cut("‹ "+viz.Count(n-cols)+" more", headsFrom+1), muted)
	}
	for i := range cols {
		inner.Right(headsFrom+(i+1)*headsWidth+1, 1, viz.Cut(v.piece(in.Tokens[n-cols+i], c.ASCII), headsWidth-2), muted)
	}
	if sink {
		inner.Right(headsFrom+(cols+1)*headsWidth+1, 1, "sink", muted)
	}
	for y := range p.heads {
		head := p.headFrom + y
		if 2+y >= inner.H {
			return
		}
		mark, ink := "  ", viz.Ink{}
		if head == v.head {
			mark, ink = "▸ ", bold
			if v.pane == headPane {
				ink = focus
			}
		}
		name := "head " + strconv.Itoa(head+1)
		if v.isOff(models.Part{Kind: models.HeadPart, Layer: v.layer, Head: head}) {
			name, ink = "✗ "+name, lost
			mark = strings.TrimRight(mark, " ")
		}
		inner.Put(1, 2+y, viz.Cut(mark+name, headsFrom), ink)
		weights := in.Inside.Head(v.layer, head)
		for i := range cols {
			putWeight(inner, headsFrom+(i+1)*headsWidth, 2+y, float64(weights[n-cols+i]), ink)
		}
		if sink {
			putWeight(inner, headsFrom+(cols+1)*headsWidth, 2+y, float64(in.Inside.Sinks[v.layer][head]), muted)
		}
	}
}

// putWeight writes a weight with a bar before it; edge is the cell after it.
func putWeight(c *viz.Canvas, edge, y int, w float64, ink viz.Ink) {
	s := strconv.FormatFloat(w, 'f', 3, 64)
	c.Right(edge, y, s, ink)
	if n := int(math.Round(w * headsBar)); n > 0 {
		c.Put(edge-len(s)-1-n, y, strings.Repeat("█", n), viz.Ink{Role: viz.Kept})
	}
}
