package remote

import (
	"math"
	"slices"

	"logitscope/models"
)

// A Row is the answer of a server for one position.
type Row struct {
	IDs    []int32 // in the server's order, which is most probable first
	Values []float32
	Chosen int32 // the token the server itself took, or NoToken
	dense  []float32
	Rest   float32
	// Strayed means that the server read the text as other tokens.
	Strayed bool
	whole   bool // dense holds the logits of the whole vocabulary
}

// Reset empties r and keeps its memory.
func (r *Row) Reset() {
	r.IDs, r.Values = r.IDs[:0], r.Values[:0]
	r.Chosen, r.Rest, r.whole, r.Strayed = models.NoToken, 0, false, false
}

// Add appends a token and its value, a natural logarithm.
func (r *Row) Add(id int32, v float64) {
	r.IDs = append(r.IDs, id)
	r.Values = append(r.Values, float32(v))
}

// Logits returns the row as a session hands it out; it aliases r.
func (r *Row) Logits() models.Logits {
	if r.whole {
		return models.Logits{Values: r.dense, Strayed: r.Strayed}
	}
	return models.Logits{IDs: r.IDs, Values: r.Values, Rest: r.Rest, Strayed: r.Strayed}
}

// Normalised reports whether the values of an unchecked row can be
// log-probabilities.
func (r *Row) Normalised() bool {
	g := grid{size: MaxVocab}
	probe := Row{IDs: slices.Clone(r.IDs), Values: slices.Clone(r.Values)}
	return g.finish(&probe) == ""
}

// floor is the value from which on a log-probability stands for probability
// zero: llama-server sends the lowest float32 there.
const floor = -3e38

// A grid checks rows of a vocabulary of size tokens and brings them in order.
type grid struct {
	size int
	raw  bool     // values are logits, not log-probabilities
	mark []uint32 // mark[id] == turn: id has been seen in this row
	turn uint32
}

// finish checks r and fills the parts derived from ids and values. It returns
// what is wrong with the row, or "".
func (g *grid) finish(r *Row) string {
	switch {
	case len(r.IDs) == 0:
		return "a step without probabilities"
	case len(r.IDs) > g.size:
		return "more probabilities than tokens in its vocabulary"
	}
	if len(g.mark) < g.size {
		g.mark = make([]uint32, g.size)
	}
	if g.turn++; g.turn == 0 {
		clear(g.mark)
		g.turn = 1
	}
	sum := 0.0
	for i, id := range r.IDs {
		v := r.Values[i]
		switch {
		case uint32(id) >= uint32(g.size):
			return "a token id outside its vocabulary"
		case g.mark[id] == g.turn:
			return "the same token twice in one step"
		case v != v:
			return "NaN in place of a probability"
		case math.IsInf(float64(v), 1), !g.raw && v > 1e-3:
			return "a probability above 1"
		}
		g.mark[id] = g.turn
		if v <= floor {
			r.Values[i] = float32(math.Inf(-1))
			continue
		}
		if !g.raw {
			sum += math.Exp(float64(v))
		}
	}
	if sum > 1.01 {
		return "probabilities that add up to more than 1"
	}
	g.order(r)
	if r.whole = len(r.IDs) == g.size; r.whole {
		g.scatter(r)
		return ""
	}
	if g.raw {
		return "logits of a part of its vocabulary only, which leaves the rest unknown"
	}
	r.Rest = float32(max(0, 1-sum))
	return ""
}

// order keeps the ranking of the server where rounding has lost it: two
// logits that differ can have the same log-probability as float32. Where the
// later of two equal values has the smaller id, and would therefore come
// first by the rule for ties, it is made one step smaller. The row must be
// the server's, most probable first; anything else is left alone.
func (g *grid) order(r *Row) {
	for i := 1; i < len(r.Values); i++ {
		prev, v := r.Values[i-1], r.Values[i]
		if v > prev && !g.raw && v-prev < 1e-5*max(1, -v) { // follows a value that was lowered
			v = prev
			r.Values[i] = v
		}
		if v == prev && r.IDs[i] < r.IDs[i-1] && !math.IsInf(float64(v), 0) && !g.raw {
			r.Values[i] = math.Nextafter32(v, float32(math.Inf(-1)))
		}
	}
}

func (g *grid) scatter(r *Row) {
	if cap(r.dense) < g.size {
		r.dense = make([]float32, g.size)
	}
	r.dense = r.dense[:g.size]
	for i, id := range r.IDs {
		r.dense[id] = r.Values[i]
	}
}

// Rows is a reusable list of them. Where somebody takes rows one by one, a
// backend may hand on those that are complete while the rest of the answer is
// still to come.
type Rows struct {
	List  []*Row
	hand  func(*Row) error // nil leaves them in the list
	spare chan *Row        // rows to use again; may be nil
}

// Next returns an empty row at the end of the list.
func (rs *Rows) Next() *Row {
	n := len(rs.List)
	rs.List = slices.Grow(rs.List, 1)[:n+1]
	if rs.List[n] == nil {
		select {
		case rs.List[n] = <-rs.spare:
		default:
			rs.List[n] = new(Row)
		}
	}
	rs.List[n].Reset()
	return rs.List[n]
}

// HandOn passes on the rows of the list, which is empty then, if they are taken
// one by one.
func (rs *Rows) HandOn() error {
	if rs.hand == nil {
		return nil
	}
	for i, r := range rs.List {
		rs.List[i] = nil
		if err := rs.hand(r); err != nil {
			return err
		}
	}
	rs.Reset()
	return nil
}

// Reset empties the list and keeps its memory.
func (rs *Rows) Reset() { rs.List = rs.List[:0] }
