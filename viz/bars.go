package viz

import (
	"math"
	"slices"

	"github.com/NimbleMarkets/ntcharts/barchart"
	"github.com/NimbleMarkets/ntcharts/canvas"
	"github.com/charmbracelet/lipgloss"
)

// A Bar is one row of a bar chart: a share before and after.
type Bar struct {
	Raw, Final float64 // 0 to 1; Final 0 if removed
	Refused    bool    // had mass, but a grammar refuses it: hatched
	Blank      bool    // a row without a bar
	Single     bool    // show Final alone, without comparison to Raw
}

// tags mark the segments of a bar while ntcharts draws them, since it draws
// every segment with the same block.
const (
	tagSolid lipgloss.ANSIColor = iota + 1
	tagGained
	tagLost
	tagRefused
)

var segmentInk = map[lipgloss.ANSIColor]struct {
	glyph string // for whole cells; empty keeps the block
	ink   Ink
}{
	tagSolid:   {"", Ink{Role: Kept}},
	tagGained:  {"▓", Ink{Role: Boosted}},
	tagLost:    {"░", Ink{Role: LostFill}},
	tagRefused: {"╱", Ink{Role: RefusedFill}},
}

var segmentStyle = map[lipgloss.ANSIColor]lipgloss.Style{
	tagSolid:   lipgloss.NewStyle().Foreground(tagSolid),
	tagGained:  lipgloss.NewStyle().Foreground(tagGained),
	tagLost:    lipgloss.NewStyle().Foreground(tagLost),
	tagRefused: lipgloss.NewStyle().Foreground(tagRefused),
}

// Bars draws one horizontal bar a row, from the top, as many as c has rows.
// A bar that fills c stands for scale. Each shows the final share solid, what
// it gained over raw in whole ▓ cells, and what it lost as ░ up to raw, both
// full cells of another colour where there are colours; one longer than c ends
// in ».
func Bars(c *Canvas, bars []Bar, scale float64) {
	if c.W < 1 || c.H < 1 || !(scale > 0) || math.IsInf(scale, 0) {
		return
	}
	bars = bars[:min(len(bars), c.H)]
	if len(bars) == 0 {
		return
	}
	m := barchart.New(c.W, len(bars), barchart.WithNoAxis(), barchart.WithHorizontalBars(),
		barchart.WithNoAutoMaxValue(), barchart.WithMaxValue(float64(c.W)),
		barchart.WithNoAutoBarWidth(), barchart.WithBarWidth(1), barchart.WithBarGap(0))
	for _, b := range bars {
		m.Push(barchart.BarData{Values: segments(b, float64(c.W)/scale, float64(c.W))})
	}
	m.SetHorizontal(true) // computes the rows; Push alone leaves them unset
	m.Draw()
	for y, b := range bars {
		copyBar(c, &m, y, int(clampCells(b.Final*float64(c.W)/scale, float64(c.W))))
		if (b.Final > scale*1.0000001 || b.Raw > scale*1.0000001) && !b.Blank {
			c.Put(c.W-1, y, "»", Ink{Role: Kept})
		}
	}
}

// BarFoot draws the lower half line of a thick bar into c's first row: of what
// is left at the end, so that what was lost stays thin. ASCII has no half line.
func BarFoot(c *Canvas, b Bar, scale float64) {
	if c.W < 1 || c.H < 1 || c.ASCII || !(scale > 0) || b.Refused || b.Blank {
		return
	}
	w := float64(c.W)
	raw, final := clampCells(b.Raw*w/scale, w), clampCells(b.Final*w/scale, w)
	for x := range int(math.Ceil(final)) {
		glyph, role := "▀", Kept
		if final-float64(x) < 1 {
			glyph = "▘"
			if final-float64(x) < .5 {
				return
			}
		}
		if float64(x) >= math.Floor(raw) && math.Floor(raw) < math.Floor(final) && !b.Single {
			role = Boosted
		}
		c.Put(x, 0, glyph, Ink{Role: role})
	}
}

// segments returns the stacked values of one bar in cells, at most w of them.
func segments(b Bar, cells, w float64) []barchart.BarValue {
	raw, final := clampCells(b.Raw*cells, w), clampCells(b.Final*cells, w)
	value := func(v float64, tag lipgloss.ANSIColor) barchart.BarValue {
		return barchart.BarValue{Value: max(v, 0), Style: segmentStyle[tag]}
	}
	switch {
	case b.Blank:
		return nil
	case b.Refused:
		return []barchart.BarValue{value(math.Ceil(raw-1.0/8), tagRefused)}
	case b.Single:
		return []barchart.BarValue{value(final, tagSolid)}
	case final >= raw && math.Floor(raw) < math.Floor(final):
		solid := math.Floor(raw)
		return []barchart.BarValue{value(solid, tagSolid), value(final-solid, tagGained)}
	case final >= raw:
		return []barchart.BarValue{value(final, tagSolid)}
	}
	if raw-final < 1.0/8 {
		return []barchart.BarValue{value(final, tagSolid)}
	}
	return []barchart.BarValue{value(final, tagSolid), value(math.Ceil(raw)-final, tagLost)}
}

// clampCells makes a length finite and at most w: ntcharts panics otherwise.
func clampCells(x, w float64) float64 {
	if math.IsNaN(x) || x < 0 {
		return 0
	}
	return min(x, w)
}

// copyBar copies row y of a drawn chart, whole cells with the glyph of their
// segment. The final share has whole cells; what follows is its part cell,
// which stays a block even where its eighths round up to a full one.
func copyBar(c *Canvas, m *barchart.Model, y, whole int) {
	end := 0
	for ; end < c.W && isBlock(m.Canvas.Cell(canvas.Point{X: end, Y: y}).Rune); end++ {
	}
	for x := range end {
		cl := m.Canvas.Cell(canvas.Point{X: x, Y: y})
		tag, _ := cl.Style.GetForeground().(lipgloss.ANSIColor)
		seg := segmentInk[tag]
		if c.ASCII && x+1 < end && asciiTwin[cl.Rune] == " " { // too little to draw, yet no hole in the bar
			cl = m.Canvas.Cell(canvas.Point{X: x + 1, Y: y})
			tag, _ = cl.Style.GetForeground().(lipgloss.ANSIColor)
			seg = segmentInk[tag]
		}
		glyph := string(cl.Rune)
		if seg.glyph != "" && cl.Rune == '█' && (tag != tagGained || x < whole) {
			glyph = seg.glyph
		}
		c.set(x, y, glyph, 1, seg.ink)
	}
}

func isBlock(r rune) bool { return r >= '█' && r <= '▏' }

// A BarChart draws bars and keeps what it drew: drawing the same bars at the
// same size again only copies cells, which is most of what a screen does while
// one step is on it. Its zero value is ready.
type BarChart struct {
	bars  []Bar
	scale float64
	drawn *Canvas
}

// Draw is [Bars].
func (b *BarChart) Draw(c *Canvas, bars []Bar, scale float64) {
	d := b.drawn
	if d == nil || d.W != c.W || d.H != c.H || d.ASCII != c.ASCII || b.scale != scale || !slices.Equal(b.bars, bars) {
		d = NewCanvas(c.W, c.H, c.ASCII)
		Bars(d, bars, scale)
		b.bars, b.scale, b.drawn = slices.Clone(bars), scale, d
	}
	c.Copy(d)
}

// legendInks are the inks of the glyphs that bars are made of.
var legendInks = map[string]Ink{"█": {Role: Kept}, "▓": {Role: Boosted}, "░": {Role: LostFill}, "╱": {Role: RefusedFill}}

// PutLegend is [Canvas.Put] with the glyphs that bars are made of drawn as they
// are in bars: with colours a lost part has no shade.
func (c *Canvas) PutLegend(x, y int, s string, ink Ink) int {
	for len(s) > 0 {
		g, _, rest := next(s)
		use := ink
		if of, ok := legendInks[g]; ok {
			use = of
		}
		x, s = c.Put(x, y, g, use), rest
	}
	return x
}
