package contrastive

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"path"
	"slices"
	"strings"
	"testing"

	"logitscope/engine/enginetest"
	"logitscope/models"
	"logitscope/models/goldentest"
	"logitscope/models/table"
)

// contrasts is what beam's golden searches hold of contrastive search.
type contrasts struct {
	Models      map[string]json.RawMessage `json:"models"`
	Contrastive struct {
		Model string
		Cases []goldenContrastive
	} `json:"contrastive"`
}

type goldenContrastive struct {
	Prompt []int32
	TopK   int     `json:"top_k"`
	Alpha  float64 `json:"penalty_alpha"`
	MaxNew int     `json:"max_new_tokens"`
	Tokens []int32
	Steps  []struct {
		Candidates []struct {
			Token int32
			Prob  float64
			Cos   float64 `json:"max_cos"`
			Pos   int     `json:"argmax_pos"`
			Score float64
		}
		Chosen int32
	}
}

func readContrasts(t *testing.T) *contrasts {
	t.Helper()
	c := goldentest.JSON[contrasts](t, "../beam/testdata/golden.json.gz")
	return &c
}

// model opens one of the golden toy models.
func (g *contrasts) model(t testing.TB, name string) models.Model {
	t.Helper()
	m, err := table.Parse(name, bytes.NewReader(g.Models[path.Base(name)]))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tol is what the golden figures, nine decimals, and tables of float32 allow.
const tol = 2e-6

func near(a, b float64) bool { return math.Abs(a-b) <= tol*max(1, math.Abs(b)) }

func TestContrastive(t *testing.T) {
	g := readContrasts(t)
	for _, plain := range []bool{false, true} {
		m := g.model(t, g.Contrastive.Model)
		if plain {
			m = enginetest.NoBatch{Model: m}
		}
		for i, c := range g.Contrastive.Cases {
			p := enginetest.Compile(t, m, map[string]any{"penalty_alpha": c.Alpha, "top_k": c.TopK, "max_new_tokens": c.MaxNew})
			s, err := New(m, p, c.Prompt, Options{})
			if err != nil {
				t.Fatal(err)
			}
			step := func() *View {
				v, err := s.Step(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			v := s.View()
			for v.Done == "" {
				v = step()
				if len(v.Steps) == 3 { // stepping back and on again changes nothing
					s.Rewind(1)
					step()
					v = step()
				}
			}
			if !slices.Equal(s.Output(), c.Tokens) {
				t.Fatalf("case %d: %v, want %v", i, s.Output(), c.Tokens)
			}
			for j, st := range v.Steps {
				for k, x := range st.Candidates {
					w := c.Steps[j].Candidates[k]
					if x.Token != w.Token || !near(x.Prob, w.Prob) || !near(x.Cos, w.Cos) || x.At != w.Pos || !near(x.Score, w.Score) {
						t.Fatalf("case %d, step %d, candidate %d: %+v, want %+v", i, j, k, x, w)
					}
				}
			}
			s.Close()
		}
	}
	m := g.model(t, "markov2_a.json")
	_, err := New(m, enginetest.Compile(t, m, map[string]any{"penalty_alpha": 0.6, "top_k": 4}), []int32{1}, Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "penalty_alpha: ") {
		t.Errorf("model without hidden states: %v, want an error that names penalty_alpha", err)
	}
}

// TestContrastiveMeasures checks what a step says of the model's own row, by
// hand: neither the penalty nor the similarity is in it.
func TestContrastiveMeasures(t *testing.T) {
	m, err := table.Parse("t", strings.NewReader(`{"kind":"markov1","vocab":["<eos>","a","b"],"eos_id":0,"bos_id":0,
		"logits":[[0,0,0],[-2,0.6931471805599453,0],[0,0,0]],"emb":[[1,0],[0,1],[1,-1]]}`))
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Compile(t, m, map[string]any{"penalty_alpha": 0.6, "top_k": 2, "max_new_tokens": 1, "repetition_penalty": 8})
	s, err := New(m, p, []int32{1}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := s.Step(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	st := v.Steps[0]
	// Weights e^-2, 2 and 1 over their sum.
	sum := math.Exp(-2) + 3
	want, bits := -math.Log(sum), 0.0
	for _, w := range []float64{math.Exp(-2), 2, 1} {
		bits -= w / sum * math.Log2(w/sum)
	}
	if st.Token() != 2 || st.Rank != 2 || math.Abs(st.Logprob-want) > 1e-7 || math.Abs(st.Bits-bits) > 1e-7 {
		t.Errorf("token %d, rank %d, logprob %v, bits %v; want 2, 2, %v, %v", st.Token(), st.Rank, st.Logprob, st.Bits, want, bits)
	}
}
