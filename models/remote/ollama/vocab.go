package ollama

import (
	"context"
	"math"
	"slices"

	"logitscope/models"
	"logitscope/models/remote"
)

func text(v any) string {
	s, _ := v.(string)
	return s
}

func number(v any) float64 {
	f, ok := v.(float64)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0
	}
	return f
}

// tokenAt reads the id of a special token.
func tokenAt(info map[string]any, key string, size int) int32 {
	f, ok := info[key].(float64)
	if !ok || f != math.Trunc(f) || f < 0 || f >= float64(size) {
		return models.NoToken
	}
	return int32(f)
}

// load builds the vocabulary from the metadata of the model and says how. A
// tokenizer of a kind that is not known here is stood in for by one that takes
// the longest piece that fits.
func (b *backend) load(info map[string]any) (how string, err error) {
	tokens, _ := info["tokenizer.ggml.tokens"].([]any)
	if len(tokens) == 0 {
		return "", b.c.Errorf(remote.Unsuitable, "does not hand out the vocabulary of %s", remote.OneLine(b.model, 80))
	}
	if err := remote.CheckSize(b.c, len(tokens), 2); err != nil {
		return "", err
	}
	how, b.exact = "rebuilt from the model's metadata", true
	if b.vocab, err = tokenizerOf(info); err != nil {
		b.exact = false
		how = "the longest piece that fits: the model's own is of an unknown kind (" + b.c.Clean(err.Error()) + ")"
		m := &matcher{}
		v := remote.NewVocab(b.c, len(tokens), m.split)
		fillPieces(v, tokens, info)
		m.learn(v)
		b.vocab = v
	}
	size := b.vocab.Size()
	b.eos = tokenAt(info, "tokenizer.ggml.eos_token_id", size)
	b.bos = models.NoToken
	if add, _ := info["tokenizer.ggml.add_bos_token"].(bool); add {
		b.bos = tokenAt(info, "tokenizer.ggml.bos_token_id", size)
	}
	b.ids = make(map[string]int32, size)
	for id := range int32(size) {
		p := b.vocab.Piece(id)
		if a := b.vocab.Attr(id); p == "" || remote.Incomplete(p) || a == models.Control || a == models.Unused {
			continue
		}
		if _, ok := b.ids[p]; !ok {
			b.ids[p] = id
		}
	}
	return how, nil
}

// fillPieces reads the arrays tokens and token_type of a GGUF tokenizer.
func fillPieces(v *remote.Vocab, tokens []any, info map[string]any) {
	types, _ := info["tokenizer.ggml.token_type"].([]any)
	attrs := map[float64]models.Attr{1: models.Normal, 2: models.Control, 3: models.Control, 4: models.User, 5: models.Unused, 6: models.Byte}
	model := text(info["tokenizer.ggml.model"])
	for i, t := range tokens {
		s := text(t)
		if i < len(types) {
			f, _ := types[i].(float64)
			v.Attrs[i] = attrs[f]
		}
		exact, ok := remote.ByteLevel(s)
		switch {
		case v.Attrs[i] == models.Control || v.Attrs[i] == models.User:
			exact = s
		case model != "gpt2":
			exact = remote.SentencePiece(s)
		case !ok:
			exact = s
		}
		v.Pieces[i] = exact
	}
	for _, key := range []string{"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"} {
		if id := tokenAt(info, key, len(tokens)); id >= 0 && !slices.Contains(v.Ends, id) {
			v.SetControl(id, "")
			v.Ends = append(v.Ends, id)
		}
	}
	for id, p := range v.Pieces {
		if v.Attrs[id] == models.Control && slices.Contains(remote.EndNames, p) && !slices.Contains(v.Ends, int32(id)) {
			v.Ends = append(v.Ends, int32(id))
		}
	}
	slices.Sort(v.Ends)
}

// A matcher splits text by the longest piece that fits.
type matcher struct {
	v       *remote.Vocab
	ids     map[string]int32
	longest int
}

func (m *matcher) learn(v *remote.Vocab) {
	m.v, m.ids = v, make(map[string]int32, len(v.Pieces))
	for id, p := range v.Pieces {
		if _, ok := m.ids[p]; p != "" && !ok && v.Attrs[id] != models.Unused {
			m.ids[p] = int32(id)
			m.longest = max(m.longest, len(p))
		}
	}
}

func (m *matcher) split(_ context.Context, text string, opt models.EncodeOptions) ([]int32, error) {
	var out []int32
	for len(text) > 0 {
		n := min(m.longest, len(text))
		for ; n > 0; n-- {
			id, ok := m.ids[text[:n]]
			if ok && (opt.ParseSpecial || m.v.Attrs[id] != models.Control) {
				out = append(out, id)
				break
			}
		}
		text = text[max(1, n):] // a byte that no piece has is left out
	}
	return out, nil
}
