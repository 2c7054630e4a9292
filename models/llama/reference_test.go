package llama

import (
	"math"
	"slices"
	"sort"
	"testing"

	"logitscope/models"
	"logitscope/models/quant"
)

// reference is a second implementation: whole sequences in float64, loops
// written out, no cache, nothing shared with a pass but the weights and the
// configuration. It is slow and meant to be read.
type reference struct {
	c *config
	w *weights

	off  []models.Part // parts that do nothing
	seen *insight      // where to keep what goes on; nil for nowhere
}

// An insight is what goes on in a reference.
type insight struct {
	states  [][][]float64   // by layer, from the embedding on, and position
	weights [][][][]float64 // by layer, position and head: of each position that is seen
}

// isOff reports whether a part, or the layer it is in, is off.
func (r reference) isOff(p models.Part) bool {
	return slices.Contains(r.off, p) || p.Kind != models.HeadPart && slices.Contains(r.off, models.Part{Kind: models.LayerPart, Layer: p.Layer})
}

func (r reference) keep(x [][]float64) {
	if r.seen == nil {
		return
	}
	copied := make([][]float64, len(x))
	for i := range x {
		copied[i] = slices.Clone(x[i])
	}
	r.seen.states = append(r.seen.states, copied)
}

// logits returns the logits after every token.
func (r reference) logits(tokens []int32) [][]float64 {
	c := r.c
	x := make([][]float64, len(tokens))
	for i, t := range tokens {
		x[i] = rowOf(r.w.embed, int(t))
		scale(x[i], orOne(c.embedScale))
		if c.arch.learnedPositions {
			add(x[i], rowOf(r.w.positions, i), 1)
		}
	}
	r.keep(x)
	for l := range r.w.layers {
		y := &r.w.layers[l]
		a := r.attention(y, l, r.each(x, y.attnNorm))
		for i := range x {
			if !r.isOff(models.Part{Kind: models.AttentionPart, Layer: l}) {
				add(x[i], r.norm(a[i], y.attnPost), orOne(c.residualScale))
			}
		}
		h := r.each(x, y.ffnNorm)
		for i := range x {
			if !r.isOff(models.Part{Kind: models.MLPPart, Layer: l}) {
				add(x[i], r.norm(r.feedForward(y, h[i]), y.ffnPost), orOne(c.residualScale))
			}
		}
		r.keep(x)
	}
	out := make([][]float64, len(tokens))
	for i := range x {
		out[i] = times(r.w.output, r.norm(x[i], r.w.norm), r.w.outBias)
		scale(out[i], 1/orOne(c.logitDivisor))
		for k := range out[i] {
			out[i][k] = softcap(out[i][k], c.finalCap)
		}
	}
	return out
}

func rowOf(m quant.Matrix, i int) []float64 {
	f := make([]float32, m.Cols)
	m.Row(f, i)
	return widen(f)
}

func widen(f []float32) []float64 {
	out := make([]float64, len(f))
	for i, v := range f {
		out[i] = float64(v)
	}
	return out
}

func orOne(f float32) float64 {
	if f == 0 {
		return 1
	}
	return float64(f)
}

func scale(x []float64, f float64) {
	for i := range x {
		x[i] *= f
	}
}

func add(x, y []float64, f float64) {
	for i := range x {
		x[i] += f * y[i]
	}
}

func dot(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func times(m quant.Matrix, x []float64, bias []float32) []float64 {
	out := make([]float64, m.Rows)
	for i := range out {
		out[i] = dot(rowOf(m, i), x)
		if bias != nil {
			out[i] += float64(bias[i])
		}
	}
	return out
}

func softcap(x float64, limit float32) float64 {
	if limit == 0 {
		return x
	}
	return float64(limit) * math.Tanh(x/float64(limit))
}

// each normalises copies of some vectors.
func (r reference) each(x [][]float64, n norm) [][]float64 {
	out := make([][]float64, len(x))
	for i := range x {
		out[i] = r.norm(x[i], n)
	}
	return out
}

func (r reference) norm(x []float64, n norm) []float64 {
	out := append([]float64(nil), x...)
	if n.w == nil {
		return out
	}
	mean := 0.0
	if r.c.arch.norm == layerNorm {
		for _, v := range x {
			mean += v / float64(len(x))
		}
	}
	square := 0.0
	for i := range out {
		out[i] -= mean
		square += out[i] * out[i] / float64(len(x))
	}
	for i := range out {
		out[i] = out[i] / math.Sqrt(square+float64(r.c.eps)) * float64(n.w[i])
		if n.b != nil {
			out[i] += float64(n.b[i])
		}
	}
	return out
}

// normParts normalises pieces of x as long as w.
func (r reference) normParts(x []float64, w []float32) {
	for at := 0; w != nil && at < len(x); at += len(w) {
		copy(x[at:], r.norm(x[at:at+len(w)], norm{w: w}))
	}
}

// turn rotates pairs of elements of a head by the position.
func (r reference) turn(x []float64, rp *rope, pos int) {
	n := len(rp.freq)
	for i, f := range rp.freq {
		a, b := 2*i, 2*i+1
		if rp.halves {
			a, b = i, i+n
		}
		sin, cos := math.Sincos(float64(pos) * f)
		u, v := x[a]*rp.mag, x[b]*rp.mag
		x[a], x[b] = u*cos-v*sin, u*sin+v*cos
	}
}

func (r reference) attention(y *layer, l int, h [][]float64) [][]float64 {
	c := r.c
	var q, k, v [][]float64
	for pos := range h {
		qi, ki, vi := times(y.q, h[pos], y.bq), times(y.k, h[pos], y.bk), times(y.v, h[pos], y.bv)
		r.normParts(qi, y.qNorm)
		r.normParts(ki, y.kNorm)
		for at := 0; y.rope != nil && at < len(qi); at += c.keyLen {
			r.turn(qi[at:at+c.keyLen], y.rope, pos)
		}
		for at := 0; y.rope != nil && at < len(ki); at += c.keyLen {
			r.turn(ki[at:at+c.keyLen], y.rope, pos)
		}
		if c.tempScale != 0 {
			scale(qi, 1+float64(c.tempScale)*math.Log(math.Floor(float64(pos)/float64(c.tempOrig))+1))
		}
		scale(qi, float64(c.attnScale))
		q, k, v = append(q, qi), append(k, ki), append(v, vi)
	}
	out := make([][]float64, len(h))
	seen := make([][][]float64, len(h))
	for pos := range h {
		joined := make([]float64, y.heads*c.valueLen)
		for head := range y.heads {
			kv := head / (y.heads / y.kvHeads)
			var weights []float64
			sum := 0.0
			for j := 0; j <= pos; j++ {
				s := dot(q[pos][head*c.keyLen:(head+1)*c.keyLen], k[j][kv*c.keyLen:(kv+1)*c.keyLen])
				e := math.Exp(softcap(s, c.attnCap))
				if y.window > 0 && pos-j >= y.window {
					e = 0
				}
				weights = append(weights, e)
				sum += e
			}
			if y.sinks != nil {
				sum += math.Exp(float64(y.sinks[head]))
			}
			scale(weights, 1/sum)
			seen[pos] = append(seen[pos], weights)
			if r.isOff(models.Part{Kind: models.HeadPart, Layer: l, Head: head}) {
				continue
			}
			for j, w := range weights {
				add(joined[head*c.valueLen:(head+1)*c.valueLen], v[j][kv*c.valueLen:(kv+1)*c.valueLen], w)
			}
		}
		out[pos] = times(y.o, joined, y.bo)
	}
	if r.seen != nil {
		r.seen.weights = append(r.seen.weights, seen)
	}
	return out
}

func (r reference) feedForward(y *layer, h []float64) []float64 {
	if y.experts == nil {
		return r.mlp(&y.mlp, h)
	}
	c, x := r.c, y.experts
	logits := times(x.router, h, x.bias)
	order := make([]int, len(logits))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return logits[order[a]] > logits[order[b]] })
	order = order[:c.expertsUsed]
	all, chosen := 0.0, 0.0
	for _, l := range logits {
		all += math.Exp(l)
	}
	for _, e := range order {
		chosen += math.Exp(logits[e])
	}
	out := make([]float64, c.embed)
	for _, e := range order {
		w := math.Exp(logits[e]) / chosen
		if c.arch.routing == unnormalised {
			w = math.Exp(logits[e]) / all
		}
		add(out, r.mlp(&x.each[e], h), w)
	}
	if x.shared != nil {
		gate := times(x.sharedGate, h, nil)[0]
		add(out, r.mlp(x.shared, h), 1/(1+math.Exp(-gate)))
	}
	return out
}

func (r reference) mlp(m *mlp, h []float64) []float64 {
	up := times(m.up, h, m.bu)
	if m.gate.Rows == 0 {
		for i, v := range up {
			up[i] = 0.5 * v * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
		}
		return times(m.down, up, m.bd)
	}
	for i, g := range times(m.gate, h, m.bg) {
		switch r.c.arch.act {
		case gelu:
			up[i] *= 0.5 * g * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(g+0.044715*g*g*g)))
		case clampedSwiglu:
			g = min(g, 7)
			up[i] = (max(-7, min(7, up[i])) + 1) * g / (1 + math.Exp(-1.702*g))
		default:
			up[i] *= g / (1 + math.Exp(-g))
		}
	}
	return times(m.down, up, m.bd)
}

// TestReference compares the fast path with the plain one where pages,
// chunks and windows begin and end.
func TestReference(t *testing.T) {
	const n = chunkLen + 5
	eachModel(t, Options{}, func(t *testing.T, m *Model) {
		tokens := someTokens(20, n, m.cfg.vocab)
		want := reference{c: m.cfg, w: m.w}.logits(tokens)
		for i, got := range forward(t, m.newSession(), tokens, len(tokens)) {
			for k := range got {
				if d := math.Abs(float64(got[k]) - want[i][k]); !(d < 3e-4) {
					t.Fatalf("position %d token %d: %v, want %v", i, k, got[k], want[i][k])
				}
			}
		}
	})
}
