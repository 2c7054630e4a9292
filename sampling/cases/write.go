package cases

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"logitscope/sampling"
)

// maxListed is the most survivors that are listed one by one.
const maxListed = 1200

// begin starts an answer.
func (t *runner) begin(id json.RawMessage) {
	t.out = append(t.out[:0], `{"id":`...)
	if len(id) == 0 {
		t.out = append(t.out, "null"...)
	} else {
		t.out = append(t.out, id...)
	}
}

func (t *runner) end() []byte {
	t.out = append(t.out, '}', '\n')
	return t.out
}

func (t *runner) key(name string) {
	t.out = append(t.out, ',', '"')
	t.out = append(t.out, name...)
	t.out = append(t.out, '"', ':')
}

func (t *runner) int(n int) { t.out = strconv.AppendInt(t.out, int64(n), 10) }

func (t *runner) text(s string) {
	b, err := json.Marshal(s)
	if err != nil {
		b = []byte(`""`)
	}
	t.out = append(t.out, b...)
}

// float writes a float32 with the fewest digits that give it back.
func (t *runner) float(f float64) {
	switch {
	case math.IsNaN(f):
		t.out = append(t.out, `"nan"`...)
	case math.IsInf(f, 1):
		t.out = append(t.out, `"inf"`...)
	case math.IsInf(f, -1):
		t.out = append(t.out, `"-inf"`...)
	default:
		t.out = strconv.AppendFloat(t.out, f, 'g', -1, 32)
	}
}

func (t *runner) ids(ids []int32) {
	t.out = append(t.out, '[')
	for i, id := range ids {
		if i > 0 {
			t.out = append(t.out, ',')
		}
		t.out = strconv.AppendInt(t.out, int64(id), 10)
	}
	t.out = append(t.out, ']')
}

// processed writes the row as it is after the processors and cuts, for short
// rows.
func (t *runner) processed(p *plan, in sampling.Input, greedy bool) error {
	n := len(in.Logits)
	if n > 64 && !greedy {
		return nil
	}
	if err := p.pipeline.Warp(t.row(n), &t.aux, in); err != nil {
		return err
	}
	if n > 64 {
		return nil
	}
	t.logits(t.warp)
	return nil
}

// logits writes a row as processed_logits.
func (t *runner) logits(row []float32) {
	t.key("processed_logits")
	t.out = append(t.out, '[')
	for i, v := range row {
		if i > 0 {
			t.out = append(t.out, ',')
		}
		t.float(float64(v))
	}
	t.out = append(t.out, ']')
}

// row returns warp with n elements.
func (t *runner) row(n int) []float32 {
	if cap(t.warp) < n {
		t.warp = make([]float32, n)
	}
	t.warp = t.warp[:n]
	return t.warp
}

func argmax(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// rowDist fills dist with the distribution of the row in warp.
func (t *runner) rowDist() {
	d := &t.dist
	d.IDs, d.Probs = d.IDs[:0], d.Probs[:0]
	hi := slices.Max(t.warp)
	sum := 0.0
	for i, v := range t.warp {
		if v > float32(math.Inf(-1)) {
			e := math.Exp(float64(v - hi))
			sum += e
			d.IDs, d.Probs = append(d.IDs, int32(i)), append(d.Probs, e)
		}
	}
	for i := range d.Probs {
		d.Probs[i] /= sum
	}
}

// survivors writes the tokens left and their probabilities, by ascending id.
func (t *runner) survivors() {
	d := &t.dist
	n := len(d.IDs)
	t.key("n_survivors")
	t.int(n)
	t.rank = t.rank[:0]
	for i := range d.IDs {
		t.rank = append(t.rank, int32(i))
	}
	if n > maxListed {
		slices.SortStableFunc(t.rank, func(a, b int32) int {
			switch {
			case d.Probs[a] > d.Probs[b]:
				return -1
			case d.Probs[a] < d.Probs[b]:
				return 1
			}
			return int(d.IDs[a] - d.IDs[b])
		})
		t.topProbs()
	}
	slices.SortFunc(t.rank, func(a, b int32) int { return int(d.IDs[a] - d.IDs[b]) })
	if n > maxListed {
		t.digest()
		return
	}
	t.key("survivors")
	t.out = append(t.out, '[')
	for i, k := range t.rank {
		if i > 0 {
			t.out = append(t.out, ',')
		}
		t.int(int(d.IDs[k]))
	}
	t.out = append(t.out, ']')
	t.key("probs")
	t.out = append(t.out, '[')
	for i, k := range t.rank {
		if i > 0 {
			t.out = append(t.out, ',')
		}
		t.float(float64(float32(d.Probs[k])))
	}
	t.out = append(t.out, ']')
}

func (t *runner) topProbs() {
	t.key("top_probs")
	t.out = append(t.out, '[')
	for i, k := range t.rank[:min(64, len(t.rank))] {
		if i > 0 {
			t.out = append(t.out, ',')
		}
		t.out = append(t.out, '[')
		t.int(int(t.dist.IDs[k]))
		t.out = append(t.out, ',')
		t.float(float64(float32(t.dist.Probs[k])))
		t.out = append(t.out, ']')
	}
	t.out = append(t.out, ']')
}

// digest writes the survivors in short: count, sum, hash, first and last.
func (t *runner) digest() {
	h := fnv.New64a()
	var b [4]byte
	sum := 0
	t.order = t.order[:0]
	for _, k := range t.rank {
		id := t.dist.IDs[k]
		t.order = append(t.order, id)
		sum += int(id)
		binary.LittleEndian.PutUint32(b[:], uint32(id))
		h.Write(b[:])
	}
	t.key("survivors_digest")
	t.out = append(t.out, `{"count":`...)
	t.int(len(t.order))
	t.key("sum")
	t.int(sum)
	t.key("fnv1a64")
	t.out = append(t.out, '"')
	t.out = append(t.out, hex.EncodeToString(h.Sum(nil))...)
	t.out = append(t.out, '"')
	t.key("first")
	t.ids(t.order[:8])
	t.key("last")
	t.ids(t.order[len(t.order)-8:])
	t.out = append(t.out, '}')
}

// arrayOrder writes the size of the array and the order the draw walks it.
func (t *runner) arrayOrder(greedy bool) {
	if greedy {
		return
	}
	t.order = t.s.Array(t.order[:0])
	t.key("array_size")
	t.int(len(t.order))
	if len(t.order) <= maxListed {
		t.key("order")
		t.ids(t.order)
	}
}

// effective writes what the engine made of the settings, if it tells.
func (t *runner) effective(p *plan) {
	told := p.rules.Cases.Effective
	if len(told) == 0 {
		return
	}
	t.key("effective")
	t.out = append(t.out, '{')
	first := true
	for _, e := range p.pipeline.Effective() {
		if !slices.Contains(told, e.Key) {
			continue
		}
		if !first {
			t.out = append(t.out, ',')
		}
		first = false
		t.out = append(t.out, '"')
		t.out = append(t.out, e.Key...)
		t.out = append(t.out, `":`...)
		switch v := e.InForce.(type) {
		case float64:
			t.out = strconv.AppendFloat(t.out, v, 'g', -1, 64)
		case int64:
			t.int(int(v))
		}
	}
	t.out = append(t.out, '}')
}

func (t *runner) notSupported(p *plan) {
	if len(p.notSupported) == 0 {
		return
	}
	t.key("not_supported")
	b, err := json.Marshal(p.notSupported)
	if err == nil {
		t.out = append(t.out, b...)
	}
}
