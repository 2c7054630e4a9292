package constrain

import (
	"sort"
	"unicode/utf8"
)

// A runeRange is an inclusive range of code points. Surrogates inside it are
// skipped when it is turned into bytes.
type runeRange struct{ lo, hi rune }

const maxRune = utf8.MaxRune

// normalize sorts ranges, merges the ones that touch and drops empty ones.
func normalize(in []runeRange) []runeRange {
	r := make([]runeRange, 0, len(in))
	for _, x := range in {
		if x.lo <= x.hi {
			r = append(r, x)
		}
	}
	sort.Slice(r, func(i, j int) bool { return r[i].lo < r[j].lo })
	out := r[:0]
	for _, x := range r {
		if n := len(out); n > 0 && x.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, x.hi)
			continue
		}
		out = append(out, x)
	}
	return out
}

// complement returns the code points outside the ranges.
func complement(in []runeRange) []runeRange {
	var out []runeRange
	next := rune(0)
	for _, x := range normalize(in) {
		if x.lo > next {
			out = append(out, runeRange{next, x.lo - 1})
		}
		next = x.hi + 1
	}
	if next <= maxRune {
		out = append(out, runeRange{next, maxRune})
	}
	return out
}

// A byteRange is an inclusive range of bytes.
type byteRange struct{ lo, hi byte }

// and is the part that two overlapping ranges share.
func (r byteRange) and(o byteRange) byteRange {
	return byteRange{max(r.lo, o.lo), min(r.hi, o.hi)}
}

// utf8Sequences calls fn for sequences of byte ranges that together are
// exactly the UTF-8 forms of the code points lo..hi, without surrogates. The
// slice is valid during the call only.
func utf8Sequences(lo, hi rune, fn func([]byteRange)) {
	const surrogateLo, surrogateHi = 0xD800, 0xDFFF
	if lo < surrogateLo && hi >= surrogateLo {
		utf8Sequences(lo, surrogateLo-1, fn)
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
			utf8Sequences(lo, limit, fn)
			utf8Sequences(limit+1, hi, fn)
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
			utf8Sequences(lo, lo|m, fn)
			utf8Sequences((lo|m)+1, hi, fn)
			return
		}
		if hi&m != m {
			utf8Sequences(lo, (hi&^m)-1, fn)
			utf8Sequences(hi&^m, hi, fn)
			return
		}
	}
	var a, b [utf8.UTFMax]byte
	utf8.EncodeRune(a[:], lo)
	utf8.EncodeRune(b[:], hi)
	var s [utf8.UTFMax]byteRange
	for i := 0; i < n; i++ {
		s[i] = byteRange{a[i], b[i]}
	}
	fn(s[:n])
}
