package engine

import (
	"context"

	"logitscope/models"
)

// vocab shows a model's vocabulary to the sampling package.
type vocab struct {
	models.Vocab
	grows bool // ids get their pieces as a server names them: none can be masked
}

func vocabOf(m models.Model) vocab {
	c := m.Info().Caps
	return vocab{m.Vocab(), c.ObserveOnly || c.TextOnly}
}

func (v vocab) Encode(text string) []int32 { return v.Vocab.Encode(text, models.EncodeOptions{}) }
func (v vocab) HasPiece(id int32) bool     { return v.grows || v.Attr(id) != models.Unused }

// Text returns what token id adds to a text: its piece, unless it is a control
// token.
func (v vocab) Text(id int32) []byte { return appendPiece(nil, v.Vocab, id) }

// Prompt splits the text of a prompt as the model expects it: with what it
// puts around a text, such as a BOS token, and with the names of control
// tokens read as those tokens. It is empty only if text is empty and the model
// adds nothing. It may wait for a server that does the splitting.
func Prompt(ctx context.Context, m models.Model, text string) ([]int32, error) {
	return models.Encode(ctx, m.Vocab(), text, models.EncodeOptions{AddSpecial: true, ParseSpecial: true})
}
