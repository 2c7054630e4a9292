package llama

import (
	"context"
	"math"

	"logitscope/models/llama/vec"
	"logitscope/models/quant"
)

// chunkLen is the most positions in one pass: enough to use every weight many
// times while it is at hand, few enough that the buffers stay small.
const chunkLen = 128

// A row is one position in a pass.
type row struct {
	s    *Session
	tok  int32
	pos  int
	also []*Session // that hold the position too
}

// A pass holds what is computed while some positions go through the layers.
// Buffers have one vector for each row, one after the other.
type pass struct {
	m    *Model
	rows []row

	x        []float32 // (rows, embed): the residual stream
	h        []float32 // (rows, embed): normalised, or an output to be added to x
	q, k, v  []float32 // (rows, heads*keyLen), (rows, kvHeads*keyLen), (rows, kvHeads*valueLen)
	o        []float32 // (rows, heads*valueLen)
	gate, up []float32 // (rows, ff)
	turns    [2]turns  // of full and of windowed layers
	mix      mixture
	look     look // where to keep what goes on; of inside.go
	partsOff bool // some of the rows leave parts out

	// Vectors as products take them: the input of a layer's products, those
	// that chose an expert, and the inside of an MLP.
	acts, picked, mid activations

	// What the workers do at the moment. The functions are kept, since to
	// make them for every call would allocate.
	layer, block, blocks                int // attention: the layer, rows of a block, number of blocks
	products                            []product
	mlp                                 *mlp
	in                                  activations // of mlp
	down                                product
	job                                 job
	perWorker                           []workspace
	fnProducts, fnMLP, fnDown, fnAttend func(worker, lo, hi int)
}

// turns are the cosines and sines for each row.
type turns struct {
	rope     *rope
	cos, sin []float32 // (rows, pairs)
}

// A product is one matrix product in a pass, with what follows it.
type product struct {
	w       quant.Matrix
	dst     []float32
	bias    []float32
	divisor float32 // 0 for none
	cap     float32 // soft cap; 0 for none
}

func newPass(m *Model) *pass {
	p := &pass{m: m, perWorker: make([]workspace, m.workers)}
	p.acts, p.picked, p.mid = m.arith.activations(), m.arith.activations(), m.arith.activations()
	p.fnProducts, p.fnMLP, p.fnDown, p.fnAttend = p.runProducts, p.runMLP, p.runDown, p.attend
	p.turns[0].rope, p.turns[1].rope = m.w.full, m.w.windowed
	return p
}

// resize makes room for n rows.
func (p *pass) resize(n int) {
	c := p.m.cfg
	heads, kvHeads, ff := 0, 0, max(c.expertFF, c.sharedFF)
	for l := range c.heads {
		heads, kvHeads = max(heads, c.heads[l]), max(kvHeads, c.kvHeads[l])
		if c.experts == 0 {
			ff = max(ff, c.ff[l])
		}
	}
	p.rows = grow(p.rows, n)
	p.x = grow(p.x, n*c.embed)
	p.h = grow(p.h, n*c.embed)
	p.q = grow(p.q, n*heads*c.keyLen)
	p.k = grow(p.k, n*kvHeads*c.keyLen)
	p.v = grow(p.v, n*kvHeads*c.valueLen)
	p.o = grow(p.o, n*heads*c.valueLen)
	p.gate = grow(p.gate, n*ff)
	p.up = grow(p.up, n*ff)
	for i := range p.turns {
		if t := &p.turns[i]; t.rope != nil {
			t.cos = grow(t.cos, n*len(t.rope.freq))
			t.sin = grow(t.sin, n*len(t.rope.freq))
		}
	}
	p.mix.resize(c, n)
}

// grow returns a slice of length n that reuses s where it can.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// run takes the rows through all layers, and leaves the normalised hidden
// states of the last want of them in p.h. The caches of the rows must have
// room; their lengths do not change.
func (p *pass) run(ctx context.Context, want int) error {
	p.embed()
	p.notePartsOff()
	p.keepStates(0, want)
	for l := range p.m.w.layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.layer = l
		keep := len(p.rows)
		if l == len(p.m.w.layers)-1 {
			keep = want
		}
		p.through(&p.m.w.layers[l], keep)
		p.keepStates(l+1, want)
	}
	p.normalise(p.h, p.x, p.m.w.norm)
	return nil
}

// embed looks up the tokens and computes the turns of their positions.
func (p *pass) embed() {
	c, w := p.m.cfg, p.m.w
	for i, r := range p.rows {
		x := p.x[i*c.embed : (i+1)*c.embed]
		w.embed.Row(x, int(r.tok))
		if c.embedScale != 0 {
			vec.Scale(x, c.embedScale)
		}
		if c.arch.learnedPositions {
			pos := p.h[:c.embed]
			w.positions.Row(pos, r.pos)
			vec.Add(x, pos)
		}
		for k := range p.turns {
			if t := &p.turns[k]; t.rope != nil {
				n := len(t.rope.freq)
				p.m.arith.table(t.rope, t.cos[i*n:(i+1)*n], t.sin[i*n:(i+1)*n], r.pos)
			}
		}
	}
}

// through runs one layer, and after its keys and values are stored goes on
// with the last keep rows only.
func (p *pass) through(y *layer, keep int) {
	c := p.m.cfg
	in := p.x
	if y.attnNorm.w != nil {
		p.normalise(p.h, p.x, y.attnNorm)
		in = p.h
	}
	p.acts.Set(in, len(p.rows), c.embed)
	p.products = append(p.products[:0],
		product{w: y.q, dst: p.q, bias: y.bq}, product{w: y.k, dst: p.k, bias: y.bk}, product{w: y.v, dst: p.v, bias: y.bv})
	p.multiply()
	p.position(y)
	p.store(y)
	p.drop(y, len(p.rows)-keep)
	if keep == 0 {
		return
	}
	if !p.silent(false) {
		p.attention(y)
		p.muteHeads(y)
		p.acts.Set(p.o, len(p.rows), y.heads*c.valueLen)
		p.products = append(p.products[:0], product{w: y.o, dst: p.h, bias: y.bo})
		p.multiply()
		p.addTo(y.attnPost, false)
	}
	if p.silent(true) {
		return
	}
	in = p.x
	if y.ffnNorm.w != nil {
		p.normalise(p.h, p.x, y.ffnNorm)
		in = p.h
	}
	if y.experts != nil {
		p.mixExperts(y.experts, in)
	} else {
		p.acts.Set(in, len(p.rows), c.embed)
		p.feedForward(&y.mlp, p.acts, p.h)
	}
	p.addTo(y.ffnPost, true)
}

// drop leaves out the first n rows.
func (p *pass) drop(y *layer, n int) {
	if n == 0 {
		return
	}
	c := p.m.cfg
	p.rows = p.rows[:copy(p.rows, p.rows[n:])]
	copy(p.x, p.x[n*c.embed:])
	copy(p.q, p.q[n*y.heads*c.keyLen:])
	p.cut(len(p.rows))
}

// cut shortens the buffers whose length matters to n rows.
func (p *pass) cut(n int) {
	p.x = p.x[:n*p.m.cfg.embed]
	p.h = p.h[:n*p.m.cfg.embed]
}

// normalise applies a norm to every row of src.
func (p *pass) normalise(dst, src []float32, nm norm) {
	c := p.m.cfg
	for i := 0; i < len(src); i += c.embed {
		if c.arch.norm == layerNorm {
			vec.LayerNorm(dst[i:i+c.embed], src[i:i+c.embed], nm.w, nm.b, c.eps)
		} else {
			p.m.arith.rmsNorm(dst[i:i+c.embed], src[i:i+c.embed], nm.w, c.eps)
		}
	}
}

// addTo adds p.h, the output of attention or MLP, to the residual stream.
func (p *pass) addTo(post norm, isMLP bool) {
	if post.w != nil {
		p.normalise(p.h, p.h, post)
	}
	p.mute(isMLP)
	if s := p.m.cfg.residualScale; s != 0 {
		vec.AddScaled(p.x, s, p.h)
		return
	}
	vec.Add(p.x, p.h)
}

// Pieces of work are at least as many multiplications as make it worth to
// wake another goroutine, and a whole number of rowGrain rows.
const (
	pieceWork = 1 << 17
	rowGrain  = 16

	// With many vectors a piece should be most of what one worker decodes at
	// a time, since every piece passes over all vectors again.
	tiledFrom = 8
	tileGrain = 64
)

// multiply runs p.products, which share the vectors in p.acts.
func (p *pass) multiply() {
	total := 0
	for i := range p.products {
		total += p.products[i].w.Rows
		p.acts.Prepare(p.products[i].w.Type)
	}
	p.m.pool.run(&p.job, total, p.grain(total, p.acts.Len(), p.acts.Cols()), p.fnProducts)
}

// grain returns how many of some rows are in a piece, if each is a product
// with n vectors of a length.
func (p *pass) grain(rows, n, cols int) int {
	if n >= tiledFrom {
		return min(tileGrain, roundUp((rows+p.m.workers-1)/p.m.workers, rowGrain))
	}
	return max(1, pieceWork/max(1, n*cols)/rowGrain) * rowGrain
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// runProducts computes rows lo to hi-1 of the products laid end to end.
func (p *pass) runProducts(_, lo, hi int) {
	for i := range p.products {
		t := &p.products[i]
		if lo < t.w.Rows && hi > 0 {
			t.run(p.acts, max(lo, 0), min(hi, t.w.Rows))
		}
		lo -= t.w.Rows
		hi -= t.w.Rows
	}
}

func (t *product) run(a activations, lo, hi int) {
	a.Mul(t.dst, t.w, lo, hi)
	if t.bias == nil && t.divisor == 0 && t.cap == 0 {
		return
	}
	for i := range a.Len() {
		y := t.dst[i*t.w.Rows+lo : i*t.w.Rows+hi]
		if t.bias != nil {
			vec.Add(y, t.bias[lo:hi])
		}
		if t.divisor != 0 {
			for j := range y {
				y[j] /= t.divisor
			}
		}
		if t.cap != 0 {
			vec.Softcap(y, t.cap)
		}
	}
}

// logits multiplies hidden states (n, embed) by the output matrix into dst
// (n, vocab).
func (p *pass) logits(dst, hidden []float32, n int) {
	c, w := p.m.cfg, p.m.w
	p.acts.Set(hidden, n, c.embed)
	p.products = append(p.products[:0], product{w: w.output, dst: dst, bias: w.outBias, divisor: c.logitDivisor, cap: c.finalCap})
	p.multiply()
}

// position normalises and turns queries and keys, and scales queries.
func (p *pass) position(y *layer) {
	c := p.m.cfg
	for i, r := range p.rows {
		q := p.q[i*y.heads*c.keyLen : (i+1)*y.heads*c.keyLen]
		k := p.k[i*y.kvHeads*c.keyLen : (i+1)*y.kvHeads*c.keyLen]
		p.normHeads(q, y.qNorm)
		p.normHeads(k, y.kNorm)
		if y.rope != nil {
			t := &p.turns[0]
			if y.rope != t.rope {
				t = &p.turns[1]
			}
			n := len(t.rope.freq)
			cos, sin := t.cos[i*n:(i+1)*n], t.sin[i*n:(i+1)*n]
			for at := 0; at < len(q); at += c.keyLen {
				p.m.arith.turn(y.rope, q[at:at+c.keyLen], cos, sin)
			}
			for at := 0; at < len(k); at += c.keyLen {
				p.m.arith.turn(y.rope, k[at:at+c.keyLen], cos, sin)
			}
		}
		p.m.arith.scaleQuery(c, q, r.pos)
	}
}

// normHeads normalises the heads in x, each by itself or all together as the
// length of w says.
func (p *pass) normHeads(x, w []float32) {
	for at := 0; w != nil && at < len(x); at += len(w) {
		p.m.arith.rmsNorm(x[at:at+len(w)], x[at:at+len(w)], w, p.m.cfg.eps)
	}
}

// queryScale returns what a query at a position is multiplied by.
func (c *config) queryScale(pos int) float32 {
	if c.tempScale == 0 {
		return c.attnScale
	}
	t := 1 + float64(float64(c.tempScale)*vec.Log(math.Floor(float64(pos)/float64(c.tempOrig))+1))
	return c.attnScale * float32(t)
}

// store puts the keys and values of the rows into their caches.
func (p *pass) store(y *layer) {
	for i, r := range p.rows {
		p.storeIn(y, r.s, r.pos, i)
		for _, s := range r.also {
			p.storeIn(y, s, r.pos, i)
		}
	}
}

// storeIn puts the keys and values of row i into a session's cache.
func (p *pass) storeIn(y *layer, in *Session, pos, i int) {
	s := p.m.store
	pg, at := in.kv.pages[pos/pageLen], pos%pageLen
	for h := range y.kvHeads {
		k := p.k[(i*y.kvHeads+h)*s.keyLen:][:s.keyLen]
		v := p.v[(i*y.kvHeads+h)*s.valueLen:][:s.valueLen]
		b := s.block(p.layer, h)
		pg.put(b+at*s.keyLen, k)
		pg.put(b+pageLen*s.keyLen+at*s.valueLen, v)
	}
}
