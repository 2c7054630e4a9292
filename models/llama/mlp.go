package llama

import (
	"logitscope/models/llama/vec"
)

// gpt-oss fixes the shape of its activation.
const (
	swigluAlpha = 1.702
	swigluLimit = 7
)

// feedForward sets dst (n, embed) to the MLP of the n vectors in a.
func (p *pass) feedForward(m *mlp, a activations, dst []float32) {
	n := a.Len()
	p.mlp, p.in = m, a
	a.Prepare(m.gate.Type)
	a.Prepare(m.up.Type)
	p.m.pool.run(&p.job, m.ff, p.grain(m.ff, n, 2*a.Cols()), p.fnMLP)
	p.mid.Set(p.gate, n, m.ff)
	p.mid.Prepare(m.down.Type)
	p.down = product{w: m.down, dst: dst, bias: m.bd}
	p.m.pool.run(&p.job, m.down.Rows, p.grain(m.down.Rows, n, m.ff), p.fnDown)
}

// runMLP computes elements lo to hi-1 between the two halves of an MLP, and
// leaves them in p.gate.
func (p *pass) runMLP(_, lo, hi int) {
	m, act := p.mlp, p.m.cfg.arch.act
	up := product{w: m.up, dst: p.up, bias: m.bu}
	gate := product{w: m.gate, dst: p.gate, bias: m.bg}
	if m.gate.Rows == 0 {
		gate = up
		gate.dst = p.gate
	} else {
		up.run(p.in, lo, hi)
	}
	gate.run(p.in, lo, hi)
	for i := range p.in.Len() {
		g, u := p.gate[i*m.ff+lo:i*m.ff+hi], p.up[i*m.ff+lo:i*m.ff+hi]
		switch {
		case m.gate.Rows == 0:
			vec.Gelu(g)
		case act == gelu:
			vec.GeluMul(g, u)
		case act == clampedSwiglu:
			vec.ClampedSwiglu(g, u, swigluAlpha, swigluLimit)
		default:
			p.m.arith.siluMul(g, u)
		}
	}
}

func (p *pass) runDown(_, lo, hi int) { p.down.run(p.mid, lo, hi) }
