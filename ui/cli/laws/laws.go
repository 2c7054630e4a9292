// Package laws answers: how are the distances of two laws written as JSON? It
// says in JSON how far two laws are apart on one text: compare, the score of a
// text and the check of an export write the same fields.
package laws

import (
	"math"

	"logitscope/sampling/dist"
)

// A Distance is how far law B is from law A over the steps of one text. A
// divergence is the mean over the steps where it is finite, in bits, null if it
// is nowhere; the others are counted.
type Distance struct {
	TV           *float64 `json:"tv_mean"`
	KLab         *float64 `json:"kl_ab"`
	KLba         *float64 `json:"kl_ba"`
	ImpossibleAB int      `json:"impossible_ab"` // steps where A allows a token that B cuts
	ImpossibleBA int      `json:"impossible_ba"`
	JS           *float64 `json:"js_mean"`
	SameTop      *float64 `json:"same_top"` // share of steps
}

// Of returns the distance as reports have it.
func Of(d *dist.Distances) Distance {
	same := math.NaN()
	if d.Steps > 0 {
		same = float64(d.SameTop) / float64(d.Steps)
	}
	return Distance{Known(d.TV()), Known(d.KLab()), Known(d.KLba()), d.ImpossibleAB, d.ImpossibleBA, Known(d.JS()), Known(same)}
}

// A Cross is the likelihood of a text under a law: the mean over the tokens
// that the law keeps, null if it keeps none.
type Cross struct {
	Impossible int      `json:"impossible"`
	FinalBits  *float64 `json:"final_bits_per_token"`
}

// Known is a number as JSON has it: null for none.
func Known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
