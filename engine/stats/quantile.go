package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// z975 is the normal quantile of intervals at [Level].
var z975 = distuv.UnitNormal.Quantile(0.975)

// tQuantile returns the p-quantile of t with nu degrees of freedom.
func tQuantile(p, nu float64) float64 { return distuv.StudentsT{Sigma: 1, Nu: nu}.Quantile(p) }

// tTwoSided returns the probability that t with nu degrees of freedom is at
// least as far from 0 as t.
func tTwoSided(t, nu float64) float64 {
	t = math.Abs(t)
	if t >= 1 {
		return min(1, 2*distuv.StudentsT{Sigma: 1, Nu: nu}.Survival(t))
	}
	// In the middle the tail is taken from the other end: nu/(nu+t²) is too
	// near to 1 there to hold what matters.
	return 1 - mathext.RegIncBeta(0.5, nu/2, t*t/(nu+t*t))
}
