package timeline

import (
	"strconv"
	"strings"

	"logitscope/engine"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// branchColumns are the columns of the list of branches.
type branchColumns struct{ name, bar, barW, count, note int }

func branchColumnsOf(w int) branchColumns {
	c := branchColumns{name: 22, bar: 23, barW: max((w-23)/2, 8)}
	if w < 76 {
		c = branchColumns{name: 16, bar: 17, barW: max(w-17-11, 4)}
	}
	c.count = c.bar + c.barW + 1
	c.note = c.count + 12
	return c
}

// drawBranches lists the texts: what each is called, where it grew from
// another, how long it is, and how it goes on.
func (v *View) drawBranches(c *viz.Canvas, host kit.Host, lay layout) {
	l := host.Lane()
	list, sel := v.selected(host)
	muted := viz.Ink{Role: viz.Muted}
	n := len(list)
	if l.Look.Tried != nil {
		n++
	}
	title := "branches"
	if n == 1 {
		title = "branches: none yet"
	}
	if l.Forgotten > 0 {
		title = "branches: the newest " + strconv.Itoa(len(l.Branches)) + ", " + strconv.Itoa(l.Forgotten) + " older ones are no longer kept"
	}
	c.Put(1, lay.branches, viz.CutTitle(title, c.W-2), muted)
	longest := 1
	for _, b := range list {
		longest = max(longest, len(b.Steps))
	}
	col := branchColumnsOf(c.W)
	first := 0
	row := sel
	if v.try && l.Look.Tried != nil {
		row = len(list)
	}
	if lay.rows > 0 {
		first = min(max(row-lay.rows+1, 0), max(n-lay.rows, 0))
	}
	for y := range min(lay.rows, n-first) {
		k := first + y
		in := c.Sub(viz.Rect{X: 0, Y: lay.branches + 1 + y, W: c.W, H: 1})
		if k == row {
			in.Put(1, 0, "▸", viz.Ink{Role: viz.Focus})
		}
		if k == len(list) {
			v.drawTry(in, host, l, col, longest)
			continue
		}
		v.drawBranch(in, l, list, k, col, longest, k == row)
	}
}

// drawBranch draws branch k of list in its line: where it leaves its parent, and
// how long it is beside the longest.
func (v *View) drawBranch(c *viz.Canvas, l *run.Lane, list []run.Limb, k int, col branchColumns, longest int, selected bool) {
	b := list[k]
	ink, muted := viz.Ink{}, viz.Ink{Role: viz.Muted}
	if selected {
		ink = ink.With(viz.Bold)
	}
	c.Fit(3, 0, col.name-3, strconv.Itoa(k+1)+" "+strings.Repeat(" ", min(b.Depth, 3))+v.lanes.LimbName(l, list, k), ink)
	cells := func(n int) int { return n * col.barW / longest }
	x := cells(b.Shared)
	if b.Parent >= 0 {
		x = min(x, col.barW-1)
		c.Put(col.bar+x, 0, "└", muted)
		x++
		if b.Shared < len(b.Steps) && b.Steps[b.Shared].Forced {
			c.Put(col.bar+x, 0, "◆", viz.Ink{Role: viz.Chosen})
			x++
		}
	}
	glyph, role := "─", viz.Muted
	if b.Index < 0 {
		glyph, role = "━", viz.Focus
	}
	c.Fill(viz.Rect{X: col.bar + x, Y: 0, W: max(cells(len(b.Steps))-x, 0), H: 1}, glyph, viz.Ink{Role: role})
	c.Put(col.count, 0, viz.FirstFit(col.note-col.count-1, viz.Plural(len(b.Steps), "token"), viz.Count(len(b.Steps))+" tok"), viz.Ink{})
	if col.note < c.W-8 {
		note := v.lanes.LimbNote(l, list, k)
		if viz.Width(note) > c.W-col.note-1 {
			note = strings.TrimRight(viz.Fit(note, c.W-col.note-1), " ")
		}
		c.Put(col.note, 0, note, muted)
	}
}

// drawTry lists the settings tried on a step as a branch that is not written.
func (v *View) drawTry(c *viz.Canvas, host kit.Host, l *run.Lane, col branchColumns, longest int) {
	name := "what-if"
	if s := l.Committed(l.Look.At); s != nil {
		if s.Settings.Label != l.Look.Under.Label && !engine.NameOf(l.Look.Under.Label).Changed {
			name = viz.Printable(l.Look.Under.Label, c.ASCII)
		} else if d := run.ShortDifference(s.Settings, l.Look.Under); d != "" {
			name = d
		}
	}
	c.Fit(3, 0, col.name-3, "? "+name, viz.Ink{})
	c.Put(col.bar+min((l.Look.At-1)*col.barW/longest, col.barW-2), 0, "└○", viz.Ink{Role: viz.Draw})
	c.Put(col.count, 0, "what-if", viz.Ink{})
	if col.note < c.W-8 {
		c.Put(col.note, 0, viz.CutTitle("not written: "+triedWords(host, l), c.W-col.note-1), viz.Ink{Role: viz.Muted})
	}
}
