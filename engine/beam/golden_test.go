package beam

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"testing"

	"logitscope/engine/enginetest"
	"logitscope/models"
	"logitscope/models/goldentest"
	"logitscope/models/table"
	"logitscope/sampling"
)

// golden is testdata/golden.json.gz.
type golden struct {
	Models     map[string]json.RawMessage     `json:"models"`
	Cases      []goldenCase                   `json:"cases"`
	Exhaustive []goldenExhaustive             `json:"exhaustive"`
	BeamSample struct{ Cases []goldenSample } `json:"beam_sample"`
	VLLM       struct {
		Cases []struct {
			Model    string
			Prompt   []int32
			Settings map[string]any
			Outputs  []goldenOutput
			Steps    [][]goldenBeam
		}
	} `json:"vllm_rule"`
}

type goldenCase struct {
	Name       string
	Model      string
	Prompt     []int32
	Settings   map[string]any
	MinGap     float64 `json:"min_gap"`
	Scorer     *goldenRun
	Vectorized *goldenRun
}

type goldenRun struct {
	Outputs []goldenOutput
	Steps   []struct{ Groups []goldenGroup }
}

type goldenOutput struct {
	Tokens   []int32
	Score    float64
	Sum      float64 `json:"sum_logprob"`
	Length   int
	Finished bool
}

type goldenBeam struct {
	Parent int
	Token  int32
	Sum    float64 `json:"sum_logprob"`
	Tokens []int32
}

type goldenGroup struct {
	Group      int
	Candidates [][3]float64
	Beams      []goldenBeam
	Finished   []struct {
		Parent int
		Tokens []int32
		Sum    float64 `json:"sum_logprob"`
		Score  float64
		Kept   bool
	}
	Done bool
}

type goldenExhaustive struct {
	Model     string
	Prompt    []int32
	MaxNew    int     `json:"max_new_tokens"`
	Floor     float64 `json:"token_prob_floor"`
	Sequences int     `json:"n_sequences"`
	Total     float64 `json:"total_prob"`
	ByPenalty []struct {
		Penalty float64 `json:"length_penalty"`
		Best    []goldenOutput
	} `json:"by_length_penalty"`
	Greedy goldenOutput
}

type goldenSample struct {
	Model       string
	Prompt      []int32
	Beams       int     `json:"num_beams"`
	MaxNew      int     `json:"max_new_tokens"`
	Temperature float64 `json:"temperature"`
	TopK        int     `json:"top_k"`
	Penalty     float64 `json:"length_penalty"`
	Early       bool    `json:"early_stopping"`
	Scorer      []struct {
		Tokens []int32
		P      float64
	} `json:"scorer_best"`
	Vectorized []struct {
		Tokens []int32
		P      float64
	} `json:"vectorized_best"`
}

var goldenFile = goldentest.File[golden]{Name: "testdata/golden.json.gz"}

func readGolden(t testing.TB) *golden {
	t.Helper()
	return goldenFile.Value(t)
}

// model opens one of the golden toy models.
func (g *golden) model(t testing.TB, name string) models.Model {
	t.Helper()
	m, err := table.Parse(name, bytes.NewReader(g.Models[path.Base(name)]))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func start(t testing.TB, m models.Model, p *sampling.Pipeline, prompt []int32, opt Options) *Search {
	t.Helper()
	s, err := New(m, p, prompt, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func finish(t testing.TB, s *Search) *View {
	t.Helper()
	v := s.View()
	for !v.Done() {
		var err error
		if v, err = s.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// tol is what the golden figures, nine decimals, and tables of float32 allow.
const tol = 2e-6

func near(a, b float64) bool { return math.Abs(a-b) <= tol*max(1, math.Abs(b)) }

// Every golden search is reproduced step by step under both rules: the
// candidates, the running beams, what finished and whether it was kept, when
// it was done, and what is returned.
func TestGolden(t *testing.T) {
	g := readGolden(t)
	for _, c := range g.Cases {
		for rule, want := range map[Rule]*goldenRun{Legacy: c.Scorer, Vectorised: c.Vectorized} {
			if want == nil {
				continue
			}
			t.Run(c.Name+"/"+string(rule), func(t *testing.T) {
				if c.MinGap < 4*tol {
					t.Fatalf("min_gap %g is too small for tables of float32", c.MinGap)
				}
				m := g.model(t, c.Model)
				settings := map[string]any{"beam_rule": string(rule)}
				for k, v := range c.Settings {
					settings[k] = v
				}
				v := finish(t, start(t, m, enginetest.Compile(t, m, settings), c.Prompt, Options{}))
				compareSteps(t, v, want)
				compareOutputs(t, v, want.Outputs)
			})
		}
	}
}

func compareSteps(t *testing.T, v *View, want *goldenRun) {
	t.Helper()
	if len(v.Steps) != len(want.Steps) {
		t.Fatalf("%d steps, want %d", len(v.Steps), len(want.Steps))
	}
	for i, s := range v.Steps {
		for j, wg := range want.Steps[i].Groups {
			gs := &s.Groups[j]
			if err := compareGroup(gs, &wg); err != nil {
				t.Fatalf("step %d, group %d: %v", i, j, err)
			}
		}
	}
}

func compareGroup(gs *GroupStep, want *goldenGroup) error {
	if gs.Skipped {
		if !want.Done || want.Candidates != nil {
			return fmt.Errorf("skipped, want it to go on")
		}
		return nil
	}
	if gs.Done != want.Done {
		return fmt.Errorf("done %v, want %v", gs.Done, want.Done)
	}
	if len(gs.Candidates) != len(want.Candidates) {
		return fmt.Errorf("%d candidates, want %d", len(gs.Candidates), len(want.Candidates))
	}
	parent := map[*Node]int{}
	for i, c := range gs.Candidates {
		w := want.Candidates[i]
		parent[c.Node] = c.Parent
		if c.Parent != int(w[0]) || c.Node.Token != int32(w[1]) || !near(c.Node.Sum, w[2]) {
			return fmt.Errorf("candidate %d is %v, want %v", i, c, w)
		}
	}
	if len(gs.Running) != len(want.Beams) {
		return fmt.Errorf("%d beams, want %d", len(gs.Running), len(want.Beams))
	}
	for i, b := range gs.Running {
		w := want.Beams[i]
		if parent[b] != w.Parent || b.Token != w.Token || !near(b.Sum, w.Sum) || !slices.Equal(b.Tokens(), w.Tokens) {
			return fmt.Errorf("beam %d is %v, want %v", i, b, w)
		}
	}
	if len(gs.Finished) != len(want.Finished) {
		return fmt.Errorf("finished %v, want %v", gs.Finished, want.Finished)
	}
	for i, f := range gs.Finished {
		w := want.Finished[i]
		if f.Parent != w.Parent || !slices.Equal(f.Tokens(), w.Tokens) || !near(f.Node.Sum, w.Sum) || !near(f.Score, w.Score) || f.Kept != w.Kept {
			return fmt.Errorf("finished %d is %v, want %v", i, f, w)
		}
	}
	return nil
}

func compareOutputs(t *testing.T, v *View, want []goldenOutput) {
	t.Helper()
	got := v.Result()
	if len(got) != len(want) {
		t.Fatalf("%d texts, want %d", len(got), len(want))
	}
	for i, r := range got {
		w := want[i]
		if !slices.Equal(r.Tokens(), w.Tokens) || !near(r.Score, w.Score) || !near(r.Node.Sum, w.Sum) || r.Node.Depth != w.Length || r.Finished != w.Finished {
			t.Errorf("text %d is %+v, want %+v", i, r, w)
		}
	}
}

func TestVLLMRule(t *testing.T) {
	g := readGolden(t)
	for i, c := range g.VLLM.Cases {
		m := g.model(t, c.Model)
		settings := map[string]any{"order": "vllm"}
		for k, v := range c.Settings {
			settings[k] = v
		}
		v := finish(t, start(t, m, enginetest.Compile(t, m, settings), c.Prompt, Options{}))
		if len(v.Result()) != len(c.Outputs) {
			t.Fatalf("case %d: %d texts, want %d", i, len(v.Result()), len(c.Outputs))
		}
		if len(v.Steps) != len(c.Steps) {
			t.Fatalf("case %d: %d steps, want %d", i, len(v.Steps), len(c.Steps))
		}
		for j, s := range v.Steps {
			for k, n := range s.Groups[0].Running {
				w := c.Steps[j][k]
				if !slices.Equal(n.Tokens(), w.Tokens) || !near(n.Sum, w.Sum) {
					t.Fatalf("case %d, step %d, beam %d: %v %v, want %v %v", i, j, k, n.Tokens(), n.Sum, w.Tokens, w.Sum)
				}
			}
		}
		for j, h := range v.Result() {
			w := c.Outputs[j]
			if !slices.Equal(h.Tokens(), w.Tokens) || !near(h.Score, w.Score) || !near(h.Node.Sum, w.Sum) {
				t.Errorf("case %d, text %d: %v %v, want %v %v", i, j, h.Tokens(), h.Score, w.Tokens, w.Score)
			}
		}
	}
}
