package remote_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// A preset is what TestSameChoices samples with.
type preset struct{ temperature, topP, penalty float64 }

// choose applies repetition penalty, temperature and top_p, and draws.
func (p preset) choose(row []float32, history []int32, u float64) int32 {
	x := make([]float64, len(row))
	for i, v := range row {
		x[i] = float64(v)
	}
	for i, id := range history {
		if slices.Contains(history[:i], id) {
			continue
		}
		if x[id] > 0 {
			x[id] /= p.penalty
		} else {
			x[id] *= p.penalty
		}
	}
	ids := make([]int32, len(x))
	for i := range ids {
		ids[i] = int32(i)
	}
	slices.SortFunc(ids, func(a, b int32) int {
		if c := cmp.Compare(x[b], x[a]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	if p.temperature == 0 {
		return ids[0]
	}
	sum, w := 0.0, make([]float64, len(ids))
	for i, id := range ids {
		w[i] = math.Exp((x[id] - x[ids[0]]) / p.temperature)
		sum += w[i]
	}
	kept := 0.0
	for i := range w {
		if kept >= p.topP*sum {
			ids = ids[:i]
			break
		}
		kept += w[i]
	}
	u *= kept
	for i, id := range ids {
		if u -= w[i]; u < 0 {
			return id
		}
	}
	return ids[len(ids)-1]
}

// write continues prompt with n tokens.
func (p preset) write(t *testing.T, m models.Model, prompt []int32, seed uint64, n int) string {
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rnd := rand.New(rand.NewPCG(seed, 1))
	history, next, text := slices.Clone(prompt), prompt, ""
	for range n {
		l, err := s.Forward(t.Context(), next, 1)
		if err != nil {
			t.Fatal(err)
		}
		id := p.choose(l[0].Values, history, rnd.Float64())
		if slices.Contains(m.Vocab().EOG(), id) {
			return text + "<end>"
		}
		history, next, text = append(history, id), []int32{id}, text+m.Vocab().Piece(id)
	}
	return text
}

// TestSameChoices writes with the built-in model here and behind servers, with
// and without a repetition penalty, and requires the same text byte for byte.
func TestSameChoices(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("runs a model; nothing in it is concurrent")
	}
	const n = 24
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	presets := []preset{{0, 1, 1}, {0, 1, 1.3}, {0.1, 0.9, 1.1}, {0.7, 0.9, 1.05}, {0.9, 0.95, 1.15}, {1.5, 1, 1}}
	for _, f := range fakes {
		t.Run(f.name, func(t *testing.T) {
			opt := f.opt
			opt.Name = "toy"
			m := serve(t, f.serve(local, opt), f.spec, remote.Options{Logits: f.logits})
			prompt, err := models.Encode(t.Context(), m.Vocab(), "Once upon a time", models.EncodeOptions{AddSpecial: true})
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range presets {
				if f.like == upToConstant && p.penalty != 1 {
					continue // which is what log-probabilities cannot do
				}
				want := p.write(t, local, prompt, uint64(i), n)
				if got := p.write(t, m, prompt, uint64(i), n); got != want {
					t.Errorf("%v: %q\nwant %q", p, got, want)
				}
			}
		})
	}
}

// TestLevelPrecision reports how near the logits worked out are to the model's.
func TestLevelPrecision(t *testing.T) {
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	m := serve(t, remotetest.LlamaServer(local, remotetest.Options{}), "llama-server:URL", remote.Options{})
	s, _ := m.NewSession()
	defer s.Close()
	ref, _ := local.NewSession()
	defer ref.Close()
	worst := 0.0
	for i := range int32(20) {
		got, err := s.Forward(t.Context(), []int32{i * 37}, 1)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ref.Forward(t.Context(), []int32{i * 37}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range want[0].Values {
			worst = max(worst, math.Abs(float64(got[0].Values[j])-float64(v)))
		}
	}
	t.Log("largest difference:", worst)
	if worst > 1e-5 {
		t.Error(fmt.Sprint("logits are off by ", worst))
	}
}
