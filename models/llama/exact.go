package llama

import (
	"logitscope/models/gguf"
	"logitscope/models/llama/vec"
	"logitscope/models/quant"
)

// exact is the arithmetic of the packages quant and vec.
type exact struct{}

func (exact) activations() activations                 { return new(exactActivations) }
func (exact) rmsNorm(dst, x, w []float32, eps float32) { vec.RMSNorm(dst, x, w, eps) }
func (exact) siluMul(gate, up []float32)               { vec.SiluMul(gate, up) }
func (exact) turn(r *rope, x, cos, sin []float32)      { r.turn(x, cos, sin) }
func (exact) attend(a *attending)                      { a.run() }

func (exact) table(r *rope, cos, sin []float32, pos int) { r.table(cos, sin, pos) }

func (exact) scaleQuery(c *config, q []float32, pos int) { vec.Scale(q, c.queryScale(pos)) }

type exactActivations struct{ quant.Activations }

func (*exactActivations) Prepare(gguf.Type) {}

func (a *exactActivations) Mul(dst []float32, w quant.Matrix, lo, hi int) {
	w.Mul(dst, &a.Activations, lo, hi)
}
