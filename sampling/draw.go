package sampling

import (
	"math"

	"logitscope/sampling/luck"
)

// A DrawKind is how an engine picks one of the tokens that are left.
type DrawKind uint8

const (
	DrawCoin DrawKind = iota // inverse CDF in rank order at a coin of seed and position
	DrawMT                   // llama.cpp: mt19937, in array order
	DrawPCG                  // Ollama's Go sampler: PCG, float32 sums
)

// String says whose draw it is.
func (k DrawKind) String() string {
	switch k {
	case DrawMT:
		return "llama.cpp's own generator (mt19937), in its array's order"
	case DrawPCG:
		return "Ollama's own generator (PCG), in its array's order"
	}
	return "logitscope's draw: a hash of seed and position, in rank order"
}

// DrawRule says in words whose draw picks the token: an engine's own where it
// can be reproduced, else ours.
func (p *Pipeline) DrawRule() string {
	if p.greedy {
		return "no draw: the best token"
	}
	return p.draw.String()
}

// A drawn is the outcome of a draw.
type drawn struct {
	entry  int
	greedy bool
	u      float64
	lo, hi float64
}

// startState returns the state a step begins with.
func (p *Pipeline) startState(s State) State {
	if s.Started {
		return s
	}
	s = State{Started: true}
	c := p.cfg
	s.Mu = 2 * float64(float32(c.Float("mirostat_tau")))
	if target := c.Float("adaptive_target"); target >= 0 {
		decay := float32(math.Min(c.Float("adaptive_decay"), 0.99))
		s.AdaptWeighted = float64(float32(target) / (1 - decay))
		s.AdaptTotal = float64(1 / (1 - decay))
	}
	return s
}

// choose picks one of the entries that are left.
func (p *Pipeline) choose(s *Scratch, state *State) drawn {
	r := &s.r
	if p.greedy {
		return drawn{entry: r.Argmax(), greedy: true, hi: 1}
	}
	switch p.draw {
	case DrawMT:
		return p.chooseMT(s, state)
	case DrawPCG:
		return p.choosePCG(s, state)
	}
	u := luck.Coin(p.seed, r.in.Pos(), 0)
	entry, lo, hi := r.DrawRanked(u)
	// Rounding may leave u just outside of its own interval.
	return drawn{entry: entry, u: u, lo: min(lo, u), hi: max(hi, math.Nextafter(u, 2)), greedy: p.cold() && r.Finite == 1}
}
