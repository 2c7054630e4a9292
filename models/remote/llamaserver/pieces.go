package llamaserver

import (
	"context"
	"encoding/json"
	"strings"

	"logitscope/models"
	"logitscope/models/remote"
	"logitscope/models/remote/jsonscan"
)

// A tokenPiece is a token of /tokenize with_pieces. The piece is a string,
// or an array of bytes where it is not UTF-8.
type tokenPiece struct {
	ID    int32      `json:"id"`
	Piece pieceBytes `json:"piece"`
}

type pieceBytes string

func (p *pieceBytes) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		var nums []uint8OrMore
		if err := json.Unmarshal(data, &nums); err != nil {
			return err
		}
		b := make([]byte, len(nums))
		for i, n := range nums {
			b[i] = byte(n)
		}
		*p = pieceBytes(b)
		return nil
	}
	return json.Unmarshal(data, (*string)(p))
}

// uint8OrMore keeps encoding/json from reading an array of bytes as base64.
type uint8OrMore uint16

// tokenize splits text at the server.
func (b *backend) tokenize(ctx context.Context, text string, addSpecial, parseSpecial bool) (ids []int32, pieces []string, err error) {
	var resp struct {
		Tokens []tokenPiece `json:"tokens"`
	}
	err = b.c.Post(ctx, "/tokenize", map[string]any{
		"content": text, "add_special": addSpecial, "parse_special": parseSpecial, "with_pieces": true,
	}, &resp)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range resp.Tokens {
		ids, pieces = append(ids, t.ID), append(pieces, string(t.Piece))
	}
	if !remote.InRange(ids, b.size) {
		return nil, nil, b.c.Errorf(remote.Malformed, "split text into tokens outside its vocabulary of %d", b.size)
	}
	return ids, pieces, nil
}

func (b *backend) encode(ctx context.Context, text string, opt models.EncodeOptions) ([]int32, error) {
	var ids []int32
	err := b.c.Retry(ctx, true, func(ctx context.Context) (err error) {
		ids, _, err = b.tokenize(ctx, strings.ToValidUTF8(text, "\ufffd"), opt.AddSpecial, opt.ParseSpecial)
		return err
	})
	return ids, err
}

// findSafe looks for a token that is one printable ASCII character.
func (b *backend) findSafe(ctx context.Context) error {
	ids, pieces, err := b.tokenize(ctx, "A.a 1,e", false, false)
	if err != nil {
		return err
	}
	for i, p := range pieces {
		if len(p) == 1 && p[0] > ' ' && p[0] < 0x7f {
			b.safe = ids[i]
			return nil
		}
	}
	return b.c.Errorf(remote.Unsuitable, "has no token of plain ASCII; its vocabulary cannot be used")
}

// pieces reads the bytes of every token from one row of the whole vocabulary,
// which is the only page that has them all. Tokens without bytes there are
// control tokens, whose names the tokenizer knows, or unused.
func (b *backend) pieces(ctx context.Context, v *remote.Vocab) error {
	body := b.request(nil, remote.Query{Tokens: []int32{b.safe}, Want: 1, Slot: -1}, b.size)
	r, err := b.c.Send(ctx, "POST", "/completion", body, remote.BodyLimit(b.size), nil)
	if err != nil {
		return err
	}
	known := 0
	s := jsonscan.Scanner{Data: r.Body}
	var a answer
	scanAnswer(&s, func(s *jsonscan.Scanner, _ int) { known += scanPieces(s, v) }, &a)
	b.name = a.model
	if s.End() != nil {
		return b.c.NotJSON(r, "/completion")
	}
	if known != b.size {
		return b.c.Errorf(remote.Unsuitable, "named %d of its %d tokens; a llama-server since build b4300 (December 2024) is needed", known, b.size)
	}
	return b.nameControls(ctx, v)
}

// scanPieces reads an array of {"id","bytes"} into v and returns how many of
// the ids were new.
func scanPieces(s *jsonscan.Scanner, v *remote.Vocab) int {
	n := 0
	var text []byte
	s.Enter('[')
	for first := true; s.More(']', &first); {
		id := -1
		text = text[:0]
		s.Enter('{')
		for first := true; s.More('}', &first); {
			switch string(s.Key()) {
			case "id":
				id = s.Integer()
			case "bytes":
				s.Enter('[')
				for first := true; s.More(']', &first); {
					text = append(text, byte(s.Integer()))
				}
			default:
				s.Skip()
			}
		}
		if id >= 0 && id < v.Size() && v.Attrs[id] != seenAttr {
			v.Pieces[id], v.Attrs[id] = string(text), seenAttr
			n++
		}
	}
	return n
}

// seenAttr marks ids while pieces are read.
const seenAttr models.Attr = 255

// nameControls finds the names of the tokens without bytes. It asks for the
// text of all of them in a row and lets the tokenizer split it again; ids that
// do not come back are asked for one at a time, as far as is reasonable.
func (b *backend) nameControls(ctx context.Context, v *remote.Vocab) error {
	var empty []int32
	for id := range v.Attrs {
		v.Attrs[id] = models.Normal
		if v.Pieces[id] == "" {
			v.Attrs[id] = models.Unused
			empty = append(empty, int32(id))
		}
	}
	if len(empty) == 0 {
		return nil
	}
	text, err := b.detokenize(ctx, empty)
	if err != nil {
		return err
	}
	ids, pieces, err := b.tokenize(ctx, text, false, true)
	if err != nil {
		return err
	}
	for i, id := range ids {
		if v.Attrs[id] == models.Unused {
			v.SetControl(id, pieces[i])
		}
	}
	for n, id := range empty {
		if v.Attrs[id] != models.Unused || n >= remote.MaxSingles {
			continue
		}
		name, err := b.detokenize(ctx, []int32{id})
		if err != nil {
			return err
		}
		if name != "" {
			v.SetControl(id, name)
		}
	}
	return nil
}

func (b *backend) detokenize(ctx context.Context, ids []int32) (string, error) {
	var resp struct {
		Content string `json:"content"`
	}
	err := b.c.Post(ctx, "/detokenize", map[string]any{"tokens": ids}, &resp)
	return resp.Content, err
}

// ends finds the tokens that end generation: the one the server names, and
// those among the usual names that its tokenizer knows.
func (b *backend) ends(ctx context.Context, v *remote.Vocab, eos string) error {
	names := append([]string{eos}, remote.EndNames...)
	ids, pieces, err := b.tokenize(ctx, strings.Join(names, ""), false, true)
	if err != nil {
		return err
	}
	v.Ends = remote.MatchEnds(v, names, ids, pieces)
	return nil
}
