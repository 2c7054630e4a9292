package tokenizer

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"logitscope/models"
	"logitscope/models/gguf"
)

type kind uint8

const (
	kindSPM kind = iota
	kindBPE
	kindWPM
)

var kindNames = [...]string{kindSPM: "SPM", kindBPE: "BPE", kindWPM: "WPM"}

// kinds maps tokenizer.ggml.model to a kind and its default special tokens.
var kinds = map[string]struct {
	kind     kind
	defaults func(*specialIDs)
}{
	"llama":  {kindSPM, func(s *specialIDs) { s.bos, s.eos, s.unk = 1, 2, 0 }},
	"gpt2":   {kindBPE, func(s *specialIDs) { s.bos, s.eos = 11, 11 }},
	"gemma4": {kindBPE, func(*specialIDs) {}},
	"bert":   {kindWPM, func(s *specialIDs) { s.bos, s.unk, s.sep, s.pad, s.mask = 101, 100, 102, 0, 103 }},
}

// New reads the tokenizer of a file. The error names the key at fault.
func New(f *gguf.File) (*Vocab, error) {
	const modelKey = "tokenizer.ggml.model"
	model, ok, err := f.String(modelKey)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, f.Errorf(modelKey, "is missing")
	}
	k, ok := kinds[model]
	if !ok {
		return nil, f.Errorf(modelKey, "is %.40q, want llama, gpt2, gemma4 or bert", model)
	}
	v := &Vocab{kind: k.kind, special: noSpecialIDs()}
	k.defaults(&v.special)
	if err := v.readTokens(f); err != nil {
		return nil, err
	}
	switch v.kind {
	case kindBPE:
		err = v.loadBPE(f, model)
	case kindSPM:
		v.flags = flags{addBOS: true, addSpacePrefix: true, escapeSpaces: true}
		v.loadSPM()
	case kindWPM:
		v.flags = flags{addBOS: true, cleanSpaces: true, escapeSpaces: true}
		err = v.loadWPM(f)
	}
	if err != nil {
		return nil, err
	}
	if err := v.readFlags(f); err != nil {
		return nil, err
	}
	if err := v.readSpecialIDs(f); err != nil {
		return nil, err
	}
	v.findSpecials()
	name, _, _ := f.String("general.name")
	arch, _, _ := f.String("general.architecture")
	v.setStripping(name, v.pre, arch)
	v.finder = newFinder(v)
	v.buildPieces()
	return v, nil
}

// notef adds a note.
func (v *Vocab) notef(format string, args ...any) {
	v.notes = append(v.notes, fmt.Sprintf(format, args...))
}

// tokenTypes maps tokenizer.ggml.token_type to what a token is; any other
// value leaves it without a piece.
var tokenTypes = map[int64]attr{1: attrNormal, 2: attrUnknown, 3: attrControl, 4: attrUser, 5: attrUnused, 6: attrByte}

// readTokens reads texts, types and scores.
func (v *Vocab) readTokens(f *gguf.File) error {
	const tokensKey, typesKey = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
	texts, ok, err := f.Strings(tokensKey)
	if err != nil {
		return err
	}
	if !ok || len(texts) == 0 {
		return f.Errorf(tokensKey, "is missing or empty")
	}
	if len(texts) > math.MaxInt32/2 {
		return f.Errorf(tokensKey, "has %d tokens, want at most %d", len(texts), math.MaxInt32/2)
	}
	types, haveTypes, err := f.Ints(typesKey)
	if err != nil {
		return err
	}
	if haveTypes && len(types) < len(texts) {
		return f.Errorf(typesKey, "has %d entries for %d tokens", len(types), len(texts))
	}
	v.texts = texts
	v.attrs = make([]attr, len(texts))
	v.ids = make(map[string]int32, len(texts))
	repeated := 0
	for i, text := range texts {
		v.attrs[i] = attrNormal
		if haveTypes {
			v.attrs[i] = tokenTypes[types[i]]
		}
		if text == "" {
			v.attrs[i] = attrUnused
			continue
		}
		if v.attrs[i] != attrNormal && strings.HasPrefix(text, "[PAD") && text == fmt.Sprintf("[PAD%d]", i) {
			v.attrs[i] |= attrFiller
		}
		if _, dup := v.ids[text]; dup {
			repeated++
			continue
		}
		v.ids[text] = int32(i)
		v.maxLen = max(v.maxLen, len(text))
	}
	if repeated > 0 {
		v.notef("%d tokens repeat the text of another: text is split into the first of them", repeated)
	}
	return v.readScores(f)
}

// readScores reads the scores, which only SPM uses.
func (v *Vocab) readScores(f *gguf.File) error {
	const key = "tokenizer.ggml.scores"
	scores, ok, err := f.Floats(key)
	if err != nil {
		return err
	}
	if !ok {
		if v.kind == kindSPM {
			v.notef("%s is missing: text is split from left to right", key)
			v.scores = make([]float32, len(v.texts))
		}
		return nil
	}
	if len(scores) < len(v.texts) {
		return f.Errorf(key, "has %d scores for %d tokens", len(scores), len(v.texts))
	}
	if v.kind != kindSPM {
		return nil
	}
	v.scores = make([]float32, len(v.texts))
	for i := range v.scores {
		v.scores[i] = float32(scores[i])
		if scores[i] != scores[i] {
			v.scores[i] = float32(math.Inf(-1)) // NaN has no order
		}
	}
	return nil
}

// readFlags reads the settings that override those of the kind.
func (v *Vocab) readFlags(f *gguf.File) error {
	for _, s := range []struct {
		key string
		to  *bool
	}{
		{"add_bos_token", &v.flags.addBOS},
		{"add_eos_token", &v.flags.addEOS},
		{"add_space_prefix", &v.flags.addSpacePrefix},
	} {
		b, ok, err := f.Bool("tokenizer.ggml." + s.key)
		if err != nil {
			return err
		}
		if ok {
			*s.to = b
		}
	}
	if p := findPre(v.pre); p != nil && p.forceBOS {
		v.flags.addBOS = true
	}
	if v.kind == kindWPM { // [CLS] and [SEP] stand around every text
		v.flags.addBOS, v.flags.addEOS = true, false
	}
	return nil
}

// buildPieces works out the bytes of every token. They share one allocation.
func (v *Vocab) buildPieces() {
	var buf []byte
	ends := make([]int, len(v.texts))
	for i, text := range v.texts {
		buf = v.appendPiece(buf, int32(i), text)
		ends[i] = len(buf)
	}
	all := string(buf)
	v.pieces = make([]string, len(v.texts))
	start := 0
	for i, end := range ends {
		v.pieces[i] = all[start:end]
		start = end
	}
}

func (v *Vocab) appendPiece(buf []byte, id int32, text string) []byte {
	switch a := v.attrs[id]; {
	case a&(attrControl|attrUnknown|attrUser) != 0:
		return append(buf, text...)
	case a&attrByte != 0:
		if b, ok := byteToken(text); ok {
			return append(buf, b)
		}
		return append(buf, text...)
	case a&attrNormal == 0:
		return buf // unused
	case v.flags.escapeSpaces:
		for {
			before, after, found := strings.Cut(text, escapedSpace)
			buf = append(buf, before...)
			if !found {
				return buf
			}
			buf, text = append(buf, ' '), after
		}
	case v.kind == kindBPE && !v.flags.rawBytes:
		return appendDecoded(buf, text)
	default:
		return append(buf, text...)
	}
}

// escapedSpace is how SentencePiece writes a space in its vocabulary.
const escapedSpace = "▁"

// byteToken returns the byte that a token such as "<0x0A>" stands for.
func byteToken(text string) (byte, bool) {
	if len(text) != 6 || text[:3] != "<0x" || text[5] != '>' {
		return 0, false
	}
	b, err := strconv.ParseUint(text[3:5], 16, 8)
	return byte(b), err == nil
}

// byteIDs returns the token of each byte, spelled "<0x0A>" or, failing that,
// as the byte itself; models.NoToken for a byte without one.
func (v *Vocab) byteIDs() (ids [256]int32) {
	for b := range ids {
		ids[b] = models.NoToken
		if id, ok := v.ids[fmt.Sprintf("<0x%02X>", b)]; ok {
			ids[b] = id
		} else if id, ok := v.ids[string([]byte{byte(b)})]; ok {
			ids[b] = id
		}
	}
	return ids
}
