package llama

import (
	"math"

	"logitscope/models/gguf"
)

// A config is what a model's file says about its shape.
type config struct {
	arch *arch

	layers, embed, vocab int
	contextLen           int   // most positions the model was made for
	runLen               int   // most positions of this run
	heads, kvHeads       []int // by layer
	ff                   []int // by layer: width of the MLP
	keyLen, valueLen     int   // size of a head

	eps float32

	ropeDims   int     // elements of a head that turn
	ropeBase   float64 // of full layers
	ropeFactor float64 // positions are divided by it
	ropeOrig   int     // context length before scaling
	ropeMag    float64 // of scaling: cos and sin are multiplied by it
	attnFactor float64 // and by it
	scaling    scaling
	yarn       yarn
	longRope   bool   // divisors of the angles, if any, come for short and long contexts (Ding et al. 2024)
	divided    bool   // there are such divisors, or those of Llama 3
	noRope     []bool // by layer

	window      int     // positions a windowed layer sees, itself included; 0 if no layer has one
	windowed    []bool  // by layer; nil means none
	windowBase  float64 // rope base of windowed layers
	windowPlain bool    // without the scaling of full layers
	windowBare  bool    // and without attnFactor

	attnScale            float32 // queries are multiplied by it
	attnCap, finalCap    float32 // soft caps; 0 is off
	sinks                bool
	tempScale            float32 // of the logarithm that makes queries at late positions longer; 0 is off
	tempOrig             int
	embedScale           float32 // 0 is off, here and below
	residualScale        float32
	logitDivisor         float32
	experts, expertsUsed int // 0 if the MLP is a single one
	expertFF, sharedFF   int
}

// Limits on what a file may claim. They are far beyond any model, and keep
// every product below within an int.
const (
	maxLayers  = 1 << 10
	maxWidth   = 1 << 24
	maxHeads   = 1 << 14
	maxHead    = 1 << 14
	maxExperts = 1 << 10
	maxContext = math.MaxUint32
)

func readConfig(f *gguf.File) (*config, error) {
	name, ok, err := f.String("general.architecture")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, f.Errorf("general.architecture", "is missing")
	}
	a, err := findArch(name)
	if err != nil {
		return nil, f.Errorf("general.architecture", "%v", err)
	}
	r := &metaReader{f: f, prefix: name + "."}
	c := &config{arch: a}
	c.readShape(r)
	if r.err != nil {
		return nil, r.err
	}
	c.readRope(r)
	c.readExperts(r)
	if a.setup != nil && r.err == nil {
		a.setup(c, r)
	}
	return c, r.err
}

// readShape reads what every architecture has.
func (c *config) readShape(r *metaReader) {
	c.contextLen = r.need("context_length", maxContext)
	c.embed = r.need("embedding_length", maxWidth)
	c.layers = r.need("block_count", maxLayers)
	if r.err != nil {
		return
	}
	if c.layers > len(r.f.Tensors) {
		r.fail("block_count", "is %d, but the file has %d tensors", c.layers, len(r.f.Tensors))
		return
	}
	c.heads = r.perLayer("attention.head_count", c.layers, nil, maxHeads)
	c.kvHeads = r.perLayer("attention.head_count_kv", c.layers, c.heads, maxHeads)
	var ffDefault []int
	if c.arch.experts == required {
		if n := r.count("expert_feed_forward_length", 0, maxWidth); n > 0 {
			ffDefault = repeat(n, c.layers)
		}
	}
	c.ff = r.perLayer("feed_forward_length", c.layers, ffDefault, maxWidth)
	if r.err != nil {
		return
	}
	c.readHeads(r)
	key := "attention.layer_norm_rms_epsilon"
	if c.arch.norm == layerNorm {
		key = "attention.layer_norm_epsilon"
	}
	c.eps = r.needFloat(key)
	if c.eps < 0 {
		r.fail(key, "is %v, not at least 0", c.eps)
	}
}

func (c *config) readHeads(r *metaReader) {
	for l, h := range c.heads {
		if h%c.kvHeads[l] != 0 {
			r.fail("attention.head_count_kv", "is %d, which does not divide attention.head_count = %d", c.kvHeads[l], h)
			return
		}
	}
	size := c.embed / c.heads[0]
	if _, ok := r.f.Value(r.prefix + "attention.key_length"); !ok && c.embed%c.heads[0] != 0 {
		r.fail("attention.head_count", "is %d, which does not divide embedding_length = %d", c.heads[0], c.embed)
		return
	}
	c.keyLen = r.size("attention.key_length", size, maxHead)
	c.valueLen = r.size("attention.value_length", size, maxHead)
	if r.err == nil {
		c.attnScale = 1 / sqrt32(c.keyLen)
	}
}

func (c *config) readExperts(r *metaReader) {
	c.experts = r.count("expert_count", 0, maxExperts)
	c.expertsUsed = r.count("expert_used_count", 0, maxExperts)
	switch {
	case r.err != nil:
	case c.experts == 0 && c.arch.experts == required:
		r.fail("expert_count", "is missing or 0")
	case c.experts > 0 && c.arch.experts == absent:
		r.fail("expert_count", "is %d, but %s has no experts", c.experts, c.arch.name)
	case c.experts > 0 && c.expertsUsed == 0:
		r.fail("expert_used_count", "is missing or 0")
	case c.expertsUsed > c.experts:
		r.fail("expert_used_count", "is %d, more than expert_count = %d", c.expertsUsed, c.experts)
	case c.experts > 0:
		ff := c.ff[0]
		if c.arch.experts == required {
			ff = r.size("expert_feed_forward_length", c.ff[0]/c.expertsUsed, maxWidth)
		}
		c.expertFF = ff
	}
}

func sqrt32(n int) float32 { return float32(math.Sqrt(float64(n))) }

func repeat(v, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = v
	}
	return s
}
