package llama

import (
	"fmt"
	"math"
	"strings"

	"logitscope/models/gguf"
	"logitscope/models/quant"
)

// weights are the tensors of a model. Matrices stay in the file's memory;
// vectors are copied to float32.
type weights struct {
	embed     quant.Matrix // (vocab, embed)
	positions quant.Matrix // (context, embed); empty unless positions are learned
	layers    []layer
	norm      norm
	output    quant.Matrix // (vocab, embed); embed itself if tied
	tied      bool
	outBias   []float32 // (vocab), or nil
	full      *rope     // nil without rotary embeddings
	windowed  *rope     // of layers with a window; nil if there are none
}

// A layer is one block of attention and MLP. Empty matrices and nil vectors
// are parts that the architecture does not have.
type layer struct {
	heads, kvHeads int
	window         int   // positions seen; 0 is all
	rope           *rope // nil to leave positions out

	attnNorm, attnPost norm
	q, k, v, o         quant.Matrix // (heads*keyLen, embed), …, (embed, heads*valueLen)
	bq, bk, bv, bo     []float32
	qNorm, kNorm       []float32 // (keyLen), or all heads' width
	sinks              []float32 // (heads): a score that takes probability and gives nothing

	ffnNorm, ffnPost norm
	mlp              mlp
	experts          *experts // in the place of mlp
}

// matrices lists all matrices.
func (w *weights) matrices() []quant.Matrix {
	all := []quant.Matrix{w.embed, w.output}
	for l := range w.layers {
		y := &w.layers[l]
		all = append(all, y.q, y.k, y.v, y.o, y.mlp.gate, y.mlp.up, y.mlp.down)
	}
	return all
}

// norm is the weight and bias of a normalisation.
type norm struct{ w, b []float32 }

// An mlp is a feed-forward network; gate is empty if it has none.
type mlp struct {
	ff             int
	gate, up, down quant.Matrix // (ff, embed), (ff, embed), (embed, ff)
	bg, bu, bd     []float32
}

// experts are several MLPs, of which each token uses a few.
type experts struct {
	router     quant.Matrix // (experts, embed)
	bias       []float32
	each       []mlp
	shared     *mlp         // used by every token; nil if there is none
	sharedGate quant.Matrix // (1, embed): its sigmoid weighs the shared one
}

// bindWeights takes a model's tensors from its file. A tensor that the
// architecture has no place for is an error, as it is to llama.cpp: to leave
// it out would be to run another model.
func bindWeights(f *gguf.File, c *config) (*weights, error) {
	b := &binder{f: f, used: make(map[string]bool, len(f.Tensors))}
	w := &weights{}
	e, ok := f.Tensor("token_embd.weight")
	if !ok {
		b.fail(nil, "token_embd.weight", "is missing")
		return nil, b.err
	}
	if len(e.Dims) > 1 && e.Dims[1] > 0 && e.Dims[1] <= math.MaxInt32 {
		c.vocab = int(e.Dims[1])
	}
	w.embed = b.matrix("token_embd.weight", required, c.vocab, c.embed)
	if c.arch.learnedPositions {
		w.positions = b.matrix("position_embd.weight", required, c.contextLen, c.embed)
	}
	w.norm = b.norm("output_norm", required, c)
	w.output = b.matrix("output.weight", optional, c.vocab, c.embed)
	if w.tied = w.output.Rows == 0; w.tied {
		w.output = w.embed
	}
	w.outBias = b.vector("output.bias", optional, c.vocab)
	b.ropes(w, c)
	w.layers = make([]layer, 0, c.layers)
	for l := 0; l < c.layers && b.err == nil; l++ {
		w.layers = append(w.layers, b.layer(w, c, l))
	}
	if b.err != nil {
		return nil, b.err
	}
	return w, b.allUsed(c)
}

// allUsed reports the first tensor that was not taken.
func (b *binder) allUsed(c *config) error {
	for i := range b.f.Tensors {
		t := &b.f.Tensors[i]
		// Tables of angles that old converters wrote; they repeat rope.freq_base.
		if b.used[t.Name] || strings.HasSuffix(t.Name, ".attn_rot_embd.weight") || strings.HasSuffix(t.Name, ".attn_rot_embd") {
			continue
		}
		b.fail(t, clip(t.Name), "has no place in the architecture %s with %d layers", c.arch.name, c.layers)
		break
	}
	return b.err
}

func (b *binder) norm(name string, n need, c *config) norm {
	nm := norm{w: b.vector(name+".weight", n, c.embed)}
	if c.arch.norm == layerNorm && nm.w != nil {
		nm.b = b.vector(name+".bias", optional, c.embed)
	}
	return nm
}

// ropes makes the angles of the two kinds of layers.
func (b *binder) ropes(w *weights, c *config) {
	if c.arch.rotary == noRotary {
		return
	}
	var divisors []float32
	if c.longRope {
		short := b.divisors("rope_factors_short.weight", c)
		long := b.divisors("rope_factors_long.weight", c)
		if divisors = short; c.runLen > c.ropeOrig {
			divisors = long
		}
	} else {
		divisors = b.divisors("rope_freqs.weight", c)
	}
	if b.err != nil {
		return
	}
	c.divided = divisors != nil
	w.full = c.newRope(c.ropeBase, c.attnFactor, divisors, true)
	if c.windowed == nil {
		return
	}
	mag := c.attnFactor
	if c.windowBare {
		mag = 1
	}
	w.windowed = c.newRope(c.windowBase, mag, nil, !c.windowPlain)
}

// divisors returns what the angles are divided by, nil if the file has none.
func (b *binder) divisors(name string, c *config) []float32 {
	d := b.vector(name, optional, c.ropeDims/2)
	t, _ := b.f.Tensor(name)
	for i, v := range d {
		if !(v > 0) || math.IsInf(float64(v), 0) {
			b.fail(t, name, "holds %v at %d, not a finite number above 0", v, i)
		}
	}
	return d
}

func (b *binder) layer(w *weights, c *config, l int) layer {
	a := c.arch
	at := fmt.Sprintf("blk.%d.", l)
	y := layer{heads: c.heads[l], kvHeads: c.kvHeads[l]}
	y.rope = w.full
	if c.windowed != nil && c.windowed[l] {
		y.window, y.rope = c.window, w.windowed
	}
	if c.noRope[l] {
		y.rope = nil
	}
	pre, post := required, absent
	if a.noPreNorm {
		pre = absent
	}
	if a.postNorm {
		post = required
	}
	ffnNorm := "ffn_norm"
	if a.ffnNorm != "" {
		ffnNorm = a.ffnNorm
	}
	y.attnNorm = b.norm(at+"attn_norm", pre, c)
	y.attnPost = b.norm(at+"post_attention_norm", post, c)
	y.ffnNorm = b.norm(at+ffnNorm, pre, c)
	y.ffnPost = b.norm(at+"post_ffw_norm", post, c)
	b.attention(&y, c, at)
	if c.experts > 0 {
		y.experts = b.experts(c, at)
	} else {
		y.mlp = b.mlp(c, at, c.ff[l])
	}
	return y
}

func (b *binder) attention(y *layer, c *config, at string) {
	a := c.arch
	nq, nk, nv := y.heads*c.keyLen, y.kvHeads*c.keyLen, y.kvHeads*c.valueLen
	if _, ok := b.f.Tensor(at + "attn_qkv.weight"); ok && a.fused {
		all := b.matrix(at+"attn_qkv.weight", required, nq+nk+nv, c.embed)
		bias := b.vector(at+"attn_qkv.bias", a.qkvBias, nq+nk+nv)
		if b.err != nil {
			return
		}
		y.q, y.k, y.v = rowsOf(all, 0, nq), rowsOf(all, nq, nq+nk), rowsOf(all, nq+nk, nq+nk+nv)
		if bias != nil {
			y.bq, y.bk, y.bv = bias[:nq], bias[nq:nq+nk], bias[nq+nk:]
		}
	} else {
		y.q = b.matrix(at+"attn_q.weight", required, nq, c.embed)
		y.k = b.matrix(at+"attn_k.weight", required, nk, c.embed)
		y.v = b.matrix(at+"attn_v.weight", required, nv, c.embed)
		y.bq = b.vector(at+"attn_q.bias", a.qkvBias, nq)
		y.bk = b.vector(at+"attn_k.bias", a.qkvBias, nk)
		y.bv = b.vector(at+"attn_v.bias", a.qkvBias, nv)
	}
	y.o = b.matrix(at+"attn_output.weight", required, c.embed, y.heads*c.valueLen)
	y.bo = b.vector(at+"attn_output.bias", a.outBias, c.embed)
	switch a.qkNorm {
	case perHead:
		y.qNorm = b.vector(at+"attn_q_norm.weight", required, c.keyLen)
		y.kNorm = b.vector(at+"attn_k_norm.weight", required, c.keyLen)
	case fullWidth:
		y.qNorm = b.vector(at+"attn_q_norm.weight", required, nq)
		y.kNorm = b.vector(at+"attn_k_norm.weight", required, nk)
	}
	if c.sinks {
		y.sinks = b.vector(at+"attn_sinks.weight", required, y.heads)
	}
}

func (b *binder) mlp(c *config, at string, ff int) mlp {
	a := c.arch
	m := mlp{ff: ff}
	_, separate := b.f.Tensor(at + "ffn_gate.weight")
	if a.fused && !a.plainMLP && !separate {
		both := b.matrix(at+"ffn_up.weight", required, 2*ff, c.embed)
		if b.err != nil {
			return m
		}
		m.gate, m.up = rowsOf(both, 0, ff), rowsOf(both, ff, 2*ff)
	} else {
		m.up = b.matrix(at+"ffn_up.weight", required, ff, c.embed)
		m.bu = b.vector(at+"ffn_up.bias", a.mlpBias, ff)
		if !a.plainMLP {
			m.gate = b.matrix(at+"ffn_gate.weight", required, ff, c.embed)
			m.bg = b.vector(at+"ffn_gate.bias", a.mlpBias, ff)
		}
	}
	m.down = b.matrix(at+"ffn_down.weight", required, c.embed, ff)
	m.bd = b.vector(at+"ffn_down.bias", a.mlpBias, c.embed)
	return m
}

func (b *binder) experts(c *config, at string) *experts {
	bias := c.arch.mlpBias
	if c.arch.experts == optional {
		bias = absent // the MLP's biases belong to files without experts
	}
	n, ff := c.experts, c.expertFF
	x := &experts{
		router: b.matrix(at+"ffn_gate_inp.weight", required, n, c.embed),
		bias:   b.vector(at+"ffn_gate_inp.bias", bias, n),
		each:   make([]mlp, n),
	}
	gate := b.matrices(at+"ffn_gate_exps.weight", n, ff, c.embed)
	up := b.matrices(at+"ffn_up_exps.weight", n, ff, c.embed)
	down := b.matrices(at+"ffn_down_exps.weight", n, c.embed, ff)
	bg := b.vectors(at+"ffn_gate_exps.bias", bias, n, ff)
	bu := b.vectors(at+"ffn_up_exps.bias", bias, n, ff)
	bd := b.vectors(at+"ffn_down_exps.bias", bias, n, c.embed)
	for i := range x.each {
		x.each[i] = mlp{ff: ff, gate: gate[i], up: up[i], down: down[i]}
		if bg != nil && bu != nil && bd != nil {
			x.each[i].bg, x.each[i].bu, x.each[i].bd = bg[i], bu[i], bd[i]
		}
	}
	if c.sharedFF > 0 {
		x.sharedGate = b.matrix(at+"ffn_gate_inp_shexp.weight", required, 1, c.embed)
		x.shared = &mlp{
			ff:   c.sharedFF,
			gate: b.matrix(at+"ffn_gate_shexp.weight", required, c.sharedFF, c.embed),
			up:   b.matrix(at+"ffn_up_shexp.weight", required, c.sharedFF, c.embed),
			down: b.matrix(at+"ffn_down_shexp.weight", required, c.embed, c.sharedFF),
		}
	}
	return x
}
