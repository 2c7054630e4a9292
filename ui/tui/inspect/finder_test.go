package inspect

import (
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/sampling"
)

// A text without a capital finds tokens in any case, those as it is written
// first; one with a capital finds its own alone.
func TestFindTokensInAnyCase(t *testing.T) {
	voc := fableModel(t).Vocab()
	for text, want := range map[string]string{"copenhagen": "Copenhagen", "the": "the the The The", "The": "The The", "COPEN": ""} {
		ids, _ := findTokens(voc, text)
		var got []string
		for _, id := range ids[:min(len(ids), strings.Count(want, " ")+1)] {
			got = append(got, strings.TrimSpace(voc.Piece(id)))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %s", text, got, want)
		}
	}
}

// Logits 0, ln 3, ln 3, 0 and top_k 2: shares of 1, 3, 3 and 1 eighths; the
// ties rank by id, and the two best share the rest.
func TestTokenPlaces(t *testing.T) {
	set := compiled(t, sampling.Config{}.MustWith("top_k", 2, sampling.FromYou))
	three := float32(math.Log(3))
	got := tokenPlaces([]int32{0, 1, 2, 3}, set, sampling.Input{Logits: []float32{0, three, three, 0}})
	for id, want := range []tokenPlace{{3, 0.125, 0}, {1, 0.375, 0.5}, {2, 0.375, 0.5}, {4, 0.125, 0}} {
		p := got[int32(id)]
		if p.rank != want.rank || math.Abs(p.raw-want.raw) > 1e-6 || math.Abs(p.final-want.final) > 1e-6 {
			t.Errorf("token %d stands at %+v, want %+v", id, p, want)
		}
	}
}

// Tokens that have a row in the chart stand where the row says.
func TestPlacesAreTheChartsOwn(t *testing.T) {
	b, err := os.ReadFile("../testdata/story.f32")
	if err != nil {
		t.Fatal(err)
	}
	in := sampling.Input{}
	for ; len(b) >= 4; b = b[4:] {
		in.Logits = append(in.Logits, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	set := compiled(t, sampling.Config{}.MustWith("top_k", 50, sampling.FromYou).MustWith("temperature", 0.7, sampling.FromYou))
	tr := new(sampling.Trace)
	if _, err := set.Pipeline.Sample(tr, new(sampling.Scratch), in); err != nil {
		t.Fatal(err)
	}
	var ids []int32
	for i := range in.Logits {
		ids = append(ids, int32(i))
	}
	places := tokenPlaces(ids, set, in)
	for _, r := range tr.Rows() {
		p := places[r.ID]
		if int(r.Rank) != p.rank || math.Abs(float64(r.RawProb)-p.raw) > 1e-6 || math.Abs(float64(r.Prob)-p.final) > 1e-6 {
			t.Errorf("token %d stands at %+v, in the chart at %d, %v, %v", r.ID, p, r.Rank, r.RawProb, r.Prob)
		}
	}
	if len(tr.Rows()) < 20 || len(places) != len(in.Logits) {
		t.Errorf("%d rows, %d places", len(tr.Rows()), len(places))
	}
}

func fableModel(t *testing.T) models.Model {
	t.Helper()
	m, err := fable.Open(llama.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compiled(t *testing.T, cfg sampling.Config) *engine.Settings {
	t.Helper()
	set, err := engine.NewCompiler(fableModel(t)).Settings(cfg, "")
	if err != nil {
		t.Fatal(err)
	}
	return set
}
