package llama

import (
	"logitscope/models/llama/vec"
)

// A workspace is what one worker needs for itself.
type workspace struct {
	scores []float32 // (heads of a group, positions)
	scale  []float32 // (heads of a group): what weights are to be multiplied by
	wide   []float32 // a block of keys or values, if they are not stored as float32
}

// attention sets p.o to the attention of every row: each query head takes the
// softmax of its products with the keys as weights of the values, and the
// query heads of a group share a KV head (Ainslie et al. 2023).
func (p *pass) attention(y *layer) {
	c := p.m.cfg
	work := 0
	for _, r := range p.rows {
		work = max(work, r.pos+1-y.first(r.pos))
	}
	work *= y.heads / y.kvHeads * (c.keyLen + c.valueLen)
	n := max(1, pieceWork/work)
	p.m.pool.run(&p.job, len(p.rows)*y.kvHeads, n, p.fnAttend)
}

// first returns the first position that a position sees.
func (y *layer) first(pos int) int {
	if y.window == 0 {
		return 0
	}
	return max(0, pos-y.window+1)
}

// attend computes groups lo to hi-1, counting all groups of the first row,
// then all of the second, and so on.
func (p *pass) attend(worker, lo, hi int) {
	y := &p.m.w.layers[p.layer]
	ws := &p.perWorker[worker]
	for u := lo; u < hi; u++ {
		p.attendGroup(ws, y, u/y.kvHeads, u%y.kvHeads)
	}
}

// attendGroup computes the query heads of row i that share KV head h.
func (p *pass) attendGroup(ws *workspace, y *layer, i, h int) {
	c, s, r := p.m.cfg, p.m.store, &p.rows[i]
	group := y.heads / y.kvHeads
	head := i*y.heads + h*group // of the first query in the group
	q := p.q[head*c.keyLen : (head+group)*c.keyLen]
	out := p.o[head*c.valueLen : (head+group)*c.valueLen]
	first := y.first(r.pos)
	span := r.pos + 1 - first
	if cap(ws.scores) < group*span {
		ws.scores = make([]float32, group*min(2*span+pageLen, c.runLen))
	}
	if s.kv != F32 {
		ws.wide = grow(ws.wide, pageLen*max(c.keyLen, c.valueLen))
	}
	ws.scale = grow(ws.scale, group)
	scores := ws.scores[:group*span]
	keys := s.block(p.layer, h)
	values := keys + pageLen*c.keyLen

	for pos := first; pos <= r.pos; {
		at, n := pos%pageLen, min(pageLen-pos%pageLen, r.pos+1-pos)
		block := r.s.kv.pages[pos/pageLen].rows(keys+at*c.keyLen, n*c.keyLen, ws.wide)
		for g := range group {
			vec.DotRows(scores[g*span+pos-first:][:n], q[g*c.keyLen:(g+1)*c.keyLen], block)
		}
		pos += n
	}
	for g := range group {
		var sink *float32
		if y.sinks != nil {
			sink = &y.sinks[h*group+g]
		}
		ws.scale[g] = weigh(scores[g*span:(g+1)*span], c.attnCap, sink)
	}
	clear(out)
	for pos := first; pos <= r.pos; {
		at, n := pos%pageLen, min(pageLen-pos%pageLen, r.pos+1-pos)
		block := r.s.kv.pages[pos/pageLen].rows(values+at*c.valueLen, n*c.valueLen, ws.wide)
		for g := range group {
			vec.AddScaledRows(out[g*c.valueLen:(g+1)*c.valueLen], scores[g*span+pos-first:][:n], block)
		}
		pos += n
	}
	for g := range group {
		vec.Scale(out[g*c.valueLen:(g+1)*c.valueLen], ws.scale[g])
	}
}

// weigh turns scores into weights, up to the factor it returns. A sink takes part in the softmax as one
// more score, whose value is zero (Xiao et al. 2023).
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
