package sampling

import (
	"math"
	"slices"
)

// A finalStage replaces the draw: it cuts or bends the row in its own way and
// then draws from it.
type finalStage interface {
	// wrote moves the state on after an entry was written, with the
	// probabilities that draw would have drawn from.
	wrote(r *step, state *State, probs []float32, entry int)

	// probs are those probabilities.
	probs(r *step) []float32
}

// drawFinal draws with the engine's own generator and moves the state on.
func drawFinal(f finalStage, p *Pipeline, s *Scratch, state *State) drawn {
	probs := f.probs(&s.r)
	s.mt[0].Seek(seedMT(p.seed), state.Draws)
	d := drawDiscrete(probs, &s.mt[0], state)
	s.r.Settle(d.entry)
	f.wrote(&s.r, state, probs, d.entry)
	return d
}

// plainFinal draws from the row as it is.
type plainFinal struct{}

func (plainFinal) probs(r *step) []float32             { return r.ArrayProbs(r.ArraySoftmax(false)) }
func (plainFinal) wrote(*step, *State, []float32, int) {}

// mirostat keeps the surprise of the text near a target by moving a bound
// with every token (Basu et al. 2021). Version 1 estimates how steep the
// distribution is; version 2 cuts by surprise alone.
type mirostat struct {
	version  int
	tau, eta float32
	vocab    int // 0: the width of the row
}

func (m *mirostat) apply(r *step) {
	r.SettleAll()
	sum := r.ArraySoftmax(true)
	mu := float32(r.state.Mu)
	if m.version == 1 {
		r.Truncate(max(m.k(r, sum, mu), 1))
	} else {
		n, share := 0, float32(r.Share())
		for n < r.N && !(-log2f(r.E[n]/sum*share) > mu) {
			n++
		}
		r.Truncate(max(n, 1))
	}
	r.final = m
}

func log2f(f float32) float32 { return float32(math.Log2(float64(f))) }

func pow32(a, b float32) float32 { return float32(math.Pow(float64(a), float64(b))) }

// k returns how many tokens version 1 keeps.
func (m *mirostat) k(r *step, sum, mu float32) int {
	var tb, tt float32
	for i := 0; i < 99 && i < r.N-1; i++ {
		t := log32(float32(i+2) / float32(i+1))
		b := log32((r.E[i] / sum) / (r.E[i+1] / sum))
		tb += float32(t * b)
		tt += float32(t * t)
	}
	s := tb / tt
	eps := s - 1
	n := m.vocab
	if n == 0 {
		n = len(r.Raw)
	}
	k := pow32(float32(eps*pow32(2, mu))/(1-pow32(float32(n), -eps)), 1/s)
	if !(k < math.MaxInt32) {
		return 1 // as the conversion of a value that is not an int gives its least one
	}
	return int(k)
}

func (m *mirostat) probs(r *step) []float32 { return r.ArrayProbs(r.ArraySoftmax(true)) }

func (m *mirostat) wrote(_ *step, state *State, probs []float32, entry int) {
	surprise := -log2f(probs[entry])
	state.Mu = float64(float32(state.Mu) - float32(m.eta*(surprise-m.tau)))
}

// adaptiveP bends the distribution towards tokens near a target probability,
// which moves against what was chosen before.
type adaptiveP struct {
	target, decay float32
}

func (a *adaptiveP) apply(r *step) {
	r.SettleAll()
	sum := r.ArraySoftmax(false)
	target := min(max(a.target, 0), 1)
	if total := float32(r.state.AdaptTotal); total != 0 {
		target = min(max(float32(2*target)-float32(r.state.AdaptWeighted)/total, 0), 1)
	}
	r.before = slices.Grow(r.before[:0], r.N)[:r.N]
	for i, e := range r.E[:r.N] {
		r.before[i] = e / sum
	}
	r.Bend(func(i int) float64 { return float64(adaptiveLogit(r.before[i], target)) })
	r.final = a
}

// adaptiveLogit returns the logit that adaptive-p gives a probability.
func adaptiveLogit(p, target float32) float32 {
	d := abs32(float32((p - target) * float32(1/float32(0.3))))
	return 5 - float32(float32(float32(10*d)*d)/(1+d))
}

func (a *adaptiveP) probs(r *step) []float32 { return r.ArrayProbs(r.ArraySoftmax(false)) }

func (a *adaptiveP) wrote(r *step, state *State, _ []float32, entry int) {
	state.AdaptWeighted = float64(r.before[entry] + float32(a.decay*float32(state.AdaptWeighted)))
	state.AdaptTotal = float64(1 + float32(a.decay*float32(state.AdaptTotal)))
}
