package tokenizer

import (
	"slices"
	"strings"
)

// A fragment is a special token, or a stretch of text between special tokens.
type fragment struct {
	id         int32 // models.NoToken for text
	start, end int   // the text, in bytes
}

// finder knows the special tokens, and finds quickly which of them a text
// may hold: most texts hold none of what may be thousands.
type finder struct {
	byText map[string]int32 // control, unknown and user-defined tokens
	sizes  [256][]int       // the lengths of those that begin with a byte, longest first
}

func newFinder(v *Vocab) finder {
	f := finder{byText: map[string]int32{}}
	for id, a := range v.attrs {
		text := v.texts[id]
		if a&(attrControl|attrUser|attrUnknown) == 0 || text == "" {
			continue
		}
		if _, dup := f.byText[text]; dup {
			continue
		}
		f.byText[text] = int32(id)
		sizes := &f.sizes[text[0]]
		if !slices.Contains(*sizes, len(text)) {
			*sizes = append(*sizes, len(text))
		}
	}
	for i := range f.sizes {
		slices.SortFunc(f.sizes[i], func(a, b int) int { return b - a })
	}
	return f
}

// present returns the special tokens that occur in text, in the order in
// which they are taken out: longest first, then by id.
func (f *finder) present(v *Vocab, text string, parseSpecial bool) []int32 {
	var found []int32
	seen := map[int32]bool{}
	for i := 0; i < len(text); i++ {
		for _, n := range f.sizes[text[i]] {
			if n > len(text)-i {
				continue
			}
			id, ok := f.byText[text[i:i+n]]
			if !ok || seen[id] {
				continue
			}
			if parseSpecial || v.attrs[id]&(attrControl|attrUnknown) == 0 {
				seen[id] = true
				found = append(found, id)
			}
		}
	}
	slices.SortFunc(found, func(a, b int32) int {
		if d := len(v.texts[b]) - len(v.texts[a]); d != 0 {
			return d
		}
		return int(a - b)
	})
	return found
}

// partition cuts text at its special tokens. A longer token is taken out of
// the whole text before a shorter one is looked for.
func (f *finder) partition(v *Vocab, text string, parseSpecial bool) []fragment {
	if text == "" {
		return nil
	}
	frags := []fragment{{id: -1, end: len(text)}}
	for _, id := range f.present(v, text, parseSpecial) {
		var next []fragment
		for _, fr := range frags {
			if fr.id >= 0 {
				next = append(next, fr)
				continue
			}
			next = v.cut(text, fr, id, next)
		}
		frags = next
	}
	return frags
}

// cut appends to out the parts of one stretch of text around a token.
func (v *Vocab) cut(text string, fr fragment, id int32, out []fragment) []fragment {
	name, a := v.texts[id], v.attrs[id]
	start := fr.start
	for start < fr.end {
		at := strings.Index(text[start:fr.end], name)
		if at < 0 {
			break
		}
		left, right := start+at, start+at+len(name)
		if a&attrLstrip != 0 {
			for left > start && isASCIISpace(text[left-1]) {
				left--
			}
		}
		if left > start {
			out = append(out, fragment{id: -1, start: start, end: left})
		}
		out = append(out, fragment{id: id})
		if a&attrRstrip != 0 {
			for right < fr.end && isASCIISpace(text[right]) {
				right++
			}
		}
		start = right
	}
	if start < fr.end {
		out = append(out, fragment{id: -1, start: start, end: fr.end})
	}
	return out
}

func isASCIISpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
