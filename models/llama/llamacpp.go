package llama

import (
	"fmt"
	"math"
	"strings"

	"logitscope/models/llama/ggml"
	"logitscope/models/llama/vec"
	"logitscope/models/quant"
)

// llamaCPP is llama.cpp's arithmetic, as the package ggml has it.
type llamaCPP struct {
	gen   ggml.Generation
	flash bool
	scale float32 // of scores
}

// newLlamaCPP refuses a model with a part whose arithmetic in llama.cpp is
// not known here: to run it in another would be to promise bits that are not
// llama.cpp's.
func newLlamaCPP(m *Model, opt Options, gen ggml.Generation) (arithmetic, error) {
	c := m.cfg
	for _, part := range []struct {
		has  bool
		name string
	}{
		{c.arch.norm != rms, "LayerNorm"},
		{c.arch.act != silu || c.arch.plainMLP, "an activation other than SwiGLU"},
		{c.arch.learnedPositions, "learned positions"},
		{c.experts > 0, "experts"},
		{c.window > 0, "sliding windows"},
		{c.sinks, "attention sinks"},
		{c.attnCap != 0 || c.finalCap != 0, "soft caps"},
		{c.tempScale != 0, "queries scaled by position"},
		{c.embedScale != 0 || c.residualScale != 0 || c.logitDivisor != 0, "scaled embeddings, residuals or logits"},
		{c.scaling == yarnScaling, "YaRN"},
	} {
		if part.has {
			return nil, fmt.Errorf("arithmetic %s: not known for models with %s; use exact", opt.Arith, part.name)
		}
	}
	for _, w := range m.w.matrices() {
		if !ggml.Known(w.Type) {
			return nil, fmt.Errorf("arithmetic %s: not known for weights of type %s, only for %s; use exact", opt.Arith, w.Type, strings.Join(ggml.Types(), ", "))
		}
	}
	return &llamaCPP{gen: gen, flash: opt.FlashAttention, scale: c.attnScale}, nil
}

func (l *llamaCPP) activations() activations               { return &ggmlActivations{gen: l.gen} }
func (*llamaCPP) rmsNorm(dst, x, w []float32, eps float32) { ggml.RMSNorm(dst, x, w, eps) }
func (*llamaCPP) siluMul(gate, up []float32)               { ggml.SiluMul(gate, up) }
func (*llamaCPP) scaleQuery(*config, []float32, int)       {}

func (*llamaCPP) table(r *rope, cos, sin []float32, pos int) {
	ggml.Turns(cos, sin, pos, r.step, r.scale, float32(r.mag), r.divisors)
}

func (*llamaCPP) turn(r *rope, x, cos, sin []float32) {
	n := len(cos)
	for i, c := range cos {
		a, b := 2*i, 2*i+1
		if r.halves {
			a, b = i, i+n
		}
		x[a], x[b] = ggml.Turn(x[a], x[b], c, sin[i])
	}
}

type ggmlActivations struct {
	ggml.Activations
	gen ggml.Generation
}

func (a *ggmlActivations) Mul(dst []float32, w quant.Matrix, lo, hi int) {
	ggml.Mul(dst, w, &a.Activations, lo, hi, a.gen)
}

// attend takes the rows together, so that what is read of the cache serves all
// of them. The positions of a sequence are in order in llama.cpp's cache, as in
// this one.
func (l *llamaCPP) attend(a *attending) {
	last := a.p.rows[a.to-1].pos
	a.stride = roundUp(last+1, ggml.Width)
	a.ws.scores = grow(a.ws.scores, a.queries()*a.stride)
	l.score(a)
	if l.flash {
		l.combineFlash(a)
	} else {
		l.combine(a)
	}
}

// queries returns the number of query heads of all rows.
func (a *attending) queries() int { return (a.to - a.from) * a.group }

// weights are what a query has for the positions its row sees, and for those
// that are only padding.
func (a *attending) weights(query int) []float32 {
	seen := a.p.rows[a.from+query/a.group].pos + 1
	return a.ws.scores[query*a.stride:][:roundUp(seen, ggml.Width)]
}

// score computes the scores of all rows; those of padding are -Inf.
func (l *llamaCPP) score(a *attending) {
	size := a.p.m.cfg.keyLen
	a.gather(a.p.q, size)
	a.ws.queries.Set(a.ws.heads, a.queries(), size, a.p.m.store.kv == F16)
	a.ws.queries.Dots(a.ws.scores, a.stride, a.pages(0, size), pageLen, a.p.rows[a.to-1].pos+1)
	for q := range a.queries() {
		scores, seen := a.weights(q), a.p.rows[a.from+q/a.group].pos+1
		vec.Scale(scores[:seen], l.scale)
		for j := range scores[seen:] {
			scores[seen+j] = float32(math.Inf(-1))
		}
	}
}

// mixed is how many queries pass over the values at a time, so that their sums
// stay near.
const mixed = 8

// combine takes the softmax of the scores, then the values by it.
func (*llamaCPP) combine(a *attending) {
	for q := range a.queries() {
		w := a.weights(q)
		ggml.Softmax(w)
		a.keepSoftmax(q)
		if a.p.m.store.kv == F16 {
			ggml.RoundHalf(w, w)
		}
	}
	size, shared := a.p.m.cfg.valueLen, a.p.rows[a.from].pos+1
	values, mix := a.pages(pageLen*a.p.m.cfg.keyLen, size), &a.ws.mix
	a.ws.heads = grow(a.ws.heads, a.queries()*size)
	for from := 0; from < a.queries(); from += mixed {
		n := min(mixed, a.queries()-from)
		mix.Reset(n, size)
		mix.AddPages(a.ws.scores[from*a.stride:], a.stride, values, pageLen, shared)
		for i := range n {
			w := a.weights(from + i)
			mix.Add(i, w[:a.p.rows[a.from+(from+i)/a.group].pos+1], values, pageLen, shared)
		}
		mix.Total(a.ws.heads[from*size:][:n*size])
	}
	for i := a.from; i < a.to; i++ {
		copy(a.p.o[a.query(i, 0)*size:a.query(i, a.group)*size], a.ws.heads[(i-a.from)*a.group*size:])
	}
}

// combineFlash takes one score and value after the other.
func (*llamaCPP) combineFlash(a *attending) {
	size := a.p.m.cfg.valueLen
	values := a.pages(pageLen*a.p.m.cfg.keyLen, size)
	for q := range a.queries() {
		i := a.from + q/a.group
		w := a.weights(q)
		a.ws.flash.Reset(a.p.o[a.query(i, q%a.group)*size:][:size])
		a.ws.flash.Add(w[:a.p.rows[i].pos+1], values, pageLen)
		a.ws.flash.Finish()
		if a.looked(i) {
			ggml.Softmax(w) // which flash attention never has
			a.keepSoftmax(q)
		}
	}
}

// keepSoftmax keeps what a query looks at, if its row is looked at.
func (a *attending) keepSoftmax(query int) {
	if i := a.from + query/a.group; a.looked(i) {
		copy(a.p.look.in.Head(a.p.layer, a.head*a.group+query%a.group), a.weights(query)[:a.p.rows[i].pos+1])
	}
}

// pages returns the keys or values that the rows see, page by page: vectors of
// n elements. from is where they begin in the block of the head.
func (a *attending) pages(from, n int) []ggml.Rows {
	block := a.p.m.store.block(a.p.layer, a.head) + from
	a.ws.pages = a.ws.pages[:0]
	for _, page := range a.p.rows[a.from].s.kv.pages[:a.p.rows[a.to-1].pos/pageLen+1] {
		if page.f16 != nil {
			a.ws.pages = append(a.ws.pages, ggml.Rows{F16: page.f16[block:][:pageLen*n]})
		} else {
			a.ws.pages = append(a.ws.pages, ggml.Rows{F32: page.f32[block:][:pageLen*n]})
		}
	}
	return a.ws.pages
}
