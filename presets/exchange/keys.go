package exchange

import (
	"slices"
	"strings"

	"logitscope/presets/exchange/carrier"
)

// idle reports whether a key that is not a parameter does nothing as it stands:
// its value is null, false, empty, or one of the neutral ones.
func idle(v any, neutral []any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v || slices.Contains(neutral, any(true))
	case string:
		if v == "" || slices.Contains(neutral, any(v)) {
			return true
		}
	case []any:
		return len(v) == 0
	case carrier.Object:
		return len(v) == 0
	}
	f, ok := number(v)
	return ok && slices.ContainsFunc(neutral, func(n any) bool { x, is := number(n); return is && x == f })
}

// suggest returns the key of f that is probably meant by one it does not
// know: another engine's word for a parameter that f has too, another
// spelling, or the nearest key; "" if none is near.
func (f *Format) suggest(key string) string {
	known := f.keys()
	plain := plainKey(key)
	for _, k := range known {
		if plainKey(k) == plain {
			return k
		}
	}
	for _, g := range formats {
		x := g.field(key)
		if x == nil {
			x = g.field(plain)
		}
		if x == nil || g == f {
			continue
		}
		if y := f.takes(x.ours); y != nil {
			return y.theirs
		}
	}
	best, least := "", 1+min(2, len(plain)/4)
	for _, k := range known {
		if d := distance(plain, plainKey(k)); d < least || d == least && best != "" && k < best && d < 1+min(2, len(plain)/4) {
			best, least = k, d
		}
	}
	return best
}

// takes returns the field that carries one of our parameters, nil if the
// format has no word for it.
func (f *Format) takes(ours string) *field {
	for i := range f.fields {
		if f.fields[i].ours == ours && !f.fields[i].once {
			return &f.fields[i]
		}
	}
	for _, k := range f.kin {
		if x := k.takes(ours); x != nil {
			return x
		}
	}
	return nil
}

// plainKey is a key without what differs by taste: dashes in front, case, and
// the sign between words.
func plainKey(key string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimLeft(key, "-")), "-", "_")
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment).
func distance(a, b string) int {
	var before, prev []int
	cur := make([]int, len(b)+1)
	for j := range cur {
		cur[j] = j
	}
	for i := range len(a) {
		before, prev, cur = prev, cur, make([]int, len(b)+1)
		cur[0] = i + 1
		for j := range len(b) {
			d := prev[j]
			if a[i] != b[j] {
				d++
			}
			d = min(d, prev[j+1]+1, cur[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			cur[j+1] = d
		}
	}
	return cur[len(b)]
}
