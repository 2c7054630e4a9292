package inside

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/goldentest"
	"logitscope/models/llama"
	"logitscope/models/table"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6+1e-5*math.Abs(b) }

func allNear(a, b []float64) bool { return slices.EqualFunc(a, b, near) }

// TestDoLaGolden holds layer choice and row to transformers', on cases of the
// directory that the environment names, else of the copy here.
func TestDoLaGolden(t *testing.T) {
	n := 0
	for _, line := range goldentest.Group(t, "dola", "testdata/dola.jsonl") {
		var c struct {
			ID, Kind   string
			Layers     int               `json:"num_hidden_layers"`
			TiedWords  bool              `json:"tie_word_embeddings"`
			Which      json.RawMessage   `json:"dola_layers"`
			Candidates []int             `json:"candidate_layers"`
			Final      []float32         `json:"final_logits"`
			RowsOf     map[int][]float32 `json:"layer_logits"`
			Expected   struct {
				Candidates    []int `json:"candidate_layers"`
				Chosen        int   `json:"chosen_layer"`
				JS            []float64
				Survivors     []int32
				Scores, Probs []float64
				Argmax        int32
			}
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		n++
		e := &c.Expected
		switch c.Kind {
		case "dola_layers":
			var list, got []int
			var word string
			var err error
			if json.Unmarshal(c.Which, &list) == nil {
				got = innerLayers(c.Layers, list)
			} else if json.Unmarshal(c.Which, &word) != nil {
				t.Fatal(c.ID)
			} else if got, err = candidateLayers(c.Layers, c.TiedWords, word); err != nil {
				t.Error(err)
			}
			if !slices.Equal(got, e.Candidates) {
				t.Errorf("%s: %v, want %v", c.ID, got, e.Candidates)
			}
		case "dola_row":
			d := contrast(DoLaTransformers, c.Candidates, c.Final, c.RowsOf)
			if d.Chosen != e.Chosen || !slices.Equal(d.IDs, e.Survivors) || !allNear(d.JS, e.JS) || !allNear(d.Scores, e.Scores) || !allNear(d.Probs, e.Probs) {
				t.Errorf("%s: %+v", c.ID, d)
			}
			if at := d.Order(); d.IDs[at[0]] != e.Argmax {
				t.Errorf("%s: the best is %d, want %d", c.ID, d.IDs[at[0]], e.Argmax)
			}
		default:
			t.Errorf("%s: no such kind: %s", c.ID, c.Kind)
		}
	}
	if n < 5 {
		t.Fatal(n, " cases")
	}
	if _, err := candidateLayers(12, false, "middle"); err == nil {
		t.Error("a word that is none is taken")
	}
}

// The paper's divergence by hand, of a point from a coin.
func TestPaperDivergence(t *testing.T) {
	p, q := []float64{1, 0}, []float64{0.5, 0.5}
	// m = (3/4, 1/4): (ln(4/3) + (ln(2/3) + ln 2)/2)/2
	want := (math.Log(4.0/3) + (math.Log(2.0/3)+math.Log(2))/2) / 2
	if got := DoLaPaper.divergence(p, q); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := DoLaPaper.divergence(q, q); got != 0 {
		t.Errorf("a law is %v from itself", got)
	}
	// The two rules take the layers from other rows, and need not choose alike.
	rows := map[int][]float32{0: {1, 2, 3}, 1: {3, 2, 1}}
	if d := contrast(DoLaPaper, []int{0, 1}, []float32{1, 2, 3}, rows); d.Chosen != 1 || d.JS[0] != 0 {
		t.Errorf("%+v", d)
	}
}

func source(t *testing.T, text string) Source {
	t.Helper()
	m, err := fable.Open(llama.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	return Source{Model: m, Session: s, Tokens: m.Vocab().Encode(text, models.EncodeOptions{AddSpecial: true})}
}

// TestLook: what is seen is what the screen's design computed by other code of
// the built-in model: at "The capital of France is", Paris stands at rank 62
// after layer 2 and at rank 4 after layer 3, in which head 3 looks at France
// with 0.997 of its attention.
func TestLook(t *testing.T) {
	src := source(t, "The capital of France is")
	in, err := Look(context.Background(), src, 6)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := src.Model.NewSession()
	plain, err := s.Forward(context.Background(), src.Tokens, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(in.Lens[5], plain[0].Values) {
		t.Error("the last layer is not the law")
	}
	paris := src.Model.Vocab().Encode(" Paris", models.EncodeOptions{})[0]
	for layer, want := range []int{542, 94, 62, 4, 3, 1} {
		if got := Rank(in.Lens[layer], paris); got != want {
			t.Errorf("layer %d: rank %d, want %d", layer, got, want)
		}
	}
	for layer, want := range []float64{0.00, 3.06, 1.99, 2.18, 1.98, 1.74} {
		if got := entropy(law(in.Lens[layer])); math.Abs(got-want) > 0.005 {
			t.Errorf("layer %d: %v bits, want %v", layer, got, want)
		}
	}
	for head, want := range []float64{0.754, 0.079, 0.997, 0.951} {
		if got := float64(in.Inside.Head(2, head)[4]); math.Abs(got-want) > 0.0005 {
			t.Errorf("head %d looks at France with %v, want %v", head+1, got, want)
		}
	}
	vocab := src.Model.Vocab()
	for layer, want := range [][]string{
		5: {"Extract", " capital", " of", " the", " is", " Paris"},
		2: {"User", " capital", " of", " the", " is", " called"},
	} {
		for i, w := range want {
			if got := vocab.Piece(in.Map[layer][i].Token); got != w {
				t.Errorf("layer %d, place %d: %q, want %q", layer, i, got, w)
			}
		}
	}
	if c := in.Map[5][5]; math.Abs(c.Prob-0.591) > 0.0005 || in.settlesAt() != 5 {
		t.Errorf("%+v, settles at %d", c, in.settlesAt())
	}
	for l, logits := range in.Lens {
		if got, want := in.Prob(l, paris), law(logits)[paris]; math.Abs(got-want) > 1e-12 || in.Laws[l].Entropy != entropy(law(logits)) {
			t.Errorf("layer %d: %v, want %v", l, got, want)
		}
	}
	if d := in.Laws[5].Exit; d.TV != 0 || d.KL != 0 {
		t.Errorf("stopping at the last layer costs %+v", d)
	}
	if b := Best(in.Lens[5], 3); b[0] != paris || Rank(in.Lens[5], b[2]) != 3 {
		t.Errorf("best %v", b)
	}
	for _, rule := range []DoLaRule{DoLaTransformers, DoLaPaper} {
		d, err := in.DoLa(rule, DoLaHigh)
		if err != nil || !slices.Equal(d.Candidates, []int{2, 4}) || math.Abs(sum(d.Probs)-1) > 1e-9 {
			t.Errorf("%v: %+v (%v)", rule, d, err)
		}
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// A look at fewer positions, after a session that holds another part of the
// text, sees the same.
func TestLookAgain(t *testing.T) {
	src := source(t, "Once upon a time there was a fox")
	all, err := Look(context.Background(), src, len(src.Tokens))
	if err != nil {
		t.Fatal(err)
	}
	for _, hold := range []int{0, 3, len(src.Tokens)} {
		src.Session.Truncate(0)
		if hold > 0 {
			if _, err := src.Session.Forward(context.Background(), src.Tokens[:hold], 0); err != nil {
				t.Fatal(err)
			}
		}
		one, err := Look(context.Background(), src, 1)
		if err != nil {
			t.Fatal(err)
		}
		for l := range one.Lens {
			if !slices.Equal(one.Lens[l], all.Lens[l]) || one.Map[l][0] != all.Map[l][all.Rows-1] {
				t.Errorf("holding %d: layer %d differs", hold, l)
			}
		}
	}
}

// Effects of parts, many in one pass, are those of one after the other; none
// off is none.
func TestEffects(t *testing.T) {
	ctx := context.Background()
	src := source(t, "The capital of France is")
	a := src.Session.(models.Insider).Anatomy()
	parts := append(Heads(a), models.Part{Kind: models.MLPPart, Layer: 1}, models.Part{Kind: models.AttentionPart, Layer: 2}, models.Part{Kind: models.LayerPart})
	if len(parts) != 23 {
		t.Fatal(len(parts))
	}
	paris := src.Model.Vocab().Encode(" Paris", models.EncodeOptions{})[0]
	var told []int
	got, err := Effects(ctx, src, parts, paris, func(done, of int) { told = append(told, done, of) })
	if err != nil || !slices.Equal(told, []int{16, 23, 23, 23}) {
		t.Fatal(err, told)
	}
	one := func(parts ...models.Part) []float64 {
		s, _ := src.Model.NewSession()
		if _, err := s.Forward(ctx, src.Tokens[:len(src.Tokens)-1], 0); err != nil {
			t.Fatal(err)
		}
		s.(models.Insider).SwitchOff(parts...)
		rows, err := s.Forward(ctx, src.Tokens[len(src.Tokens)-1:], 1)
		if err != nil {
			t.Fatal(err)
		}
		return law(rows[0].Values)
	}
	whole := one()
	for i, e := range got {
		law := one(e.Part)
		if want := apart(whole, law); e.Apart != want || e.Before != whole[paris] || e.After != law[paris] {
			t.Errorf("%s: %+v, want %+v", Name(e.Part), e, want)
		}
		if i > 0 && e.Apart.TV > got[i-1].Apart.TV {
			t.Error("not in order")
		}
	}
	if d := apart(whole, one()); d != (Distance{}) {
		t.Errorf("nothing off is %+v away", d)
	}
}

func TestClosedAndCancelled(t *testing.T) {
	m, err := table.Open("../../models/table/testdata/garden1.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Look(context.Background(), Source{Model: m, Session: s, Tokens: []int32{1}}, 1); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := Effects(context.Background(), Source{Model: m, Session: s, Tokens: []int32{1}}, nil, 0, nil); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	src := source(t, "Once upon a time")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Look(ctx, src, 2); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Effects(ctx, src, Heads(src.Session.(models.Insider).Anatomy()), 0, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// With parts off from a position on, the rows before it are the whole model's,
// and the rest as a session that switches there says.
func TestLookWithPartsOff(t *testing.T) {
	ctx := context.Background()
	src := source(t, "The capital of France is")
	whole, err := Look(ctx, src, 6)
	if err != nil {
		t.Fatal(err)
	}
	src.Off, src.From = []models.Part{{Kind: models.HeadPart, Layer: 2, Head: 2}, {Kind: models.MLPPart, Layer: 0}}, 3
	cut, err := Look(ctx, src, 6)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := src.Model.NewSession()
	if _, err := s.Forward(ctx, src.Tokens[:3], 0); err != nil {
		t.Fatal(err)
	}
	s.(models.Insider).SwitchOff(src.Off...)
	rows, err := s.Forward(ctx, src.Tokens[3:], 1)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(cut.Lens[5], rows[0].Values) || slices.Equal(cut.Lens[5], whole.Lens[5]) {
		t.Error("another law")
	}
	for l := range cut.Map {
		if len(cut.Map[l]) != 6 || !slices.Equal(cut.Map[l][:3], whole.Map[l][:3]) {
			t.Errorf("layer %d: %v, want %v at the start", l, cut.Map[l], whole.Map[l])
		}
	}
	// One that is off already does nothing more.
	got, err := Effects(ctx, src, src.Off[:1], 0, nil)
	if err != nil || got[0].Apart.TV != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// The header of an array is what NumPy writes, byte for byte, and the tables
// read back.
func TestFiles(t *testing.T) {
	var b bytes.Buffer
	if err := writeNPY(&b, []float32{1, 2, 3, 4, 5, 6}, 2, 3); err != nil {
		t.Fatal(err)
	}
	want := "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
	if got := b.String(); got[:len(want)] != want || len(got) != 128+24 || got[127] != '\n' || got[128:132] != "\x00\x00\x80?" {
		t.Errorf("%q", got)
	}
	b.Reset()
	if err := writeNPY(&b, []float32{1}, 1); err != nil || !bytes.Contains(b.Bytes(), []byte("'shape': (1,), }")) {
		t.Error(err, b.String())
	}
	if writeNPY(&b, []float32{1}, 2) == nil {
		t.Error("an array of another size is written")
	}
	src := source(t, "The capital of France is")
	in, err := Look(context.Background(), src, 2)
	if err != nil {
		t.Fatal(err)
	}
	files, err := in.Files("x", src.Model.Vocab().Piece)
	if err != nil || len(files) != 4 {
		t.Fatal(err, len(files))
	}
	if n := len(files[0].Data); n != 128+4*6*src.Model.Info().VocabSize {
		t.Errorf("%s has %d bytes", files[0].Name, n)
	}
	if n := len(files[2].Data); n != 128+4*5*4*6 {
		t.Errorf("%s has %d bytes", files[2].Name, n)
	}
	for i, want := range map[int]int{1: 1 + 6*20, 3: 1 + 5*4*6} {
		rows, err := csv.NewReader(bytes.NewReader(files[i].Data)).ReadAll()
		if err != nil || len(rows) != want {
			t.Errorf("%s: %d rows, want %d (%v)", files[i].Name, len(rows), want, err)
		}
	}
}
