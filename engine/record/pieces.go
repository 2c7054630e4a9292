package record

import (
	"encoding/base64"
	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/tape"
	"logitscope/sampling"
	"logitscope/sampling/value"
	"slices"
	"strings"
)

// pieceLines is how many pieces one line names.
const pieceLines = 2048

// name writes what the settings s need to be made again: the tokens of their
// texts, and every piece where a constraint or a text may touch any token.
func (w *Writer) name(s *engine.Settings) error {
	if w.opt.Rows == RowsTop {
		return nil
	}
	cfg := s.Config()
	texts := usesTexts(cfg)
	if !w.all && (w.opt.Rows == RowsFull || texts || cfg.Text("constraint") != "") && !w.growing() {
		w.all = true
		if err := w.allPieces(); err != nil {
			return err
		}
	}
	if !texts {
		return nil
	}
	h := &hearing{Vocab: w.m.Vocab(), heard: map[string][]int32{}}
	if _, err := sampling.Compile(cfg, h); err != nil {
		return nil // the lane runs under it, so this says nothing
	}
	line := tape.Texts{Type: "texts", Lane: w.opt.Lane}
	for text, ids := range h.heard {
		if !w.texts[text] {
			w.texts[text] = true
			line.Texts = append(line.Texts, tape.Text{Base64: base64.StdEncoding.EncodeToString([]byte(text)), Tokens: append([]int32{}, ids...)})
		}
	}
	if len(line.Texts) == 0 {
		return nil
	}
	slices.SortFunc(line.Texts, func(a, b tape.Text) int { return strings.Compare(a.Base64, b.Base64) })
	return w.line(line)
}

// growing reports whether the vocabulary is not known beforehand.
func (w *Writer) growing() bool {
	c := w.m.Info().Caps
	return c.TextOnly || c.ObserveOnly
}

// usesTexts reports whether cfg has texts that stand for tokens.
func usesTexts(cfg sampling.Config) bool {
	if len(cfg.Strings("bad_words")) > 0 || cfg.Float("dry_multiplier") > 0 {
		return true
	}
	list, _ := cfg.Value("logit_bias").([]value.TokenBias)
	return slices.ContainsFunc(list, func(b value.TokenBias) bool { return b.Tokens == nil })
}

// A hearing is a vocabulary that remembers what it was asked to encode.
type hearing struct {
	models.Vocab
	heard map[string][]int32
}

func (h *hearing) Encode(text string) []int32 {
	ids := h.Vocab.Encode(text, models.EncodeOptions{})
	h.heard[text] = ids
	return ids
}

func (h *hearing) HasPiece(id int32) bool { return h.Attr(id) != models.Unused }

func (w *Writer) allPieces() error {
	v := w.m.Vocab()
	for from := 0; from < v.Size(); from += pieceLines {
		p := tape.Pieces{Type: "pieces", Lane: w.opt.Lane, From: int32(from)}
		for id := from; id < min(v.Size(), from+pieceLines); id++ {
			w.addPiece(&p, int32(id))
		}
		if err := w.line(p); err != nil {
			return err
		}
	}
	return nil
}

// pieces writes the pieces that a step names first.
func (w *Writer) pieces(row *tape.Row, s *Step) error {
	if w.all {
		return nil
	}
	p := tape.Pieces{Type: "pieces", Lane: w.opt.Lane}
	add := func(id int32) {
		if !w.named[id] {
			p.IDs = append(p.IDs, id)
			w.addPiece(&p, id)
		}
	}
	add(s.Token)
	if row != nil {
		for i := range row.Values {
			if row.IDs == nil {
				add(int32(i))
			} else {
				add(row.IDs[i])
			}
		}
	}
	for i := range s.Top {
		add(s.Top[i].Token)
	}
	if len(p.IDs) == 0 {
		return nil
	}
	return w.line(p)
}

func (w *Writer) addPiece(p *tape.Pieces, id int32) {
	v := w.m.Vocab()
	w.named[id] = true
	p.Base64 = append(p.Base64, base64.StdEncoding.EncodeToString([]byte(v.Piece(id))))
	attr := v.Attr(id)
	if attr != models.Normal && p.Attr == nil {
		p.Attr = make([]byte, len(p.Base64)-1, pieceLines)
	}
	if p.Attr != nil {
		p.Attr = append(p.Attr, byte(attr))
	}
}
