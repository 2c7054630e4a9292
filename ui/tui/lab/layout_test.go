package lab

import (
	"testing"

	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// The rectangles of a layout cover the window and do not overlap.
func TestLayoutTiles(t *testing.T) {
	for w := 1; w <= 210; w++ {
		for k := 2; k <= 129; k++ { // every height without and with lines left to another
			h := k / 2
			above := 0
			if k%2 == 1 {
				above = RoomAbove(w, h)
			}
			lay := layoutOf(w, h, above)
			if lay.class == kit.TooSmall {
				if w >= 40 && h >= 12 {
					t.Fatalf("%d×%d is called too small", w, h)
				}
				continue
			}
			owner := make([]string, w*h)
			for name, r := range lay.rects() {
				for y := r.Y; y < r.Y+r.H; y++ {
					for x := r.X; x < r.X+r.W; x++ {
						if x < 0 || y < 0 || x >= w || y >= h || owner[y*w+x] != "" {
							t.Fatalf("%d×%d: %s leaves the window or overlaps:\n%s", w, h, name, drawLayout(lay, w, h))
						}
						owner[y*w+x] = name
					}
				}
			}
			for i, o := range owner {
				if o == "" {
					t.Fatalf("%d×%d: nothing at %d, %d:\n%s", w, h, i%w, i/w, drawLayout(lay, w, h))
				}
			}
		}
	}
}

// drawLayout draws a layout, a letter a pane.
func drawLayout(lay layout, w, h int) string {
	c := viz.NewCanvas(w, h, false)
	for name, r := range lay.rects() {
		c.Fill(r, name[:1], viz.Ink{})
	}
	return c.Text()
}

// With lines left to another the chart still shows its best tokens.
func TestRoomAboveLeavesTheChart(t *testing.T) {
	for w := 100; w <= 210; w += 5 {
		for h := 36; h <= 64; h++ {
			if lay := layoutOf(w, h, RoomAbove(w, h)); lay.chart.H < 14 || lay.text.H < 3 || lay.pipeline.H < 6 || lay.above.H < 9 {
				t.Errorf("%d×%d: chart %d, text %d, pipeline %d, above %d lines", w, h, lay.chart.H, lay.text.H, lay.pipeline.H, lay.above.H)
			}
		}
	}
}

// Growing the window takes nothing away: every class shows all rows, knobs
// and lines of text that a smaller window of its class shows.
func TestGrowingTakesNothingAway(t *testing.T) {
	lb := storyLab(t)
	for w := 40; w <= 200; w += 10 {
		rows := 0
		for h := 12; h <= 60; h++ {
			lb.Resize(w, h)
			n := len(lb.ChartIDs())
			if k, before := kit.ClassOf(w, h), kit.ClassOf(w, h-1); k == before && n < rows && lb.chartHeight() < compactBelow {
				t.Errorf("%d×%d shows %d rows, a line less showed %d", w, h, n, rows)
			}
			rows = n
		}
	}
}

// rects lists the rectangles of l that are shown.
func (l layout) rects() map[string]viz.Rect {
	m := make(map[string]viz.Rect)
	for name, r := range map[string]viz.Rect{
		"header": l.header, "text": l.text, "chart": l.chart, "controls": l.side, "pipeline": l.pipeline,
		"entropy": l.entropy, "knob": l.knob, "help": l.help, "footer": l.footer, "above": l.above,
	} {
		if !r.Empty() {
			m[name] = r
		}
	}
	return m
}
