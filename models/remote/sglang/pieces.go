package sglang

import (
	"context"
	"strings"

	"logitscope/models"
	"logitscope/models/remote"
)

func (b *backend) tokenize(ctx context.Context, text string, addSpecial bool) ([]int32, error) {
	var resp struct {
		Tokens []int32 `json:"tokens"`
	}
	err := b.c.Post(ctx, b.at+"/tokenize", map[string]any{"prompt": text, "add_special_tokens": addSpecial}, &resp)
	if err == nil && b.size > 0 && !remote.InRange(resp.Tokens, b.size) {
		err = b.c.Errorf(remote.Malformed, "split text into tokens outside its vocabulary of %d", b.size)
	}
	return resp.Tokens, err
}

func (b *backend) encode(ctx context.Context, text string, opt models.EncodeOptions) ([]int32, error) {
	var ids []int32
	err := b.c.Retry(ctx, true, func(ctx context.Context) (err error) {
		ids, err = b.tokenize(ctx, strings.ToValidUTF8(text, "\ufffd"), opt.AddSpecial)
		return err
	})
	return ids, err
}

// pieces reads the text of every token, a list of tokens at a time. Pieces
// that are parts of characters are found by splitting characters.
func (b *backend) pieces(ctx context.Context, v *remote.Vocab) (lossy int, err error) {
	for from := 0; from < b.size; from += remote.PieceChunk {
		var lists [][]int32
		for id := from; id < min(from+remote.PieceChunk, b.size); id++ {
			lists = append(lists, []int32{int32(id)})
		}
		var resp struct {
			Text []string `json:"text"`
		}
		err := b.c.Post(ctx, b.at+"/detokenize", map[string]any{"tokens": lists, "skip_special_tokens": false}, &resp)
		if err != nil {
			return 0, err
		}
		if len(resp.Text) != len(lists) {
			return 0, b.c.Errorf(remote.Malformed, "sent the text of %d tokens in place of %d", len(resp.Text), len(lists))
		}
		for i, t := range resp.Text {
			id := from + i
			v.Pieces[id] = t
			switch {
			case t == "":
				v.Attrs[id] = models.Unused
			case remote.ControlLike(t):
				v.Attrs[id] = models.Control
			case strings.Contains(t, "\ufffd"):
				lossy++
			}
		}
	}
	remote.FindEnds(v)
	return b.spell(ctx, v, lossy)
}

// spell finds the bytes of pieces that are parts of characters: where a
// character is split into as many tokens as it has bytes, or where all its
// tokens but one are known, the rest follows.
func (b *backend) spell(ctx context.Context, v *remote.Vocab, lossy int) (int, error) {
	var err error
	remote.RareText(func(text string) bool {
		if lossy == 0 {
			return false
		}
		var chars []string
		for _, r := range text {
			chars = append(chars, string(r))
		}
		var resp struct {
			Tokens [][]int32 `json:"tokens"`
		}
		if err = b.c.Post(ctx, b.at+"/tokenize", map[string]any{"prompt": chars, "add_special_tokens": false}, &resp); err != nil || len(resp.Tokens) != len(chars) {
			return false
		}
		for range 2 {
			for i, ids := range resp.Tokens {
				if remote.InRange(ids, b.size) {
					lossy -= deduce(v, chars[i], ids)
				}
			}
		}
		return true
	})
	if err != nil && remote.IsRefusal(err) {
		err = nil
	}
	return lossy - remote.FillBytes(v), err
}

// deduce sets the pieces of ids that are not known yet and follow from char,
// which they spell. It returns how many.
func deduce(v *remote.Vocab, char string, ids []int32) (n int) {
	unknown := func(id int32) bool { return strings.Contains(v.Pieces[id], "\ufffd") }
	if len(ids) == len(char) {
		for i, id := range ids {
			if unknown(id) {
				v.Pieces[id] = char[i : i+1]
				n++
			}
		}
		return n
	}
	front := 0
	for front < len(ids) && !unknown(ids[front]) && strings.HasPrefix(char, v.Pieces[ids[front]]) {
		char = char[len(v.Pieces[ids[front]]):]
		front++
	}
	back := len(ids)
	for back > front && !unknown(ids[back-1]) && strings.HasSuffix(char, v.Pieces[ids[back-1]]) {
		char = char[:len(char)-len(v.Pieces[ids[back-1]])]
		back--
	}
	if back-front == 1 && unknown(ids[front]) && char != "" && len(char) < 4 {
		v.Pieces[ids[front]] = char
		n++
	}
	return n
}
