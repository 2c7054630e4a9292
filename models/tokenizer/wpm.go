package tokenizer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"logitscope/models/gguf"
)

// wpm is BERT's WordPiece: words in lower case without accents, each the
// longest tokens from the left, or the unknown token.
type wpm struct {
	vocab        *Vocab
	lower, strip bool
	sizes        []int // the lengths that tokens have, longest first
}

func (v *Vocab) loadWPM(f *gguf.File) error {
	w := &wpm{vocab: v, lower: true}
	b, ok, err := f.Bool("tokenizer.ggml.normalizer.lowercase")
	if err != nil {
		return err
	}
	if ok {
		w.lower = b
	}
	w.strip = w.lower
	b, ok, err = f.Bool("tokenizer.ggml.normalizer.strip_accents")
	if err != nil {
		return err
	}
	if ok {
		w.strip = b
	}
	seen := map[int]bool{}
	for text := range v.ids {
		if n := len(text); !seen[n] {
			seen[n] = true
			w.sizes = append(w.sizes, n)
		}
	}
	slices.SortFunc(w.sizes, func(a, b int) int { return b - a })
	v.encoder = w
	return nil
}

func (w *wpm) encode(_ bool, text string, out []int32) []int32 {
	for _, word := range w.words(clean(text)) {
		out = w.encodeWord(escapedSpace+word, out)
	}
	return out
}

// encodeWord appends the tokens of a word, whose start is marked.
func (w *wpm) encodeWord(word string, out []int32) []int32 {
	start := len(out)
	for i := 0; i < len(word); {
		id, n := w.longest(word[i:])
		if n == 0 { // no token fits: the whole word is unknown
			out = out[:start]
			break
		}
		out = append(out, id)
		i += n
	}
	if len(out) == start && w.vocab.special.unk >= 0 {
		out = append(out, w.vocab.special.unk)
	}
	return out
}

// longest returns the longest token that text begins with, and its length; 0
// if there is none.
func (w *wpm) longest(text string) (id int32, size int) {
	for _, n := range w.sizes {
		if n <= len(text) {
			if id, ok := w.vocab.ids[text[:n]]; ok {
				return id, n
			}
		}
	}
	return 0, 0
}

// words normalises text and splits it at white space and around punctuation
// and Chinese characters.
func (w *wpm) words(text string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	for i := 0; i < len(text); {
		r, n := decode(text, i)
		i += n
		if w.strip {
			r = baseOf(r)
		}
		c := classOf(r)
		switch {
		case c&space != 0:
			flush()
			continue
		case r == 0, r == utf8.RuneError, c&control != 0, w.strip && c&mark != 0:
			continue
		}
		if w.lower {
			r = unicode.ToLower(r)
		}
		alone := c&punct != 0 || c&symbol != 0 && r < 0x7F || r == '~' || isChinese(r)
		if alone {
			flush()
		}
		word.WriteRune(r)
		if alone {
			flush()
		}
	}
	flush()
	return words
}

// baseOf returns the first character of r's canonical decomposition.
func baseOf(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	const firstSyllable, lastSyllable, firstJamo, perJamo = 0xAC00, 0xD7A3, 0x1100, 588
	if r >= firstSyllable && r <= lastSyllable { // decomposed by rule, not by table
		return firstJamo + (r-firstSyllable)/perJamo
	}
	var b [utf8.UTFMax]byte
	d := norm.NFD.Properties(b[:utf8.EncodeRune(b[:], r)]).Decomposition()
	if len(d) == 0 {
		return r
	}
	base, _ := utf8.DecodeRune(d)
	return base
}

// isChinese reports whether BERT makes a word of each such character. The
// gap before U+2B920 is in the original.
func isChinese(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF ||
		r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2B81F ||
		r >= 0x2B920 && r <= 0x2CEAF || r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
