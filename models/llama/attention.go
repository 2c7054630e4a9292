package llama

import (
	"logitscope/models/llama/ggml"
	"logitscope/models/llama/vec"
)

// A workspace is what one worker needs for itself.
type workspace struct {
	scores []float32 // (rows of a block, heads of a group, positions)
	scale  []float32 // (rows of a block, heads of a group): what weights are to be multiplied by
	wide   []float32 // keys or values of a page, if they are not stored as float32
	heads  []float32 // (rows of a block, heads of a group, size of a head): queries, then outputs
	at     attending // what it does at the moment

	// Of the arithmetic llama.cpp.
	queries ggml.Queries
	pages   []ggml.Rows
	mix     ggml.Mix
	flash   ggml.Flash
}

// Rows of one session go through the cache together, so that what is read of
// it serves all of them: as many as keep the scores near, and at most
// maxBlock.
const (
	maxBlock  = 8
	nearScore = 1 << 16
)

// attention sets p.o to the attention of every row: each query head takes the
// softmax of its products with the keys as weights of the values, and the
// query heads of a group share a KV head (Ainslie et al. 2023).
func (p *pass) attention(y *layer) {
	c := p.m.cfg
	span := 0
	for _, r := range p.rows {
		span = max(span, r.pos+1-y.first(r.pos))
	}
	group := y.heads / y.kvHeads
	p.block = 1
	if p.oneText() {
		p.block = min(maxBlock, max(1, nearScore/(group*span)))
	}
	p.blocks = (len(p.rows) + p.block - 1) / p.block
	work := p.block * group * span * (c.keyLen + c.valueLen)
	p.m.pool.run(&p.job, p.blocks*y.kvHeads, max(1, pieceWork/work), p.fnAttend)
}

// oneText reports whether the rows are several positions of one session, one
// after the other. Only then may they be taken in blocks.
func (p *pass) oneText() bool {
	for i := 1; i < len(p.rows); i++ {
		if p.rows[i].s != p.rows[0].s || p.rows[i].pos != p.rows[0].pos+i {
			return false
		}
	}
	return len(p.rows) > 1
}

// first returns the first position that a position sees.
func (y *layer) first(pos int) int {
	if y.window == 0 {
		return 0
	}
	return max(0, pos-y.window+1)
}

// attend computes units lo to hi-1, counting all blocks of rows for the first
// KV head, then all for the second, and so on.
func (p *pass) attend(worker, lo, hi int) {
	y := &p.m.w.layers[p.layer]
	for u := lo; u < hi; u++ {
		from := u % p.blocks * p.block
		ws := &p.perWorker[worker]
		ws.at = attending{
			p: p, y: y, ws: ws,
			from: from, to: min(from+p.block, len(p.rows)), head: u / p.blocks, group: y.heads / y.kvHeads,
		}
		if p.m.store.kv != F32 {
			ws.wide = grow(ws.wide, pageLen*max(p.m.cfg.keyLen, p.m.cfg.valueLen))
		}
		p.m.arith.attend(&ws.at)
	}
}

// attending is the attention of rows from to to-1, which belong to one
// session and follow one another, through one KV head.
type attending struct {
	p        *pass
	y        *layer
	ws       *workspace
	from, to int
	head     int
	group    int // query heads
	stride   int // of scores
	shared   int // positions from first to before this one are seen by all rows
}

func (a *attending) run() {
	c := a.p.m.cfg
	last := a.p.rows[a.to-1].pos
	first := a.y.first(a.p.rows[a.from].pos)
	a.stride = last + 1 - first
	a.shared = a.p.rows[a.from].pos + 1
	if a.y.first(last) != first {
		a.shared = first // each row has a window of its own
	}
	queries := (a.to - a.from) * a.group
	if n := queries * a.stride; cap(a.ws.scores) < n {
		a.ws.scores = make([]float32, n+n/2)
	}
	a.ws.scores = a.ws.scores[:queries*a.stride]
	a.ws.scale = grow(a.ws.scale, queries)
	a.score(first, last)
	for i := a.from; i < a.to; i++ {
		for g := range a.group {
			var sink *float32
			if a.y.sinks != nil {
				sink = &a.y.sinks[a.head*a.group+g]
			}
			pos := a.p.rows[i].pos
			a.ws.scale[(i-a.from)*a.group+g] = weigh(a.scoresOf(i, g, 0, pos+1-a.y.first(pos)), c.attnCap, sink)
			a.keepWeights(i, g, sink)
		}
	}
	a.combine(first, last)
}

// query returns where query head g of row i begins in buffers of heads.
func (a *attending) query(i, g int) int { return i*a.y.heads + a.head*a.group + g }

// scoresOf returns scores of a query, from the lo-th position it sees to
// before the hi-th.
func (a *attending) scoresOf(i, g, lo, hi int) []float32 {
	at := ((i-a.from)*a.group + g) * a.stride
	return a.ws.scores[at+lo : at+hi]
}

// gather collects the queries of the rows, which lie apart, or the outputs.
func (a *attending) gather(of []float32, n int) {
	a.ws.heads = grow(a.ws.heads, (a.to-a.from)*a.group*n)
	for i := a.from; i < a.to; i++ {
		copy(a.ws.heads[(i-a.from)*a.group*n:], of[a.query(i, 0)*n:a.query(i, a.group)*n])
	}
}

// score multiplies the queries by the keys of positions first to last.
func (a *attending) score(first, last int) {
	n := a.p.m.cfg.keyLen
	a.gather(a.p.q, n)
	a.overPages(first, last, a.p.m.store.block(a.p.layer, a.head), n,
		func(pos, count int, page []float32) {
			vec.DotTiles(a.ws.scores[pos-first:], a.stride, a.ws.heads, (a.to-a.from)*a.group, page, count, n)
		},
		func(scores []float32, query int, page []float32) {
			vec.DotRows(scores, a.ws.heads[query*n:][:n], page)
		})
}

// combine adds up the values of positions first to last by their weights.
func (a *attending) combine(first, last int) {
	c := a.p.m.cfg
	n := c.valueLen
	a.ws.heads = grow(a.ws.heads, (a.to-a.from)*a.group*n)
	clear(a.ws.heads)
	a.overPages(first, last, a.p.m.store.block(a.p.layer, a.head)+pageLen*c.keyLen, n,
		func(pos, count int, page []float32) {
			vec.AddScaledTiles(a.ws.heads, a.ws.scores[pos-first:], a.stride, (a.to-a.from)*a.group, page, count, n)
		},
		func(scores []float32, query int, page []float32) {
			vec.AddScaledRows(a.ws.heads[query*n:][:n], scores, page)
		})
	for i := a.from; i < a.to; i++ {
		out := a.p.o[a.query(i, 0)*n : a.query(i, a.group)*n]
		copy(out, a.ws.heads[(i-a.from)*a.group*n:])
		for g := range a.group {
			vec.Scale(out[g*n:(g+1)*n], a.ws.scale[(i-a.from)*a.group+g])
		}
	}
}

// prefetch begins to read the vectors of n elements of a page, if it has any
// up to position last, from an element of the page on.
func (a *attending) prefetch(page, last, block, n int) {
	if page*pageLen <= last {
		a.p.rows[a.from].s.kv.pages[page].prefetch(block, pageLen*n)
	}
}

// overPages takes the keys or values of positions first to last, vectors of n
// elements from an element of each page on: all queries at once for the
// positions that all rows see, then each query for the others.
func (a *attending) overPages(first, last, block, n int, all func(pos, count int, page []float32), one func(scores []float32, query int, page []float32)) {
	for i := range aheadPages - 1 {
		a.prefetch(first/pageLen+i, last, block, n)
	}
	for pos := first; pos <= last; {
		a.prefetch(pos/pageLen+aheadPages-1, last, block, n)
		at, end := pos%pageLen, min(pos+pageLen-pos%pageLen, last+1)
		page := a.p.rows[a.from].s.kv.pages[pos/pageLen].rows(block+at*n, (end-pos)*n, a.ws.wide)
		apart := min(end, max(pos, a.shared))
		if apart > pos {
			all(pos, apart-pos, page)
		}
		for i := a.from; i < a.to; i++ {
			begin := a.y.first(a.p.rows[i].pos)
			lo, hi := max(apart, begin), min(end, a.p.rows[i].pos+1)
			if lo >= hi {
				continue
			}
			for g := range a.group {
				one(a.scoresOf(i, g, lo-begin, hi-begin), (i-a.from)*a.group+g, page[(lo-pos)*n:])
			}
		}
		pos = end
	}
}

// weigh turns scores into weights, up to the factor it returns. A sink takes
// part in the softmax as one more score, whose value is zero (Xiao et al.
// 2023).
func weigh(scores []float32, limit float32, sink *float32) float32 {
	if limit != 0 {
		vec.Softcap(scores, limit)
	}
	top := vec.Max(scores)
	if sink != nil {
		top = max(top, *sink)
	}
	sum := vec.ExpSub(scores, top)
	if sink != nil {
		sum += vec.Exp(*sink - top)
	}
	return 1 / sum
}
