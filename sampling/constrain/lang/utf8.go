package lang

import (
	"sort"
	"unicode/utf8"
)

// A RuneRange is an inclusive range of code points. Surrogates inside it are
// skipped when it is turned into bytes.
type RuneRange struct{ Lo, Hi rune }

const MaxRune = utf8.MaxRune

// Normalize sorts ranges, merges the ones that touch and drops empty ones.
func Normalize(in []RuneRange) []RuneRange {
	r := make([]RuneRange, 0, len(in))
	for _, x := range in {
		if x.Lo <= x.Hi {
			r = append(r, x)
		}
	}
	sort.Slice(r, func(i, j int) bool { return r[i].Lo < r[j].Lo })
	out := r[:0]
	for _, x := range r {
		if n := len(out); n > 0 && x.Lo <= out[n-1].Hi+1 {
			out[n-1].Hi = max(out[n-1].Hi, x.Hi)
			continue
		}
		out = append(out, x)
	}
	return out
}

// Complement returns the code points outside the ranges.
func Complement(in []RuneRange) []RuneRange {
	var out []RuneRange
	next := rune(0)
	for _, x := range Normalize(in) {
		if x.Lo > next {
			out = append(out, RuneRange{next, x.Lo - 1})
		}
		next = x.Hi + 1
	}
	if next <= MaxRune {
		out = append(out, RuneRange{next, MaxRune})
	}
	return out
}

// A ByteRange is an inclusive range of bytes.
type ByteRange struct{ Lo, Hi byte }

// And is the part that two overlapping ranges share.
func (r ByteRange) And(o ByteRange) ByteRange {
	return ByteRange{max(r.Lo, o.Lo), min(r.Hi, o.Hi)}
}

// UTF8Sequences calls fn for sequences of byte ranges that together are
// exactly the UTF-8 forms of the code points lo..hi, without surrogates. The
// slice is valid during the call only.
func UTF8Sequences(lo, hi rune, fn func([]ByteRange)) {
	const surrogateLo, surrogateHi = 0xD800, 0xDFFF
	if lo < surrogateLo && hi >= surrogateLo {
		UTF8Sequences(lo, surrogateLo-1, fn)
		lo = surrogateLo
	}
	if lo >= surrogateLo && lo <= surrogateHi {
		lo = surrogateHi + 1
	}
	if lo > hi {
		return
	}
	for _, limit := range []rune{0x7F, 0x7FF, 0xFFFF} {
		if lo <= limit && hi > limit {
			UTF8Sequences(lo, limit, fn)
			UTF8Sequences(limit+1, hi, fn)
			return
		}
	}
	// Same length now. Split until all but a leading part covers whole blocks.
	n := utf8.RuneLen(lo)
	for i := 1; i < n; i++ {
		m := rune(1)<<(6*i) - 1
		if lo&^m == hi&^m {
			continue
		}
		if lo&m != 0 {
			UTF8Sequences(lo, lo|m, fn)
			UTF8Sequences((lo|m)+1, hi, fn)
			return
		}
		if hi&m != m {
			UTF8Sequences(lo, (hi&^m)-1, fn)
			UTF8Sequences(hi&^m, hi, fn)
			return
		}
	}
	var a, b [utf8.UTFMax]byte
	utf8.EncodeRune(a[:], lo)
	utf8.EncodeRune(b[:], hi)
	var s [utf8.UTFMax]ByteRange
	for i := 0; i < n; i++ {
		s[i] = ByteRange{a[i], b[i]}
	}
	fn(s[:n])
}
