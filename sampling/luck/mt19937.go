package luck

import "math"

// An MT is the Mersenne Twister mt19937 (Matsumoto and Nishimura 1998)
// at a place in its sequence. It is kept between steps only to save going
// through the sequence again.
type MT struct {
	seeded bool
	seed   uint32
	at     uint32 // outputs taken
	s      [624]uint32
}

// Seek moves the generator to where n outputs of the seed have been taken.
func (g *MT) Seek(seed, n uint32) {
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

func (g *MT) twist() {
	s := &g.s
	for i := range s {
		y := s[i]&(1<<31) | s[(i+1)%624]&(1<<31-1)
		s[i] = s[(i+397)%624] ^ y>>1 ^ (y&1)*0x9908b0df
	}
}

// Uint32 returns the next output.
func (g *MT) Uint32() uint32 {
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

// Float64 is the C++ library's uniform double, of two outputs.
func (g *MT) Float64() float64 {
	lo, hi := float64(g.Uint32()), float64(g.Uint32())
	f := (lo + float64(hi*(1<<32))) / (1 << 64)
	return min(f, math.Nextafter(1, 0))
}

// Float32 is the C++ library's uniform float, of one output.
func (g *MT) Float32() float32 {
	f := float32(g.Uint32()) / (1 << 32)
	return min(f, math.Nextafter32(1, 0))
}

// Discrete returns the index that the C++ library's discrete distribution
// gives for u in [0, 1): the weights normalised in double, the first
// cumulative one that reaches u, between lo and hi. There must be weights, and
// their sum must be above 0.
func Discrete(weights []float32, u float64) (i int, lo, hi float64) {
	var sum float64
	for _, w := range weights {
		sum += float64(w)
	}
	for i, w := range weights {
		hi = lo + float64(w)/sum
		if i == len(weights)-1 {
			hi = 1
		}
		if hi >= u {
			return i, lo, hi
		}
		lo = hi
	}
	return len(weights) - 1, 0, 1
}
