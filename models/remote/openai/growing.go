package openai

import (
	"context"
	"sync"
	"unicode/utf8"

	"logitscope/models"
	"logitscope/models/remote"
)

// Bounds of a growing vocabulary.
const (
	growingSize  = 1 << 16
	growingPiece = 64 << 10        // longest piece, in bytes
	growingBytes = 64 * remote.MiB // all pieces together
)

// A growing vocabulary gives ids to texts in the order in which they are
// first seen. An id keeps its text for good, and ids beyond those given are
// [models.Unused].
type growing struct {
	mu      sync.RWMutex
	pieces  []string
	ids     map[string]int32
	bytes   int
	longest int
}

func newGrowing() *growing { return &growing{ids: make(map[string]int32)} }

func (v *growing) Size() int { return growingSize }

func (v *growing) Piece(id int32) string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if uint32(id) >= uint32(len(v.pieces)) {
		return ""
	}
	return v.pieces[id]
}

func (v *growing) Attr(id int32) models.Attr {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if uint32(id) >= uint32(len(v.pieces)) {
		return models.Unused
	}
	return models.Normal
}

func (v *growing) EOG() []int32 { return nil }

// id returns the id of a text. It reports false if there is no room for it.
func (v *growing) id(text []byte) (int32, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if id, ok := v.ids[string(text)]; ok {
		return id, true
	}
	if len(v.pieces) == growingSize || len(text) > growingPiece || v.bytes+len(text) > growingBytes {
		return models.NoToken, false
	}
	id := int32(len(v.pieces))
	piece := string(text)
	v.pieces, v.ids[piece] = append(v.pieces, piece), id
	v.bytes += len(piece)
	v.longest = max(v.longest, len(piece))
	return id, true
}

// Encode splits text into the longest texts seen so far, and into characters
// where there is none. The server may split it another way.
func (v *growing) Encode(text string, _ models.EncodeOptions) []int32 {
	ids, _ := v.EncodeContext(context.Background(), text, models.EncodeOptions{})
	return ids
}

func (v *growing) EncodeContext(_ context.Context, text string, _ models.EncodeOptions) ([]int32, error) {
	var out []int32
	for len(text) > 0 {
		id, n := v.longestPrefix(text)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text)
			var ok bool
			if id, ok = v.id([]byte(text[:n])); !ok {
				return nil, models.ErrContextFull
			}
		}
		out = append(out, id)
		text = text[n:]
	}
	return out, nil
}

func (v *growing) longestPrefix(text string) (int32, int) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	for n := min(v.longest, len(text), 128); n > 0; n-- {
		if id, ok := v.ids[text[:n]]; ok {
			return id, n
		}
	}
	return models.NoToken, 0
}
