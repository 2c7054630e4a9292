package remote

import (
	"context"
	"encoding/json"
	"strings"

	"logitscope/models"
)

// A llamaPiece is a token of /tokenize with_pieces. The piece is a string,
// or an array of bytes where it is not UTF-8.
type llamaPiece struct {
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
func (b *llamaServer) tokenize(ctx context.Context, text string, addSpecial, parseSpecial bool) (ids []int32, pieces []string, err error) {
	var resp struct {
		Tokens []llamaPiece `json:"tokens"`
	}
	err = b.c.post(ctx, "/tokenize", map[string]any{
		"content": text, "add_special": addSpecial, "parse_special": parseSpecial, "with_pieces": true,
	}, &resp)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range resp.Tokens {
		ids, pieces = append(ids, t.ID), append(pieces, string(t.Piece))
	}
	if !inRange(ids, b.size) {
		return nil, nil, b.c.fault(Malformed, "split text into tokens outside its vocabulary of %d", b.size)
	}
	return ids, pieces, nil
}

func (b *llamaServer) encode(ctx context.Context, text string, opt models.EncodeOptions) ([]int32, error) {
	var ids []int32
	err := b.c.retry(ctx, true, func(ctx context.Context) (err error) {
		ids, _, err = b.tokenize(ctx, strings.ToValidUTF8(text, "\ufffd"), opt.AddSpecial, opt.ParseSpecial)
		return err
	})
	return ids, err
}

// findSafe looks for a token that is one printable ASCII character.
func (b *llamaServer) findSafe(ctx context.Context) error {
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
	return b.c.fault(Unsuitable, "has no token of plain ASCII; its vocabulary cannot be used")
}

// pieces reads the bytes of every token from one row of the whole vocabulary,
// which is the only page that has them all. Tokens without bytes there are
// control tokens, whose names the tokenizer knows, or unused.
func (b *llamaServer) pieces(ctx context.Context, v *vocab) error {
	body := b.request(nil, query{tokens: []int32{b.safe}, want: 1, slot: -1}, b.size)
	r, err := b.c.send(ctx, "POST", "/completion", body, bodyLimit(b.size), nil)
	if err != nil {
		return err
	}
	known := 0
	s := scanner{b: r.body}
	b.scanAnswer(&s, func(s *scanner, _ int) { known += scanPieces(s, v) }, nil)
	if s.end() != nil {
		return b.c.malformed(r, "/completion")
	}
	if known != b.size {
		return b.c.fault(Unsuitable, "named %d of its %d tokens; a llama-server since build b4300 (December 2024) is needed", known, b.size)
	}
	return b.nameControls(ctx, v)
}

// scanPieces reads an array of {"id","bytes"} into v and returns how many of
// the ids were new.
func scanPieces(s *scanner, v *vocab) int {
	n := 0
	var text []byte
	s.enter('[')
	for first := true; s.more(']', &first); {
		id := -1
		text = text[:0]
		s.enter('{')
		for first := true; s.more('}', &first); {
			switch string(s.key()) {
			case "id":
				id = s.integer()
			case "bytes":
				s.enter('[')
				for first := true; s.more(']', &first); {
					text = append(text, byte(s.integer()))
				}
			default:
				s.skip()
			}
		}
		if id >= 0 && id < v.Size() && v.attrs[id] != seenAttr {
			v.pieces[id], v.attrs[id] = string(text), seenAttr
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
func (b *llamaServer) nameControls(ctx context.Context, v *vocab) error {
	var empty []int32
	for id := range v.attrs {
		v.attrs[id] = models.Normal
		if v.pieces[id] == "" {
			v.attrs[id] = models.Unused
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
		if v.attrs[id] == models.Unused {
			v.setControl(id, pieces[i])
		}
	}
	for n, id := range empty {
		if v.attrs[id] != models.Unused || n >= maxSingles {
			continue
		}
		name, err := b.detokenize(ctx, []int32{id})
		if err != nil {
			return err
		}
		if name != "" {
			v.setControl(id, name)
		}
	}
	return nil
}

// maxSingles bounds how many names are asked for one request at a time.
const maxSingles = 512

func (b *llamaServer) detokenize(ctx context.Context, ids []int32) (string, error) {
	var resp struct {
		Content string `json:"content"`
	}
	err := b.c.post(ctx, "/detokenize", map[string]any{"tokens": ids}, &resp)
	return resp.Content, err
}

// ends finds the tokens that end generation: the one the server names, and
// those among the usual names that its tokenizer knows.
func (b *llamaServer) ends(ctx context.Context, v *vocab, eos string) error {
	names := append([]string{eos}, eogNames...)
	ids, pieces, err := b.tokenize(ctx, strings.Join(names, ""), false, true)
	if err != nil {
		return err
	}
	v.eog = matchEnds(v, names, ids, pieces)
	return nil
}
