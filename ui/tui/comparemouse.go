package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"logitscope/models"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// mouse takes the lane under the pointer; in its text the step, in its chart
// the row.
func (v *compareView) Mouse(host kit.Host, x, y int, e tea.MouseMsg) (tea.Cmd, bool) {
	m := host.(*Model)
	r := m.Screen().Body()
	lay := compareLayoutOf(r.W, r.H, len(m.All), m.Cur, v.alone)
	if d := kit.Wheel(e); d != 0 && lay.apart.Contains(x, y) {
		m.stepLanes(10 * d)
		return v.measure(m), true
	}
	for col, lr := range lay.lanes {
		i := lay.first + col
		switch {
		case lr.text.Contains(x, y):
			v.textMouse(m, i, lr.text, lay, x, y, e)
		case lr.chart.Contains(x, y):
			v.chartMouse(m, i, lr.chart, lay, y, e)
		case lr.draw.Contains(x, y) && e.Button == tea.MouseButtonLeft:
			m.Cur = i
		default:
			continue
		}
		return v.measure(m), true
	}
	if lay.apart.Contains(x, y) && e.Button == tea.MouseButtonLeft {
		v.apartMouse(m, lay.apart, x)
		return v.measure(m), true
	}
	return nil, false
}

func (v *compareView) textMouse(m *Model, i int, r viz.Rect, lay compareLayout, x, y int, e tea.MouseMsg) {
	if d := kit.Wheel(e); d != 0 {
		m.stepLanes(d)
		return
	}
	if e.Button != tea.MouseButtonLeft {
		return
	}
	if y == r.Y && i == m.Cur && !v.knobs {
		v.alone = !v.alone
		return
	}
	m.Cur, v.knobs = i, false
	g, lines, top := v.laneText(m, i, r.W-4, r.H-2)
	line := top + y - r.Y - 1
	if !lay.boxed || line < 0 || line >= len(lines) {
		return
	}
	at := r.X + 2
	for _, gl := range g[lines[line][0]:lines[line][1]] {
		if at += gl.W; x < at {
			if gl.Step > 0 {
				m.lookLanes(gl.Step)
			}
			return
		}
	}
}

func (v *compareView) chartMouse(m *Model, i int, r viz.Rect, lay compareLayout, y int, e tea.MouseMsg) {
	if d := kit.Wheel(e); d != 0 {
		m.Cur = i
		v.move(m, d)
		return
	}
	if e.Button != tea.MouseButtonLeft {
		return
	}
	m.Cur, v.knobs = i, false
	h := v.chartRows(lay)
	if row := y - r.Y - 1; h > 0 && row >= 0 && row < h {
		if id := alignRows(stepsSideBySide(m.All), h)[i][row]; id != models.NoToken {
			m.All[i].Row = id
		}
	}
}

// apartMouse shows the step under column x of the chart of distances.
func (v *compareView) apartMouse(m *Model, r viz.Rect, x int) {
	if len(m.All) != 2 {
		return
	}
	p := v.pairOf(m.All[0], m.All[1])
	w := r.W - 2 - 7
	values, from := p.series(w)
	n := max(len(values), w/3)
	if k := from + (x-r.X-7)*(n-1)/max(w-1, 1) + 1; k >= 1 && k <= len(m.Lane().View.Steps) {
		m.lookLanes(k)
	}
}
