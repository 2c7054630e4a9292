package sampling

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// A generator is the Mersenne Twister mt19937 (Matsumoto and Nishimura 1998)
// at a place in its sequence. It is kept between steps only to save going
// through the sequence again.
type generator struct {
	seeded bool
	seed   uint32
	at     uint32 // outputs taken
	s      [624]uint32
}

// seek moves the generator to where n outputs of the seed have been taken.
func (g *generator) seek(seed, n uint32) {
	if !g.seeded || g.seed != seed || g.at > n {
		g.seeded, g.seed, g.at = true, seed, 0
		g.s[0] = seed
		for i := uint32(1); i < 624; i++ {
			g.s[i] = 1812433253*(g.s[i-1]^g.s[i-1]>>30) + i
		}
	}
	for g.at < n {
		// Whole blocks are skipped without tempering.
		if g.at%624 == 0 {
			g.twist()
		}
		g.at += min(n-g.at, 624-g.at%624)
	}
}

func (g *generator) twist() {
	s := &g.s
	for i := range s {
		y := s[i]&(1<<31) | s[(i+1)%624]&(1<<31-1)
		s[i] = s[(i+397)%624] ^ y>>1 ^ (y&1)*0x9908b0df
	}
}

func (g *generator) uint32() uint32 {
	if g.at%624 == 0 {
		g.twist()
	}
	y := g.s[g.at%624]
	g.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// float64 is the C++ library's uniform double, of two outputs.
func (g *generator) float64() float64 {
	lo, hi := float64(g.uint32()), float64(g.uint32())
	f := (lo + float64(hi*(1<<32))) / (1 << 64)
	return min(f, math.Nextafter(1, 0))
}

// float32 is the C++ library's uniform float, of one output.
func (g *generator) float32() float32 {
	f := float32(g.uint32()) / (1 << 32)
	return min(f, math.Nextafter32(1, 0))
}

// seedMT returns the seed that llama.cpp makes of ours: its low 32 bits, of
// which it takes the largest value to mean a random one; we keep that one
// fixed too.
func seedMT(seed uint64) uint32 { return uint32(seed) }

// chooseMT draws as llama.cpp's last sampler does: the first entry, in array
// order, at which the running sum reaches u times the sum.
func (p *Pipeline) chooseMT(s *Scratch, state *State) drawn {
	r := &s.r
	if r.final != nil {
		return r.final.draw(p, s, state)
	}
	g := &s.mt[0]
	g.seek(seedMT(p.seed), state.Draws)
	u := g.float64()
	state.Draws += 2
	if r.n == 1 {
		return drawn{u: u, hi: 1, greedy: p.coldMT()}
	}
	r.exps()
	var sum float64
	for _, e := range r.e[:r.n] {
		sum += float64(e)
	}
	target, run := float64(sum*u), 0.0
	for i, e := range r.e[:r.n] {
		next := run + float64(e)
		if next >= target && (e > 0 || i == r.n-1) || i == r.n-1 {
			r.settle(i)
			return drawn{entry: i, u: u, lo: run / sum, hi: min(1, next/sum), greedy: p.coldMT() && r.nfin == 1}
		}
		run = next
	}
	return drawn{entry: r.n - 1, u: u, hi: 1}
}

// coldMT reports whether a temperature of 0 has decided the choice.
func (p *Pipeline) coldMT() bool {
	return p.cfg.Float("temperature") <= 0 && slices.Contains(p.StageNames(), "temperature")
}

// drawDiscrete draws an entry as the C++ library's discrete distribution
// does: the weights normalised in double, the first cumulative one that
// reaches u. A single entry takes nothing from the generator.
func (r *row) drawDiscrete(p []float32, g *generator, state *State) drawn {
	if len(p) < 2 {
		return drawn{hi: 1}
	}
	u := g.float64()
	state.Draws += 2
	var sum float64
	for _, v := range p {
		sum += float64(v)
	}
	run := 0.0
	for i, v := range p {
		next := run + float64(v)/sum
		if i == len(p)-1 {
			next = 1
		}
		if next >= u {
			return drawn{entry: i, u: u, lo: run, hi: next}
		}
		run = next
	}
	return drawn{entry: len(p) - 1, u: u, hi: 1}
}

// A pcgCache is the generator of Ollama's Go sampler at a place in its
// sequence.
type pcgCache struct {
	seeded bool
	seed   uint64
	at     uint32
	g      rand.PCG
}

func (c *pcgCache) float32(seed uint64, n uint32) float32 {
	if !c.seeded || c.seed != seed || c.at > n {
		c.seeded, c.seed, c.at = true, seed, 0
		c.g.Seed(seed, seed^0x9E3779B9)
	}
	for ; c.at < n; c.at++ {
		c.g.Uint64()
	}
	c.at++
	// The standard library's Float32: the low 24 bits of its Uint32, which is
	// the high half of an output.
	return float32(uint32(c.g.Uint64()>>32)<<8>>8) / (1 << 24)
}

// choosePCG draws as Ollama's Go sampler does: the first entry at which the
// running float32 sum of probabilities reaches the draw times the sum.
func (p *Pipeline) choosePCG(s *Scratch, state *State) drawn {
	r := &s.r
	if p.greedy {
		return drawn{entry: r.argmax(), greedy: true, hi: 1}
	}
	u := s.pcg.float32(p.seed, state.Draws)
	state.Draws++
	probs := r.goProbs()
	cum := grow(&r.negBuf, r.n)
	var sum float32
	for i, v := range probs {
		sum += v
		cum[i] = sum
	}
	target := u * sum
	i, _ := slices.BinarySearchFunc(cum, target, func(v, t float32) int {
		if v < t {
			return -1
		}
		return 1
	})
	i = min(i, r.n-1)
	d := drawn{entry: i, u: float64(u), hi: float64(cum[i] / sum)}
	if i > 0 {
		d.lo = float64(cum[i-1] / sum)
	}
	return d
}

func log2(n int) int { return bits.Len(uint(n)) - 1 }
