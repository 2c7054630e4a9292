//go:build amd64 || arm64

package quant

// Products with many vectors go by tiles: the decoded rows of a panel stay in
// the second cache while every group of vectors passes over them, and the
// sums of a tile stay in registers. A tile's sums are the 32 of a product
// with one vector, in the same order.
//
// Members of a group, rows or vectors, lie side by side, so that a tile reads
// strictly forward: a group has one block of columns after another, a block
// the lower 16 of every 32 columns and then the upper 16, and each half 16
// columns of one member after those of the next.
const (
	tileRows    = 4
	tileVectors = 6

	// nearCols are the columns of which the near cache holds both halves of
	// a group of vectors.
	nearCols = 1024

	// panelLen is the number of decoded weights of a panel.
	panelLen = 96 << 10

	// tileLanes are the lanes in a register.
	tileLanes = lanes / 2

	tileSums = tileRows * tileVectors * tileLanes
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
func pack(group []float32, x []float32, member, members int) {
	step := blockCols(len(x))
	for k := 0; k < len(x); k += step {
		width := min(step, len(x)-k)
		lo := group[k*members+member*tileLanes:]
		hi := lo[width/2*members:]
		for i := 0; i < width; i += lanes {
			at := i / 2 * members
			*(*[tileLanes]float32)(lo[at:]) = [tileLanes]float32(x[k+i:])
			*(*[tileLanes]float32)(hi[at:]) = [tileLanes]float32(x[k+i+tileLanes:])
		}
	}
}

// groupFor returns the vectors of a group where n are packed for tiles, 0
// where they are not.
func groupFor(n int) int {
	if n < decodeFrom || levels[best].tiles[tileVectors] == nil {
		return 0
	}
	groups := (n + tileVectors - 1) / tileVectors
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
		pack(a.values[t/a.group*a.group*cols:][:a.group*cols], row, t%a.group, a.group)
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
	panel []float32 // groups of rows
	sums  []float32 // (groups, halves, tileSums): lanes between blocks of columns
	fold  []float32 // (groups, tileSums/2): of the first half of the lanes
	row   []float32 // a row that no kernel decodes to its place
	out   [tileVectors * tileRows]float32
}

// resize makes room for a number of rows of a length.
func (s *panelScratch) resize(rows, cols int) {
	groups := rows / tileRows
	if n := rows * cols; len(s.panel) < n {
		s.panel = aligned(make([]float32, n+cacheLine/4))
	}
	if n := groups * tileSums / 2; len(s.fold) < n {
		s.fold = aligned(make([]float32, n+cacheLine/4))
	}
	if n := groups * 2 * tileSums; blockCols(cols) < cols && len(s.sums) < n {
		s.sums = aligned(make([]float32, n+cacheLine/4))
	}
}

// mulPanels multiplies rows lo to hi-1 by all vectors, a panel of rows at a
// time, if they are packed.
func (p *product) mulPanels(s *scratch, lo, hi int) bool {
	if p.a.group == 0 {
		return false
	}
	cols := roundUp(p.a.cols, lanes)
	step := max(panelLen/cols/tileRows, 4) * tileRows
	s.panel.resize(min(step, roundUp(hi-lo, tileRows)), cols)
	for r := lo; r < hi; r += step {
		n := min(step, hi-r)
		p.fillPanel(s, r, n, cols)
		for t := 0; t < p.a.n; t += p.a.group {
			p.mulGroup(&s.panel, r, n, t, cols)
		}
	}
	return true
}

// fillPanel decodes n rows from r on, of cols columns with what pads them.
func (p *product) fillPanel(s *scratch, r, n, cols int) {
	panel, f := s.panel.panel, p.format
	k := p.kernels().panel
	step := blockCols(cols)
	if n%tileRows != 0 { // rows of zeros fill the last group
		clear(panel[n/tileRows*tileRows*cols:][:tileRows*cols])
	}
	for i := range n {
		group, src := panel[i/tileRows*tileRows*cols:][:tileRows*cols], p.rows(r+i, r+i+1)
		if k == nil || cols != p.a.cols {
			s.panel.row = grow(s.panel.row, cols)
			row := s.panel.row
			f.decode(row[:p.a.cols], src, &s.chunk)
			clear(row[p.a.cols:])
			pack(group, row, i%tileRows, tileRows)
			continue
		}
		for at := 0; at < cols; at += step {
			width := min(step, cols-at)
			k(&group[at*tileRows+i%tileRows*tileLanes], &src[at/f.block*f.bytes], width, tileRows*tileLanes*4, width/2*tileRows*4)
		}
	}
}

// mulGroup multiplies the panel, of n rows from r on, by the group of vectors
// from t on. Where the near cache holds both halves of the columns, a tile
// takes one after the other; else all tiles take the first half before any
// takes the second.
func (p *product) mulGroup(s *panelScratch, r, n, t, cols int) {
	g := groupOfTiles{
		p: *p, s: s, kernel: levels[best].tiles[p.a.group], x: p.a.values[t*cols:],
		r: r, n: n, t: t, cols: cols, direct: t+p.a.group <= p.a.n,
	}
	step := blockCols(cols)
	for k := 0; k < cols; k += step {
		width := min(step, cols-k)
		if cols <= nearCols {
			for i := 0; i < n; i += tileRows {
				g.tile(i, k, width, 0)
				g.tile(i, k, width, 1)
			}
			continue
		}
		for half := range 2 {
			for i := 0; i < n; i += tileRows {
				g.tile(i, k, width, half)
			}
		}
	}
}

// A groupOfTiles is one group of vectors on its way over a panel.
type groupOfTiles struct {
	p      product
	s      *panelScratch
	kernel tileKernel
	x      []float32 // the group
	r, n   int       // rows of the panel
	t      int       // first vector
	cols   int
	direct bool // the group is full
}

// tile runs the tile of rows i and on over half a block of columns from k on.
func (g *groupOfTiles) tile(i, k, width, half int) {
	members := g.p.a.group
	w := &g.s.panel[i*g.cols+k*tileRows+half*width/2*tileRows]
	x := &g.x[k*members+half*width/2*members]
	steps, more := width/lanes, k > 0
	var sums *float32
	if width < g.cols {
		sums = &g.s.sums[(i/tileRows*2+half)*tileSums]
	}
	fold := &g.s.fold[i/tileRows*tileSums/2]
	switch {
	case k+width < g.cols:
		g.kernel(sums, w, x, steps, more, nil, nil, 0)
	case half == 0:
		g.kernel(sums, w, x, steps, more, fold, nil, 0)
	case g.direct && i+tileRows <= g.n:
		dst := g.p.result(g.r+i, g.r+i+tileRows, g.t)
		_ = g.p.result(g.r+i, g.r+i+tileRows, g.t+members-1)
		g.kernel(sums, w, x, steps, more, fold, &dst[0], g.p.stride*4)
	default: // by way of the scratch: rows or vectors are missing
		g.kernel(sums, w, x, steps, more, fold, &g.s.out[0], tileRows*4)
		rows := min(tileRows, g.n-i)
		for j := range min(members, g.p.a.n-g.t) {
			copy(g.p.result(g.r+i, g.r+i+rows, g.t+j), g.s.out[j*tileRows:])
		}
	}
}
