package remote_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"logitscope/models"
	"logitscope/models/remote"
)

// A toy is a model whose logits are a hash of the last three tokens. Its
// vocabulary has the parts that make trouble: single bytes, parts of
// characters, control tokens and ids without a piece.
type toy struct {
	name   string
	limit  int
	seed   uint64
	parts  bool // parts of characters are as likely as text
	pieces []string
	attrs  []models.Attr
	ids    map[string]int32
	shift  float64 // added to all logits
}

const toyEnd = 0 // id of <|endoftext|>

func newToy(words int) *toy {
	t := &toy{name: "toy", limit: 1 << 14, seed: 1}
	add := func(p string, a models.Attr) {
		t.pieces, t.attrs = append(t.pieces, p), append(t.attrs, a)
	}
	add("<|endoftext|>", models.Control)
	add("<|im_start|>", models.Control)
	for b := range 256 {
		add(string([]byte{byte(b)}), models.Normal)
	}
	add("\xf0\x9f\x98", models.Normal)
	add("\xe6\x9d", models.Normal)
	add(" the", models.Normal)
	add("é", models.Normal)
	for i := range words {
		add(fmt.Sprintf(" w%d", i), models.Normal)
	}
	add("", models.Unused)
	t.index()
	return t
}

// index prepares for splitting text.
func (t *toy) index() {
	t.ids = map[string]int32{}
	for id := range t.pieces {
		if _, ok := t.ids[t.pieces[id]]; !ok {
			t.ids[t.pieces[id]] = int32(id)
		}
	}
}

func (t *toy) Info() models.Info {
	return models.Info{Name: t.name, Arch: "toy", ContextLen: t.limit, VocabSize: len(t.pieces), Params: 7, ChatTemplate: "{{ x }}"}
}
func (t *toy) Vocab() models.Vocab { return toyVocab{t} }
func (t *toy) Close() error        { return nil }

func (t *toy) NewSession() (models.Session, error) { return &toySession{t: t}, nil }

type toyVocab struct{ t *toy }

func (v toyVocab) Size() int { return len(v.t.pieces) }
func (v toyVocab) Piece(id int32) string {
	if id < 0 || int(id) >= len(v.t.pieces) {
		return ""
	}
	return v.t.pieces[id]
}
func (v toyVocab) Attr(id int32) models.Attr {
	if id < 0 || int(id) >= len(v.t.pieces) {
		return models.Unused
	}
	return v.t.attrs[id]
}
func (v toyVocab) EOG() []int32 { return []int32{toyEnd} }

func (v toyVocab) Encode(text string, opt models.EncodeOptions) []int32 {
	var out []int32
	for len(text) > 0 {
		for n := min(len(text), 16); n > 0; n-- {
			id, ok := v.t.ids[text[:n]]
			if ok && (opt.ParseSpecial || v.t.attrs[id] != models.Control) {
				out, text = append(out, id), text[n:]
				break
			}
		}
	}
	return out
}

type toySession struct {
	t      *toy
	tokens []int32
	rows   []models.Logits
}

func (s *toySession) Len() int       { return len(s.tokens) }
func (s *toySession) Truncate(n int) { s.tokens = s.tokens[:n] }
func (s *toySession) Close() error   { return nil }

func (s *toySession) Forward(ctx context.Context, tokens []int32, want int) ([]models.Logits, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(s.tokens)+len(tokens) > s.t.limit {
		return nil, models.ErrContextFull
	}
	s.rows = s.rows[:0]
	for i, id := range tokens {
		s.tokens = append(s.tokens, id)
		if i >= len(tokens)-want {
			s.rows = append(s.rows, models.Logits{Values: s.t.row(s.tokens)})
		}
	}
	return s.rows, nil
}

// row returns the logits after tokens, standard deviation 3.
func (t *toy) row(tokens []int32) []float32 {
	h := t.seed
	for _, id := range tokens[max(0, len(tokens)-3):] {
		h = (h ^ uint64(id)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	r := rand.New(rand.NewPCG(h, 7))
	row := make([]float32, len(t.pieces))
	for i := range row {
		row[i] = float32(r.NormFloat64()*3 + t.shift)
		switch {
		case t.attrs[i] == models.Unused:
			row[i] = float32(math.Inf(-1))
		case remote.Incomplete(t.pieces[i]) && !t.parts || t.attrs[i] == models.Control: // rare, as in text
			row[i] -= 8
		}
	}
	return row
}
