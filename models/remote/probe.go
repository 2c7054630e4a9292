package remote

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// SearchSize finds the size of a vocabulary by asking which ids the server
// accepts. It returns 0 if it accepts all of them.
func SearchSize(ctx context.Context, accepts func(context.Context, int32) (bool, error)) (int, error) {
	if ok, err := accepts(ctx, MaxVocab-1); err != nil || ok {
		return 0, err
	}
	size, bad := 0, MaxVocab-1 // all ids below size are accepted, bad is not
	for size < bad {
		mid := (size + bad) / 2
		ok, err := accepts(ctx, int32(mid))
		if err != nil {
			return 0, err
		}
		if ok {
			size = mid + 1
		} else {
			bad = mid
		}
	}
	return size, nil
}

// IsRefusal reports whether err says that the server does not accept a request,
// as opposed to not having been reached.
func IsRefusal(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Kind == Refused || e.Kind == Failed || e.Kind == TooLong)
}

// FirstNumber returns the first whole number in text, or -1.
func FirstNumber(text string) int {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if len(fields) == 0 {
		return -1
	}
	n, err := strconv.Atoi(fields[0])
	if err != nil || n > MaxVocab {
		return -1
	}
	return n
}

// ControlLike reports whether a piece looks like the name of a control token.
// Servers of Hugging Face tokenizers do not say which tokens are; their names
// follow a few patterns, none of which ordinary text tokens follow.
func ControlLike(piece string) bool {
	inner, ok := strings.CutPrefix(piece, "<|")
	if ok && strings.HasSuffix(inner, "|>") && len(inner) > 2 {
		return true
	}
	if strings.HasPrefix(piece, "<｜") && strings.HasSuffix(piece, "｜>") {
		return true
	}
	for _, name := range []string{
		"<s>", "</s>", "<unk>", "<pad>", "<bos>", "<eos>", "<mask>", "<start_of_turn>", "<end_of_turn>",
		"[INST]", "[/INST]", "[TOOL_CALLS]", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
	} {
		if piece == name {
			return true
		}
	}
	return strings.HasPrefix(piece, "<unused") && strings.HasSuffix(piece, ">") ||
		strings.HasPrefix(piece, "<reserved") && strings.HasSuffix(piece, ">")
}

// RareText calls use with texts that together contain the characters of
// every script in common use, a thousand or so at a time, until it returns
// false: their tokens include those that are parts of characters.
func RareText(use func(text string) bool) {
	var b strings.Builder
	for _, span := range [][2]rune{{0xa0, 0x1fff}, {0x2000, 0x33ff}, {0x1f300, 0x1f7ff}, {0x1f900, 0x1f9ff}, {0x3400, 0x9fff}, {0xac00, 0xd7a3}, {0xe000, 0xe03f}, {0xf900, 0xffef}, {0x1d400, 0x1d7ff}, {0x20000, 0x203ff}} {
		for r := span[0]; r <= span[1]; r++ {
			if !unicode.IsOneOf([]*unicode.RangeTable{unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Co}, r) {
				continue
			}
			b.WriteRune(r)
			if b.Len() > 2000 {
				if !use(b.String()) {
					return
				}
				b.Reset()
			}
		}
	}
	if b.Len() > 0 {
		use(b.String())
	}
}

// byteOrders are the orders in which vocabularies list the 256 single bytes:
// by value, and as the alphabet of byte-level ones does.
var byteOrders = func() (orders [2][256]byte) {
	at := 0
	for r := range rune(0x144) { // the alphabet goes up to U+0143
		if b, ok := byteOf[r]; ok {
			orders[1][at] = b
			at++
		}
	}
	for b := range 256 {
		orders[0][b] = byte(b)
	}
	return orders
}()

// FillBytes sets the pieces of single bytes that occur in no text, such as
// 0xff. Vocabularies list all bytes in a row, so where most of the list is
// known, the rest of it is too. It returns how many pieces it set.
func FillBytes(v *Vocab) (n int) {
	for _, order := range byteOrders {
		var place [256]int
		for i, b := range order {
			place[b] = i
		}
		starts := map[int]int{}
		for id, p := range v.Pieces {
			if len(p) == 1 {
				starts[id-place[p[0]]]++
			}
		}
		for start, agree := range starts {
			if agree < 128 || start < 0 || start+256 > len(v.Pieces) || !listsBytes(v.Pieces[start:start+256], order) {
				continue
			}
			for i, b := range order {
				if p := &v.Pieces[start+i]; len(*p) != 1 {
					*p = string([]byte{b})
					n++
				}
			}
		}
	}
	return n
}

// listsBytes reports whether pieces can be the single bytes in that order.
func listsBytes(pieces []string, order [256]byte) bool {
	for i, p := range pieces {
		if p != "\ufffd" && p != string([]byte{order[i]}) {
			return false
		}
	}
	return true
}
