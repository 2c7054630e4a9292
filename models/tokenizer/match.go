package tokenizer

import "strings"

// A matcher is one alternative of a pre-tokenizer's pattern: it returns where
// the match that begins at s[i] ends, or i if there is none. s ends where the
// stretch of text ends, so a look-ahead sees no further.
type matcher func(s string, i int) int

// first tries alternatives in order.
func first(alts ...matcher) matcher {
	return func(s string, i int) int {
		for _, m := range alts {
			if end := m(s, i); end > i {
				return end
			}
		}
		return i
	}
}

// skip returns the end of the run of characters at s[i:] in any group of in.
func skip(s string, i int, in class) int {
	for {
		c, n := at(s, i)
		if c&in == 0 {
			return i
		}
		i += n
	}
}

// skipNot is skip for characters in none of the groups.
func skipNot(s string, i int, not class) int {
	for i < len(s) {
		c, n := at(s, i)
		if c&not != 0 {
			return i
		}
		i += n
	}
	return i
}

// run matches [in]+.
func run(in class) matcher {
	return func(s string, i int) int { return skip(s, i, in) }
}

// upTo matches [in]{1,most}.
func upTo(in class, most int) matcher {
	return func(s string, i int) int {
		for range most {
			c, n := at(s, i)
			if c&in == 0 {
				break
			}
			i += n
		}
		return i
	}
}

// spaced matches " ?[in]+".
func spaced(in class) matcher {
	return func(s string, i int) int {
		start := i
		if i < len(s) && s[i] == ' ' {
			start = i + 1
		}
		if end := skip(s, start, in); end > start {
			return end
		}
		return i
	}
}

// whiteThen matches \s?[in]+.
func whiteThen(in class) matcher { return whiteThenRun(run(in)) }

// whiteThenRun matches \s? and then what m matches.
func whiteThenRun(m matcher) matcher {
	return func(s string, i int) int {
		if end := m(s, i); end > i {
			return end
		}
		if c, n := at(s, i); c&space != 0 {
			if end := m(s, i+n); end > i+n {
				return end
			}
		}
		return i
	}
}

// others matches " ?[^not]+[tail]*", where not includes white space.
func others(not class, tail string) matcher {
	return func(s string, i int) int {
		start := i
		if i < len(s) && s[i] == ' ' {
			start = i + 1
		}
		end := skipNot(s, start, not)
		if end == start {
			return i
		}
		for end < len(s) && strings.IndexByte(tail, s[end]) >= 0 {
			end++
		}
		return end
	}
}

// isPrefix reports whether a character may stand before a word, as
// [^\r\n…] with the groups of not: it is neither a line break nor in not.
func isPrefix(s string, i int, not class) (n int) {
	c, n := at(s, i)
	if n == 0 || c&not != 0 || s[i] == '\r' || s[i] == '\n' {
		return 0
	}
	return n
}

// word matches "[^\r\n…not]?[in]+" and then what suffix matches; suffix may
// be nil.
func word(not, in class, suffix matcher) matcher {
	return func(s string, i int) int {
		start := i
		if n := isPrefix(s, i, not); n > 0 {
			if c, _ := at(s, i+n); c&in != 0 {
				start = i + n
			}
		}
		end := skip(s, start, in)
		if end == start {
			return i
		}
		if suffix != nil {
			end = suffix(s, end)
		}
		return end
	}
}

// contraction matches 's|'t|'re|'ve|'m|'ll|'d.
func contraction(s string, i int) int { return contracted(s, i, 0) }

// contractionFold is contraction in either case.
func contractionFold(s string, i int) int { return contracted(s, i, 0x20) }

func contracted(s string, i int, fold byte) int {
	if i+1 >= len(s) || s[i] != '\'' {
		return i
	}
	switch s[i+1] | fold {
	case 's', 't', 'm', 'd':
		return i + 2
	}
	if i+2 < len(s) {
		switch [2]byte{s[i+1] | fold, s[i+2] | fold} {
		case [2]byte{'r', 'e'}, [2]byte{'v', 'e'}, [2]byte{'l', 'l'}:
			return i + 3
		}
	}
	return i
}

// newlines matches \s*[\r\n]+: white space up to its last line break.
func newlines(s string, i int) int {
	end := skip(s, i, space)
	if last := strings.LastIndexAny(s[i:end], "\r\n"); last >= 0 {
		return i + last + 1
	}
	return i
}

// spacesBeforeSpace matches \s+(?!\S): white space, but not the last
// character of it if a word follows.
func spacesBeforeSpace(s string, i int) int {
	last := i
	for {
		c, n := at(s, i)
		if c&space == 0 {
			if n == 0 {
				return i
			}
			return last
		}
		last, i = i, i+n
	}
}

// cased matches a word of the o200k kind: capitals and then small letters, at
// least one small; or, failing that, at least one capital. A letter outside
// ASCII counts as both. The pattern is
//
//	[^\r\n\p{L}\p{N}]?U*W+suffix|[^\r\n\p{L}\p{N}]?U+W*suffix
//
// where U is the groups of in without a-z, W without A-Z.
func cased(in class, suffix matcher) matcher {
	small := func(s string, i int) int { // W at s[i:]: its length, or 0
		c, n := at(s, i)
		if c&in == 0 || s[i] >= 'A' && s[i] <= 'Z' {
			return 0
		}
		return n
	}
	capital := func(s string, i int) int {
		c, n := at(s, i)
		if c&in == 0 || s[i] >= 'a' && s[i] <= 'z' {
			return 0
		}
		return n
	}
	many := func(s string, i int, one func(string, int) int) int {
		for {
			n := one(s, i)
			if n == 0 {
				return i
			}
			i += n
		}
	}
	// capitalsSmalls matches U*W+: the capitals give back characters from the
	// end until a small letter can begin.
	capitalsSmalls := func(s string, i int) int {
		last := -1 // the last place in the capitals where W can begin
		j := i
		for {
			if small(s, j) > 0 {
				last = j
			}
			n := capital(s, j)
			if n == 0 {
				break
			}
			j += n
		}
		if last < 0 {
			return i
		}
		return many(s, last, small)
	}
	capitals := func(s string, i int) int { // U+W*
		end := many(s, i, capital)
		if end == i {
			return i
		}
		return many(s, end, small)
	}
	return func(s string, i int) int {
		prefix := isPrefix(s, i, letter|number)
		for _, m := range [...]matcher{capitalsSmalls, capitals} {
			for _, start := range [...]int{i + prefix, i} {
				if end := m(s, start); end > start {
					if suffix != nil {
						end = suffix(s, end)
					}
					return end
				}
			}
		}
		return i
	}
}

// anyOf matches [r…]+ for the ranges given as pairs of their ends. White
// space is in none of them, wherever its code points lie. It panics if the
// ends of a range are the wrong way round.
func anyOf(pairs string) matcher {
	bounds := []rune(pairs)
	for k := 0; k < len(bounds); k += 2 {
		if k+1 == len(bounds) || bounds[k] > bounds[k+1] {
			panic("tokenizer: not a list of ranges: " + pairs)
		}
	}
	return func(s string, i int) int {
		for i < len(s) {
			r, n := decode(s, i)
			in := false
			if classOf(r)&space != 0 {
				break
			}
			for k := 0; k+1 < len(bounds) && !in; k += 2 {
				in = r >= bounds[k] && r <= bounds[k+1]
			}
			if !in {
				break
			}
			i += n
		}
		return i
	}
}
