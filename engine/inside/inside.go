// Package inside answers: what happens inside a model at one step? It looks
// into a model at one step: what each layer would say next, what its heads look
// at, and what becomes of the step when a part of the model is switched off.
//
// What a layer would say is the plain logit lens (nostalgebraist 2020): its
// state through the last norm and the output matrix. Both were trained for the
// last layer; earlier layers need not share its basis, so that noise there is
// no thought.
package inside

import (
	"context"
	"errors"
	"math"
	"slices"

	"logitscope/models"
)

// ErrClosed means that a model does not show its layers: a server's, or that of
// a recording.
var ErrClosed = errors.New("layers are not sent; a model file shows them")

// chunk is how many tokens are read at once before those that are looked at.
const chunk = 128

// A Source is a session that holds the beginning of a text, and the text: the
// step looked at is the one after it. Whoever makes it owns the session, which
// was read with all parts on.
type Source struct {
	Model   models.Model
	Session models.Session
	Tokens  []int32

	Off  []models.Part // parts that are off
	From int           // the first position that is read without them
}

// catchUp brings the session to the first n tokens.
func (s Source) catchUp(ctx context.Context, n int) error {
	keep := n
	if len(s.Off) > 0 {
		keep = min(n, s.From)
	}
	if s.Session.Len() > keep {
		s.Session.Truncate(keep)
	}
	for s.Session.Len() < n {
		from := s.Session.Len()
		s.dress(from)
		if _, err := s.Session.Forward(ctx, s.Tokens[from:min(s.stretch(from, n), from+chunk)], 0); err != nil {
			return err
		}
	}
	s.dress(n)
	return nil
}

// stretch returns how far towards n the session can be read from a position
// with the same parts on.
func (s Source) stretch(from, n int) int {
	if len(s.Off) > 0 && from < s.From {
		return min(n, s.From)
	}
	return n
}

// dress makes the session leave out what is off at a position.
func (s Source) dress(at int) {
	if len(s.Off) > 0 {
		s.Session.(models.Insider).SwitchOff(s.offAt(at)...)
	}
}

func (s Source) offAt(at int) []models.Part {
	if at < s.From {
		return nil
	}
	return s.Off
}

// A Cell is the best token of a law, and its probability.
type Cell struct {
	Token int32
	Prob  float64
}

// A LayerLaw is what is known of a layer's law at the last position.
type LayerLaw struct {
	LogSum  float64  // natural logarithm of the sum of its exponentials
	Entropy float64  // bits
	Exit    Distance // from the last layer's law: what stopping there costs
}

// An Insight is what went on in a model at the last position of a text, and in
// short at some before it. It does not change.
type Insight struct {
	Anatomy models.Anatomy
	Tokens  []int32 // the text, the position looked at last
	Rows    int     // positions of the map: the last ones

	// Lens and Bare are by layer, from 0 (the word itself), the logits of the
	// last position: through norm and output matrix, and without the norm.
	Lens, Bare [][]float32

	Laws   []LayerLaw // by layer, from 0: of Lens
	Map    [][]Cell   // by layer, from 0, and row
	Inside *models.Inside
}

// Look reads the text and looks at its last rows positions.
func Look(ctx context.Context, src Source, rows int) (*Insight, error) {
	s, ok := src.Session.(models.Insider)
	if !ok {
		return nil, ErrClosed
	}
	n := len(src.Tokens)
	rows = max(1, min(rows, n))
	if err := src.catchUp(ctx, n-rows); err != nil {
		return nil, err
	}
	layers := s.Anatomy().Layers()
	in := &Insight{
		Anatomy: s.Anatomy(), Tokens: slices.Clone(src.Tokens), Rows: rows, Inside: new(models.Inside),
		Lens: make([][]float32, layers+1), Bare: make([][]float32, layers+1), Map: make([][]Cell, layers+1),
	}
	for at := n - rows; at < n; {
		to := src.stretch(at, n)
		src.dress(at)
		if _, err := s.Look(ctx, src.Tokens[at:to], to-at, in.Inside); err != nil {
			return nil, err
		}
		if err := in.read(ctx, s, to == n, src.Model.Info().VocabSize); err != nil {
			return nil, err
		}
		at = to
	}
	last := law(in.Lens[layers])
	for _, logits := range in.Lens {
		p := law(logits)
		best := Best(logits, 1)[0]
		in.Laws = append(in.Laws, LayerLaw{LogSum: float64(logits[best]) - math.Log(p[best]), Entropy: entropy(p), Exit: apart(last, p)})
	}
	return in, nil
}

// Prob returns the probability of a token after a layer at the last position.
func (in *Insight) Prob(layer int, id int32) float64 {
	return math.Exp(float64(in.Lens[layer][id]) - in.Laws[layer].LogSum)
}

// read adds what a look at some rows has seen, the last of all among them or
// not.
func (in *Insight) read(ctx context.Context, s models.Insider, last bool, vocab int) error {
	rows := in.Inside.Rows
	logits := make([]float32, rows*vocab)
	for l := range in.Map {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.Lens(logits, in.Inside.Layer(l), false)
		for i := range rows {
			in.Map[l] = append(in.Map[l], best(logits[i*vocab:(i+1)*vocab]))
		}
		if last {
			in.Lens[l], in.Bare[l] = slices.Clone(logits[(rows-1)*vocab:]), make([]float32, vocab)
			s.Lens(in.Bare[l], in.Inside.State(l, rows-1), true)
		}
	}
	return nil
}

// best returns the best token of a row of logits.
func best(row []float32) Cell {
	at, sum := 0, 0.0
	for i, v := range row {
		if v > row[at] {
			at = i
		}
	}
	for _, v := range row {
		sum += math.Exp(float64(v - row[at]))
	}
	return Cell{int32(at), 1 / sum}
}

// law returns the softmax of logits.
func law(logits []float32) []float64 {
	p := make([]float64, len(logits))
	top := float64(slices.Max(logits))
	sum := 0.0
	for i, v := range logits {
		p[i] = math.Exp(float64(v) - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// entropy returns the entropy of a law in bits.
func entropy(p []float64) (bits float64) {
	for _, v := range p {
		if v > 0 {
			bits -= v * math.Log2(v)
		}
	}
	return max(0, bits)
}

// Rank returns the rank of a token, from 1; equals rank by ascending id.
func Rank(logits []float32, id int32) int {
	rank := 1
	for i, v := range logits {
		if v > logits[id] || v == logits[id] && int32(i) < id {
			rank++
		}
	}
	return rank
}

// Best returns the n best tokens of logits, best first; equals by ascending id.
func Best(logits []float32, n int) []int32 {
	ids := make([]int32, 0, n+1)
	for i, v := range logits {
		if len(ids) == n && v <= logits[ids[n-1]] {
			continue
		}
		at := len(ids)
		for at > 0 && v > logits[ids[at-1]] {
			at--
		}
		if ids = slices.Insert(ids, at, int32(i)); len(ids) > n {
			ids = ids[:n]
		}
	}
	return ids
}

// settlesAt returns the first layer from which on the best token of the last
// position stays the best.
func (in *Insight) settlesAt() int {
	last := len(in.Map) - 1
	at := last
	for at > 0 && in.Map[at-1][in.Rows-1].Token == in.Map[last][in.Rows-1].Token {
		at--
	}
	return at
}

// A Distance is how far two laws are apart.
type Distance struct {
	TV float64 // total variation, 0 to 1
	KL float64 // of the second from the first, bits: what it costs to take the second for the first
}

// apart returns the distance of law q from law p.
func apart(p, q []float64) (d Distance) {
	for i := range p {
		d.TV += math.Abs(p[i]-q[i]) / 2
		if p[i] > 0 {
			d.KL += p[i] * math.Log2(p[i]/max(q[i], math.SmallestNonzeroFloat64))
		}
	}
	return Distance{min(1, d.TV), max(0, d.KL)}
}
