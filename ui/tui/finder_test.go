package tui

import (
	"math"
	"strings"
	"testing"

	"logitscope/sampling"
)

// Every token found shows its rank and its shares, whether or not the chart
// has a row for it, and those that have one show the row's own.
func TestFinderShowsWhereTokensStand(t *testing.T) {
	for _, w := range []int{80, 40} {
		b := newBench(t, testOptions(t), w, 24)
		b.start(storyPrompt)
		b.keys("/")
		b.send(typed("o"))
		f := b.m.top().(*finder)
		for _, line := range strings.Split(b.frame(), "\n") {
			if strings.Contains(line, "p pins it") {
				t.Errorf("a row hides its numbers: %q", line)
			}
		}
		b.has("found · enter pins it")
		trace, checked := b.m.Lane().Step().Trace, 0
		for _, id := range f.found {
			p, ok := f.places[id]
			if !ok || p.rank < 1 {
				t.Fatalf("no place of token %d", id)
			}
			if r := trace.Row(id); r != nil {
				checked++
				if int(r.Rank) != p.rank || math.Abs(float64(r.RawProb)-p.raw) > 1e-6 || math.Abs(float64(r.Prob)-p.final) > 1e-6 {
					t.Errorf("token %d stands at %+v, in the chart at %d, %v, %v", id, p, r.Rank, r.RawProb, r.Prob)
				}
			}
		}
		if checked == 0 {
			t.Error("nothing was compared with the chart")
		}
	}
}

// A text without a capital finds tokens in any case, those as it is written
// first; one with a capital finds its own alone.
func TestFindTokensInAnyCase(t *testing.T) {
	voc := testModel().Vocab()
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
	b := newBench(t, testOptions(t), 80, 24)
	cfg := sampling.Config{}.MustWith("top_k", 2, sampling.FromYou)
	set, err := b.m.Lane().Compile(cfg, -1)
	if err != nil {
		t.Fatal(err)
	}
	three := float32(math.Log(3))
	got := tokenPlaces([]int32{0, 1, 2, 3}, set, sampling.Input{Logits: []float32{0, three, three, 0}})
	for id, want := range []tokenPlace{{3, 0.125, 0}, {1, 0.375, 0.5}, {2, 0.375, 0.5}, {4, 0.125, 0}} {
		p := got[int32(id)]
		if p.rank != want.rank || math.Abs(p.raw-want.raw) > 1e-6 || math.Abs(p.final-want.final) > 1e-6 {
			t.Errorf("token %d stands at %+v, want %+v", id, p, want)
		}
	}
}
