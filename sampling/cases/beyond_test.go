package cases

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"logitscope/models/goldentest"
)

// A labCase is a case of stages that no big engine has.
type labCase struct {
	ID       string `json:"id"`
	Compare  string `json:"compare"`
	Expected struct {
		Error     string       `json:"error"`
		Fragile   bool         `json:"fragile"`
		TieOrder  bool         `json:"tie_order"`
		N         int          `json:"n_survivors"`
		Survivors []int32      `json:"survivors"`
		Probs     []float64    `json:"probs"`
		Top       [][2]float64 `json:"top_probs"`
		Digest    *struct {
			FNV string `json:"fnv1a64"`
		} `json:"survivors_digest"`
	} `json:"expected"`
}

func labLines(t *testing.T, group string) [][]byte {
	t.Helper()
	return goldentest.Group(t, group, "../testdata/beyond-"+group+".jsonl.gz")
}

// TestLab holds cuts, shapes, stages of two rows and the watermark to a float64
// twin.
func TestLab(t *testing.T) {
	for _, group := range []string{"cuts", "tworow", "watermark_bias"} {
		t.Run(group, func(t *testing.T) {
			lines := labLines(t, group)
			var out bytes.Buffer
			if _, err := Run(bytes.NewReader(bytes.Join(lines, []byte("\n"))), &out, Options{}); err != nil {
				t.Fatal(err)
			}
			got := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
			if len(got) != len(lines) || len(lines) < 10 {
				t.Fatalf("%d answers to %d lines", len(got), len(lines))
			}
			for i, line := range lines {
				var c labCase
				var a struct {
					labAnswer
					Error string `json:"error"`
				}
				if json.Unmarshal(line, &c) != nil || json.Unmarshal(got[i], &a) != nil {
					t.Fatalf("%s\n%s", line, got[i])
				}
				if why := c.differs(a.labAnswer, a.Error); why != "" {
					t.Errorf("%s: %s", c.ID, why)
				}
			}
		})
	}
}

type labAnswer struct {
	N         int          `json:"n_survivors"`
	Survivors []int32      `json:"survivors"`
	Probs     []float64    `json:"probs"`
	Top       [][2]float64 `json:"top_probs"`
	Digest    *struct {
		FNV string `json:"fnv1a64"`
	} `json:"survivors_digest"`
}

func pairs(ids []int32, probs []float64, top [][2]float64) map[int32]float64 {
	m := make(map[int32]float64)
	for i, id := range ids {
		m[id] = probs[i]
	}
	if len(m) == 0 {
		for _, p := range top {
			m[int32(p[0])] = p[1]
		}
	}
	return m
}

// differs says in what an answer differs from what the case wants.
func (c *labCase) differs(a labAnswer, err string) string {
	e := &c.Expected
	switch {
	case e.Error != "" && err == "":
		return "answered, want a refusal"
	case e.Error != "":
		return ""
	case err != "":
		return "refused: " + err
	}
	have, want := pairs(a.Survivors, a.Probs, a.Top), pairs(e.Survivors, e.Probs, e.Top)
	for id, p := range have {
		if !(p >= 0 && p <= 1.000001) {
			return "a probability is none: " + string(rune(id))
		}
	}
	if len(have) == 0 {
		return "no token is left"
	}
	same := a.N == e.N && (e.Digest == nil || e.TieOrder || a.Digest != nil && a.Digest.FNV == e.Digest.FNV)
	switch {
	case e.Fragile && !same:
		return "" // the border lies within rounding
	case c.Compare == "set" && !same:
		return "other survivors"
	case e.TieOrder:
		return closeLists(values(have), values(want))
	}
	for id, p := range want {
		if !close(have[id], p) {
			return "another probability"
		}
	}
	for id, p := range have {
		if _, ok := want[id]; !ok && len(e.Top) == 0 && !close(p, 0) {
			return "a token too many"
		}
	}
	return ""
}

func close(a, b float64) bool { return math.Abs(a-b) <= 1e-6+1e-5*math.Abs(b) }

func values(m map[int32]float64) (out []float64) {
	for _, p := range m {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

func closeLists(a, b []float64) string {
	if !slices.EqualFunc(a, b, close) {
		return "other probabilities, ties aside"
	}
	return ""
}
