package layers

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"logitscope/engine/inside"
	"logitscope/models"
	"logitscope/viz"
)

// layerBest is how many tokens of one layer are listed.
const layerBest = 20

// Edges of the columns of one layer's best tokens.
const (
	bestRank, bestLabel, bestHere, bestLast, bestBar = 4, 6, 30, 40, 43
)

// drawBest draws the best tokens of a layer: what the model would say if it
// stopped there, and what that costs.
func (v *View) drawBest(c *viz.Canvas, in *sight) {
	l := v.layer + 1
	n := in.Anatomy.Layers()
	exit := in.Laws[l].Exit
	tv, kl := viz.Percent(exit.TV), viz.Two(exit.KL)
	title := viz.FirstFit(c.W-15,
		fmt.Sprintf("layer %d alone would say · early exit · stopping here: %s of the law is another, %s bits a token (KL)", l, tv, kl),
		fmt.Sprintf("layer %d alone · stopping here: %s is another law, %s bits", l, tv, kl), fmt.Sprintf("layer %d alone", l))
	if l == n {
		title = viz.FirstFit(c.W-15, fmt.Sprintf("layer %d alone would say · the last layer: the law itself", l), fmt.Sprintf("layer %d", l))
	}
	inner := viz.Box(c, viz.Frame{Title: title, Right: "v next", Focused: v.pane == layerPane})
	next, _ := v.next()
	inner.Right(bestRank, 0, "#", muted)
	inner.Put(bestLabel, 0, "token", muted)
	inner.Right(bestHere, 0, "layer "+strconv.Itoa(l), muted)
	inner.Right(bestLast, 0, "last", muted)
	inner.PutLegend(bestBar, 0, "█ kept  ▓ more than the last layer has  ░ less", muted)
	var bars []viz.Bar
	scale := 0.01
	ids := inside.Best(in.Lens[l], min(layerBest, inner.H-1))
	for _, id := range ids {
		scale = max(scale, in.Prob(l, id), in.Prob(n, id))
	}
	for i, id := range ids {
		ink := viz.Ink{}
		if id == next {
			ink = chosen
		}
		inner.Right(bestRank, 1+i, strconv.Itoa(i+1), ink)
		inner.Fit(bestLabel, 1+i, bestHere-8-bestLabel, v.piece(id, c.ASCII), ink)
		here, last := in.Prob(l, id), in.Prob(n, id)
		inner.Right(bestHere, 1+i, viz.Percent(here), ink)
		inner.Right(bestLast, 1+i, viz.Percent(last), muted)
		bars = append(bars, viz.Bar{Raw: last, Final: here})
	}
	viz.Bars(inner.Sub(viz.Rect{X: bestBar, Y: 1, W: inner.W - bestBar - 1, H: len(bars)}), bars, scale)
}

// Edges of the columns of DoLa's row.
const (
	dolaLabel, dolaLast, dolaInner, dolaAfter, dolaBar = 2, 30, 42, 54, 57
)

var ruleOwners = map[inside.DoLaRule]string{inside.DoLaTransformers: "transformers'", inside.DoLaPaper: "the paper's"}

// drawDoLa draws the layer that DoLa chooses, and the row it makes of the two.
func (v *View) drawDoLa(c *viz.Canvas, in *sight) {
	r := dolaRules[v.dola]
	title := fmt.Sprintf("DoLa · %s rule · %s layers", ruleOwners[r.rule], r.which)
	inner := viz.Box(c, viz.Frame{Title: title, Right: "o next rule · v next", Focused: v.pane == layerPane})
	d, err := in.dola[v.dola].DoLa, in.dola[v.dola].err
	if err != nil {
		inner.Put(1, 0, "! "+viz.CutTitle(err.Error(), inner.W-4), warning)
		return
	}
	var parts []string
	for i, l := range d.Candidates {
		s := fmt.Sprintf("%d: %.2g", l, d.JS[i])
		if l == d.Chosen {
			s += " ◂ chosen"
		}
		parts = append(parts, s)
	}
	inner.Put(1, 0, viz.CutTitle("how far each candidate layer is from the last: "+strings.Join(parts, " · "), inner.W-2), viz.Ink{})
	how := "inner states go through the output matrix without the norm; the divergence runs from the mean of both laws, a mean over the vocabulary"
	if r.rule == inside.DoLaPaper {
		how = "inner states go through norm and output matrix; the divergence is Jensen–Shannon's"
	}
	inner.Put(1, 1, viz.CutSentence(how, inner.W-2), muted)
	inner.Put(dolaLabel, 2, "token", muted)
	inner.Right(dolaLast, 2, "layer "+strconv.Itoa(in.Anatomy.Layers()), muted)
	inner.Right(dolaInner, 2, layerName(d.Chosen), muted)
	inner.Right(dolaAfter, 2, "DoLa", muted)
	order := d.Order()
	var bars []viz.Bar
	shown := max(0, min(len(order), inner.H-4))
	for y, k := range order[:shown] {
		id := d.IDs[k]
		inner.Fit(dolaLabel, 3+y, dolaLast-9-dolaLabel, v.piece(id, c.ASCII), viz.Ink{})
		last := in.Prob(in.Anatomy.Layers(), id)
		inner.Right(dolaLast, 3+y, viz.Percent(last), muted)
		inner.Right(dolaInner, 3+y, viz.Percent(d.Inner[k]), muted)
		inner.Right(dolaAfter, 3+y, viz.Percent(d.Probs[k]), viz.Ink{})
		bars = append(bars, viz.Bar{Raw: last, Final: d.Probs[k]})
	}
	viz.Bars(inner.Sub(viz.Rect{X: dolaBar, Y: 3, W: inner.W - dolaBar - 1, H: len(bars)}), bars, 1)
	inner.Put(1, 3+shown, viz.CutSentence(fmt.Sprintf("%s left of %s: at least a tenth as likely as the best in the last layer. score = ln p(last) − ln p(inner).",
		viz.Plural(len(d.IDs), "token"), viz.Count(len(in.Lens[0]))), inner.W-2), muted)
}

// stripHeights are the heights of a weight under its word.
var stripHeights = []rune("▁▂▃▄▅▆▇█")

// drawStrips draws the text with the heads of a layer as strips beneath, full
// height 1.
func (v *View) drawStrips(c *viz.Canvas, in *sight) {
	inner := viz.Box(c, viz.Frame{Title: v.attentionTitle(in) + " · strips, full height 1", Right: "v next", Focused: v.pane == headPane})
	heads := in.Anatomy.Heads[v.layer]
	shown := max(1, min(heads, inner.H-1))
	from := max(0, min(v.head-shown/2, heads-shown))
	// The last words that fit.
	start, x := len(in.Tokens), headsFrom
	for start > 0 {
		w := viz.Width(v.piece(in.Tokens[start-1], c.ASCII)) + 1
		if x+w > inner.W {
			break
		}
		start--
		x += w
	}
	if start > 0 {
		inner.Put(1, 0, viz.Cut("‹ "+viz.Count(start), headsFrom-2), muted)
	}
	for y := range shown {
		ink := viz.Ink{}
		if from+y == v.head {
			ink = focus
		}
		name := "head " + strconv.Itoa(from+y+1)
		if v.isOff(models.Part{Kind: models.HeadPart, Layer: v.layer, Head: from + y}) {
			name, ink = "✗ "+strconv.Itoa(from+y+1), lost
		}
		inner.Put(1, 1+y, name, ink)
	}
	x = headsFrom
	for pos := start; pos < len(in.Tokens); pos++ {
		word := v.piece(in.Tokens[pos], c.ASCII)
		inner.Put(x, 0, word, viz.Ink{})
		for y := range shown {
			level := int(math.Round(float64(in.Inside.Head(v.layer, from+y)[pos]) * float64(len(stripHeights)-1)))
			ink := viz.Ink{Role: viz.Kept}
			if level == 0 {
				ink = muted
			}
			inner.Put(x, 1+y, strings.Repeat(string(stripHeights[max(0, min(level, len(stripHeights)-1))]), viz.Width(word)), ink)
		}
		x += viz.Width(word) + 1
	}
}

// Edges of the columns of what parts do.
const (
	effectName, effectTV, effectKL, effectBest, effectBefore, effectAfter, effectBar = 3, 30, 40, 43, 66, 76, 79
)

// drawEffects draws what switching each part off does to the step.
func (v *View) drawEffects(c *viz.Canvas) {
	next, _ := v.next()
	t := v.trial
	f := viz.Frame{Title: "each part off by itself, at this position · what was read before stays", Right: "x off/on · v next", Focused: true}
	if here := v.look.Key.place(); t.ready() && t.key != here {
		f.Title, f.Alert = "each part off by itself", "of another position: i tries them here"
		if t.key.position() == here.position() {
			f.Alert = "with other parts off: i tries them again"
		}
	}
	inner := viz.Box(c, f)
	switch {
	case t == nil:
		inner.Put(1, 0, "i switches each head and each part of a layer off by itself.", muted)
		return
	case !t.seen:
		inner.Put(1, 0, t.progress(), muted)
		return
	case t.err != nil:
		inner.Put(1, 0, "! "+viz.CutTitle(viz.OneLine(viz.FirstLine(t.err.Error()), c.ASCII), inner.W-4), warning)
		return
	}
	inner.Put(effectName, 0, "part", muted)
	inner.Right(effectTV, 0, "law moved", muted)
	inner.Right(effectKL, 0, "bits", muted)
	wide := inner.W > effectBar+8
	if wide {
		inner.Put(effectBest, 0, "best then", muted)
		inner.Right(effectBefore, 0, "with it", muted)
		inner.Right(effectAfter, 0, "without", muted)
		if next >= 0 {
			inner.Put(effectBar, 0, "with it, without: the share of "+v.piece(next, c.ASCII), muted)
		}
	}
	rows := inner.H - 1
	from := max(0, min(v.effect-rows/2, len(t.effects)-rows))
	var bars []viz.Bar
	for y := range min(rows, len(t.effects)-from) {
		e := t.effects[from+y]
		mark, ink := " ", viz.Ink{}
		if from+y == v.effect {
			mark, ink = "▸", focus
		}
		if v.isOff(e.Part) {
			mark, ink = "✗", lost
		}
		inner.Put(1, 1+y, mark, ink)
		inner.Put(effectName, 1+y, inside.Name(e.Part), ink)
		inner.Right(effectTV, 1+y, viz.Percent(e.Apart.TV), ink)
		inner.Right(effectKL, 1+y, viz.Two(e.Apart.KL), muted)
		if wide {
			inner.Fit(effectBest, 1+y, 12, v.piece(e.Best, c.ASCII), ink)
			inner.Right(effectBefore, 1+y, viz.Percent(e.Before), muted)
			inner.Right(effectAfter, 1+y, viz.Percent(e.After), ink)
		}
		bars = append(bars, viz.Bar{Final: e.Apart.TV, Single: true})
	}
	if wide {
		viz.Bars(inner.Sub(viz.Rect{X: effectBar, Y: 1, W: inner.W - effectBar - 1, H: len(bars)}), bars, max(t.effects[0].Apart.TV, 0.01))
	}
}
