package luck

import "math/rand/v2"

// A PCG is the generator of Ollama's Go sampler at a place in its
// sequence.
type PCG struct {
	seeded bool
	seed   uint64
	at     uint32
	g      rand.PCG
}

// Float32 returns output n of the sequence that a seed begins, in [0, 1).
func (c *PCG) Float32(seed uint64, n uint32) float32 {
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
