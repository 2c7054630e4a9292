package tape

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"logitscope/models"
)

// BinWidth is how many nats of logit one bin of a partial row spans.
const BinWidth = 0.25

// A Row is one row of logits as a run file keeps it: all of them, or the best
// and what the others come to.
type Row struct {
	IDs    []int32   // the tokens that Values score, in the order that ties go by; nil if the row is whole
	Values []float32 // logits; minus infinity for a token that cannot come
	Rest   float64   // probability of the tokens that are not in IDs
	Bins   []Bin     // of those tokens, by logit, ascending; nil if nothing is known of them
	LSE    float64   // logarithm of the sum of exp(logit) over the whole row
	Max    float32   // largest logit
	Scores bool      // the values are log-probabilities: logits up to an unknown constant

	// Second is the whole row that a stage weighed this one against, nil for
	// none, and SecondOf what it is the row of; see [models.Rememberer].
	Second   []float32
	SecondOf string
}

// A Bin is the tokens with logits from At*BinWidth up to (At+1)*BinWidth.
type Bin struct {
	At    int
	Count int
	Mean  float32 // of their logits
}

// Logits returns the row as a model gives it. It shares memory with r.
func (r *Row) Logits() models.Logits {
	return models.Logits{IDs: r.IDs, Values: r.Values, Rest: float32(r.Rest)}
}

// Whole reports whether r has a value for every token.
func (r *Row) Whole() bool { return r.IDs == nil }

// Index returns the place of token id in Values, -1 if the row has none.
func (r *Row) Index(id int32) int {
	switch {
	case r.IDs == nil && id >= 0 && int(id) < len(r.Values):
		return int(id)
	case r.IDs == nil:
		return -1
	}
	return slices.Index(r.IDs, id)
}

// All returns l as a row, with every value that it has. It does not share
// memory with l.
func All(l models.Logits, scores bool) Row {
	r := Row{IDs: slices.Clone(l.IDs), Values: slices.Clone(l.Values), Rest: float64(l.Rest), Scores: scores}
	r.measure(l.Values)
	return r
}

// Best returns the n best tokens of a whole row l, and the n best of those
// that allowed says may come, if it is not nil; the others go into bins. A row
// that is not larger than that, or is partial already, is returned by [All].
// Of equals the lower id comes first.
func Best(l models.Logits, n int, allowed func(id int32) bool, scores bool) Row {
	if l.IDs != nil || len(l.Values) <= n {
		return All(l, scores)
	}
	keep := best(l.Values, n, nil)
	if allowed != nil {
		keep = append(keep, best(l.Values, n, allowed)...)
		slices.Sort(keep)
		keep = slices.Compact(keep)
	}
	if len(keep) == len(l.Values) {
		return All(l, scores)
	}
	r := Row{IDs: keep, Values: make([]float32, len(keep)), Scores: scores}
	r.measure(l.Values)
	for i, id := range keep {
		r.Values[i] = l.Values[id]
	}
	r.bin(l.Values)
	return r
}

// measure takes the largest logit and the logarithm of the sum.
func (r *Row) measure(all []float32) {
	r.Max = float32(math.Inf(-1))
	for _, v := range all {
		r.Max = max(r.Max, v)
	}
	sum := 0.0
	for _, v := range all {
		sum += math.Exp(float64(v) - float64(r.Max))
	}
	r.LSE = float64(r.Max) + math.Log(sum)
}

// best returns the ids of the n largest values that allowed lets pass,
// ascending.
func best(values []float32, n int, allowed func(int32) bool) []int32 {
	worse := func(a, b int32) bool { return values[a] < values[b] || values[a] == values[b] && a > b }
	heap := make([]int32, 0, n) // the worst on top
	sift := func() {
		for i := 0; ; {
			least := i
			for _, c := range [2]int{2*i + 1, 2*i + 2} {
				if c < len(heap) && worse(heap[c], heap[least]) {
					least = c
				}
			}
			if least == i {
				return
			}
			heap[i], heap[least] = heap[least], heap[i]
			i = least
		}
	}
	for i := range values {
		id := int32(i)
		full := len(heap) == n
		if full && !worse(heap[0], id) || allowed != nil && !allowed(id) {
			continue
		}
		if full {
			heap[0] = id
			sift()
			continue
		}
		heap = append(heap, id)
		for c := len(heap) - 1; c > 0; {
			up := (c - 1) / 2
			if !worse(heap[c], heap[up]) {
				break
			}
			heap[c], heap[up] = heap[up], heap[c]
			c = up
		}
	}
	slices.Sort(heap)
	return heap
}

// bin puts the tokens that r does not name into bins.
func (r *Row) bin(all []float32) {
	type sums struct {
		n    int
		mean float64
	}
	bins := map[int]*sums{}
	next := 0
	rest := 0.0
	for i, v := range all {
		if next < len(r.IDs) && r.IDs[next] == int32(i) {
			next++
			continue
		}
		if math.IsInf(float64(v), -1) {
			continue
		}
		rest += math.Exp(float64(v) - r.LSE)
		at := int(math.Floor(float64(v) / BinWidth))
		b := bins[at]
		if b == nil {
			b = &sums{}
			bins[at] = b
		}
		b.n++
		b.mean += (float64(v) - b.mean) / float64(b.n)
	}
	r.Rest = rest
	for at, b := range bins {
		r.Bins = append(r.Bins, Bin{at, b.n, float32(b.mean)})
	}
	slices.SortFunc(r.Bins, func(a, b Bin) int { return cmp.Compare(a.At, b.At) })
}

// A rowJSON is a row as the file has it: numbers as the base64 of little-endian
// uint32 and float32.
type rowJSON struct {
	N      int       `json:"n"`
	IDs    []byte    `json:"ids,omitempty"`
	Values []byte    `json:"values"`
	Bins   *binsJSON `json:"bins,omitempty"`
	Rest   float64   `json:"rest,omitempty"`
	LSE    float64   `json:"lse"`
	Max    float64   `json:"max"`
	Scores bool      `json:"normalised,omitempty"`

	Second   []byte `json:"second,omitempty"`
	SecondOf string `json:"second_of,omitempty"`
}

type binsJSON struct {
	Width float64 `json:"width"`
	At    []int   `json:"at"`
	Count []int   `json:"count"`
	Mean  []byte  `json:"mean"`
}

// MarshalJSON writes the row.
func (r Row) MarshalJSON() ([]byte, error) {
	j := rowJSON{N: len(r.Values), Values: floats(r.Values), Rest: r.Rest, LSE: r.LSE, Max: float64(r.Max), Scores: r.Scores, SecondOf: r.SecondOf}
	if r.Second != nil {
		j.Second = floats(r.Second)
	}
	for _, id := range r.IDs {
		j.IDs = binary.LittleEndian.AppendUint32(j.IDs, uint32(id))
	}
	if len(r.Bins) > 0 {
		j.Bins = &binsJSON{Width: BinWidth}
		mean := make([]float32, len(r.Bins))
		for i, b := range r.Bins {
			j.Bins.At, j.Bins.Count, mean[i] = append(j.Bins.At, b.At), append(j.Bins.Count, b.Count), b.Mean
		}
		j.Bins.Mean = floats(mean)
	}
	return json.Marshal(j)
}

func floats(x []float32) []byte {
	out := make([]byte, 0, 4*len(x))
	for _, v := range x {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// UnmarshalJSON reads a row. It checks what can be checked without the size of
// the vocabulary; see Row.check.
func (r *Row) UnmarshalJSON(b []byte) error {
	var j rowJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*r = Row{Rest: j.Rest, LSE: j.LSE, Max: float32(j.Max), Scores: j.Scores, SecondOf: j.SecondOf}
	var err error
	if r.Values, err = readFloats("values", j.Values, j.N); err != nil {
		return err
	}
	if j.Second != nil {
		if r.Second, err = readFloats("second", j.Second, j.N); err != nil {
			return err
		}
	}
	if j.IDs != nil {
		if len(j.IDs) != 4*j.N {
			return fmt.Errorf("row.ids: %d bytes, want %d for n %d", len(j.IDs), 4*j.N, j.N)
		}
		r.IDs = make([]int32, j.N)
		for i := range r.IDs {
			u := binary.LittleEndian.Uint32(j.IDs[4*i:])
			if u > math.MaxInt32 {
				return fmt.Errorf("row.ids: %d is not a token id", u)
			}
			r.IDs[i] = int32(u)
		}
		sorted := slices.Sorted(slices.Values(r.IDs))
		for i := 1; i < len(sorted); i++ {
			if sorted[i] == sorted[i-1] {
				return fmt.Errorf("row.ids: %d stands twice", sorted[i])
			}
		}
	}
	return r.readBins(j.Bins)
}

func (r *Row) readBins(j *binsJSON) error {
	switch {
	case j == nil:
		return nil
	case r.IDs == nil:
		return errors.New("row.bins: the row has no ids, so there is nothing outside it")
	case j.Width != BinWidth:
		return fmt.Errorf("row.bins.width: %v, want %v", j.Width, BinWidth)
	case len(j.At) != len(j.Count):
		return fmt.Errorf("row.bins: %d places and %d counts", len(j.At), len(j.Count))
	}
	mean, err := readFloats("bins.mean", j.Mean, len(j.At))
	if err != nil {
		return err
	}
	for i, at := range j.At {
		switch {
		case i > 0 && at <= j.At[i-1]:
			return fmt.Errorf("row.bins.at: %d after %d, want them ascending", at, j.At[i-1])
		case j.Count[i] < 1 || j.Count[i] > maxVocab:
			return fmt.Errorf("row.bins.count: %d is out of range, 1 to %d", j.Count[i], maxVocab)
		case math.IsInf(float64(mean[i]), 0):
			return errors.New("row.bins.mean: must be finite")
		}
		r.Bins = append(r.Bins, Bin{at, j.Count[i], mean[i]})
	}
	return nil
}

func readFloats(name string, b []byte, n int) ([]float32, error) {
	if n < 0 || len(b) != 4*n {
		return nil, fmt.Errorf("row.%s: %d bytes, want %d for n %d", name, len(b), 4*n, n)
	}
	out := make([]float32, n)
	for i := range out {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if v != v || v > math.MaxFloat32 {
			return nil, fmt.Errorf("row.%s: value %d is %v", name, i, v)
		}
		out[i] = v
	}
	return out, nil
}

// check reports what keeps r from being a row over size tokens.
func (r *Row) check(size int) error {
	n := len(r.Values)
	switch {
	case n == 0:
		return errors.New("row: no values")
	case r.IDs == nil && n != size:
		return fmt.Errorf("row: %d values without ids, the vocabulary has %d tokens", n, size)
	case r.IDs != nil && int(slices.Max(r.IDs)) >= size:
		return fmt.Errorf("row.ids: %d, the vocabulary has %d tokens", slices.Max(r.IDs), size)
	case !(r.Rest >= 0 && r.Rest < 1):
		return fmt.Errorf("row.rest: %v is out of range, 0 to 1", r.Rest)
	case math.IsNaN(r.LSE) || math.IsInf(r.LSE, 0):
		return errors.New("row.lse: must be finite")
	case r.Second != nil && r.IDs != nil:
		return errors.New("row.second: only a whole row has one")
	case r.Second != nil && !slices.ContainsFunc(r.Second, func(v float32) bool { return !math.IsInf(float64(v), -1) }):
		return errors.New("row.second: no token is left")
	}
	for _, b := range r.Bins {
		if n += b.Count; n > size {
			return fmt.Errorf("row.bins: more tokens than the %d of the vocabulary", size)
		}
	}
	top := float32(math.Inf(-1))
	for _, v := range r.Values {
		top = max(top, v)
	}
	if math.IsInf(float64(top), -1) {
		return errors.New("row: no value is finite")
	}
	return nil
}

// BinSpread is how far from the mean of a bin its tokens are put, half above
// and half below: the standard deviation of logits that lie evenly in it.
const BinSpread = BinWidth / 3.4641016151377544

// Spread returns the row with a value for each of size tokens: for those that
// it does not name, the means of its bins with [BinSpread], the largest first. Which of them
// has which is not known, and the others have minus infinity. avoid says which
// ids are to be left out as long as there are others; it may be nil.
func (r *Row) Spread(size int, avoid func(id int32) bool) []float32 {
	out := make([]float32, size)
	if r.Whole() {
		copy(out, r.Values)
		return out
	}
	taken := make([]bool, size)
	for i := range out {
		out[i] = float32(math.Inf(-1))
	}
	for i, id := range r.IDs {
		out[id], taken[id] = r.Values[i], true
	}
	var free, last []int32
	for id := range int32(size) {
		switch {
		case taken[id]:
		case avoid != nil && avoid(id):
			last = append(last, id)
		default:
			free = append(free, id)
		}
	}
	free = append(free, last...)
	for _, b := range slices.Backward(r.Bins) {
		n := min(b.Count, len(free))
		for i, id := range free[:n] {
			out[id] = b.Mean
			switch {
			case i == n-1 && n%2 == 1: // in the middle
			case i%2 == 0:
				out[id] += BinSpread
			default:
				out[id] -= BinSpread
			}
		}
		free = free[n:]
	}
	return out
}
