package table

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"logitscope/models"
)

var ctx = context.Background()

func open(t *testing.T, name string) *Model {
	t.Helper()
	m, err := Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newSession(t *testing.T, m *Model) models.Session {
	t.Helper()
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// logprob returns the log-probability of tok under a row, in float64.
func logprob(row []float32, tok int32) float64 {
	var sum float64
	for _, v := range row {
		sum += math.Exp(float64(v))
	}
	return float64(row[tok]) - math.Log(sum)
}

// The best sequence of the garden-path model and the one that greedy search
// takes; their log-probabilities come from an enumeration of every sequence.
func TestGardenPath(t *testing.T) {
	m := open(t, "garden1.json")
	for _, c := range []struct {
		text string
		want float64
	}{
		{"a dog runs . <eos>", -1.724},
		{"the dog runs . <eos>", -2.816},
	} {
		toks := m.Vocab().Encode(c.text, models.EncodeOptions{AddSpecial: true, ParseSpecial: true})
		if want := len(strings.Fields(c.text)) + 1; len(toks) != want {
			t.Fatalf("Encode(%q) = %v, want %d tokens", c.text, toks, want)
		}
		ls, err := newSession(t, m).Forward(ctx, toks, len(toks))
		if err != nil {
			t.Fatal(err)
		}
		var sum float64
		for i, next := range toks[1:] {
			sum += logprob(ls[i].Values, next)
		}
		if math.Abs(sum-c.want) > 1e-3 {
			t.Errorf("log-probability of %q = %.4f, want %.3f", c.text, sum, c.want)
		}
	}
}

// Every row must be the one that the file has at the last two tokens.
func TestMarkov2Rows(t *testing.T) {
	m := open(t, "markov2_a.json")
	data, err := os.ReadFile("testdata/markov2_a.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Logits [][][]float32 }
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, m)
	toks := []int32{3, 7, 7, 2, 11, 0}
	ls, err := s.Forward(ctx, toks, len(toks))
	if err != nil {
		t.Fatal(err)
	}
	prev := int32(1) // <bos>
	for i, tok := range toks {
		if !slices.Equal(ls[i].Values, f.Logits[prev][tok]) {
			t.Errorf("row after (%d,%d) is not the file's", prev, tok)
		}
		prev = tok
	}
	s.Truncate(2)
	ls, err = s.Forward(ctx, []int32{5}, 1)
	if err != nil || !slices.Equal(ls[0].Values, f.Logits[7][5]) {
		t.Errorf("after Truncate the row is not that of (7,5): %v", err)
	}
}

func TestHidden(t *testing.T) {
	m := open(t, "contrastive_b.json")
	data, _ := os.ReadFile("testdata/contrastive_b.json")
	var f struct{ Emb [][]float32 }
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, m).(models.HiddenStater)
	if _, err := s.Forward(ctx, []int32{3, 7}, 2); err != nil {
		t.Fatal(err)
	}
	h0, h1 := s.Hidden(0), s.Hidden(1)
	if len(h0) != m.Info().Embedding || len(h0) == 0 {
		t.Fatalf("hidden state has %d values, Info says %d", len(h0), m.Info().Embedding)
	}
	for d := range h0 {
		if h0[d] != f.Emb[3][d]+0.5*f.Emb[1][d] || h1[d] != f.Emb[7][d]+0.5*f.Emb[3][d] {
			t.Fatalf("hidden states differ at dimension %d", d)
		}
	}
	if _, ok := newSession(t, open(t, "tiny6.json")).(models.HiddenStater); ok {
		t.Error("a table without emb claims hidden states")
	}
}

func TestForkAndBatch(t *testing.T) {
	for _, name := range []string{"markov2_a.json", "contrastive_b.json"} {
		m := open(t, name)
		a := newSession(t, m)
		a.Forward(ctx, []int32{3, 4}, 0)
		b, err := a.(models.Forker).Fork()
		if err != nil {
			t.Fatal(err)
		}
		b.Forward(ctx, []int32{9}, 0)
		c := newSession(t, m)
		c.Forward(ctx, []int32{3, 4}, 0)
		batch, err := m.ForwardBatch(ctx, []models.Session{a, b}, []int32{5, 6})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := c.Forward(ctx, []int32{5}, 1)
		if !slices.Equal(batch[0].Values, want[0].Values) {
			t.Errorf("%s: a fork changed its origin", name)
		}
		if a.Len() != 3 || b.Len() != 4 {
			t.Errorf("%s: lengths %d and %d, want 3 and 4", name, a.Len(), b.Len())
		}
		if _, err := m.ForwardBatch(ctx, []models.Session{a, b}, []int32{5, 99}); err == nil || a.Len() != 3 {
			t.Errorf("%s: a bad token must fail the batch and change nothing (err %v, len %d)", name, err, a.Len())
		}
	}
}

func TestForwardErrors(t *testing.T) {
	m, err := Parse("x", strings.NewReader(`{"kind":"markov1","vocab":["a","b"],"logits":[[0,1],[1,0]],"context":3}`))
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t, m)
	if _, err := s.Forward(ctx, []int32{0, 1, 0, 1}, 1); !errors.Is(err, models.ErrContextFull) || s.Len() != 0 {
		t.Errorf("4 tokens in a context of 3: %v, length %d", err, s.Len())
	}
	if _, err := s.Forward(ctx, []int32{2}, 1); err == nil {
		t.Error("token 2 of a vocabulary of 2 was accepted")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Forward(done, []int32{0}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled Forward gave %v", err)
	}
}

func TestVocab(t *testing.T) {
	m := open(t, "garden1.json")
	v := m.Vocab()
	for _, c := range []struct {
		text string
		opt  models.EncodeOptions
		want []int32
	}{
		{"the dog runs .", models.EncodeOptions{}, []int32{3, 5, 7, 11}},
		{"the  dog\nruns.", models.EncodeOptions{AddSpecial: true}, []int32{1, 3, 5, 7, 11}},
		{"the<eos>", models.EncodeOptions{ParseSpecial: true}, []int32{3, 2}},
		{"<bos>", models.EncodeOptions{}, nil}, // a control token's name is no text
		{"", models.EncodeOptions{}, nil},
	} {
		if got := v.Encode(c.text, c.opt); !slices.Equal(got, c.want) {
			t.Errorf("Encode(%q, %+v) = %v, want %v", c.text, c.opt, got, c.want)
		}
	}
	if v.Attr(2) != models.Control || v.Attr(3) != models.Normal || v.Attr(99) != models.Unused || v.Attr(-1) != models.Unused {
		t.Error("attributes are wrong")
	}
	if !slices.Equal(v.EOG(), []int32{2}) || v.Piece(5) != "dog" || v.Piece(99) != "" {
		t.Error("pieces or EOG are wrong")
	}
}

func TestPairs(t *testing.T) {
	target := open(t, "pairs.json#close/target")
	draft := open(t, "pairs.json#close/draft")
	if target.logits[0] != -2.062 || draft.logits[0] != -2.175 {
		t.Errorf("first logits %v and %v, want -2.062 and -2.175", target.logits[0], draft.logits[0])
	}
	for _, path := range []string{"pairs.json", "pairs.json#close/x", "pairs.json#nosuch/draft"} {
		if _, err := Open("testdata/" + path); err == nil || !strings.Contains(err.Error(), "close/target") {
			t.Errorf("Open(%s) = %v, want the list of tables", path, err)
		}
	}
}

func TestNullIsMinusInfinity(t *testing.T) {
	m, err := Parse("x", strings.NewReader(`{"kind":"markov1","vocab":["a","b"],"logits":[[null,1],[1,0]]}`))
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsInf(float64(m.logits[0]), -1) || m.logits[1] != 1 {
		t.Errorf("logits = %v, want -Inf first", m.logits)
	}
}

func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{``, "ends too early"},
		{`{"kind":"markov1"`, "bad JSON"},
		{`[]`, "the file: array, want an object, at byte 1"},
		{`{"vocab":5}`, "vocab: number, want a list, at byte 10"},
		{`{"vocab":[1]}`, "vocab: number, want a text, at byte 11"},
		{`{"pad_id":1.5}`, "pad_id: number 1.5, want a whole number, at byte 13"},
		{`{"kind":"markov1","vocab":["a"],"logits":[[1]]} {}`, "more data"},
		{`{"kind":"markov1","vocab":["a"],"logits":[[NaN]]}`, "bad JSON at byte"},
		{`{"kind":"markov1","vocab":["a"],"logits":[["NaN"]]}`, "logits[0][0] is not a number"},
		{`{"kind":"markov1","vocab":["a"],"logits":[[1e39]]}`, "logits[0][0]"},
		{`{"kind":"markov1","vocab":["a"],"logits":[[null]]}`, "no token can follow"},
		{`{"kind":"markov1","vocab":["a","b"],"logits":[[1,2],[1]]}`, "logits[1] has 1 values, want 2"},
		{`{"kind":"markov1","vocab":["a","b"],"logits":[[1,2]]}`, "logits has 1 rows, want 2"},
		{`{"kind":"markov2","vocab":["a","b"],"bos_id":0,"logits":[[[1,2],[1,2]],[[1,2]]]}`, "logits[1] has 1 rows"},
		{`{"kind":"markov2","vocab":["a"],"logits":[[[1]]]}`, "bos_id is missing"},
		{`{"kind":"markov1","vocab":["a"],"logits":[[[1]]]}`, "logits[0][0] is not a number"},
		{`{"kind":"markov1","vocab":["a"],"logits":{}}`, "list of rows"},
		{`{"kind":"markov1","vocab":["a"]}`, "logits is missing"},
		{`{"kind":"markov3","vocab":["a"],"logits":[[1]]}`, "want markov1 or markov2"},
		{`{"kind":"markov1","vocab":[],"logits":[]}`, "vocab is missing"},
		{`{"kind":"markov1","vocab":["a","a"],"logits":[[1,1],[1,1]]}`, "vocab[1] repeats vocab[0]"},
		{`{"kind":"markov1","vocab":["a"],"logits":[[1]],"eos_id":1}`, "eos_id is 1, want 0 to 0"},
		{`{"kind":"markov1","vocab":["a"],"logits":[[1]],"eos_id":[0,-3]}`, "eos_id is -3"},
		{`{"kind":"markov1","vocab":["a"],"logits":[[1]],"eos_id":"x"}`, "eos_id"},
		{`{"kind":"markov1","vocab":["a"],"logits":[[1]],"bos_id":7}`, "bos_id is 7"},
		{`{"kind":"markov1","vocab":["a"],"logits":[[1]],"context":0}`, "context is 0"},
		{`{"kind":"markov1","vocab":["a"],"logits":[[1]],"tempreature":1}`, "tempreature"},
		{`{"kind":"markov1","vocab":["a"],"bos_id":0,"logits":[[1]],"emb":[[]]}`, "emb[0] is empty"},
		{`{"kind":"markov1","vocab":["a","b"],"bos_id":0,"logits":[[1,1],[1,1]],"emb":[[1],[1,2]]}`, "emb[1] has 2 values"},
		{`{"kind":"markov1","vocab":["a"],"bos_id":0,"logits":[[1]],"emb":[[null]]}`, "emb[0][0]"},
	} {
		_, err := Parse("x", strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Parse(%s)\n gave %v\nwant an error with %q", c.file, err, c.want)
		}
	}
	if _, err := Open("testdata/nosuch.json"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open of no file gave %v", err)
	}
}

// FuzzParse: any bytes give a model that can be used, or an error of one line.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"tiny6.json", "pairs.json"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"kind":"markov2","vocab":["a",""],"bos_id":1,"eos_id":[0,1],"logits":[[[1,2],[1,2]],[[1,2],[1,null]]],"emb":[[1],[2]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse("x", strings.NewReader(string(data)))
		if err != nil {
			return
		}
		s, err := m.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		n := int32(m.Info().VocabSize)
		ls, err := s.Forward(ctx, []int32{n - 1}, 1)
		if err != nil || len(ls[0].Values) != int(n) {
			t.Fatalf("a parsed table does not run: %v", err)
		}
		for i := int32(-1); i <= n; i++ {
			m.Vocab().Piece(i)
			m.Vocab().Attr(i)
		}
		m.Vocab().Encode(string(data), models.EncodeOptions{AddSpecial: true, ParseSpecial: true})
	})
}
