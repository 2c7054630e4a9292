package vllm

import (
	"context"
	"slices"
	"strings"
	"sync"

	"logitscope/models"
	"logitscope/models/remote"
)

// tokenize splits text; strs are the tokens as the vocabulary writes them,
// where the server is new enough to say.
func (b *backend) tokenize(ctx context.Context, text string, addSpecial bool) (ids []int32, strs []string, err error) {
	var resp struct {
		Tokens []int32  `json:"tokens"`
		Strs   []string `json:"token_strs"`
	}
	err = b.c.Post(ctx, "/tokenize", map[string]any{
		"model": b.model, "prompt": text, "add_special_tokens": addSpecial, "return_token_strs": true,
	}, &resp)
	if err == nil && b.size > 0 && !remote.InRange(resp.Tokens, b.size) {
		err = b.c.Errorf(remote.Malformed, "split text into tokens outside its vocabulary of %d", b.size)
	}
	if len(resp.Strs) != len(resp.Tokens) {
		resp.Strs = nil
	}
	return resp.Tokens, resp.Strs, err
}

func (b *backend) encode(ctx context.Context, text string, opt models.EncodeOptions) ([]int32, error) {
	var ids []int32
	err := b.c.Retry(ctx, true, func(ctx context.Context) (err error) {
		ids, _, err = b.tokenize(ctx, strings.ToValidUTF8(text, "\ufffd"), opt.AddSpecial)
		return err
	})
	return ids, err
}

func (b *backend) detokenize(ctx context.Context, ids []int32) (string, error) {
	var resp struct {
		Prompt string `json:"prompt"`
	}
	err := b.c.Post(ctx, "/detokenize", map[string]any{"model": b.model, "tokens": ids}, &resp)
	return resp.Prompt, err
}

// pieces reads the text of every token. The server joins the text of the
// tokens it is given, so a token of a character that no other piece contains
// goes between them. It returns how many pieces are parts of characters whose
// bytes could not be found out.
func (b *backend) pieces(ctx context.Context, v *remote.Vocab) (lossy int, err error) {
	const mark = "\x1e" // ASCII's record separator
	if _, err := b.detokenize(ctx, []int32{b.bos}); err != nil {
		return 0, err
	}
	sep, _, err := b.tokenize(ctx, mark, false)
	if err != nil {
		return 0, err
	}
	b.singles = 0
	for from := 0; from < b.size; from += remote.PieceChunk {
		texts, err := b.texts(ctx, from, min(from+remote.PieceChunk, b.size), sep, mark)
		if err != nil {
			return 0, err
		}
		for i, t := range texts {
			id := int32(from + i)
			v.Pieces[id] = t
			switch {
			case t == "":
				v.Attrs[id] = models.Unused
			case remote.ControlLike(t):
				v.Attrs[id] = models.Control
			}
		}
	}
	if len(sep) == 1 {
		v.Pieces[sep[0]] = mark
		v.Attrs[sep[0]] = models.Normal
	}
	remote.FindEnds(v)
	return b.spell(ctx, v)
}

// texts returns the texts of the tokens from up to but not including to.
func (b *backend) texts(ctx context.Context, from, to int, sep []int32, mark string) ([]string, error) {
	if len(sep) == 1 {
		ids := make([]int32, 0, 2*(to-from)+1)
		for id := from; id < to; id++ {
			ids = append(ids, sep[0], int32(id))
		}
		text, err := b.detokenize(ctx, append(ids, sep[0]))
		if err != nil && !remote.IsRefusal(err) {
			return nil, err
		}
		parts := strings.Split(text, mark)
		if err == nil && int(sep[0]) >= from && int(sep[0]) < to { // stands for itself: two marks more
			i := int(sep[0]) - from + 1
			if len(parts) > i+1 {
				parts = slices.Delete(parts, i, i+1)
			}
		}
		if err == nil && len(parts) == to-from+2 {
			return parts[1 : len(parts)-1], nil
		}
	}
	if b.singles >= remote.MaxSingles*8 {
		return make([]string, to-from), nil
	}
	if to-from == 1 {
		b.singles++
		text, err := b.detokenize(ctx, []int32{int32(from)})
		if err != nil && remote.IsRefusal(err) {
			return []string{""}, nil // not in the tokenizer: padding
		}
		return []string{text}, err
	}
	mid := (from + to) / 2
	left, err := b.texts(ctx, from, mid, sep, mark)
	if err != nil {
		return nil, err
	}
	right, err := b.texts(ctx, mid, to, sep, mark)
	return append(left, right...), err
}

// spell finds the bytes of the pieces that are parts of characters, which
// their text cannot hold, by how the vocabulary writes them.
func (b *backend) spell(ctx context.Context, v *remote.Vocab) (lossy int, err error) {
	for _, p := range v.Pieces {
		if strings.Contains(p, "\ufffd") {
			lossy++
		}
	}
	var texts []string
	ask := func() bool { // about the texts gathered, all at once
		split := make([]spelt, len(texts))
		var wg sync.WaitGroup
		for i, text := range texts {
			wg.Go(func() { split[i].ids, split[i].strs, split[i].err = b.tokenize(ctx, text, false) })
		}
		wg.Wait()
		texts = texts[:0]
		for _, s := range split {
			if err = s.err; err != nil || s.strs == nil {
				return false
			}
			lossy -= s.into(v)
		}
		return lossy > 0
	}
	if lossy > 0 {
		going := true
		remote.RareText(func(text string) bool {
			if texts = append(texts, text); len(texts) == atOnce {
				going = ask()
			}
			return going
		})
		if going && len(texts) > 0 {
			ask()
		}
	}
	if err != nil && remote.IsRefusal(err) {
		err = nil
	}
	return lossy - remote.FillBytes(v), err
}

// atOnce is how many texts the server is asked to split at a time.
const atOnce = 8

// A spelt is a text as the server splits it.
type spelt struct {
	ids  []int32
	strs []string // the tokens as the vocabulary writes them
	err  error
}

// into writes the bytes that s shows into the pieces of v that lack them, and
// returns how many those are.
func (s spelt) into(v *remote.Vocab) (found int) {
	for i, id := range s.ids {
		if !strings.Contains(v.Pieces[id], "\ufffd") {
			continue
		}
		exact, ok := remote.ByteLevel(s.strs[i])
		if !ok {
			exact = remote.SentencePiece(s.strs[i])
		}
		if exact != "" && !strings.Contains(exact, "\ufffd") {
			v.Pieces[id] = exact
			found++
		}
	}
	return found
}
