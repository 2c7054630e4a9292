package remote

import (
	"context"
	"slices"
	"time"

	"logitscope/models"
)

// A Vocab is the vocabulary of a server. Pieces and kinds are fetched when
// the model is opened and do not change; splitting text asks the server.
type Vocab struct {
	Pieces []string
	Attrs  []models.Attr
	Ends   []int32
	split  Splitter
	bound  time.Duration
}

// A Splitter splits text into ids of the vocabulary.
type Splitter func(ctx context.Context, text string, opt models.EncodeOptions) ([]int32, error)

// NewVocab returns a vocabulary of size tokens without pieces whose texts
// split splits, within Timeouts.Encode where a caller gives no bound.
func NewVocab(c *Client, size int, split Splitter) *Vocab {
	return &Vocab{Pieces: make([]string, size), Attrs: make([]models.Attr, size), split: split, bound: c.timeouts.Encode}
}

// Size is the number of tokens; see [models.Vocab].
func (v *Vocab) Size() int { return len(v.Pieces) }

// Piece returns the text of a token; see [models.Vocab].
func (v *Vocab) Piece(id int32) string {
	if uint32(id) >= uint32(len(v.Pieces)) {
		return ""
	}
	return v.Pieces[id]
}

// Attr says what kind of token it is; see [models.Vocab].
func (v *Vocab) Attr(id int32) models.Attr {
	if uint32(id) >= uint32(len(v.Attrs)) {
		return models.Unused
	}
	return v.Attrs[id]
}

// EOG returns the tokens that end a text; see [models.Vocab].
func (v *Vocab) EOG() []int32 { return v.Ends }

// Encode asks the server within Timeouts.Encode; it returns nil if that fails.
func (v *Vocab) Encode(text string, opt models.EncodeOptions) []int32 {
	ctx, cancel := context.WithTimeout(context.Background(), v.bound)
	defer cancel()
	ids, err := v.EncodeContext(ctx, text, opt)
	if err != nil {
		return nil
	}
	return ids
}

// EncodeContext asks the server to split text. Ids outside the vocabulary are
// an error.
func (v *Vocab) EncodeContext(ctx context.Context, text string, opt models.EncodeOptions) ([]int32, error) {
	return v.split(ctx, text, opt)
}

// SetControl makes id a control token with a name. A token is not made
// nameless by it.
func (v *Vocab) SetControl(id int32, name string) {
	if uint32(id) < uint32(len(v.Attrs)) {
		v.Attrs[id] = models.Control
		if name != "" {
			v.Pieces[id] = name
		}
	}
}

// InRange reports whether all ids belong to a vocabulary of size tokens.
func InRange(ids []int32, size int) bool {
	for _, id := range ids {
		if uint32(id) >= uint32(size) {
			return false
		}
	}
	return true
}

// EndNames are the names of tokens that end a turn or a text, in the
// vocabularies in use today. A server that only names one of its end tokens
// is asked which of the others it has.
var EndNames = []string{
	"<|endoftext|>", "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|end|>", "<|return|>", "<|call|>",
	"<end_of_turn>", "<turn|>", "</s>", "<eos>", "<|eos|>", "<EOT>", "<|EOT|>", "<|eot|>", "<|endofprompt|>",
	"<｜end▁of▁sentence｜>", "<|end_of_turn|>", "<end_of_utterance>", "<|END_OF_TURN_TOKEN|>", "[EOS]",
}

// MatchEnds returns, ascending, the control tokens among ids whose piece is
// one of names. The first name is the one the server gives its end token,
// which counts whatever its kind, and becomes a control token.
func MatchEnds(v *Vocab, names []string, ids []int32, pieces []string) []int32 {
	var eog []int32
	for i, id := range ids {
		p := pieces[i]
		if p == "" || slices.Contains(eog, id) || !slices.Contains(names, p) {
			continue
		}
		if p == names[0] || v.Attrs[id] == models.Control {
			eog = append(eog, id)
			v.SetControl(id, p)
		}
	}
	slices.Sort(eog)
	return eog
}

// FindEnds makes the control tokens with a usual name end generation.
func FindEnds(v *Vocab) {
	for id, p := range v.Pieces {
		if v.Attrs[id] == models.Control && slices.Contains(EndNames, p) {
			v.Ends = append(v.Ends, int32(id))
		}
	}
}
