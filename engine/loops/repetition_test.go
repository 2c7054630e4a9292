package loops

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"logitscope/models/goldentest"
)

// TestRepetitionGolden: where vLLM's rule ends a text, on the cases of a
// transcription of its functions.
func TestRepetitionGolden(t *testing.T) {
	n := 0
	for _, line := range goldentest.Group(t, "loop", "testdata/loop.jsonl") {
		n++
		var c struct {
			ID        string          `json:"id"`
			Detection json.RawMessage `json:"repetition_detection"`
			Tokens    []int32         `json:"tokens"`
			MinTokens int             `json:"min_tokens"`
			Expected  struct {
				Error   string `json:"error"`
				StopsAt *int   `json:"stops_at"`
				Size    *int   `json:"pattern_size"`
			} `json:"expected"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		r, err := ParseRepetition(string(c.Detection))
		if (err != nil) != (c.Expected.Error != "") {
			t.Errorf("%s: %v, want refused: %v", c.ID, err, c.Expected.Error != "")
		}
		if err != nil {
			continue
		}
		var at, size *int
		for k := 1; k <= len(c.Tokens) && at == nil; k++ {
			if got, ok := r.Ends(c.Tokens[:k]); ok && k >= c.MinTokens {
				at, size = &k, &got
			}
		}
		if !same(at, c.Expected.StopsAt) || !same(size, c.Expected.Size) {
			t.Errorf("%s: ends at %v by a pattern of %v, want %v, %v", c.ID, show(at), show(size), show(c.Expected.StopsAt), show(c.Expected.Size))
		}
	}
	if n < 15 {
		t.Errorf("%d cases", n)
	}
}

func same(a, b *int) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

func show(p *int) any {
	if p == nil {
		return "none"
	}
	return *p
}

// TestRepetitionTwin: the rule as it reads, on short texts of few tokens.
func TestRepetitionTwin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	found := 0
	for range 4000 {
		r := Repetition{MaxPatternSize: 1 + rnd.IntN(4), MinCount: 2 + rnd.IntN(3)}
		r.MinPatternSize = rnd.IntN(r.MaxPatternSize + 1)
		out := make([]int32, rnd.IntN(14))
		for i := range out {
			out[i] = int32(rnd.IntN(2))
		}
		want := 0
		for size := max(r.MinPatternSize, 1); size <= r.MaxPatternSize && want == 0; size++ {
			if len(out) < size*r.MinCount {
				continue
			}
			last := out[len(out)-size:]
			if slices.Equal(slices.Repeat(last, r.MinCount), out[len(out)-size*r.MinCount:]) {
				want = size
			}
		}
		if size, ok := r.Ends(out); size != want || ok != (want > 0) {
			t.Fatalf("%+v on %v: %d, want %d", r, out, size, want)
		}
		if want > 0 {
			found++
		}
	}
	if found < 500 {
		t.Errorf("%d texts repeat themselves", found)
	}
}
