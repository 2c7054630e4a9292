package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"logitscope/models/goldentest"
)

type stageWant struct {
	Name    string `json:"name"`
	NFinite *int   `json:"n_finite"`
	Size    *int   `json:"size"`
	Kept    int    `json:"kept"`
}

type digest struct {
	Count int     `json:"count"`
	Sum   int     `json:"sum"`
	FNV   string  `json:"fnv1a64"`
	First []int32 `json:"first"`
	Last  []int32 `json:"last"`
}

type result struct {
	Error     string             `json:"error"`
	Stages    []stageWant        `json:"stages"`
	NSurv     int                `json:"n_survivors"`
	Survivors []int32            `json:"survivors"`
	Probs     []float64          `json:"probs"`
	Digest    *digest            `json:"survivors_digest"`
	TopProbs  [][2]float64       `json:"top_probs"`
	Processed Values             `json:"processed_logits"`
	Greedy    bool               `json:"greedy"`
	Argmax    *int32             `json:"argmax"`
	Order     []int32            `json:"order"`
	Size      *int               `json:"array_size"`
	Final     string             `json:"final_stage"`
	ProbsNaN  bool               `json:"probs_nan"`
	Effective map[string]float64 `json:"effective"`
	Fragile   []string           `json:"fragile"`
	TieOrder  bool               `json:"tie_order"`
	Draws     struct {
		Seed   uint64    `json:"seed"`
		Tokens []int32   `json:"tokens"`
		Sizes  []int     `json:"sizes"`
		P      []float64 `json:"p"`
	} `json:"draws"`
	NotSupported []string `json:"not_supported"`
}

type goldenCase struct {
	ID       string   `json:"id"`
	Vocab    int      `json:"vocab"`
	Logits   Logits   `json:"logits"`
	Tags     []string `json:"tags"`
	Expected result   `json:"expected"`
}

// golden returns the lines of a file of golden vectors.
func golden(t testing.TB, name string) [][]byte {
	t.Helper()
	return goldentest.Lines(t, "../testdata/"+name+".jsonl.gz")
}

// answers runs lines and returns an answer to each.
func answers(t testing.TB, lines [][]byte, opt Options) []result {
	var out bytes.Buffer
	if _, err := Run(bytes.NewReader(bytes.Join(lines, []byte("\n"))), &out, opt); err != nil {
		t.Fatal(err)
	}
	got := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(got) != len(lines) {
		t.Fatalf("%d answers to %d lines", len(got), len(lines))
	}
	res := make([]result, len(got))
	for i, b := range got {
		if err := json.Unmarshal(b, &res[i]); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
	}
	return res
}

// TestGolden runs the recorded cases. Those of llama.cpp-chains are random
// lists of its samplers with odd values, on rows long and short with many ties,
// as its library (mid-2026) answered them.
func TestGolden(t *testing.T) {
	for _, file := range []string{"transformers", "llama.cpp", "llama.cpp-chains", "vllm", "ollama", "ollama-go"} {
		t.Run(file, func(t *testing.T) {
			engine := strings.TrimSuffix(file, "-chains")
			lines := golden(t, file)
			for i, got := range answers(t, lines, Options{}) {
				var c goldenCase
				if err := json.Unmarshal(lines[i], &c); err != nil {
					t.Fatal(err)
				}
				if err := c.Logits.generate(c.Vocab); err != nil {
					t.Fatal(err)
				}
				for _, fault := range compare(&c, &got, engine) {
					t.Errorf("%s: %s", c.ID, fault)
				}
			}
		})
	}
}

// compare returns what is wrong with an answer.
func compare(c *goldenCase, got *result, engine string) (faults []string) {
	want := &c.Expected
	bad := func(format string, a ...any) { faults = append(faults, fmt.Sprintf(format, a...)) }
	if (want.Error != "") != (got.Error != "") {
		bad("error %q, want %q", got.Error, want.Error)
		return
	}
	if want.Error != "" {
		return
	}
	if got.ProbsNaN != want.ProbsNaN {
		bad("probs_nan %v, want %v", got.ProbsNaN, want.ProbsNaN)
		return
	}
	compareStages(want, got, bad)
	if want.ProbsNaN {
		return
	}
	compareSurvivors(c, got, bad)
	if got.Greedy != want.Greedy {
		bad("greedy %v, want %v", got.Greedy, want.Greedy)
	}
	if want.Argmax != nil && !want.TieOrder && (got.Argmax == nil || *got.Argmax != *want.Argmax) {
		bad("argmax %v, want %d", got.Argmax, *want.Argmax)
	}
	if want.Size != nil && !want.Greedy && (got.Size == nil || *got.Size != *want.Size) {
		bad("array size %v, want %d", got.Size, *want.Size)
	}
	if want.Order != nil && !slices.Equal(got.Order, want.Order) {
		bad("order %v, want %v", head(got.Order), head(want.Order))
	}
	if want.Draws.Tokens != nil && !slices.Equal(got.Draws.Tokens, want.Draws.Tokens) {
		bad("draws %v, want %v", got.Draws.Tokens, want.Draws.Tokens)
	}
	if want.Draws.Sizes != nil && !slices.Equal(got.Draws.Sizes, want.Draws.Sizes) {
		bad("draw sizes %v, want %v", got.Draws.Sizes, want.Draws.Sizes)
	}
	for i, p := range want.Draws.P {
		if i >= len(got.Draws.P) || !near(got.Draws.P[i], p) {
			bad("draw %d: p %v, want %v", i, got.Draws.P, p)
			break
		}
	}
	if want.Final != got.Final {
		bad("final stage %q, want %q", got.Final, want.Final)
	}
	for k, v := range want.Effective {
		if got.Effective[k] != v {
			bad("effective %s %v, want %v", k, got.Effective[k], v)
		}
	}
	for i, v := range want.Processed {
		if want.TieOrder && want.Draws.Tokens == nil {
			break
		}
		if i >= len(got.Processed) || !nearLogit(got.Processed[i], v) {
			bad("processed logits %v, want %v", got.Processed, want.Processed)
			break
		}
	}
	return
}

func head(ids []int32) []int32 { return ids[:min(len(ids), 20)] }

func near(got, want float64) bool { return math.Abs(got-want) <= 5e-7+1e-5*want }

func nearLogit(got, want float32) bool {
	return got == want || math.Abs(float64(got-want)) <= 1e-6*math.Abs(float64(want)) || got != got && want != want
}

func compareStages(want, got *result, bad func(string, ...any)) {
	if want.Stages == nil && len(got.Stages) == 0 {
		return
	}
	if len(got.Stages) != len(want.Stages) {
		bad("stages %+v, want %d", got.Stages, len(want.Stages))
		return
	}
	for i, w := range want.Stages {
		g := got.Stages[i]
		if g.Name != w.Name {
			bad("stage %d %s, want %s", i, g.Name, w.Name)
		}
		if w.NFinite != nil && g.Kept != *w.NFinite {
			bad("stage %s kept %d, want %d", w.Name, g.Kept, *w.NFinite)
		}
		if w.Size != nil && (g.Size == nil || *g.Size != *w.Size) {
			bad("stage %s size %v, want %d", w.Name, g.Size, *w.Size)
		}
	}
}

func compareSurvivors(c *goldenCase, got *result, bad func(string, ...any)) {
	want := &c.Expected
	if got.NSurv != want.NSurv {
		bad("%d survivors, want %d", got.NSurv, want.NSurv)
		return
	}
	if want.Digest != nil {
		if got.Digest == nil {
			bad("no digest")
		} else if g, w := got.Digest, want.Digest; !want.TieOrder && (g.FNV != w.FNV || g.Sum != w.Sum || g.Count != w.Count ||
			!slices.Equal(g.First, w.First) || !slices.Equal(g.Last, w.Last)) {
			bad("digest %+v, want %+v", g, w)
		}
		for i, w := range want.TopProbs {
			if i >= len(got.TopProbs) || got.TopProbs[i][0] != w[0] || !near(got.TopProbs[i][1], w[1]) {
				bad("top probs %v, want %v", got.TopProbs[i], w)
				break
			}
		}
		return
	}
	if slices.Equal(got.Survivors, want.Survivors) {
		for i, w := range want.Probs {
			if !near(got.Probs[i], w) {
				bad("probability of %d %v, want %v", got.Survivors[i], got.Probs[i], w)
				break
			}
		}
		return
	}
	// Which of equal logits survived may differ; how many may not.
	logit := func(ids []int32) []float32 {
		var v []float32
		for _, id := range ids {
			v = append(v, c.Logits.Values[id])
		}
		slices.Sort(v)
		return v
	}
	if !want.TieOrder || !slices.Equal(logit(got.Survivors), logit(want.Survivors)) {
		bad("survivors %v, want %v", head(got.Survivors), head(want.Survivors))
	}
}

func TestGoldenIsCompared(t *testing.T) {
	// The comparison itself must find a fault when there is one.
	line := golden(t, "transformers")[3]
	var c goldenCase
	if err := json.Unmarshal(line, &c); err != nil {
		t.Fatal(err)
	}
	got := answers(t, [][]byte{line}, Options{})[0]
	if f := compare(&c, &got, "transformers"); len(f) > 0 {
		t.Fatal(strings.Join(f, "; "))
	}
	got.Probs[0] += 1e-4
	if len(compare(&c, &got, "transformers")) == 0 {
		t.Error("a probability that is off by 1e-4 passes")
	}
}
