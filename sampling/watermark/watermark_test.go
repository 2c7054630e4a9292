package watermark

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"logitscope/models/goldentest"
)

// A goldenCase is a line of the golden cases: what PyTorch draws, and what
// transformers' processor and detector make of it.
type goldenCase struct {
	ID, Kind string
	Seed     uint64
	N, Size  int
	Key      uint64 `json:"hashing_key"`
	Config   *struct {
		Ratio  float64 `json:"greenlist_ratio"`
		Key    uint64  `json:"hashing_key"`
		Scheme Scheme  `json:"seeding_scheme"`
		Width  int     `json:"context_width"`
	} `json:"watermarking_config"`
	Vocab     int `json:"vocab_size"`
	Context   []int32
	Tokens    []int32
	Threshold float64 `json:"z_threshold"`
	BOS       *int32  `json:"bos_token_id"`
	Also      struct {
		PNormal float64 `json:"p_normal"`
	}
	Expected struct {
		Error       string
		Outputs     []uint32
		Permutation []int32
		First8      []int32 `json:"first_8"`
		Last4       []int32 `json:"last_4"`
		SHA         string  `json:"sha256"`
		Seed        uint64
		Size        int
		InOrder     []int32 `json:"first_20_in_order"`
		Sorted      []int32 `json:"first_20_sorted"`
		SHASorted   string  `json:"sha256_sorted"`
		Scored      int     `json:"num_tokens_scored"`
		Green       int     `json:"num_green_tokens"`
		Z           float64 `json:"z_score"`
		P           float64 `json:"p_value"`
		Prediction  bool
	}
}

// cases returns the lines of the directory that the environment names, else of
// the copy beside the samplers'.
func cases(t *testing.T) (all []goldenCase) {
	for _, line := range goldentest.Group(t, "watermark", "../testdata/beyond-watermark.jsonl.gz") {
		var c goldenCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if len(all) < 5 {
		t.Fatal(len(all), " cases")
	}
	return all
}

func digest(ids []int32) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Itoa(int(id))
	}
	sum := sha256.Sum256([]byte(strings.Join(words, ",")))
	return hex.EncodeToString(sum[:])
}

func TestGolden(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.ID, func(t *testing.T) {
			e := &c.Expected
			var s Scratch
			var m *Mark
			if c.Config != nil {
				var err error
				if m, err = New(Config{c.Config.Ratio, c.Config.Key, c.Config.Scheme, c.Config.Width}); err != nil {
					if e.Error == "" {
						t.Error(err)
					}
					return
				}
			}
			switch c.Kind {
			case "randperm":
				if got := s.Outputs(c.Seed, len(e.Outputs)); !slices.Equal(got, e.Outputs) {
					t.Errorf("%v, want %v", got, e.Outputs)
				}
				if got := s.Permutation(c.Seed, c.N, c.N); !slices.Equal(got, e.Permutation) {
					t.Errorf("%v, want %v", got, e.Permutation)
				}
			case "table":
				p := Table(c.Key)
				if len(p) != c.Size || !slices.Equal(p[:8], e.First8) || !slices.Equal(p[len(p)-4:], e.Last4) || digest(p) != e.SHA {
					t.Errorf("another table: %v", p[:8])
				}
			case "greenlist":
				list := slices.Clone(m.List(&s, c.Context, c.Vocab))
				if got := m.Seed(c.Context); got != e.Seed || len(list) != e.Size {
					t.Errorf("seed %d, %d tokens; want %d, %d", got, len(list), e.Seed, e.Size)
				}
				if !slices.Equal(list[:min(20, len(list))], e.InOrder) {
					t.Errorf("%v, want %v", list[:min(20, len(list))], e.InOrder)
				}
				slices.Sort(list)
				if !slices.Equal(list[:min(20, len(list))], e.Sorted) || digest(list) != e.SHASorted {
					t.Errorf("another list")
				}
			case "detect":
				bos := int32(-1)
				if c.BOS != nil {
					bos = *c.BOS
				}
				d, err := m.Detect(c.Tokens, c.Vocab, bos)
				if (err != nil) != (e.Error != "") {
					t.Fatal(err)
				}
				if err != nil {
					return
				}
				if d.Scored != e.Scored || d.Greens != e.Green || d.Z > c.Threshold != e.Prediction {
					t.Errorf("%d of %d, z %v; want %d of %d", d.Greens, d.Scored, d.Z, e.Green, e.Scored)
				}
				for _, v := range [][2]float64{{d.Z, e.Z}, {d.P(), e.P}, {d.PNormal(), c.Also.PNormal}} {
					if math.Abs(v[0]-v[1]) > 1e-6+1e-5*math.Abs(v[1]) {
						t.Errorf("%v, want %v", v[0], v[1])
					}
				}
				if r := c.Also.PNormal; r > 0 && math.Abs(d.PNormal()/r-1) > 1e-6 {
					t.Errorf("tail %v, want %v", d.PNormal(), r)
				}
			default:
				t.Errorf("no such kind: %s", c.Kind)
			}
		})
	}
}

// Following one token through the draws finds what the whole list holds.
func TestGreenIsTheList(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	var s, twin Scratch
	for range 60 {
		c := Config{Ratio: 0.02 + 0.96*rnd.Float64(), Key: rnd.Uint64() >> 1, Scheme: LeftHash, Width: 1 + rnd.IntN(3)}
		vocab := 1 + rnd.IntN(120)
		if rnd.IntN(2) == 0 {
			c.Scheme, c.Key = SelfHash, uint64(rnd.IntN(2))+7 // few tables
		}
		m, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		context := make([]int32, c.Width)
		for i := range context {
			context[i] = rnd.Int32N(int32(vocab))
		}
		list := m.List(&twin, context, vocab)
		n := 0
		for id := range int32(vocab) {
			green := m.Green(&s, context, vocab, id)
			if green != slices.Contains(list, id) {
				t.Fatalf("%+v after %v of %d: token %d is %v", c, context, vocab, id, green)
			}
			if green {
				n++
			}
		}
		if n != int(float64(vocab)*c.Ratio) || m.Green(&s, context, vocab, -1) || m.Green(&s, context, vocab, int32(vocab)) {
			t.Fatalf("%+v: %d green of %d", c, n, vocab)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.Ratio = 0 }, func(c *Config) { c.Ratio = 1 }, func(c *Config) { c.Ratio = math.NaN() },
		func(c *Config) { c.Width = 0 }, func(c *Config) { c.Scheme = "middle" }, func(c *Config) { c.Key = 1 << 63 },
	} {
		c := Defaults
		change(&c)
		if _, err := New(c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	if _, err := New(Defaults); err != nil {
		t.Error(err)
	}
}

// The cost in closed form is that of the two laws, term by term, and the
// number of tokens is where z reaches the threshold.
func TestCost(t *testing.T) {
	m, err := New(Config{Ratio: 0.5, Key: 7, Scheme: LeftHash, Width: 1})
	if err != nil {
		t.Fatal(err)
	}
	var s Scratch
	plain := []float64{0.4, 0.3, 0.2, 0.1}
	ids := []int32{3, 0, 2, 1}
	place := m.Place(&s, []int32{2}, 4, ids, plain)
	green := m.List(&s, []int32{2}, 4)
	for _, bias := range []float64{0, 0.5, 2, -1} {
		marked := make([]float64, 4)
		total, lifted := 0.0, 0.0
		for i, id := range ids {
			marked[i] = plain[i]
			if slices.Contains(green, id) {
				marked[i] *= math.Exp(bias)
			}
			total += marked[i]
		}
		kl := 0.0
		for i, id := range ids {
			q := marked[i] / total
			kl += q * math.Log2(q/plain[i])
			if slices.Contains(green, id) {
				lifted += q
			}
		}
		g, bits := place.Marked(bias)
		if math.Abs(g-lifted) > 1e-6 || math.Abs(bits-kl) > 1e-6 {
			t.Errorf("bias %v: green %v for %v bits, want %v for %v", bias, g, bits, lifted, kl)
		}
	}
	points := m.Cost([]Place{{Lifted: 0.5}}, []float64{0, 2}, 3)
	if !math.IsInf(points[0].Tokens, 1) || points[0].Bits != 0 || points[0].Green != 0.5 {
		t.Errorf("no bias: %+v", points[0])
	}
	p := points[1]
	z := func(n float64) float64 { return (p.Green - 0.5) * n / math.Sqrt(n*0.25) }
	if z(p.Tokens) < 3 || z(p.Tokens-1) >= 3 {
		t.Errorf("%v tokens give z %v", p.Tokens, z(p.Tokens))
	}
}

// Under SelfHash the best forty alone are lifted; of the others the ratio is
// green.
func TestPlaceOfCandidates(t *testing.T) {
	m, err := New(Config{Ratio: 0.25, Key: 15485863, Scheme: SelfHash, Width: 2})
	if err != nil {
		t.Fatal(err)
	}
	const n = 60
	ids, probs := make([]int32, n), make([]float64, n)
	for i := range ids {
		ids[i], probs[i] = int32(n-1-i), 1.0/n
	}
	var s Scratch
	p := m.Place(&s, []int32{9}, n, ids, probs)
	want := 0
	for _, id := range ids[:Candidates] {
		if slices.Contains(m.List(&s, []int32{9, id}, n), id) {
			want++
		}
	}
	if math.Abs(p.Lifted-float64(want)/n) > 1e-6 || math.Abs(p.Others-0.25*20/n) > 1e-6 {
		t.Errorf("%+v, want %d of %d", p, want, n)
	}
}

// Ids that are not tokens seed a list as Python's remainder would have them, and
// nothing fails.
func TestOddTokens(t *testing.T) {
	for _, scheme := range []Scheme{LeftHash, SelfHash} {
		c := Defaults
		c.Scheme = scheme
		m, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		var s Scratch
		for _, id := range []int32{-1, math.MinInt32, math.MaxInt32} {
			if n := len(m.List(&s, []int32{id}, 100)); n != 25 {
				t.Errorf("%s: %d green after %d", scheme, n, id)
			}
		}
		if scheme == LeftHash && m.Seed([]int32{-1}) != math.MaxUint64-c.Key {
			t.Errorf("seed %d", m.Seed([]int32{-1}))
		}
	}
}

func BenchmarkGreen(b *testing.B) {
	m, _ := New(Defaults)
	var s Scratch
	b.Run("one", func(b *testing.B) {
		for i := range b.N {
			m.Green(&s, []int32{int32(i)}, 151936, 77)
		}
	})
	b.Run("list", func(b *testing.B) {
		for i := range b.N {
			m.List(&s, []int32{int32(i)}, 151936)
		}
	})
}
