package llama

import (
	"math"

	"logitscope/models/llama/vec"
)

// scaling is how rotary embeddings reach beyond the context a model was first
// trained on.
// Divisors of the angles, which a file may have as well, are apart from it.
type scaling uint8

const (
	linearScaling scaling = iota // Chen et al. 2023; also no scaling, with factor 1
	yarnScaling                  // Peng et al. 2023
)

// yarn holds the settings of YaRN: the turns within the original context that
// end and begin the ramp.
type yarn struct{ betaFast, betaSlow float64 }

// A rope turns pairs of elements of queries and keys by an angle that grows
// with the position (Su et al. 2021).
type rope struct {
	freq   []float64 // angle of each pair at position 1
	mag    float64   // cos and sin are multiplied by it
	halves bool

	// The same as a rule in float32, for the arithmetic llama.cpp: each angle
	// is the one before times step, divided by its divisor and multiplied by
	// scale.
	step, scale float32
	divisors    []float32 // nil for none
}

// readRope reads everything about rotary embeddings but the tensors.
func (c *config) readRope(r *metaReader) {
	c.noRope = make([]bool, c.layers)
	if c.arch.rotary == noRotary || r.err != nil {
		return
	}
	c.ropeDims = r.size("rope.dimension_count", c.keyLen, maxHead)
	c.ropeBase = r.ropeBase("rope.freq_base", 10000)
	c.ropeOrig = r.size("rope.scaling.original_context_length", c.contextLen, maxContext)
	switch {
	case r.err != nil:
		return
	case c.ropeDims%2 != 0 || c.ropeDims > c.keyLen:
		r.fail("rope.dimension_count", "is %d, not even and at most the head size %d", c.ropeDims, c.keyLen)
	case c.ropeDims != c.keyLen && !c.arch.partialRotary:
		r.fail("rope.dimension_count", "is %d, not the head size %d", c.ropeDims, c.keyLen)
	}
	c.readScaling(r)
}

func (c *config) readScaling(r *metaReader) {
	const typeKey = "rope.scaling.type"
	factor := r.float("rope.scale_linear", 0)
	factor = r.float("rope.scaling.factor", factor)
	if factor < 0 {
		r.fail("rope.scaling.factor", "is %v, not above 0", factor)
	}
	if factor == 0 {
		factor = 1
	}
	c.ropeFactor = float64(factor)
	c.ropeMag = 1
	kind, ok, err := r.f.String(r.prefix + typeKey)
	r.note(err)
	switch {
	case !ok || kind == "linear":
	case kind == "longrope":
		c.longRope = true
	case kind == "none":
		c.ropeFactor = 1
	case kind == "yarn":
		c.scaling = yarnScaling
		c.readYarn(r)
	default:
		r.fail(typeKey, "is %q, not none, linear, yarn or longrope", clip(kind))
	}
	c.attnFactor = float64(r.positive("rope.scaling.attn_factor", 1))
}

func (c *config) readYarn(r *metaReader) {
	c.yarn = yarn{
		betaFast: float64(r.positive("rope.scaling.yarn_beta_fast", 32)),
		betaSlow: float64(r.positive("rope.scaling.yarn_beta_slow", 1)),
	}
	logMul := 0.0
	if c.arch.yarnLog {
		logMul = float64(r.float("rope.scaling.yarn_log_multiplier", 0))
	}
	c.ropeMag = yarnMagnitude(c.ropeFactor, 1) / yarnMagnitude(c.ropeFactor, logMul)
	if !(c.ropeMag > 0) || math.IsInf(c.ropeMag, 0) {
		r.fail("rope.scaling.yarn_log_multiplier", "is %v, which makes the magnitude %v", logMul, c.ropeMag)
	}
	if c.ropeBase == 1 {
		r.fail("rope.freq_base", "is 1, which yarn cannot scale")
	}
}

// yarnMagnitude is the factor on cos and sin by which YaRN sharpens attention.
func yarnMagnitude(factor, mul float64) float64 {
	if factor <= 1 {
		return 1
	}
	return 1 + 0.1*float64(mul*vec.Log(factor))
}

// newRope returns the angles for a base and a magnitude. divisors, one for
// each pair, divide them; nil divides by 1. scaled says whether the file's
// scaling applies.
func (c *config) newRope(base, mag float64, divisors []float32, scaled bool) *rope {
	pairs := c.ropeDims / 2
	rp := &rope{
		freq: make([]float64, pairs), mag: mag, halves: c.arch.rotary == halves,
		step: float32(vec.Pow(base, float64(-2/float32(c.ropeDims)))), scale: 1, divisors: divisors,
	}
	low, high := 0.0, 0.0
	if scaled {
		rp.mag *= c.ropeMag
		rp.scale = 1 / float32(c.ropeFactor)
		if c.scaling == yarnScaling {
			low, high = c.yarnRamp(base)
		}
	}
	for i := range rp.freq {
		f := 1 / vec.Pow(base, float64(2*i)/float64(c.ropeDims))
		if divisors != nil {
			f /= float64(divisors[i])
		}
		if scaled {
			interpolated := f / c.ropeFactor
			if c.scaling == yarnScaling {
				ramp := 1 - min(1, max(0, (float64(i)-low)/max(0.001, high-low)))
				f = float64(interpolated*(1-ramp)) + float64(f*ramp)
			} else {
				f = interpolated
			}
		}
		rp.freq[i] = f
	}
	return rp
}

// yarnRamp returns the pairs between which YaRN passes from angles left alone
// to angles divided by the factor.
func (c *config) yarnRamp(base float64) (low, high float64) {
	dims := float64(c.ropeDims)
	pair := func(turns float64) float64 {
		return dims * vec.Log(float64(c.ropeOrig)/(turns*2*math.Pi)) / (2 * vec.Log(base))
	}
	low = max(0, math.Floor(pair(c.yarn.betaFast)))
	high = min(dims-1, math.Ceil(pair(c.yarn.betaSlow)))
	return low, high
}

// table fills cos and sin, one value for each pair, for a position.
func (rp *rope) table(cos, sin []float32, pos int) {
	for i, f := range rp.freq {
		s, c := vec.Sincos(float64(float64(pos) * f))
		cos[i], sin[i] = float32(c*rp.mag), float32(s*rp.mag)
	}
}

// turn applies a table to one head.
func (rp *rope) turn(x, cos, sin []float32) {
	n := len(cos)
	sin = sin[:n]
	if rp.halves {
		a, b := x[:n], x[n:2*n]
		for i, c := range cos {
			s, u, v := sin[i], a[i], b[i]
			a[i] = float32(u*c) - float32(v*s)
			b[i] = float32(u*s) + float32(v*c)
		}
		return
	}
	x = x[:2*n]
	for i, c := range cos {
		s, u, v := sin[i], x[2*i], x[2*i+1]
		x[2*i] = float32(u*c) - float32(v*s)
		x[2*i+1] = float32(u*s) + float32(v*c)
	}
}
