package structure

import (
	"fmt"
	"slices"
	"strconv"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// maskColumns are where the columns of the rows stand; 0 leaves one out.
type maskColumns struct{ label, labelW, raw, allowed, bar, barW, why int }

func maskColumnsOf(w int) maskColumns {
	switch {
	case w >= 100:
		why := w - 36
		return maskColumns{11, 11, 29, 38, 40, why - 42, why}
	case w >= 74:
		why := w - 22
		return maskColumns{11, 11, 29, 38, 40, why - 42, why}
	case w >= 64:
		why := w - 19
		return maskColumns{8, 9, 24, 32, 34, why - 36, why}
	case w >= 52:
		return maskColumns{8, 9, 24, 32, 0, 0, 35}
	}
	return maskColumns{8, 9, 0, 24, 0, 0, 26}
}

// refusalOf reports whether a row's token is refused, by a constraint that
// knows k, also while its mask is off.
func refusalOf(k *engine.ConstraintStep, t *sampling.Trace, r *sampling.Row) (run.Refusal, bool) {
	if k == nil {
		return run.Refusal{At: -1, What: 0}, run.Refused(t, r)
	}
	if i, b := k.Constraint.Dies(k.State, r.ID); i >= 0 {
		return run.Refusal{At: i, What: b}, true
	}
	return run.Refusal{At: -1, What: 0}, run.Refused(t, r) // the budget took it away
}

// maskRows returns the n tokens that have a row: the token drawn, those that
// may come and are likeliest, a third of them, and the best by raw probability;
// in raw order.
func maskRows(l *run.Lane, s *engine.Step, n int) []*sampling.Row {
	all, k := s.Trace.Rows(), known(l)
	want := map[int32]bool{s.Token: true}
	for _, r := range all { // in raw order, which is that of the mask's as well
		if _, no := refusalOf(k, s.Trace, &r); !no && len(want) <= n/3 {
			want[r.ID] = true
		}
	}
	for _, r := range all {
		if len(want) < n {
			want[r.ID] = true
		}
	}
	var out []*sampling.Row
	for i := range all {
		if want[all[i].ID] && len(out) < n {
			out = append(out, &all[i])
		}
	}
	return out
}

// A maskDrawer draws the tokens in raw rank, refused ones hatched in place.
type maskDrawer struct {
	n   int // tokens that have a row
	c   *viz.Canvas
	l   *run.Lane
	s   *engine.Step
	k   *engine.ConstraintStep // nil if nothing is known
	off bool                   // the mask is off
	col maskColumns
}

func (d *maskDrawer) draw() {
	if d.c.H < 2 {
		return
	}
	scale := d.l.Scale
	if !(scale > 0) {
		scale = run.FitScale(d.s.Trace)
	}
	d.head(scale)
	rows := maskRows(d.l, d.s, d.n)
	raw, final, allowed := 0.0, 0.0, 0
	bars := make([]viz.Bar, 0, len(rows)+1)
	for i, r := range rows {
		why, no := refusalOf(d.k, d.s.Trace, r)
		p := d.share(r)
		raw += float64(r.RawProb)
		final += p
		if !no {
			allowed++
		}
		d.row(tableHead+i, r, p, why, no)
		bars = append(bars, viz.Bar{Raw: float64(r.RawProb), Final: p, Refused: no && p == 0})
	}
	raw, final = max(1-raw, 0), max(1-final, 0)
	d.others(tableHead+len(rows), len(rows), allowed, raw, final)
	bars = append(bars, viz.Bar{Raw: raw, Final: final})
	if d.col.barW > 2 {
		viz.Bars(d.c.Sub(viz.Rect{X: d.col.bar, Y: tableHead, W: d.col.barW, H: len(bars)}), bars, scale)
	}
}

// mask is the stage that applied the mask, -1 if none did: it is off, or the
// first draw was one of the tokens it allows.
func (d *maskDrawer) mask() int {
	return slices.IndexFunc(d.s.Trace.Stages(), func(x sampling.StageTrace) bool { return x.Name == "constraint" })
}

// share is the probability shown of a row: under the mask alone, or after all
// stages where no mask was applied.
func (d *maskDrawer) share(r *sampling.Row) float64 {
	if stage := d.mask(); stage >= 0 {
		return float64(r.Probs[stage])
	}
	return float64(r.Prob)
}

func (d *maskDrawer) head(scale float64) {
	c, col, muted := d.c, d.col, viz.Ink{Role: viz.Muted}
	c.Right(6, 0, "#", muted)
	c.Put(col.label, 0, "token", muted)
	if col.raw > 0 {
		c.Right(col.raw, 0, "raw", muted)
	}
	name := "allowed"
	if d.mask() < 0 {
		name = "final"
	}
	c.Right(col.allowed, 0, name, muted)
	if col.bar > 0 {
		c.Put(col.bar, 0, viz.FirstFit(col.barW+1, "full bar "+viz.WholePercent(scale), "full "+viz.WholePercent(scale), ""), muted)
	}
	c.Put(col.why, 0, "why not", muted)
}

func (d *maskDrawer) row(y int, r *sampling.Row, p float64, why run.Refusal, no bool) {
	c, col, ink := d.c, d.col, viz.Ink{}
	c.Right(6, y, strconv.Itoa(int(r.Rank)), viz.Ink{Role: viz.Muted})
	mark, chosen := col.label-2, r.ID == d.s.Token
	switch {
	case chosen && d.s.Forced:
		c.Put(mark, y, "◆", viz.Ink{Role: viz.Chosen})
		ink.Role = viz.Chosen
	case chosen:
		c.Put(mark, y, "●", viz.Ink{Role: viz.Chosen})
		ink.Role = viz.Chosen
	case no:
		c.Put(mark, y, "⊘", viz.Ink{Role: viz.Warning})
		ink.Role = viz.Lost
	}
	if r.ID == d.l.Row {
		c.Put(max(mark-2, 0), y, "▸", viz.Ink{Role: viz.Focus})
	}
	c.Fit(col.label, y, col.labelW, d.l.Piece(r.ID, c.ASCII), ink)
	if col.raw > 0 {
		c.Right(col.raw, y, viz.Percent(float64(r.RawProb)), viz.Ink{Role: viz.Muted})
	}
	value := viz.Percent(p)
	if p == 0 && (no || r.Cut != sampling.NoStage) {
		value = viz.Removed
	}
	c.Right(col.allowed, y, value, ink)
	c.Put(col.why, y, viz.FirstFit(c.W-col.why-1, d.why(r, why, no)...), viz.Ink{Role: viz.Muted})
}

// why says what keeps a row's token from coming, longest first; of the one
// drawn, which draw it was where the mask may come after one.
func (d *maskDrawer) why(r *sampling.Row, why run.Refusal, no bool) []string {
	v := d.l.Vocab()
	switch {
	case r.ID == d.s.Token && d.k != nil && d.k.Redrawn:
		return []string{"second draw: the first was refused", "second draw"}
	case r.ID == d.s.Token && d.k != nil && d.mask() < 0 && !no && !d.off:
		return []string{"first draw: it is allowed", "first draw"}
	case no && why.At < 0:
		return []string{"would overrun the token budget", "over the budget", "budget"}
	case no && (v.Piece(r.ID) == "" || slices.Contains(v.EOG(), r.ID)):
		return []string{"the text may not end yet", "no end yet"}
	case no && d.c.W-d.col.why-1 < longestDeath: // all rows in one form
		return why.Forms()[1:]
	case no:
		return why.Forms()
	case r.Cut != sampling.NoStage:
		return []string{"✗ " + d.s.Trace.Stages()[r.Cut].Name}
	}
	return nil
}

func (d *maskDrawer) others(y, n, allowed int, raw, final float64) {
	c, col, muted := d.c, d.col, viz.Ink{Role: viz.Muted}
	others := d.s.Trace.Vocab - d.s.Trace.NoPiece - n
	name := viz.Count(others) + " others"
	if viz.Width(name) > col.labelW+1 {
		name = "+" + viz.Count(others)
	}
	c.Right(6, y, "⋮", muted)
	c.Put(col.label-1, y, name, muted)
	if col.raw > 0 {
		c.Right(col.raw, y, viz.Percent(raw), muted)
	}
	if final < 1e-6 {
		final = 0
	}
	c.Right(col.allowed, y, viz.Percent(final), muted)
	if d.k != nil {
		more := max(d.k.Allowed-allowed, 0)
		text := viz.Count(more) + " allowed"
		c.Put(col.why, y, viz.FirstFit(c.W-col.why-1, text+fmt.Sprintf(", %s refused", viz.Count(others-more)), text, ""), muted)
	}
}

// longestDeath is how many cells the words of a refusal take.
const longestDeath = len("dies at byte 9, 7E ~")

// story tells why the row's token may or may not come.
func (v *View) story(host kit.Host) string {
	l := host.Lane()
	k := known(l)
	if l.Row == models.NoToken || k == nil {
		return "i: no row is selected"
	}
	name := l.Piece(l.Row, host.Screen().ASCII())
	i, b := k.Constraint.Dies(k.State, l.Row)
	if i < 0 {
		return name + " may come here"
	}
	return fmt.Sprintf("%s %s: expected there: %s", name, run.Refusal{At: i, What: b}.Words(), expected(k))
}
