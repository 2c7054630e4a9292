// Package tokenizer answers: which tokens is this text? It splits text into the
// tokens of a model, from the metadata of its GGUF file. It knows byte-level
// BPE with every pre-tokenizer that llama.cpp names, SentencePiece-style BPE
// with byte fallback ("SPM"), and WordPiece, and gives the ids that llama.cpp
// gives.
//
// Files are untrusted: whatever the metadata holds, [New] returns an error or
// a vocabulary that works, and never panics.
package tokenizer

import (
	"logitscope/models"
)

// Vocab is the vocabulary of a GGUF file. It is immutable and safe for
// concurrent use.
type Vocab struct {
	kind  kind
	pre   string // pre-tokenizer in use, such as "llama-bpe"; empty unless BPE
	notes []string

	texts  []string // as the file has them, such as "Ġthe"
	pieces []string // the bytes they stand for, such as " the"
	attrs  []attr
	scores []float32        // SPM only
	ids    map[string]int32 // by text; the first of equal texts
	maxLen int              // bytes of the longest text

	special specialIDs
	eog     []int32
	flags   flags
	finder  finder
	encoder encoder
}

var _ models.Vocab = (*Vocab)(nil)

// An encoder turns a stretch of text that holds no special token into ids.
type encoder interface {
	// encode appends the ids of text to out. The first argument says
	// whether the stretch begins the text or follows a special token.
	encode(atStart bool, text string, out []int32) []int32
}

// flags are the yes-or-no settings of a tokenizer.
type flags struct {
	addBOS, addEOS bool
	addSpacePrefix bool // SPM: a space before text that follows a special token
	escapeSpaces   bool // ' ' is written '▁' in the vocabulary
	cleanSpaces    bool // decoding drops spaces before punctuation
	ignoreMerges   bool // BPE: a word that is a token needs no merges
	rawBytes       bool // BPE: the vocabulary holds UTF-8, not the byte alphabet
}

// attr is what a token is, in llama.cpp's bits: one token can be several.
type attr uint16

const (
	attrUnknown attr = 1 << iota
	attrUnused
	attrNormal
	attrControl
	attrUser
	attrByte
	attrLstrip // swallows white space to its left in the text
	attrRstrip // the same to its right
	attrFiller // named after its own id: a row that only pads the vocabulary
)

// Kind returns the family of the tokenizer: "BPE", "SPM" or "WPM".
func (v *Vocab) Kind() string { return kindNames[v.kind] }

// Pre returns the name of the pre-tokenizer, or "" for a kind without one.
func (v *Vocab) Pre() string { return v.pre }

// Notes lists what a user should know about the vocabulary, one line each,
// such as that its pre-tokenizer is unknown. It may be empty.
func (v *Vocab) Notes() []string { return v.notes }

// Size returns the number of ids.
func (v *Vocab) Size() int { return len(v.texts) }

// EOG lists the ids that end generation, ascending, as llama.cpp finds them:
// the ones the file names, and tokens with a well-known name.
func (v *Vocab) EOG() []int32 { return v.eog }

// BOS returns the token that begins a text, or [models.NoToken].
func (v *Vocab) BOS() int32 { return v.special.bos }

// EOS returns the token that ends a text, or [models.NoToken].
func (v *Vocab) EOS() int32 { return v.special.eos }

// eot returns the token that ends a turn of a chat, or [models.NoToken].
func (v *Vocab) eot() int32 { return v.special.eot }

// addBOS reports whether AddSpecial puts a BOS token before the text.
func (v *Vocab) addBOS() bool { return v.flags.addBOS }

// addEOS reports whether AddSpecial puts an EOS token after the text.
func (v *Vocab) addEOS() bool { return v.flags.addEOS }

// Piece returns the bytes of a token; for a control token its name.
func (v *Vocab) Piece(id int32) string {
	if id < 0 || int(id) >= len(v.pieces) {
		return ""
	}
	return v.pieces[id]
}

// Text returns a token as the file spells it, such as "Ġthe" or "▁the"; it is
// empty for an id out of range.
func (v *Vocab) Text(id int32) string {
	if id < 0 || int(id) >= len(v.texts) {
		return ""
	}
	return v.texts[id]
}

// ID returns the token that the file spells text, or [models.NoToken].
func (v *Vocab) ID(text string) int32 {
	if id, ok := v.ids[text]; ok {
		return id
	}
	return models.NoToken
}

// Attr returns the kind of a token. Tokens that only fill the vocabulary up,
// empty or named after their own id ("[PAD32011]"), are [models.Unused].
func (v *Vocab) Attr(id int32) models.Attr {
	if id < 0 || int(id) >= len(v.attrs) {
		return models.Unused
	}
	switch a := v.attrs[id]; {
	case a&^(attrLstrip|attrRstrip) == 0, a&attrFiller != 0, a&attrUnused != 0 && a&attrControl == 0:
		return models.Unused
	case a&(attrControl|attrUnknown) != 0:
		return models.Control
	case a&attrUser != 0:
		return models.User
	case a&attrByte != 0:
		return models.Byte
	default:
		return models.Normal
	}
}

// Encode splits text into tokens. User-defined tokens are always matched
// whole, control tokens only with ParseSpecial. Bytes that are no UTF-8 become
// U+FFFD under BPE, as in llama.cpp, and byte tokens under SPM.
func (v *Vocab) Encode(text string, opt models.EncodeOptions) []int32 {
	out := make([]int32, 0, len(text)/3+4)
	if opt.AddSpecial && v.flags.addBOS && v.special.bos >= 0 {
		out = append(out, v.special.bos)
	}
	atStart := true
	for _, f := range v.finder.partition(v, text, opt.ParseSpecial) {
		if f.id >= 0 {
			out = append(out, f.id)
			atStart = true
			continue
		}
		out = v.encoder.encode(atStart, text[f.start:f.end], out)
		atStart = false
	}
	switch {
	case !opt.AddSpecial:
	case v.kind == kindWPM && v.special.sep >= 0:
		out = append(out, v.special.sep)
	case v.flags.addEOS && v.special.eos >= 0:
		out = append(out, v.special.eos)
	}
	return out
}
