package inside

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// DoLa (Chuang et al. 2023, "Decoding by Contrasting Layers") weighs the last
// layer against an inner one, chosen of some candidates by how far its law is
// from the last.

// A DoLaRule says how layers are compared and what is taken of them.
type DoLaRule uint8

const (
	// DoLaTransformers is transformers' rule: inner states go through the output
	// matrix without the last norm, and the divergence runs from the mean of the
	// two laws and is a mean over the vocabulary.
	DoLaTransformers DoLaRule = iota

	// DoLaPaper is the paper's: the Jensen–Shannon divergence, to the mean and
	// summed, of states through norm and output matrix.
	DoLaPaper
)

// String names the rule as the screen does.
func (r DoLaRule) String() string { return [...]string{"transformers", "paper"}[r] }

// The words for candidate layers.
const (
	DoLaLow  = "low"
	DoLaHigh = "high"
)

// wideModel is the number of layers above which twenty are candidates.
const wideModel, wideCandidates = 40, 20

// candidateLayers returns the layers of n, 0 the embedding, that a word of
// transformers names: every second one of the lower or upper half.
func candidateLayers(n int, tied bool, which string) ([]int, error) {
	every := func(from, to int) (out []int) {
		for l := from; l < to; l += 2 {
			out = append(out, l)
		}
		return out
	}
	start := 0
	if tied { // the embedding would say its own word
		start = min(n-1, 2)
	}
	switch which {
	case DoLaLow:
		switch {
		case start == n/2:
			return []int{start}, nil
		case n > wideModel:
			return every(start, wideCandidates), nil
		}
		return every(start, n/2), nil
	case DoLaHigh:
		if n > wideModel {
			return every(n-wideCandidates, n), nil
		}
		return every(n/2, n), nil
	}
	return nil, fmt.Errorf("%q must be %s or %s", which, DoLaLow, DoLaHigh)
}

// innerLayers returns those of a list that are below the last of n.
func innerLayers(n int, list []int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(l int) bool { return l < 0 || l >= n })
}

// A DoLa is what the rule makes of a step.
type DoLa struct {
	Rule       DoLaRule
	Candidates []int     // layers
	JS         []float64 // of each, as the rule measures it
	Chosen     int       // layer
	IDs        []int32   // the tokens left, ascending
	Scores     []float64 // of each
	Probs      []float64 // their softmax
	Inner      []float64 // the chosen layer's probability of each
}

// relativeTop is the share of the best token's probability below which a token
// is removed.
const relativeTop = 0.1

// contrast weighs the last layer's logits against those of the candidates.
func contrast(rule DoLaRule, candidates []int, final []float32, layers map[int][]float32) DoLa {
	d := DoLa{Rule: rule, Candidates: candidates}
	p := law(final)
	at := 0
	for i, l := range candidates {
		d.JS = append(d.JS, rule.divergence(p, law(layers[l])))
		if d.JS[i] > d.JS[at] {
			at = i
		}
	}
	d.Chosen = candidates[at]
	e, b := logLaw(final), logLaw(layers[d.Chosen])
	limit := slices.Max(e) + math.Log(relativeTop)
	sum := 0.0
	for i := range e {
		if e[i] < limit {
			continue
		}
		d.IDs, d.Scores, d.Inner = append(d.IDs, int32(i)), append(d.Scores, e[i]-b[i]), append(d.Inner, math.Exp(b[i]))
	}
	top := slices.Max(d.Scores)
	for _, s := range d.Scores {
		d.Probs = append(d.Probs, math.Exp(s-top))
		sum += math.Exp(s - top)
	}
	for i := range d.Probs {
		d.Probs[i] /= sum
	}
	return d
}

// logLaw returns log probabilities, which do not end at 0 where probabilities do.
func logLaw(logits []float32) []float64 {
	top := float64(slices.Max(logits))
	sum := 0.0
	for _, v := range logits {
		sum += math.Exp(float64(v) - top)
	}
	out := make([]float64, len(logits))
	for i, v := range logits {
		out[i] = float64(v) - top - math.Log(sum)
	}
	return out
}

// divergence returns how far two laws are apart as the rule measures it.
func (r DoLaRule) divergence(p, q []float64) (js float64) {
	for i := range p {
		m := (p[i] + q[i]) / 2
		for _, x := range [2]float64{p[i], q[i]} {
			switch {
			case r == DoLaTransformers && m > 0:
				js += m * (math.Log(m) - math.Log(max(x, math.SmallestNonzeroFloat64))) / 2
			case r == DoLaPaper && x > 0:
				js += x * math.Log(x/m) / 2
			}
		}
	}
	if r == DoLaTransformers {
		js /= float64(len(p))
	}
	return js
}

// DoLa returns what the rule makes of the step, with every second layer of the
// lower or upper half as candidates.
func (in *Insight) DoLa(rule DoLaRule, which string) (DoLa, error) {
	n := in.Anatomy.Layers()
	candidates, err := candidateLayers(n, in.Anatomy.Tied, which)
	if err != nil {
		return DoLa{}, err
	}
	if candidates = innerLayers(n, candidates); len(candidates) == 0 {
		return DoLa{}, fmt.Errorf("a model of %d layers has no candidates", n)
	}
	rows := map[int][]float32{}
	for _, l := range candidates {
		if rows[l] = in.Bare[l]; rule == DoLaPaper {
			rows[l] = in.Lens[l]
		}
	}
	return contrast(rule, candidates, in.Lens[n], rows), nil
}

// Order returns the tokens that are left, most probable first, with their
// places in IDs.
func (d DoLa) Order() []int {
	at := make([]int, len(d.IDs))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(d.Probs[b], d.Probs[a]) })
	return at
}
