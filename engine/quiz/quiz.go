// Package quiz answers: how well did somebody know what would be drawn? It
// scores what somebody believed before a draw.
//
// A [Question] offers tokens and, as its last option, something else. A
// [Guess] places ten chips on the options, and what it costs is the log rule:
// −log2 of the share that the drawn option was given ([Guess.Bits]). Half a
// chip lies on every option beforehand, so no guess costs more than a few
// bits, and up to that half chip the rule is proper: on average nobody pays
// less than the entropy of the law, and nothing pays better than putting down
// what one believes ([Best]). A [Pool] is a class taken as one forecaster, a
// [Book] what one forecaster answered so far.
//
// The package has no clock and no input or output; it knows neither tokens
// nor models, only options by their number.
package quiz

import (
	"fmt"
	"math"
)

// Chips is how many chips a guess places.
const Chips = 10

// prior is the part of a chip that lies on every option beforehand.
const prior = 0.5

// A Guess is how many chips lie on each option of a question.
type Guess []int

// AllOn is the guess of m options that puts all chips on option i.
func AllOn(m, i int) Guess {
	g := make(Guess, m)
	g[i] = Chips
	return g
}

// Placed is how many chips lie on the options.
func (g Guess) Placed() int {
	n := 0
	for _, c := range g {
		n += c
	}
	return n
}

// Check returns an error unless g is a whole guess of m options. It is meant
// for guesses that come from outside.
func (g Guess) Check(m int) error {
	if len(g) != m {
		return fmt.Errorf("chips: want %d numbers, one for each option, not %d", m, len(g))
	}
	left := Chips
	for i, c := range g {
		if c < 0 || c > left {
			return fmt.Errorf("chips: option %d has %d, want 0 to %d, and %d in all", i+1, c, Chips, Chips)
		}
		left -= c
	}
	if left != 0 {
		return fmt.Errorf("chips: %d placed, want %d", Chips-left, Chips)
	}
	return nil
}

// share is the probability that a whole guess gives option i:
// (chips + ½) / (10 + m/2).
func (g Guess) share(i int) float64 {
	return (float64(g[i]) + prior) / (Chips + prior*float64(len(g)))
}

// Bits is what the guess costs if option i is drawn: −log2 of its share.
func (g Guess) Bits(i int) float64 { return -math.Log2(g.share(i)) }

// expected is what the guess costs on average in bits, if law is what the
// options are drawn by.
func (g Guess) expected(law []float64) float64 {
	sum := 0.0
	for i, p := range law {
		if p > 0 {
			sum += p * g.Bits(i)
		}
	}
	return sum
}

// Best is the guess that costs least on average under law. Without the
// rounding to whole chips and the bound at none it is p·(10 + m/2) − ½.
func Best(law []float64) Guess {
	g := make(Guess, len(law))
	for range Chips { // each gain falls with the chips that lie there, so the next best chip is always right
		best, gain := 0, math.Inf(-1)
		for i, p := range law {
			if d := p * math.Log2((float64(g[i])+1+prior)/(float64(g[i])+prior)); d > gain {
				best, gain = i, d
			}
		}
		g[best]++
	}
	return g
}

// Blind is what m equal chances cost: log2 m.
func Blind(m int) float64 { return math.Log2(float64(m)) }

// A Question is one draw over options.
type Question struct {
	Law   []float64 // final probability of each option, the last of something else; sums to 1
	Drawn int       // the option drawn
}

// NewQuestion is the question that offers tokens of these final
// probabilities, and something else. Drawn is the index of the token drawn,
// negative if it is none of them; its probability is p.
func NewQuestion(offered []float64, drawn int, p float64) Question {
	law := make([]float64, len(offered)+1)
	rest := 1.0
	for i, q := range offered {
		law[i] = q
		rest -= q
	}
	if drawn < 0 || drawn >= len(offered) {
		drawn = len(offered)
		rest = max(rest, p) // rounding must not leave what was drawn with nothing
	}
	law[len(offered)] = max(rest, 0)
	return Question{Law: law, Drawn: drawn}
}

// Model is what the law itself costs for the option drawn, in bits.
func (q Question) Model() float64 {
	if p := q.Law[q.Drawn]; p < 1 {
		return -math.Log2(p)
	}
	return 0
}

// Floor is the entropy of the law in bits: no guess costs less on average.
func (q Question) Floor() float64 {
	sum := 0.0
	for _, p := range q.Law {
		if p > 0 && p < 1 {
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// A Pool adds guesses of one question up.
type Pool struct {
	chips []int   // on each option
	on    []int   // guesses with more chips there than anywhere else
	n     int     // guesses
	each  []Guess // as they were added
}

// NewPool is an empty pool of m options.
func NewPool(m int) *Pool { return &Pool{chips: make([]int, m), on: make([]int, m)} }

// Add adds a whole guess, which the pool then owns.
func (p *Pool) Add(g Guess) {
	top := 0
	for i, c := range g {
		p.chips[i] += c
		if c > g[top] {
			top = i
		}
	}
	p.on[top]++
	p.n++
	p.each = append(p.each, g)
}

// Guesses is how many were added.
func (p *Pool) Guesses() int { return p.n }

// Favourites is how many guesses have most of their chips on option i, the
// first of equals.
func (p *Pool) Favourites(i int) int { return p.on[i] }

// Favourite is the option with most chips, the first of equals.
func (p *Pool) Favourite() int {
	top := 0
	for i, c := range p.chips {
		if c > p.chips[top] {
			top = i
		}
	}
	return top
}

// Held is the part of all chips that lies on option i, 0 to 1.
func (p *Pool) Held(i int) float64 {
	if p.n == 0 {
		return 0
	}
	return float64(p.chips[i]) / float64(Chips*p.n)
}

// share is the probability that the pool as one forecaster gives option i:
// (Σ chips + 5) / (10 n + 5 m), the guess of half a chip scaled to ten.
func (p *Pool) share(i int) float64 {
	const five = Chips * prior
	return (float64(p.chips[i]) + five) / float64(Chips*p.n+five*len(p.chips))
}

// Bits is what the pool as one forecaster costs if option i is drawn.
func (p *Pool) Bits(i int) float64 { return -math.Log2(p.share(i)) }

// MeanBits is what its guesses cost on average if option i is drawn, NaN
// without any.
func (p *Pool) MeanBits(i int) float64 {
	sum := 0.0
	for _, g := range p.each {
		sum += g.Bits(i)
	}
	return sum / float64(p.n)
}
