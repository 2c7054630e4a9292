package llama

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/models/gguf"
	"logitscope/models/goldentest"
)

// golden is a file of golden logits; models are made of random weights.
type golden struct {
	Meta struct {
		Architecture string
		Context      int `json:"n_ctx"`
	}
	Sequences []struct {
		Tokens  []int32
		Last    []float32   `json:"logits_last"`
		All     [][]float32 `json:"logits_all"`
		Greedy  []int32
		Margins []float32 `json:"greedy_margins"`
	}
	Reference   [][]float32 `json:"reference_f64_logits_last"`
	Dequantised [][]float32 `json:"dequantised_f64_logits_last"`
}

func readGolden(t testing.TB, path string) golden {
	t.Helper()
	return goldentest.JSON[golden](t, path)
}

func parse(t testing.TB, path string) *gguf.File {
	t.Helper()
	f, err := gguf.Parse(filepath.Base(path), goldentest.Read(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// load makes a model of a compressed file in testdata.
func load(t testing.TB, path string, opt Options) *Model {
	t.Helper()
	m, err := New(parse(t, path), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// modelOf returns the model that golden logits belong to.
func modelOf(path string) string {
	name := strings.TrimSuffix(path, ".golden.json.gz")
	for _, variant := range []string{".short-ctx256", ".long-ctx512"} {
		name = strings.TrimSuffix(name, variant)
	}
	return name + ".gguf.gz"
}

func forward(t testing.TB, s *Session, tokens []int32, want int) [][]float32 {
	t.Helper()
	out, err := s.Forward(context.Background(), tokens, want)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]float32, len(out))
	for i := range out {
		rows[i] = append([]float32(nil), out[i].Values...)
	}
	return rows
}

func argmax(x []float32) int32 {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return int32(best)
}

// distance returns the largest difference; it is infinite if lengths differ
// or a number is missing.
func distance(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	d := 0.0
	for i := range a {
		e := math.Abs(float64(a[i]) - float64(b[i]))
		if math.IsNaN(e) {
			return math.Inf(1)
		}
		d = max(d, e)
	}
	return d
}

// compareGreedy continues a sequence by the best token and stops where two
// are as close as the tolerance.
func compareGreedy(t *testing.T, s *Session, logits []float32, want []int32, margins []float32, tolerance float64) {
	t.Helper()
	for i, w := range want {
		if got := argmax(logits); got != w {
			if margins != nil && float64(margins[i]) < tolerance {
				return
			}
			t.Errorf("greedy step %d: %d, want %d", i, got, w)
			return
		}
		logits = forward(t, s, []int32{w}, 1)[0]
	}
}

// TestArchitectures compares every architecture with llama.cpp and with a
// float64 implementation. llama.cpp looks GELU up in a table of halves.
func TestArchitectures(t *testing.T) {
	files, _ := filepath.Glob("testdata/arch/*.golden.json.gz")
	if len(files) == 0 {
		t.Fatal("no golden files")
	}
	seen := map[string]bool{}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".golden.json.gz"), func(t *testing.T) {
			g := readGolden(t, path)
			m := load(t, modelOf(path), Options{ContextLen: g.Meta.Context})
			seen[m.cfg.arch.name] = true
			tolerance := 2e-4
			if m.cfg.arch.act == gelu {
				tolerance = 2e-2
			}
			for i, seq := range g.Sequences {
				s := m.newSession()
				want := 1
				if seq.All != nil {
					want = len(seq.Tokens)
				}
				rows := forward(t, s, seq.Tokens, want)
				last := rows[len(rows)-1]
				if d := distance(last, g.Reference[i]); d > 1e-4 {
					t.Errorf("sequence %d: %.3g from the reference", i, d)
				}
				if d := distance(last, seq.Last); d > tolerance {
					t.Errorf("sequence %d: %.3g from llama.cpp", i, d)
				}
				for k, row := range seq.All {
					if d := distance(rows[k], row); d > tolerance {
						t.Errorf("sequence %d position %d: %.3g from llama.cpp", i, k, d)
					}
				}
				compareGreedy(t, s, last, seq.Greedy, nil, 0)
			}
		})
	}
	for _, a := range archs {
		if !seen[a.name] && a.name != "gemma" {
			t.Errorf("no golden file covers %s", a.name)
		}
	}
}

// TestTypes compares a model in every tensor type with float64 products of
// the same weights, and with llama.cpp, which rounds what it multiplies to 8
// bits.
func TestTypes(t *testing.T) {
	files, _ := filepath.Glob("testdata/quant/*.golden.json.gz")
	if len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".golden.json.gz"), func(t *testing.T) {
			g := readGolden(t, path)
			m := load(t, modelOf(path), Options{})
			worst := 0.0
			for i, seq := range g.Sequences {
				s := m.newSession()
				last := forward(t, s, seq.Tokens, 1)[0]
				d := distance(last, g.Dequantised[i])
				worst = max(worst, d)
				if d > 1e-4 {
					t.Errorf("sequence %d: %.3g from float64", i, d)
				}
				if d := distance(last, seq.Last); d > 0.5 {
					t.Errorf("sequence %d: %.3g from llama.cpp", i, d)
				}
				compareGreedy(t, s, last, seq.Greedy, seq.Margins, 0.5)
			}
			t.Logf("%s: at most %.3g from float64", m.info.Quant, worst)
		})
	}
}
