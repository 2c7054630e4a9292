package lanes

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// Mouse takes the lane under the pointer; in its text the step, in its chart
// the row.
func (v *View) Mouse(host kit.Host, x, y int, e tea.MouseMsg) (tea.Cmd, bool) {
	r := host.Screen().Body()
	lay := compareLayoutOf(r.W, r.H, len(v.lanes.All), v.lanes.Cur, v.alone, v.part)
	if d := kit.Wheel(e); d != 0 && lay.apart.Contains(x, y) {
		v.lanes.StepAll(10 * d)
		return v.measure(), true
	}
	for col, lr := range lay.lanes {
		i := lay.first + col
		switch {
		case lr.text.Contains(x, y):
			v.textMouse(host, i, lr.text, lay, x, y, e)
		case lr.chart.Contains(x, y):
			v.chartMouse(host, i, lr.chart, lay, y, e)
		case lr.draw.Contains(x, y) && e.Button == tea.MouseButtonLeft:
			v.lanes.Cur = i
		default:
			continue
		}
		return v.measure(), true
	}
	if lay.apart.Contains(x, y) && e.Button == tea.MouseButtonLeft {
		v.apartMouse(lay.apart, x, y)
		return v.measure(), true
	}
	return nil, false
}

func (v *View) textMouse(host kit.Host, i int, r viz.Rect, lay compareLayout, x, y int, e tea.MouseMsg) {
	if d := kit.Wheel(e); d != 0 {
		v.lanes.StepAll(d)
		return
	}
	if e.Button != tea.MouseButtonLeft {
		return
	}
	if y == r.Y && i == v.lanes.Cur && !v.open {
		v.alone = !v.alone
		return
	}
	v.lanes.Cur, v.open = i, false
	g, lines, top := v.laneText(host, i, r.W-4, r.H-2)
	line := top + y - r.Y - 1
	if !lay.boxed || line < 0 || line >= len(lines) {
		return
	}
	at := r.X + 2
	for _, gl := range g[lines[line][0]:lines[line][1]] {
		if at += gl.W; x < at {
			if gl.Step > 0 {
				v.lanes.LookAll(gl.Step)
			}
			return
		}
	}
}

func (v *View) chartMouse(host kit.Host, i int, r viz.Rect, lay compareLayout, y int, e tea.MouseMsg) {
	if d := kit.Wheel(e); d != 0 {
		v.lanes.Cur = i
		v.move(host, d)
		return
	}
	if e.Button != tea.MouseButtonLeft {
		return
	}
	v.lanes.Cur, v.open = i, false
	h := v.chartRows(lay)
	if row := y - r.Y - 1; h > 0 && row >= 0 && row < h {
		if id := alignRows(stepsSideBySide(v.lanes.All), h)[i][row]; id != models.NoToken {
			v.lanes.All[i].Row = id
		}
	}
}

// apartMouse shows the step under column x of the lines of distances.
func (v *View) apartMouse(r viz.Rect, x, y int) {
	row := y - r.Y - 1
	if len(v.lanes.All) != 2 || row < 0 || row > 1 {
		return
	}
	w := r.W - 4
	values, from := v.series(v.lanes.All[row], v.lanes.All[1-row], min(chartWidth(w, max(w/2, 16)), 60))
	if k := x - r.X - 2 - viz.Width("on 1's text "); k >= 0 && k < len(values) {
		v.lanes.LookAll(from + k + 1)
	}
}
