package stats

import (
	"errors"
	"math"
)

// ErrNoStrengths says that the votes leave some strength without bound: one
// group never lost to the rest, or was never compared with it.
var ErrNoStrengths = errors.New("no finite strengths: each must have won against each other, directly or through others")

// BradleyTerry returns the log strengths, of sum 0, under which wins are
// likeliest, where i wins against j with the odds exp(strength i − strength j)
// (Bradley and Terry 1952). wins[i][j] is how often i won against j; ties are
// no wins. It is an error where no finite strengths are the likeliest.
func BradleyTerry(wins [][]float64) ([]float64, error) {
	n := len(wins)
	if !connected(wins) {
		return nil, ErrNoStrengths
	}
	s := make([]float64, n)
	value := likelihood(wins, s)
	// Newton's method; the first strength is held at 0, as only differences
	// count. The function is concave, so a step that is halved often enough
	// always helps; a small one needs no halving.
	for range 200 {
		step := newton(wins, s)
		size := 0.0
		for _, d := range step {
			size = max(size, math.Abs(d))
		}
		next := add(s, step, 1)
		if v := likelihood(wins, next); size > 0.01 {
			for half := 0.5; v < value && half > 1e-9; half /= 2 {
				next = add(s, step, half)
				v = likelihood(wins, next)
			}
			value = v
		}
		s = next
		if size < 1e-12 {
			break
		}
	}
	mean := 0.0
	for _, x := range s {
		mean += x / float64(n)
	}
	for i := range s {
		s[i] -= mean
	}
	return s, nil
}

func add(s, step []float64, by float64) []float64 {
	out := make([]float64, len(s))
	for i := range s {
		out[i] = s[i] + by*step[i]
	}
	return out
}

func likelihood(wins [][]float64, s []float64) float64 {
	sum := 0.0
	for i := range s {
		for j := range s {
			if wins[i][j] > 0 {
				sum -= wins[i][j] * softplus(s[j]-s[i])
			}
		}
	}
	return sum
}

// softplus returns log(1+exp(x)).
func softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

// newton returns the step of Newton's method from s.
func newton(wins [][]float64, s []float64) []float64 {
	n := len(s)
	m := make([][]float64, n) // the negative Hessian, and the gradient as the last column
	for i := range m {
		m[i] = make([]float64, n+1)
		for j := range s {
			games := wins[i][j] + wins[j][i]
			if i == j || games == 0 {
				continue
			}
			p := 1 / (1 + math.Exp(s[j]-s[i]))
			m[i][n] += wins[i][j] - games*p
			m[i][i] += games * p * (1 - p)
			m[i][j] -= games * p * (1 - p)
		}
	}
	step := make([]float64, n)
	// Gauss elimination over all but the first; the matrix is positive
	// definite, so it needs no pivots.
	for i := 1; i < n; i++ {
		for r := i + 1; r < n; r++ {
			f := m[r][i] / m[i][i]
			for c := i; c <= n; c++ {
				m[r][c] -= f * m[i][c]
			}
		}
	}
	for i := n - 1; i > 0; i-- {
		x := m[i][n]
		for c := i + 1; c < n; c++ {
			x -= m[i][c] * step[c]
		}
		step[i] = x / m[i][i]
	}
	return step
}

// connected reports whether everyone won against everyone else, directly or
// through others: the condition of Ford (1957).
func connected(wins [][]float64) bool {
	for _, against := range []bool{false, true} {
		seen, queue := make([]bool, len(wins)), []int{0}
		for len(queue) > 0 {
			i := queue[0]
			queue = queue[1:]
			if seen[i] {
				continue
			}
			seen[i] = true
			for j := range wins {
				if w := wins[i][j]; !against && w > 0 || against && wins[j][i] > 0 {
					queue = append(queue, j)
				}
			}
		}
		for _, ok := range seen {
			if !ok {
				return false
			}
		}
	}
	return true
}
