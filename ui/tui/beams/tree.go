package beams

import (
	"strings"

	"logitscope/engine/beam"
	"logitscope/models"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A treeLayout is a beam tree with a place for every node: a column for each
// token of depth, a row for each leaf.
type treeLayout struct {
	*beam.Tree
	rows  [][]int     // by row, the nodes on it, left to right
	row   map[int]int // by node
	label []string
	x     []int // left edge of each depth's column
	left  int   // leaves that are not shown
	root  string
}

// layTree lays t out in at most most rows; dead ends give way, shallow ones
// first. Zero means no limit.
func layTree(t *beam.Tree, voc models.Vocab, ends func(int32) bool, root string, most int, ascii bool) *treeLayout {
	l := &treeLayout{Tree: t, root: root, label: make([]string, len(t.Nodes))}
	hidden := l.hide(most)
	depth := 0
	for i := range t.Nodes {
		if !hidden[i] {
			depth = max(depth, t.Nodes[i].Depth)
		}
	}
	width, branch := make([]int, depth+1), make([]bool, depth+1)
	width[0] = viz.Width(root)
	for i := range t.Nodes {
		if hidden[i] {
			continue
		}
		n := &t.Nodes[i]
		name := run.StripLabel(voc, n.Token, ascii)
		if ends(n.Token) {
			name = "■"
		}
		l.label[i] = name + " " + viz.Two(n.Sum)
		width[n.Depth] = max(width[n.Depth], viz.Width(l.label[i]))
		if shown(n.Children, hidden) > 1 {
			branch[n.Depth] = true
		}
	}
	branch[0] = shown(t.Roots, hidden) > 1
	x := 0
	for d := range width {
		l.x = append(l.x, x)
		x += width[d] + 4
		if branch[d] {
			x++
		}
	}
	l.x = append(l.x, x)
	l.place(hidden)
	return l
}

func shown(list []int, hidden map[int]bool) (n int) {
	for _, i := range list {
		if !hidden[i] {
			n++
		}
	}
	return n
}

// hide chooses the nodes that get no place: dead ends, the shallow ones
// first, until the rest fits.
func (l *treeLayout) hide(most int) map[int]bool {
	hidden := make(map[int]bool)
	var dead []int
	leaves := 0
	for i := range l.Nodes {
		n := &l.Nodes[i]
		if len(n.Children) > 0 {
			continue
		}
		leaves++
		if !n.Lives && !n.Kept && !n.Winning {
			dead = append(dead, i)
		}
	}
	for _, i := range dead { // in the order they appeared, so shallow ones first
		if most <= 0 || leaves <= most {
			break
		}
		leaves--
		l.left++
		for i >= 0 && shown(l.Nodes[i].Children, hidden) == 0 && !l.Nodes[i].Winning {
			hidden[i] = true
			i = l.Nodes[i].Parent
		}
	}
	return hidden
}

// place gives every node a row: the first child its parent's, each further
// one a new row.
func (l *treeLayout) place(hidden map[int]bool) {
	l.row = make(map[int]int)
	type todo struct {
		node  int
		fresh bool // begins a row
	}
	var stack []todo
	push := func(list []int) {
		var in []int
		for _, i := range list {
			if !hidden[i] {
				in = append(in, i)
			}
		}
		for k := len(in) - 1; k >= 0; k-- {
			stack = append(stack, todo{in[k], k > 0})
		}
	}
	l.rows = append(l.rows, nil)
	push(l.Roots)
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at.fresh {
			l.rows = append(l.rows, nil)
		}
		r := len(l.rows) - 1
		l.row[at.node] = r
		l.rows[r] = append(l.rows[r], at.node)
		push(l.Nodes[at.node].Children)
	}
}

// find returns the index of node n, or -1.
func (l *treeLayout) find(n *beam.Node) int {
	if n != nil {
		for i := range l.Nodes {
			if l.Nodes[i].Node == n {
				return i
			}
		}
	}
	return -1
}

// end is the column after node i.
func (l *treeLayout) end(i int) int { return l.x[l.Nodes[i].Depth] + viz.Width(l.label[i]) }

// winner returns the nodes of the winning path, first token first.
func (l *treeLayout) winner() []int {
	var out []int
	for i := range l.Nodes {
		if l.Nodes[i].Winning {
			out = append(out, i)
		}
	}
	return out
}

// visible lists the rows of which something stands right of column dx, and
// counts the others.
func (l *treeLayout) visible(dx int) (rows []int, left int) {
	for r, nodes := range l.rows {
		if n := len(nodes); n > 0 && l.end(nodes[n-1]) <= dx {
			left++
			continue
		}
		rows = append(rows, r)
	}
	return rows, left
}

// draw draws rows, those of visible(dx) from the one that shall stand on top;
// note says what became of a leaf.
func (l *treeLayout) draw(c *viz.Canvas, rows []int, dx, cursor int, note func(i int) string) {
	at := make(map[int]int, len(rows)) // line of each row
	for y, r := range rows[:min(len(rows), c.H)] {
		at[r] = y
		if r == 0 {
			c.Put(-dx, y, l.root, viz.Ink{Role: viz.Muted})
		}
		for k, i := range l.rows[r] {
			l.drawNode(c, y, dx, i, k == 0 && r > 0, i == cursor)
		}
		if n := len(l.rows[r]); n > 0 {
			last := l.rows[r][n-1]
			x, text := l.end(last)+2-dx, note(last)
			if viz.Width(text) > c.W-x {
				text, _, _ = strings.Cut(text, " ") // a rank or ✗ alone
			}
			c.Put(x, y, text, l.ink(last))
		}
	}
	l.drawStems(c, at, dx)
	for r, y := range at {
		if row := l.rows[r]; dx > 0 && len(row) > 0 && l.x[l.Nodes[row[0]].Depth] < dx {
			c.Put(0, y, "… ", viz.Ink{Role: viz.Muted})
		}
	}
}

// ink is how a node and the line to it are drawn.
func (l *treeLayout) ink(i int) viz.Ink {
	n := &l.Nodes[i]
	switch {
	case n.Winning:
		return viz.Ink{Role: viz.Chosen}
	case n.Greedy:
		return viz.Ink{Role: viz.Greedy}
	case n.Lives || n.Kept:
		return viz.Ink{}
	}
	return viz.Ink{Role: viz.Lost}
}

// drawNode draws a node and the line that leads to it: heavy on the winning
// path. Of a node that is scrolled out in part only the line is left.
func (l *treeLayout) drawNode(c *viz.Canvas, y, dx, i int, fresh, cursor bool) {
	n := &l.Nodes[i]
	x := l.x[n.Depth] - dx
	ink := l.ink(i)
	dash := "─"
	if n.Winning {
		dash = "━"
	}
	from := x - 2
	if !fresh {
		end := viz.Width(l.root)
		if n.Parent >= 0 {
			end = l.end(n.Parent)
		}
		from = end - dx + 1
	}
	for k := from; k < x-1; k++ {
		c.Put(k, y, dash, ink)
	}
	if x < 2 && dx > 0 {
		c.Fill(viz.Rect{X: 0, Y: y, W: max(x+viz.Width(l.label[i])+1, 0), H: 1}, dash, ink)
		return
	}
	if cursor {
		c.Put(x-1, y, "▸", viz.Ink{Role: viz.Focus})
		ink = ink.With(viz.Reverse)
	}
	c.Put(x, y, l.label[i], ink)
}

// drawStems draws the upright lines between siblings, on the lines that at
// gives their rows.
func (l *treeLayout) drawStems(c *viz.Canvas, at map[int]int, dx int) {
	stem := func(children []int) {
		var lines []int
		depth := 0
		for _, i := range children {
			if r, ok := l.row[i]; ok {
				depth = l.Nodes[i].Depth
				if y, shown := at[r]; shown {
					lines = append(lines, y)
				}
			}
		}
		if len(lines) < 2 {
			return
		}
		x := l.x[depth] - 3 - dx
		next := 1
		for y := lines[0]; y <= lines[len(lines)-1]; y++ {
			glyph := "│"
			switch {
			case y == lines[0]:
				glyph = "┬"
			case y == lines[len(lines)-1]:
				glyph = "└"
			case y == lines[next]:
				glyph = "├"
			}
			if y == lines[next] && next < len(lines)-1 {
				next++
			}
			c.Put(x, y, glyph, viz.Ink{Role: viz.Muted})
		}
	}
	stem(l.Roots)
	for i := range l.Nodes {
		if len(l.Nodes[i].Children) > 1 {
			stem(l.Nodes[i].Children)
		}
	}
}
