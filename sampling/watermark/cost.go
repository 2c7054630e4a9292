package watermark

import "math"

// A Point is what a mark of one strength costs, and how soon it is seen.
type Point struct {
	Bias   float64 // added to the logits of green tokens
	Green  float64 // part of the tokens that are green in a marked text
	Bits   float64 // by which the marked law parts from the plain one, a token: KL(marked, plain)
	Tokens float64 // after which z is expected to reach the threshold; +Inf if it never is
}

// A Place is what the plain law gives the green tokens of one place.
type Place struct {
	Lifted float64 // probability of the green tokens that the bias lifts
	Others float64 // of green tokens that it leaves alone: beyond SelfHash's candidates
}

// Marked returns the chance of a green token under the bias, and what the bias
// costs there in bits.
func (p Place) Marked(bias float64) (green, bits float64) {
	lift := math.Expm1(bias)
	total := 1 + p.Lifted*lift
	lifted := p.Lifted * (1 + lift) / total
	return lifted + p.Others/total, (lifted*bias - math.Log(total)) / math.Ln2
}

// Cost returns a point for each bias: what it does on average over places.
func (m *Mark) Cost(places []Place, biases []float64, threshold float64) []Point {
	points := make([]Point, len(biases))
	for i, bias := range biases {
		p := Point{Bias: bias, Tokens: math.Inf(1)}
		for _, at := range places {
			green, bits := at.Marked(bias)
			p.Green += green / float64(len(places))
			p.Bits += bits / float64(len(places))
		}
		if more := p.Green - m.Ratio; more > 0 {
			// z grows with the root of the number of tokens.
			d := threshold * math.Sqrt(m.Ratio*(1-m.Ratio)) / more
			p.Tokens = math.Ceil(d * d)
		}
		points[i] = p
	}
	return points
}

// Place returns what a plain law gives the green tokens after a context, which
// is what Before returns. The law is ids by descending probability and their
// probabilities; the tokens that it lacks have none. Beyond SelfHash's
// candidates the ratio stands for the green part.
func (m *Mark) Place(s *Scratch, context []int32, vocab int, ids []int32, probs []float64) (p Place) {
	if m.Scheme == LeftHash {
		if cap(s.green) < vocab {
			s.green = make([]bool, vocab)
		}
		green := s.green[:vocab]
		clear(green)
		for _, id := range m.List(s, context, vocab) {
			green[id] = true
		}
		for i, id := range ids {
			if green[id] {
				p.Lifted += probs[i]
			}
		}
		return p
	}
	for i, id := range ids {
		switch {
		case i >= Candidates:
			p.Others += m.Ratio * probs[i]
		case m.Green(s, append(context[:len(context):len(context)], id), vocab, id):
			p.Lifted += probs[i]
		}
	}
	return p
}
