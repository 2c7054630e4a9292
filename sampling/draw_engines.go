package sampling

import (
	"slices"

	"logitscope/sampling/luck"
)

// seedMT returns the seed that llama.cpp makes of ours: its low 32 bits, of
// which it takes the largest value to mean a random one; we keep that one
// fixed too.
func seedMT(seed uint64) uint32 { return uint32(seed) }

// chooseMT draws as llama.cpp's last sampler does: the first entry, in array
// order, at which the running sum reaches u times the sum.
func (p *Pipeline) chooseMT(s *Scratch, state *State) drawn {
	r := &s.r
	if p.plain && r.final == nil {
		r.final = plainFinal{}
	}
	if r.final != nil {
		return drawFinal(r.final, p, s, state)
	}
	if r.N == 1 && p.eng.LoneFree {
		return drawn{hi: 1, greedy: p.cold()}
	}
	g := &s.mt[0]
	g.Seek(seedMT(p.seed), state.Draws)
	u := g.Float64()
	state.Draws += 2
	if r.N == 1 {
		return drawn{u: u, hi: 1, greedy: p.cold()}
	}
	r.Exps()
	var sum float64
	for _, e := range r.E[:r.N] {
		sum += float64(e)
	}
	target, run := float64(sum*u), 0.0
	for i, e := range r.E[:r.N] {
		next := run + float64(e)
		if next >= target && (e > 0 || i == r.N-1) || i == r.N-1 {
			r.Settle(i)
			return drawn{entry: i, u: u, lo: run / sum, hi: min(1, next/sum), greedy: p.cold() && r.Finite == 1}
		}
		run = next
	}
	return drawn{entry: r.N - 1, u: u, hi: 1}
}

// cold reports whether a temperature of 0 has decided the choice.
func (p *Pipeline) cold() bool {
	return p.cfg.Float("temperature") <= 0 && slices.Contains(p.StageNames(), "temperature")
}

// drawDiscrete draws as the C++ library's discrete distribution does, which takes nothing for a single entry.
func drawDiscrete(p []float32, g *luck.MT, state *State) drawn {
	if len(p) < 2 {
		return drawn{hi: 1}
	}
	u := g.Float64()
	state.Draws += 2
	i, lo, hi := luck.Discrete(p, u)
	return drawn{entry: i, u: u, lo: lo, hi: hi}
}

// choosePCG draws as Ollama's Go sampler does: the first entry whose running float32 sum reaches the draw's.
func (p *Pipeline) choosePCG(s *Scratch, state *State) drawn {
	r := &s.r
	if p.greedy {
		return drawn{entry: r.Argmax(), greedy: true, hi: 1}
	}
	u := s.pcg.Float32(p.seed, state.Draws)
	state.Draws++
	probs := r.GoProbs()
	r.before = slices.Grow(r.before[:0], r.N)[:r.N]
	cum := r.before
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
	i = min(i, r.N-1)
	d := drawn{entry: i, u: float64(u), hi: float64(cum[i] / sum)}
	if i > 0 {
		d.lo = float64(cum[i-1] / sum)
	}
	return d
}
