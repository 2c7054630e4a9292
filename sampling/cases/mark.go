package cases

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"logitscope/sampling"
	"logitscope/sampling/watermark"
)

// A line with a kind asks about a watermark rather than a row of logits: the
// generator's numbers, the table of selfhash, the green list after a context,
// or what the detector says of tokens.

// markKinds answer the kinds of such lines.
var markKinds = map[string]func(*markCase) (any, error){
	"randperm": (*markCase).permutation, "table": (*markCase).table, "greenlist": (*markCase).list, "detect": (*markCase).detect,
}

// A markCase is such a line.
type markCase struct {
	ID        json.RawMessage `json:"id"`
	Kind      string          `json:"kind"`
	Seed      uint64          `json:"seed"`
	N         int             `json:"n"`
	Key       uint64          `json:"hashing_key"`
	Config    map[string]any  `json:"watermarking_config"`
	Vocab     int             `json:"vocab_size"`
	Context   []int32         `json:"context"`
	Tokens    []int32         `json:"tokens"`
	Threshold *float64        `json:"z_threshold"`
	BOS       *int32          `json:"bos_token_id"`
}

// mostOf is the largest permutation and vocabulary that are answered.
const mostOf = 1 << 22

// markLine answers a line that has a kind; is says whether it has.
func (t *runner) markLine(line []byte) (out []byte, ok, is bool) {
	if !bytes.Contains(line, []byte(`"kind"`)) || bytes.Contains(line, []byte(`"logits"`)) {
		return nil, false, false // a row's own kind is in its logits
	}
	var c markCase
	if json.Unmarshal(line, &struct {
		Kind *string `json:"kind"`
	}{&c.Kind}) != nil || c.Kind == "" {
		return nil, false, false
	}
	f := markKinds[c.Kind]
	if f == nil {
		return t.problem(idOf(line), fmt.Errorf("kind: %q; want randperm, table, greenlist or detect, or a case with logits", c.Kind)), false, true
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&c); err != nil {
		return t.problem(idOf(line), jsonProblem(err)), false, true
	}
	for _, n := range []struct {
		name string
		n    int
	}{{"n", c.N}, {"vocab_size", c.Vocab}} {
		if n.n < 0 || n.n > mostOf {
			return t.problem(c.ID, fmt.Errorf("%s: %d must be 0 to %d", n.name, n.n, mostOf)), false, true
		}
	}
	v, err := f(&c)
	if err != nil {
		return t.problem(c.ID, err), true, true
	}
	b, err := json.Marshal(v)
	if err != nil {
		return t.problem(c.ID, err), false, true
	}
	t.begin(c.ID)
	t.out = append(append(t.out, ','), b[1:len(b)-1]...)
	return t.end(), true, true
}

// mark is the watermark of the case.
func (c *markCase) mark() (*watermark.Mark, error) {
	cfg, err := setWatermark(sampling.Config{}, c.Config)
	if err != nil {
		return nil, err
	}
	return cfg.Watermark()
}

func (c *markCase) permutation() (any, error) {
	var s watermark.Scratch
	out := s.Outputs(c.Seed, 4)
	return struct {
		Outputs     []uint32 `json:"outputs"`
		Permutation []int32  `json:"permutation"`
	}{out, s.Permutation(c.Seed, c.N, c.N)}, nil
}

func (c *markCase) table() (any, error) {
	p := watermark.Table(c.Key)
	return struct {
		First []int32 `json:"first_8"`
		Last  []int32 `json:"last_4"`
		Sum   string  `json:"sha256"`
	}{p[:8], p[len(p)-4:], sumOf(p)}, nil
}

func (c *markCase) list() (any, error) {
	m, err := c.mark()
	if err != nil {
		return nil, err
	}
	if len(c.Context) == 0 {
		return nil, fmt.Errorf("context: want at least one token")
	}
	var s watermark.Scratch
	list := m.List(&s, c.Context, c.Vocab)
	sorted := slices.Sorted(slices.Values(list))
	first := func(x []int32) []int32 { return append([]int32{}, x[:min(20, len(x))]...) }
	return struct {
		Seed    uint64  `json:"seed"`
		Size    int     `json:"size"`
		InOrder []int32 `json:"first_20_in_order"`
		Sorted  []int32 `json:"first_20_sorted"`
		Sum     string  `json:"sha256_sorted"`
	}{m.Seed(c.Context), len(list), first(list), first(sorted), sumOf(sorted)}, nil
}

func (c *markCase) detect() (any, error) {
	m, err := c.mark()
	if err != nil {
		return nil, err
	}
	bos, threshold := int32(-1), watermark.DefaultThreshold
	if c.BOS != nil {
		bos = *c.BOS
	}
	if c.Threshold != nil {
		threshold = *c.Threshold
	}
	d, err := m.Detect(c.Tokens, c.Vocab, bos)
	if err != nil {
		return nil, fmt.Errorf("tokens: %w", err)
	}
	return struct {
		Scored     int     `json:"num_tokens_scored"`
		Green      int     `json:"num_green_tokens"`
		Fraction   float64 `json:"green_fraction"`
		Z          float64 `json:"z_score"`
		P          float64 `json:"p_value"`
		PNormal    float64 `json:"p_normal"`
		Prediction bool    `json:"prediction"`
		Confidence float64 `json:"confidence"`
	}{d.Scored, d.Greens, float64(d.Greens) / float64(d.Scored), d.Z, d.P(), d.PNormal(), d.Z > threshold, 1 - d.P()}, nil
}

// sumOf is the SHA-256 of the numbers joined by commas.
func sumOf(ids []int32) string {
	var b []byte
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
