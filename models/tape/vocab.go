package tape

import (
	"maps"
	"slices"

	"logitscope/models"
)

// A Vocab is the tokens that a recording names.
type Vocab struct {
	size   int
	eog    []int32
	pieces map[int32]piece
	ids    map[string]int32
	texts  map[string][]int32 // how the model splits them
	most   int                // bytes of the longest piece
	of     *Model
}

type piece struct {
	text string
	attr models.Attr
}

func newVocab(size int, eog []int32) *Vocab {
	return &Vocab{size: size, eog: slices.Compact(slices.Sorted(slices.Values(eog))), pieces: map[int32]piece{}, ids: map[string]int32{}, texts: map[string][]int32{}}
}

func (v *Vocab) set(id int32, text string, attr models.Attr) {
	v.pieces[id] = piece{text, attr}
	if old, ok := v.ids[text]; text != "" && attr != models.Unused && (!ok || id < old) {
		v.ids[text] = id
		v.most = max(v.most, len(text))
	}
}

func (v *Vocab) known(id int32) bool { _, ok := v.pieces[id]; return ok }

func (v *Vocab) ends(id int32) bool { return slices.Contains(v.eog, id) }

// Size returns the number of ids of the recorded model.
func (v *Vocab) Size() int { return v.size }

// Piece returns the text of a token, empty if the recording does not name it.
func (v *Vocab) Piece(id int32) string { return v.pieces[id].text }

// Attr returns the kind of a token. One that the recording does not name is
// taken for an ordinary one: the model had it.
func (v *Vocab) Attr(id int32) models.Attr {
	if id < 0 || int(id) >= v.size {
		return models.Unused
	}
	return v.pieces[id].attr
}

// EOG lists the ids that end generation.
func (v *Vocab) EOG() []int32 { return v.eog }

// Complete reports whether the recording names every token.
func (v *Vocab) Complete() bool { return len(v.pieces) == v.size }

// Encode splits text into the tokens of the recording: a recorded prompt into
// those it had, any other text into the longest pieces known. Bytes that no
// piece covers are left out: such a text was not recorded.
func (v *Vocab) Encode(text string, opt models.EncodeOptions) []int32 {
	if opt.AddSpecial {
		for _, p := range v.of.prompts {
			if p.text == text {
				return slices.Clone(p.tokens)
			}
		}
	}
	if ids, ok := v.texts[text]; ok && opt == (models.EncodeOptions{}) {
		return slices.Clone(ids)
	}
	out := []int32{}
	for len(text) > 0 {
		n := min(v.most, len(text))
		for ; n > 0; n-- {
			if id, ok := v.ids[text[:n]]; ok && (opt.ParseSpecial || v.pieces[id].attr != models.Control) {
				out = append(out, id)
				break
			}
		}
		text = text[max(n, 1):]
	}
	return out
}

func sortedKeys[V any](m map[int32]V) []int32 { return slices.Sorted(maps.Keys(m)) }
