// Package cost answers: how many bytes and operations does a pass of a
// transformer take, and which limit of a machine does it reach first?
//
// It is arithmetic, not measurement: two limits, bytes and operations a
// second, and nothing else. What it gives is a bound that no machine beats.
package cost

import "math"

// A Shape is what the costs of a model depend on.
type Shape struct {
	Name    string
	Layers  []Layer
	KeySize int // numbers of a head's key; ValueSize of its value
	ValueSize,
	NumberBytes int // of a number in the cache: 4 is f32, 2 is f16, 1 is 8 bits

	Weights       float64 // numbers, experts included
	ExpertWeights float64 // those of the experts that a token chooses among
	WeightBytes   float64 // of one weight, on average
	Experts, Used int     // experts of a layer, and those that a token uses; 0 without
}

// A Layer is the attention of one layer.
type Layer struct {
	Heads, KVHeads int
	Window         int // positions that a position sees, itself included; 0 for all
}

// even returns n layers that are alike.
func even(n, heads, kvHeads int) []Layer {
	out := make([]Layer, n)
	for i := range out {
		out[i] = Layer{Heads: heads, KVHeads: kvHeads}
	}
	return out
}

// Uniform returns the layer that all are like, and false if they differ.
func (s Shape) Uniform() (Layer, bool) {
	for _, l := range s.Layers {
		if l != s.Layers[0] {
			return Layer{}, false
		}
	}
	if len(s.Layers) == 0 {
		return Layer{}, false
	}
	return s.Layers[0], true
}

// TokenBytes is what the cache keeps of one token: for every layer a key and a
// value of every KV head.
func (s Shape) TokenBytes() float64 {
	n := 0
	for _, l := range s.Layers {
		n += l.KVHeads * (s.KeySize + s.ValueSize)
	}
	return float64(n * s.NumberBytes)
}

// CacheBytes is what the cache of n tokens takes: of a layer with a window,
// the window.
func (s Shape) CacheBytes(n int) float64 {
	total := 0.0
	for _, l := range s.Layers {
		total += float64(l.KVHeads*(s.KeySize+s.ValueSize)*s.NumberBytes) * float64(l.sees(n))
	}
	return total
}

// sees is how many of n positions the last one looks at.
func (l Layer) sees(n int) int {
	if l.Window > 0 {
		return min(n, l.Window)
	}
	return n
}

// looks is how many positions those after the first from, up to to, look at
// together.
func (l Layer) looks(from, to int) float64 {
	sum := func(n int) float64 { // of 1 to n
		w := l.sees(n)
		return float64(w)*float64(w+1)/2 + float64(n-w)*float64(w)
	}
	return sum(to) - sum(from)
}

// active is how many weights take part in one token.
func (s Shape) active() float64 {
	if s.Experts == 0 {
		return s.Weights
	}
	return s.Weights - s.ExpertWeights*(1-float64(s.Used)/float64(s.Experts))
}

// Read is how many weights a pass over n tokens reads: all that every token
// uses, and the experts that at least one of them chose, if each chooses evenly
// and by itself.
func (s Shape) Read(n int) float64 {
	if s.Experts == 0 {
		return s.Weights
	}
	missed := math.Pow(1-float64(s.Used)/float64(s.Experts), float64(n))
	return s.Weights - s.ExpertWeights*missed
}

// Work is what a pass takes.
type Work struct {
	Weights float64 // bytes of weights read
	KV      float64 // bytes of the cache read
	Ops     float64 // multiplications and additions
}

// Bytes is all that is read.
func (w Work) Bytes() float64 { return w.Weights + w.KV }

// Intensity is operations for each byte read.
func (w Work) Intensity() float64 { return w.Ops / w.Bytes() }

// Pass is the work of one pass that appends n tokens to each of several texts
// of from tokens. The weights are read once for all of them, each text's cache
// for itself; a weight is two operations a token, and attention four times the
// size of a head for every head and every position looked at.
func (s Shape) Pass(from, n, texts int) Work {
	w := Work{Weights: s.Read(n*texts) * s.WeightBytes, KV: float64(texts) * s.CacheBytes(from+n)}
	w.Ops = 2 * s.active() * float64(n)
	for _, l := range s.Layers {
		w.Ops += 2 * float64(l.Heads*(s.KeySize+s.ValueSize)) * l.looks(from, from+n)
	}
	w.Ops *= float64(texts)
	return w
}

// Passes is the work of reading n tokens, at most size of them a pass.
func (s Shape) Passes(n, size int) Work {
	var sum Work
	for at := 0; at < n; at += size {
		w := s.Pass(at, min(size, n-at), 1)
		sum.Weights, sum.KV, sum.Ops = sum.Weights+w.Weights, sum.KV+w.KV, sum.Ops+w.Ops
	}
	return sum
}

// A Limit is what a machine can do no faster.
type Limit uint8

const (
	ByBytes Limit = iota
	ByOperations
)

// A Machine is what the arithmetic knows of one.
type Machine struct {
	Bytes float64 // a second
	Ops   float64 // a second
}

// Time is the least seconds the work takes, and the limit that binds: the one
// reached last.
func (m Machine) Time(w Work) (seconds float64, binds Limit) {
	bytes, ops := w.Bytes()/m.Bytes, w.Ops/m.Ops
	if ops > bytes {
		return ops, ByOperations
	}
	return bytes, ByBytes
}

// Outgrows is the number of tokens from which on the cache of one text is
// larger than the weights; 0 if it never is.
func (s Shape) Outgrows() int {
	weights := s.Weights * s.WeightBytes
	lo, hi := 0, 1
	for s.CacheBytes(hi) <= weights {
		if hi > 1<<40 {
			return 0
		}
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; s.CacheBytes(mid) <= weights {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// Known are shapes that people know, with 16-bit weights and cache: a dense
// model with grouped heads, a large one, and a mixture of experts of which a
// token uses two of eight. Their numbers are those of the published
// configurations of Llama 3 8B and 70B and Mixtral 8x7B.
func Known() []Shape {
	return []Shape{
		{Name: "8B", Layers: even(32, 32, 8), KeySize: 128, ValueSize: 128, NumberBytes: 2, Weights: 8_030_261_248, WeightBytes: 2},
		{Name: "70B", Layers: even(80, 64, 8), KeySize: 128, ValueSize: 128, NumberBytes: 2, Weights: 70_553_706_496, WeightBytes: 2},
		{Name: "8x7B", Layers: even(32, 32, 8), KeySize: 128, ValueSize: 128, NumberBytes: 2, Weights: 46_702_792_704,
			ExpertWeights: 32 * 8 * 3 * 4096 * 14336, WeightBytes: 2, Experts: 8, Used: 2},
	}
}
