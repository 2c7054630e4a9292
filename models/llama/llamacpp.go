package llama

import (
	"fmt"
	"iter"
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

// attend takes the rows one by one, the query heads of a group together. The
// positions of a sequence are in order in llama.cpp's cache, as in this one.
func (l *llamaCPP) attend(a *attending) {
	n := a.p.m.cfg.keyLen
	for i := a.from; i < a.to; i++ {
		a.stride = roundUp(a.p.rows[i].pos+1, ggml.Width)
		a.ws.scores = grow(a.ws.scores, a.group*a.stride)
		if q := a.p.q[a.query(i, 0)*n : a.query(i, a.group)*n]; a.p.m.store.kv == F16 {
			ggml.RoundHalf(q, q)
		}
		l.score(a, i)
		if l.flash {
			l.combineFlash(a, i)
		} else {
			l.combine(a, i)
		}
	}
}

// padded are the scores of query head g, with those of the positions that are
// only padding.
func (a *attending) padded(g int) []float32 { return a.ws.scores[g*a.stride : (g+1)*a.stride] }

// score computes the scores of row i; those of padding are -Inf.
func (l *llamaCPP) score(a *attending, i int) {
	size, n := a.p.m.cfg.keyLen, a.p.rows[i].pos+1
	for pos, keys := range a.pages(i, 0, size) {
		for g := range a.group {
			ggml.DotRows(a.padded(g)[pos:pos+len(keys)/size], a.p.q[a.query(i, g)*size:][:size], keys)
		}
	}
	for g := range a.group {
		scores := a.padded(g)
		vec.Scale(scores[:n], l.scale)
		for j := range scores[n:] {
			scores[n+j] = float32(math.Inf(-1))
		}
	}
}

// combine takes the softmax of the scores, then the values by it.
func (*llamaCPP) combine(a *attending, i int) {
	size := a.p.m.cfg.valueLen
	a.ws.mix = grow(a.ws.mix, a.group)
	for g := range a.group {
		ggml.Softmax(a.padded(g))
		a.keepSoftmax(i, g)
		if a.p.m.store.kv == F16 {
			ggml.RoundHalf(a.padded(g), a.padded(g))
		}
		a.ws.mix[g].Reset(size)
	}
	for pos, values := range a.pages(i, pageLen*a.p.m.cfg.keyLen, size) {
		for g := range a.group {
			a.ws.mix[g].Add(a.padded(g)[pos:pos+len(values)/size], values, pos)
		}
	}
	for g := range a.group {
		a.ws.mix[g].Total(a.p.o[a.query(i, g)*size:][:size])
	}
}

// combineFlash takes one score and value after the other.
func (*llamaCPP) combineFlash(a *attending, i int) {
	size := a.p.m.cfg.valueLen
	a.ws.flash = grow(a.ws.flash, a.group)
	for g := range a.group {
		a.ws.flash[g].Reset(a.p.o[a.query(i, g)*size:][:size])
	}
	for pos, values := range a.pages(i, pageLen*a.p.m.cfg.keyLen, size) {
		for g := range a.group {
			for k, score := range a.padded(g)[pos : pos+len(values)/size] {
				a.ws.flash[g].Add(score, values[k*size:(k+1)*size])
			}
		}
	}
	for g := range a.group {
		a.ws.flash[g].Finish()
		if a.looked(i) {
			ggml.Softmax(a.padded(g)) // which flash attention never has
			a.keepSoftmax(i, g)
		}
	}
}

// keepSoftmax keeps what query head g of row i looks at, if it is looked at.
func (a *attending) keepSoftmax(i, g int) {
	if a.looked(i) {
		copy(a.p.look.in.Head(a.p.layer, a.head*a.group+g), a.padded(g)[:a.p.rows[i].pos+1])
	}
}

// pages runs over the keys or values that row i sees, page by page: the
// first position and the vectors of n elements. from is where they begin in
// the block of the head.
func (a *attending) pages(i, from, n int) iter.Seq2[int, []float32] {
	return func(yield func(int, []float32) bool) {
		block := a.p.m.store.block(a.p.layer, a.head) + from
		end := a.p.rows[i].pos + 1
		for pos := 0; pos < end; pos += pageLen {
			rows := min(pageLen, end-pos)
			if !yield(pos, a.p.rows[i].s.kv.pages[pos/pageLen].rows(block, rows*n, a.ws.wide)) {
				return
			}
		}
	}
}
