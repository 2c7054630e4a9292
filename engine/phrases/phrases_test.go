package phrases

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"logitscope/models/goldentest"
)

// TestGolden runs the rule over a table model that takes the best token not
// banned, on the cases of a transcription of koboldcpp's loop.
func TestGolden(t *testing.T) {
	n := 0
	for _, line := range goldentest.Group(t, "phrases", "testdata/phrases.jsonl") {
		n++
		var c struct {
			ID      string               `json:"id"`
			Vocab   []string             `json:"vocab"`
			Table   [][2]json.RawMessage `json:"table"`
			Phrases []string             `json:"banned_phrases"`
			Counts  []int                `json:"phrase_token_counts"`
			Max     int                  `json:"max_tokens"`
			Want    struct {
				Tokens  []int32 `json:"tokens"`
				Sampled int     `json:"sampled"`
				Hold    int     `json:"hold_back"`
				Always  []int32 `json:"always_banned"`
				Rewinds []struct {
					Phrase   string `json:"phrase"`
					After    int    `json:"after_tokens"`
					Rewound  int    `json:"rewound"`
					Position int    `json:"position"`
					Banned   int32  `json:"banned"`
				} `json:"rewinds"`
				Shown []string `json:"shown_after_each_token"`
			} `json:"expected"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		count := func(p string) int {
			return c.Counts[slices.IndexFunc(c.Phrases, func(own string) bool { return lower(own) == p })]
		}
		r := New(c.Phrases, count, func(yield func(int32, string) bool) {
			for i, text := range c.Vocab {
				if !yield(int32(i), text) {
					return
				}
			}
		})
		if r.Hold() != c.Want.Hold || !slices.Equal(r.Always(), c.Want.Always) {
			t.Errorf("%s: holds %d, always %v, want %d, %v", c.ID, r.Hold(), r.Always(), c.Want.Hold, c.Want.Always)
		}
		var w Watch
		var out []int32
		sampled, rewinds := 0, 0
		var shown []string
		for sampled < c.Max {
			id := pick(c.Table, c.Vocab, out, w.Banned(r, len(out)))
			sampled++
			if id == 0 {
				break
			}
			out = append(out, id)
			x, ok := w.After(r, len(out), 0, func(i int) string { return c.Vocab[out[i]] }, func(i int) int32 { return out[i] })
			if ok {
				if rewinds >= len(c.Want.Rewinds) {
					t.Errorf("%s: a rewind too many: %+v", c.ID, x)
					break
				}
				want := c.Want.Rewinds[rewinds]
				if x.Phrase != want.Phrase || x.Run != want.Rewound || x.At != want.Position || x.Token != want.Banned {
					t.Errorf("%s: %+v, want %+v", c.ID, x, want)
				}
				rewinds++
				out = out[:x.At]
			}
			text := ""
			for _, id := range out[:w.Free] {
				text += c.Vocab[id]
			}
			shown = append(shown, text)
		}
		if !slices.Equal(out, c.Want.Tokens) || sampled != c.Want.Sampled || rewinds != len(c.Want.Rewinds) {
			t.Errorf("%s: %v after %d tokens and %d rewinds, want %v, %d, %d", c.ID, out, sampled, rewinds, c.Want.Tokens, c.Want.Sampled, len(c.Want.Rewinds))
		}
		if !slices.Equal(shown, c.Want.Shown) {
			t.Errorf("%s: shown %q, want %q", c.ID, shown, c.Want.Shown)
		}
	}
	if n < 10 {
		t.Errorf("%d cases", n)
	}
}

// pick returns the first token that the longest suffix which fits ranks and
// that is not banned; 0 ends the text.
func pick(table [][2]json.RawMessage, vocab []string, out, banned []int32) int32 {
	best, length := []string(nil), -1
	for _, row := range table {
		var suffix, ranking []string
		json.Unmarshal(row[0], &suffix)
		json.Unmarshal(row[1], &ranking)
		fits := len(suffix) <= len(out)
		for i := range suffix {
			fits = fits && vocab[out[len(out)-len(suffix)+i]] == suffix[i]
		}
		if fits && len(suffix) > length {
			best, length = ranking, len(suffix)
		}
	}
	for _, text := range best {
		if id := int32(slices.Index(vocab, text)); !slices.Contains(banned, id) {
			return id
		}
	}
	return 0
}

// TestFirst: at the very start of an empty context nothing is taken back.
func TestFirst(t *testing.T) {
	r := New([]string{"ab"}, func(string) int { return 2 }, maps.All(map[int32]string{}))
	text := []string{"a", "b"}
	var w Watch
	if _, ok := w.After(r, 2, 1, func(i int) string { return text[i] }, func(i int) int32 { return int32(i) }); ok {
		t.Error("the first token of all was taken back")
	}
	if x, ok := new(Watch).After(r, 2, 0, func(i int) string { return text[i] }, func(i int) int32 { return int32(i) }); !ok || x.At != 0 {
		t.Errorf("%+v", x)
	}
}

// TestLetGo: what falls out of the held tokens is let go before they are
// searched, so a phrase spelled in one token more than are held passes.
func TestLetGo(t *testing.T) {
	for spelled, found := range map[string]bool{"shiv": true, "shive": false} {
		r := New([]string{spelled}, func(string) int { return 1 }, nil)
		var w Watch
		got := false
		for n := 1; n <= len(spelled) && !got; n++ {
			_, got = w.After(r, n, 0, func(i int) string { return spelled[i : i+1] }, func(i int) int32 { return int32(i) })
		}
		if got != found {
			t.Errorf("%q spelled in single letters with %d held: found %v", spelled, r.Hold(), got)
		}
	}
}

// TestSingles: a letter is banned in both cases, and a phrase
// of no token is none.
func TestSingles(t *testing.T) {
	r := New([]string{"B", "none"}, func(p string) int { return map[string]int{"b": 1}[p] }, maps.All(map[int32]string{7: "xBx", 8: "c"}))
	if !slices.Equal(r.Always(), []int32{7}) || r.Hold() != 0 {
		t.Errorf("always %v, holds %d", r.Always(), r.Hold())
	}
}

// TestNextPhrase: where the first phrase cannot be taken back, the next is
// looked for.
func TestNextPhrase(t *testing.T) {
	r := New([]string{"ab", "b"}, func(string) int { return 2 }, nil)
	text := []string{"a", "b"}
	x, ok := new(Watch).After(r, 2, 1, func(i int) string { return text[i] }, func(i int) int32 { return int32(i) })
	if !ok || x.Phrase != "b" || x.At != 1 {
		t.Errorf("%+v, %v", x, ok)
	}
}
