package beams

import (
	"fmt"

	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// drawContrastive draws the candidates of a contrastive search's newest step.
func (v *View) drawContrastive(c *viz.Canvas, host kit.Host) {
	cv := v.lane.View.Contrastive
	title := fmt.Sprintf("contrastive search · step %d · penalty_alpha %.2f · top_k %d", len(cv.Steps), cv.Alpha, cv.TopK)
	inner := viz.Box(c, viz.Frame{Title: title, Right: "B · esc", Focused: true})
	muted := viz.Ink{Role: viz.Muted}
	v.contrast.Draw(inner, inner.H-1, host, true)
	if len(cv.Steps) == 0 {
		for y, s := range viz.WrapWords("No step yet: n takes the first, space runs. Each takes the best of the top_k likeliest tokens, after what makes it like a token that stands there already is taken off: with penalty_alpha 0 it is greedy, with 1 only unlikeness counts.", inner.W-2) {
			if y < inner.H-1 {
				inner.Put(1, y, s, muted)
			}
		}
		return
	}
	s := cv.Steps[len(cv.Steps)-1]
	wide := inner.W >= 70
	inner.Put(5, 0, "token", muted)
	inner.Right(26, 0, "p", muted)
	inner.Right(35, 0, "likeness", muted)
	if wide {
		inner.Put(38, 0, "to", muted)
		inner.Right(62, 0, "score", muted)
	}
	h := inner.H - 3
	for i := 0; i < min(len(s.Candidates), h-1); i++ {
		x := s.Candidates[i]
		y := 1 + i
		ink := viz.Ink{}
		if i == s.Chosen {
			ink = viz.Ink{Role: viz.Chosen}
			inner.Put(3, y, "●", ink)
		}
		inner.Fit(5, y, 14, v.lane.Piece(x.Token, inner.ASCII), ink)
		inner.Right(26, y, viz.Percent(x.Prob), ink)
		inner.Right(35, y, viz.Three(x.Cos), ink)
		if wide {
			inner.Fit(38, y, 14, v.tokenAt(x.At, inner.ASCII), muted)
			inner.Right(62, y, viz.Three(x.Score), ink)
			if w := inner.W - 66; w > 4 && x.Score > 0 {
				viz.Bars(inner.Sub(viz.Rect{X: 64, Y: y, W: w, H: 1}), []viz.Bar{{Final: x.Score, Single: true}}, 1)
			}
		}
	}
	inner.Put(1, inner.H-2, viz.CutTitle("score = (1 − alpha) p − alpha · likeness, the largest cosine to a hidden state before · best score wins", inner.W-2), muted)
}

// tokenAt is the token at a place of prompt and text.
func (v *View) tokenAt(pos int, ascii bool) string {
	cv := v.lane.View.Contrastive
	switch {
	case pos < len(cv.Prompt):
		return v.lane.Piece(cv.Prompt[pos], ascii)
	case pos-len(cv.Prompt) < len(cv.Steps):
		return v.lane.Piece(cv.Steps[pos-len(cv.Prompt)].Token(), ascii)
	}
	return ""
}
