//go:build amd64 || arm64

package quant

// Products with many vectors go by tiles: the decoded rows of a panel stay in
// the second cache while every group of vectors passes over them, and the
// sums of a tile stay in registers. A tile's sums are the 32 of a product
// with one vector, in the same order.
//
// Members of a group, rows or vectors, lie side by side, so that a tile reads
// strictly forward: a group has one block of columns after another, a block
// the first part of the lanes of every 32 columns, then the next, and each
// part as many columns of one member, then those of the next.
const (
	// nearCols are the columns of which the near cache holds a group of
	// vectors in all parts.
	nearCols = 1024

	// panelLen is the number of decoded weights of a panel.
	panelLen = 96 << 10
)

// blockCols returns how many columns a block has, of cols, which is a
// multiple of 32. Beyond 2·nearCols blocks are equal, so that half of one is
// near.
func blockCols(cols int) int {
	if cols <= 2*nearCols {
		return cols
	}
	n := (cols + 2*nearCols - 1) / (2 * nearCols)
	return roundUp(cols/n, chunkLen)
}

// pack stores x, a member of a group of some, at its place in the group. The
// length of x is a multiple of 32.
func (t *tiling) pack(group []float32, x []float32, member, members int) {
	step, parts := blockCols(len(x)), t.parts()
	for k := 0; k < len(x); k += step {
		width := min(step, len(x)-k)
		for part := range parts {
			to := group[k*members+part*width/parts*members+member*t.lanes:]
			from := x[k+part*t.lanes : k+width]
			for i := 0; i < len(from); i += lanes {
				at := to[i/parts*members:]
				for j := 0; j < t.lanes; j += 8 { // not copy, which is slow for a few
					*(*[8]float32)(at[j:]) = [8]float32(from[i+j:])
				}
			}
		}
	}
}

// groupFor returns the vectors of a group where n of some columns are packed
// for tiles, 0 where they are not.
func groupFor(n, cols int) int {
	t := levels[best].tiles
	if n < decodeFrom || t == nil || cols <= t.beyond {
		return 0
	}
	groups := (n + t.vectors - 1) / t.vectors
	return (n + groups - 1) / groups
}

// pack packs the vectors x.
func (a *Activations) pack(x []float32) {
	cols := roundUp(a.cols, lanes)
	a.resize(roundUp(a.n, a.group) * cols)
	clear(a.values[a.n/a.group*a.group*cols:])
	for t := range a.n {
		row := x[t*a.cols:][:a.cols]
		if cols != a.cols {
			a.padded = grow(a.padded, cols)
			clear(a.padded[copy(a.padded, row):])
			row = a.padded
		}
		levels[best].tiles.pack(a.values[t/a.group*a.group*cols:][:a.group*cols], row, t%a.group, a.group)
	}
}

// grow returns a slice of length n that reuses s where it can.
func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// A panelScratch is what a worker needs for tiles.
type panelScratch struct {
	panel []float32   // groups of rows
	sums  []float32   // (groups, parts, sums of a tile): lanes between blocks of columns
	fold  []float32   // (groups, folds of a tile): of the parts before the last
	row   []float32   // a row that no kernel decodes to its place
	out   [32]float32 // results of a tile
}

// resize makes room for a number of rows of a length.
func (s *panelScratch) resize(t *tiling, rows, cols int) {
	groups := rows / t.rows
	if n := rows * cols; len(s.panel) < n {
		s.panel = aligned(make([]float32, n+cacheLine/4))
	}
	if n := groups * t.folds(); len(s.fold) < n {
		s.fold = aligned(make([]float32, n+cacheLine/4))
	}
	if n := groups * t.parts() * t.sums(); blockCols(cols) < cols && len(s.sums) < n {
		s.sums = aligned(make([]float32, n+cacheLine/4))
	}
}

// mulPanels multiplies rows lo to hi-1 by all vectors, a panel of rows at a
// time, if they are packed.
func (p *product) mulPanels(s *scratch, lo, hi int) bool {
	if p.a.group == 0 {
		return false
	}
	t := levels[best].tiles
	cols := roundUp(p.a.cols, lanes)
	step := max(panelLen/cols/t.rows, 4) * t.rows
	s.panel.resize(t, min(step, roundUp(hi-lo, t.rows)), cols)
	for r := lo; r < hi; r += step {
		n := min(step, hi-r)
		p.fillPanel(t, s, r, n, cols)
		for v := 0; v < p.a.n; v += p.a.group {
			p.mulGroup(t, &s.panel, r, n, v, cols)
		}
	}
	return true
}

// fillPanel decodes n rows from r on, of cols columns with what pads them.
func (p *product) fillPanel(t *tiling, s *scratch, r, n, cols int) {
	panel, f := s.panel.panel, p.format
	k := p.kernels().panel
	step := blockCols(cols)
	if n%t.rows != 0 { // rows of zeros fill the last group
		clear(panel[n/t.rows*t.rows*cols:][:t.rows*cols])
	}
	for i := range n {
		group, src := panel[i/t.rows*t.rows*cols:][:t.rows*cols], p.rows(r+i, r+i+1)
		if k == nil || cols != p.a.cols {
			s.panel.row = grow(s.panel.row, cols)
			row := s.panel.row
			f.decode(row[:p.a.cols], src, &s.chunk)
			clear(row[p.a.cols:])
			t.pack(group, row, i%t.rows, t.rows)
			continue
		}
		for at := 0; at < cols; at += step {
			width := min(step, cols-at)
			k(&group[at*t.rows+i%t.rows*t.lanes], &src[at/f.block*f.bytes], width, t.rows*t.lanes*4, width/2*t.rows*4)
		}
	}
}

// mulGroup multiplies the panel, of n rows from r on, by the group of vectors
// from v on. Where the near cache holds all parts of the columns, a tile takes
// one after the other; else all tiles take a part before any takes the next.
func (p *product) mulGroup(t *tiling, s *panelScratch, r, n, v, cols int) {
	g := groupOfTiles{
		p: *p, t: t, s: s, kernel: t.kernels[p.a.group], x: p.a.values[v*cols:],
		r: r, n: n, v: v, cols: cols, direct: v+p.a.group <= p.a.n,
	}
	step := blockCols(cols)
	for k := 0; k < cols; k += step {
		width := min(step, cols-k)
		if cols <= nearCols {
			for i := 0; i < n; i += t.rows {
				for part := range t.parts() {
					g.tile(i, k, width, part)
				}
			}
			continue
		}
		for part := range t.parts() {
			for i := 0; i < n; i += t.rows {
				g.tile(i, k, width, part)
			}
		}
	}
}

// A groupOfTiles is one group of vectors on its way over a panel.
type groupOfTiles struct {
	p      product
	t      *tiling
	s      *panelScratch
	kernel tileKernel
	x      []float32 // the group
	r, n   int       // rows of the panel
	v      int       // first vector
	cols   int
	direct bool // the group is full
}

// tile runs the tile of rows i and on over a part of a block of columns from k
// on.
func (g *groupOfTiles) tile(i, k, width, part int) {
	t, members := g.t, g.p.a.group
	parts := t.parts()
	w := &g.s.panel[i*g.cols+k*t.rows+part*width/parts*t.rows]
	x := &g.x[k*members+part*width/parts*members]
	steps, more := width/lanes, k > 0
	var sums *float32
	if width < g.cols {
		sums = &g.s.sums[(i/t.rows*parts+part)*t.sums()]
	}
	fold := g.s.fold[i/t.rows*t.folds():]
	switch {
	case k+width < g.cols:
		g.kernel(sums, w, x, steps, more, nil, nil, 0, tileKeep)
	case part < parts-1: // the second of a pair of parts is added to the first
		end := tileFold
		if part%2 == 1 {
			end = tileAdd
		}
		g.kernel(sums, w, x, steps, more, &fold[part/2*t.rows*t.vectors*8], nil, 0, end)
	case g.direct && i+t.rows <= g.n:
		dst := g.p.result(g.r+i, g.r+i+t.rows, g.v)
		_ = g.p.result(g.r+i, g.r+i+t.rows, g.v+members-1)
		g.kernel(sums, w, x, steps, more, &fold[0], &dst[0], g.p.stride*4, tileResults)
	default: // by way of the scratch: rows or vectors are missing
		g.kernel(sums, w, x, steps, more, &fold[0], &g.s.out[0], t.rows*4, tileResults)
		rows := min(t.rows, g.n-i)
		for j := range min(members, g.p.a.n-g.v) {
			copy(g.p.result(g.r+i, g.r+i+rows, g.v+j), g.s.out[j*t.rows:])
		}
	}
}
