package tokenizer

import "strings"

// Decode returns the text of tokens as llama.cpp's detokenizer writes it:
// without the space that SPM puts before a text, and, for some tokenizers,
// without spaces before punctuation. Names of control tokens are left out
// unless special is set. The result need not be whole UTF-8.
func (v *Vocab) Decode(tokens []int32, special bool) string {
	var b strings.Builder
	strip := v.flags.addSpacePrefix
	for _, id := range tokens {
		piece := v.Piece(id)
		if !special && id >= 0 && int(id) < len(v.attrs) && v.attrs[id]&(attrControl|attrUnknown) != 0 {
			piece = ""
		}
		if strip {
			piece = strings.TrimPrefix(piece, " ")
			strip = false
		}
		b.WriteString(piece)
	}
	if v.flags.cleanSpaces {
		return cleanSpaces(b.String())
	}
	return b.String()
}

// cleanSpaces drops the spaces before ? ! . and , around a lone apostrophe,
// and before 's 'm 're 've.
func cleanSpaces(s string) string {
	s = dropSpaces(s, func(rest string) int {
		if strings.IndexByte("?!.,", rest[0]) >= 0 {
			return 1
		}
		return 0
	})
	s = dropSpaces(s, func(rest string) int {
		if strings.HasPrefix(rest, "' ") {
			return 2 // the space after it goes too
		}
		return 0
	})
	return dropSpaces(s, func(rest string) int {
		for _, c := range []string{"'s", "'m", "'re", "'ve"} {
			if strings.HasPrefix(rest, c) {
				return 1
			}
		}
		return 0
	})
}

// dropSpaces copies s without the spaces before which follow says so: it is
// given what follows a space, and returns how many bytes of that the next
// step takes, 0 to keep the space. Of two bytes taken only the first is
// copied.
func dropSpaces(s string, follow func(rest string) int) string {
	if s == "" {
		return s
	}
	out := make([]byte, 0, len(s))
	out = append(out, s[0])
	afterSpace := s[0] == ' '
	for i := 1; i < len(s); i++ {
		c := s[i]
		if afterSpace {
			if n := follow(s[i:]); n > 0 {
				out = out[:len(out)-1]
				i += n - 1
			}
		}
		out = append(out, c)
		afterSpace = c == ' '
	}
	return string(out)
}
