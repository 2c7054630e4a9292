package luck

import "math"

// A Race gives every token an arrival time at one position under one seed. The
// token that comes in first is the one drawn: if a token of probability p runs
// p times as fast, it wins with probability p (the exponential race; the same
// draw as the Gumbel-max trick, Gumbel 1954).
//
// It is the second kind of shared luck beside [Coin]. Lanes that race under one
// seed give a token the same time whatever else their laws allow, so a token
// that is about as likely in two lanes wins in both or in neither, and their
// texts part about as rarely as their laws allow. Under a shared u a token that
// is cut moves all that come after it.
type Race uint64

// NewRace returns the race for one position under one seed. Streams are as
// those of [Coin].
func NewRace(seed uint64, pos int, stream uint32) Race { return Race(counter(seed, pos, stream)) }

// uniform returns a number in (0, 1) for a token.
func (r Race) uniform(id int32) float64 {
	z := mix64(uint64(r) ^ (uint64(uint32(id))+1)*0x9FB21C651E98DF25)
	return (float64(z>>11) + 0.5) / (1 << 53)
}

// Time returns the time at which a token would come in if it had probability
// 1: exponentially distributed with mean 1, above 0. At probability p it comes
// in at Time / p.
func (r Race) Time(id int32) float64 { return -math.Log1p(-r.uniform(id)) }

// An Arrival is a token and when it comes in.
type Arrival struct {
	Entry int // place in the weights, -1 for none
	Time  float64
}

// Run returns the first two tokens of a race to come in; of equal times the
// lower id is first. w[i] / total is the probability of the token id(i), and
// one of 0 does not run.
func Run[W float32 | float64](r Race, w []W, total float64, id func(i int) int32) (first, second Arrival) {
	first, second = Arrival{-1, math.Inf(1)}, Arrival{-1, math.Inf(1)}
	for i, x := range w {
		if x <= 0 {
			continue
		}
		// -log(1-u) is never below u, so most tokens need no logarithm.
		u, p := r.uniform(id(i)), float64(x)/total
		if u > second.Time*p {
			continue
		}
		t := -math.Log1p(-u) / p
		switch {
		case t < first.Time || t == first.Time && id(i) < id(first.Entry):
			first, second = Arrival{i, t}, first
		case t < second.Time || t == second.Time && second.Entry >= 0 && id(i) < id(second.Entry):
			second = Arrival{i, t}
		}
	}
	return first, second
}
