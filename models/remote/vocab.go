package remote

import (
	"context"
	"slices"

	"logitscope/models"
)

// A vocab is the vocabulary of a server. Pieces and kinds are fetched when
// the model is opened and do not change; splitting text asks the server.
type vocab struct {
	pieces []string
	attrs  []models.Attr
	eog    []int32
	split  func(ctx context.Context, text string, opt models.EncodeOptions) ([]int32, error)
	bound  Timeouts
}

func newVocab(size int, bound Timeouts) *vocab {
	return &vocab{pieces: make([]string, size), attrs: make([]models.Attr, size), bound: bound}
}

func (v *vocab) Size() int { return len(v.pieces) }

func (v *vocab) Piece(id int32) string {
	if uint32(id) >= uint32(len(v.pieces)) {
		return ""
	}
	return v.pieces[id]
}

func (v *vocab) Attr(id int32) models.Attr {
	if uint32(id) >= uint32(len(v.attrs)) {
		return models.Unused
	}
	return v.attrs[id]
}

func (v *vocab) EOG() []int32 { return v.eog }

// Encode asks the server within Timeouts.Encode; it returns nil if that fails.
func (v *vocab) Encode(text string, opt models.EncodeOptions) []int32 {
	ctx, cancel := context.WithTimeout(context.Background(), v.bound.Encode)
	defer cancel()
	ids, err := v.EncodeContext(ctx, text, opt)
	if err != nil {
		return nil
	}
	return ids
}

// EncodeContext asks the server to split text. Ids outside the vocabulary are
// an error.
func (v *vocab) EncodeContext(ctx context.Context, text string, opt models.EncodeOptions) ([]int32, error) {
	return v.split(ctx, text, opt)
}

// setControl makes id a control token with a name. A token is not made
// nameless by it.
func (v *vocab) setControl(id int32, name string) {
	if uint32(id) < uint32(len(v.attrs)) {
		v.attrs[id] = models.Control
		if name != "" {
			v.pieces[id] = name
		}
	}
}

// inRange reports whether all ids belong to a vocabulary of size tokens.
func inRange(ids []int32, size int) bool {
	for _, id := range ids {
		if uint32(id) >= uint32(size) {
			return false
		}
	}
	return true
}

// eogNames are the names of tokens that end a turn or a text, in the
// vocabularies in use today. A server that only names one of its end tokens
// is asked which of the others it has.
var eogNames = []string{
	"<|endoftext|>", "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|end|>", "<|return|>", "<|call|>",
	"<end_of_turn>", "<turn|>", "</s>", "<eos>", "<|eos|>", "<EOT>", "<|EOT|>", "<|eot|>", "<|endofprompt|>",
	"<｜end▁of▁sentence｜>", "<|end_of_turn|>", "<end_of_utterance>", "<|END_OF_TURN_TOKEN|>", "[EOS]",
}

// matchEnds returns, ascending, the control tokens among ids whose piece is
// one of names. The first name is the one the server gives its end token,
// which counts whatever its kind, and becomes a control token.
func matchEnds(v *vocab, names []string, ids []int32, pieces []string) []int32 {
	var eog []int32
	for i, id := range ids {
		p := pieces[i]
		if p == "" || slices.Contains(eog, id) || !slices.Contains(names, p) {
			continue
		}
		if p == names[0] || v.attrs[id] == models.Control {
			eog = append(eog, id)
			v.setControl(id, p)
		}
	}
	slices.Sort(eog)
	return eog
}

// findEnds makes the control tokens with a usual name end generation.
func findEnds(v *vocab) {
	for id, p := range v.pieces {
		if v.attrs[id] == models.Control && slices.Contains(eogNames, p) {
			v.eog = append(v.eog, int32(id))
		}
	}
}
