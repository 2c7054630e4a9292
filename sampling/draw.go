package sampling

import (
	"math"

	"logitscope/sampling/dist"
	"logitscope/sampling/luck"
	"logitscope/sampling/param"
)

// A DrawKind is how an engine picks one of the tokens that are left.
type DrawKind uint8

const (
	DrawCoin DrawKind = iota // inverse CDF in rank order at a coin of seed and position
	DrawMT                   // llama.cpp: mt19937, in array order
	DrawPCG                  // Ollama's Go sampler: PCG, float32 sums
	DrawRace                 // the first arrival of an exponential race, see [luck.Race]
)

// String says whose draw it is.
func (k DrawKind) String() string {
	switch k {
	case DrawMT:
		return "llama.cpp's own generator (mt19937), in its array's order"
	case DrawPCG:
		return "Ollama's own generator (PCG), in its array's order"
	case DrawRace:
		return "logitscope's race: arrival times hashed of seed, position and token; the first one is drawn"
	}
	return "logitscope's draw: a hash of seed and position, in rank order"
}

// takeLuck returns the draw for the value of luck; an engine's own draw stays.
func (b *Builder) takeLuck() DrawKind {
	if b.Text("luck") != param.LuckRace {
		return b.eng.Draw
	}
	if b.eng.Draw != DrawCoin {
		b.note("luck", "%s draws with its own generator: luck has no effect", b.eng.Name)
		b.set("luck", param.LuckCDF)
		return b.eng.Draw
	}
	return DrawRace
}

// Luck returns how tokens are drawn, and under which seed.
func (p *Pipeline) Luck() (DrawKind, uint64) { return p.draw, p.seed }

// LoneFree is the engine's, see [Engine].
func (p *Pipeline) LoneFree() bool { return p.eng.LoneFree }

// Races reports whether the draw is a race of arrival times.
func (p *Pipeline) Races() bool { return p.draw == DrawRace && !p.greedy }

// Streams of [luck.Coin] and [luck.NewRace].
const (
	streamDraw   uint32 = 0
	streamRedraw uint32 = 1 // the draw after one that the constraint refused
)

// A Race is how a race of arrival times went. Its zero value means there was
// none.
type Race struct {
	Ran      bool
	Time     float64 // when the token drawn came in, above 0
	Next     int32   // the second to come in, -1 for none
	NextTime float64 // +Inf for none
}

// Pick returns the index in d of the token that the pipeline's draw takes at a
// position; under an engine with a generator of its own, that of the shared u.
func (p *Pipeline) Pick(d *dist.Dist, pos int) int {
	if p.Races() {
		first, _ := luck.Run(luck.NewRace(p.seed, pos, streamDraw), d.Probs, 1, func(i int) int32 { return d.IDs[i] })
		return first.Entry
	}
	i, _, _ := d.Draw(luck.Coin(p.seed, pos, streamDraw))
	return i
}

// ArrivalTimes returns when each token of d comes in at a position under the
// pipeline's seed; redrawn, in the draw after one that the constraint refused.
func (p *Pipeline) ArrivalTimes(d *dist.Dist, pos int, redrawn bool) []float64 {
	stream := streamDraw
	if redrawn {
		stream = streamRedraw
	}
	r := luck.NewRace(p.seed, pos, stream)
	out := make([]float64, len(d.IDs))
	for i, id := range d.IDs {
		out[i] = r.Time(id) / d.Probs[i]
	}
	return out
}

// A drawn is the outcome of a draw.
type drawn struct {
	entry  int
	greedy bool
	u      float64
	lo, hi float64
	race   Race
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

// choose picks one of the entries that are left, by the luck of a stream.
func (p *Pipeline) choose(s *Scratch, state *State, stream uint32) drawn {
	r := &s.r
	if p.greedy {
		return drawn{entry: r.Argmax(), greedy: true, hi: 1}
	}
	switch p.draw {
	case DrawMT:
		return p.chooseMT(s, state)
	case DrawPCG:
		return p.choosePCG(s, state)
	case DrawRace:
		return p.chooseRace(r, stream)
	}
	u := luck.Coin(p.seed, r.in.Pos(), stream)
	entry, lo, hi := r.DrawRanked(u)
	// Rounding may leave u just outside of its own interval.
	return drawn{entry: entry, u: u, lo: min(lo, u), hi: max(hi, math.Nextafter(u, 2)), greedy: p.cold() && r.Finite == 1}
}

// chooseRace picks the first entry to come in.
func (p *Pipeline) chooseRace(r *step, stream uint32) drawn {
	r.Exps()
	id := func(i int) int32 { return r.ID(r.Pos(i)) }
	first, second := luck.Run(luck.NewRace(p.seed, r.in.Pos(), stream), r.E[:r.N], r.Sum, id)
	d := drawn{entry: first.Entry, greedy: p.cold() && r.Finite == 1, race: Race{Ran: true, Time: first.Time, Next: -1, NextTime: second.Time}}
	if second.Entry >= 0 {
		d.race.Next = id(second.Entry)
	}
	return d
}
