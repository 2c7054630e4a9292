package table

import (
	"unicode"
	"unicode/utf8"

	"logitscope/models"
)

// Vocab is the list of pieces that a table's file gives. Text is split by
// longest match from the left. White space that no piece begins with only
// separates, so "the dog" is two tokens of a vocabulary of bare words; other
// text without a piece becomes unk_id if the file names one, and is left out
// if it does not.
type Vocab struct {
	pieces  []string
	attrs   []models.Attr
	eog     []int32
	bos     int32
	unk     int32
	ids     map[string]int32 // the first id of each piece
	longest int              // bytes in the longest piece
}

var _ models.Vocab = (*Vocab)(nil)

func newVocab(pieces []string, control, eog []int32, bos, unk int32) *Vocab {
	v := &Vocab{
		pieces: pieces,
		attrs:  make([]models.Attr, len(pieces)),
		eog:    eog,
		bos:    bos,
		unk:    unk,
		ids:    make(map[string]int32, len(pieces)),
	}
	for i, p := range pieces {
		if _, dup := v.ids[p]; !dup {
			v.ids[p] = int32(i)
		}
		if p == "" {
			v.attrs[i] = models.Unused
		}
		v.longest = max(v.longest, len(p))
	}
	for _, id := range control {
		v.attrs[id] = models.Control
	}
	return v
}

// Size returns the number of tokens.
func (v *Vocab) Size() int { return len(v.pieces) }

// BOS returns the token that begins a text, or [models.NoToken].
func (v *Vocab) BOS() int32 { return v.bos }

// EOG returns the ids that end generation, ascending.
func (v *Vocab) EOG() []int32 { return v.eog }

// Piece returns the piece as the file gives it.
func (v *Vocab) Piece(id int32) string {
	if id < 0 || int(id) >= len(v.pieces) {
		return ""
	}
	return v.pieces[id]
}

// Attr returns Control for pad, bos, eos and unk, Unused for an empty piece.
func (v *Vocab) Attr(id int32) models.Attr {
	if id < 0 || int(id) >= len(v.attrs) {
		return models.Unused
	}
	return v.attrs[id]
}

// Encode splits text by longest match.
func (v *Vocab) Encode(text string, opt models.EncodeOptions) []int32 {
	var out []int32
	if opt.AddSpecial && v.bos != models.NoToken {
		out = append(out, v.bos)
	}
	for len(text) > 0 {
		if id, n := v.match(text, opt.ParseSpecial); n > 0 {
			out = append(out, id)
			text = text[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		if v.unk != models.NoToken && !unicode.IsSpace(r) {
			out = append(out, v.unk)
		}
		text = text[n:]
	}
	return out
}

// match finds the longest piece that text begins with.
func (v *Vocab) match(text string, special bool) (id int32, n int) {
	for n := min(v.longest, len(text)); n > 0; n-- {
		if id, ok := v.ids[text[:n]]; ok && (special || v.attrs[id] != models.Control) {
			return id, n
		}
	}
	return models.NoToken, 0
}
