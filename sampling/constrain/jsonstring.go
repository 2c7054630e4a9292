package constrain

import "unicode/utf8"

// A textLang is a set of texts as an automaton over UTF-8 bytes. States are
// small integers; a text may be cut anywhere, also inside a code point.
type textLang interface {
	start() int32
	step(q int32, b byte) int32 // dead if no text goes on this way
	accept(q int32) bool
	inside(q int32) bool // q is inside a code point
	// alike is a range of bytes around b that all lead from q to the same
	// state and mean the same to a JSON string.
	alike(q int32, b byte) byteRange
	// cost is the fewest bytes of JSON string text that lead from q to
	// acceptance with lo..hi more code points (hi < 0: unlimited), or
	// unreachable.
	cost(q, lo, hi int32) int32
}

// dead is the state from which nothing can be completed.
const dead = int32(-1)

// A stringLang is what may stand in a JSON string: a set of decoded texts with
// bounds on their length in code points. Its automaton reads the encoded form
// from behind the opening quote to the closing one, so every escape of RFC
// 8259 is allowed, a surrogate pair counts as one, and lone surrogates are
// refused.
type stringLang struct {
	lang   textLang
	lo, hi int32
	// off is the language of a text whose lang no longer restricts it, or nil:
	// with it such texts share their states.
	off *stringLang
	id  int32 // its place in the program
	// unique texts are items of an array that differ, or names of an object:
	// what was read is remembered. bare ones are numbers, which no quote closes,
	// and of them whole ones are integers.
	unique, bare, whole bool
}

func (s *stringLang) minBytes() int32 {
	return add32(s.closing(), s.lang.cost(s.lang.start(), s.lo, s.hi))
}

// A stringState is a position inside a JSON string. Code points still wanted
// and still allowed are lo and hi. The zero esc stands between code points or
// inside a raw one; otherwise it is an escape under way.
type stringState struct {
	str    int32
	q      int32
	lo, hi int32
	esc    escape
	// Of a unique text: what has been read of it (an index into the texts of
	// the automaton, from 1) and the data of its array.
	text, seen int32
	// No text of that data begins with what was read.
	apart bool
}

// An escape packs where an escape sequence stands: kind, hexadecimal digits
// read, their value, and the high surrogate that came before.
type escape uint32

const (
	escNone      = iota
	escBackslash // after a backslash
	escHex       // after backslash u and some digits
	escHigh      // after a high surrogate
	escHighSlash // after a high surrogate and a backslash
	escLow       // after those, u and some digits
)

func makeEscape(kind, digits, value, high uint32) escape {
	return escape(kind | digits<<3 | value<<5 | high<<17)
}

func (e escape) kind() uint32   { return uint32(e) & 7 }
func (e escape) digits() uint32 { return uint32(e) >> 3 & 3 }
func (e escape) value() uint32  { return uint32(e) >> 5 & 0xFFF }
func (e escape) high() uint32   { return uint32(e) >> 17 & 0x3FF }

// shortEscapes maps the byte behind a backslash to what it stands for.
var shortEscapes = [...]struct{ code, char byte }{
	{'"', '"'}, {'\\', '\\'}, {'/', '/'}, {'b', '\b'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'},
}

func less1(n int32) int32 {
	if n > 0 {
		return n - 1
	}
	return n
}

// released reports whether nothing but its length restricts a text from st on,
// and the state of any text that st is then.
func (s *stringLang) released(st stringState) (q int32, ok bool) {
	if s.off == nil || st.text != 0 {
		return 0, false
	}
	switch lang := s.lang.(type) {
	case *exceptText:
		return st.q, st.q < utf8States
	case *dfaText:
		return lang.phase[st.q], lang.free[st.q]
	}
	return 0, false
}

// closing is the number of bytes that end the text.
func (s *stringLang) closing() int32 {
	if s.bare {
		return 0
	}
	return 1
}

// closes reports whether the closing quote may come at st.
func (s *stringLang) closes(st stringState) bool {
	return st.esc == 0 && st.lo <= 0 && s.lang.accept(st.q)
}

// rawStep reads a byte of an unescaped code point.
func (s *stringLang) rawStep(st stringState, b byte) (stringState, bool) {
	if !s.lang.inside(st.q) {
		if b < 0x20 || b == '"' || b == '\\' || st.hi == 0 {
			return st, false
		}
		st.lo, st.hi = less1(st.lo), less1(st.hi)
	}
	st.q = s.lang.step(st.q, b)
	return st, st.q != dead && s.lang.cost(st.q, st.lo, st.hi) < unreachable
}

// step reads any byte but the closing quote.
func (s *stringLang) step(st stringState, b byte) (stringState, bool) {
	switch st.esc.kind() {
	case escNone:
		if b == '\\' && !s.lang.inside(st.q) && !s.bare {
			st.esc = makeEscape(escBackslash, 0, 0, 0)
			return st, s.distance(st) < unreachable
		}
		return s.rawStep(st, b)
	case escBackslash:
		if b == 'u' {
			st.esc = makeEscape(escHex, 0, 0, 0)
			return st, s.distance(st) < unreachable
		}
		for _, e := range shortEscapes {
			if e.code == b {
				return s.runeStep(st, rune(e.char))
			}
		}
		return st, false
	case escHex, escLow:
		return s.hexStep(st, b)
	case escHigh:
		st.esc = makeEscape(escHighSlash, 0, 0, st.esc.high())
		return st, b == '\\'
	default:
		st.esc = makeEscape(escLow, 0, 0, st.esc.high())
		return st, b == 'u'
	}
}

func (s *stringLang) hexStep(st stringState, b byte) (stringState, bool) {
	digit, ok := hexValue(b)
	if !ok {
		return st, false
	}
	e := st.esc
	value := e.value()<<4 | digit
	if e.digits() < 3 {
		st.esc = makeEscape(e.kind(), e.digits()+1, value, e.high())
		return st, s.distance(st) < unreachable
	}
	switch {
	case e.kind() == escLow:
		if value < 0xDC00 || value > 0xDFFF {
			return st, false
		}
		return s.runeStep(st, 0x10000+rune(e.high())<<10+rune(value-0xDC00))
	case value >= 0xD800 && value < 0xDC00:
		st.esc = makeEscape(escHigh, 0, 0, value-0xD800)
		return st, s.distance(st) < unreachable
	case value >= 0xDC00 && value < 0xE000:
		return st, false
	}
	return s.runeStep(st, rune(value))
}

func hexValue(b byte) (uint32, bool) {
	switch {
	case b >= '0' && b <= '9':
		return uint32(b - '0'), true
	case b >= 'a' && b <= 'f':
		return uint32(b-'a') + 10, true
	case b >= 'A' && b <= 'F':
		return uint32(b-'A') + 10, true
	}
	return 0, false
}

// runeStep reads a whole code point that was escaped.
func (s *stringLang) runeStep(st stringState, r rune) (stringState, bool) {
	if st.hi == 0 {
		return st, false
	}
	var buf [utf8.UTFMax]byte
	for _, b := range buf[:utf8.EncodeRune(buf[:], r)] {
		if st.q = s.lang.step(st.q, b); st.q == dead {
			return st, false
		}
	}
	st.lo, st.hi, st.esc = less1(st.lo), less1(st.hi), 0
	return st, s.lang.cost(st.q, st.lo, st.hi) < unreachable
}

// distance is the fewest bytes from st to behind the closing quote.
func (s *stringLang) distance(st stringState) int32 {
	e := st.esc
	if e == 0 {
		return add32(s.closing(), s.lang.cost(st.q, st.lo, st.hi))
	}
	if st.hi == 0 {
		return unreachable
	}
	left := int32(4 - e.digits())
	lo := rune(e.value()) << (4 * left)
	hi := lo + rune(1)<<(4*left) - 1
	astral := 0x10000 + rune(e.high())<<10
	best := unreachable
	switch e.kind() {
	case escBackslash:
		for _, x := range shortEscapes {
			best = min(best, add32(1, s.runesCost(st, rune(x.char), rune(x.char))))
		}
		best = min(best, add32(5, s.runesCost(st, 0, 0xFFFF)), add32(11, s.runesCost(st, 0x10000, maxRune)))
	case escHex:
		best = add32(left, s.runesCost(st, lo, hi))
		if a, b := max(lo, 0xD800), min(hi, 0xDBFF); a <= b {
			pairs := s.runesCost(st, 0x10000+(a-0xD800)<<10, 0x10000+(b-0xD800)<<10+0x3FF)
			best = min(best, add32(left+6, pairs))
		}
	case escHigh:
		best = add32(6, s.runesCost(st, astral, astral+0x3FF))
	case escHighSlash:
		best = add32(5, s.runesCost(st, astral, astral+0x3FF))
	case escLow:
		if a, b := max(lo, 0xDC00), min(hi, 0xDFFF); a <= b {
			best = add32(left, s.runesCost(st, astral+a-0xDC00, astral+b-0xDC00))
		}
	}
	return add32(1, best)
}

// runesCost is the least cost behind any one code point of lo..hi.
func (s *stringLang) runesCost(st stringState, lo, hi rune) int32 {
	wanted, allowed := less1(st.lo), less1(st.hi)
	if _, ok := s.lang.(anyText); ok {
		if lo > hi || lo >= 0xD800 && hi <= 0xDFFF {
			return unreachable
		}
		return s.lang.cost(0, wanted, allowed)
	}
	if x, ok := s.lang.(*exceptText); ok && int(hi-lo) > len(x.nodes)+0x800 {
		return 0 // more code points than the list has, surrogates aside
	}
	best := unreachable
	utf8Sequences(lo, hi, func(seq []byteRange) {
		now := []int32{st.q}
		for _, r := range seq {
			var next []int32
			for _, q := range now {
				last := dead
				for b := int(r.lo); b <= int(r.hi); b = int(s.lang.alike(q, byte(b)).hi) + 1 {
					to := s.lang.step(q, byte(b))
					if to == dead || to == last {
						continue
					}
					last = to
					next = appendNew(next, to)
				}
			}
			now = next
		}
		for _, q := range now {
			best = min(best, s.lang.cost(q, wanted, allowed))
		}
	})
	return best
}

func appendNew(list []int32, x int32) []int32 {
	for _, y := range list {
		if x == y {
			return list
		}
	}
	return append(list, x)
}

// live is the set of bytes that may come at st, the closing quote included.
func (s *stringLang) live(st stringState) (set [4]uint64) {
	if st.esc != 0 {
		for _, b := range escapeBytes {
			if _, ok := s.step(st, b); ok {
				setBytes(&set, b, b)
			}
		}
		return set
	}
	for b := 0; b < 256; {
		r := s.lang.alike(st.q, byte(b))
		if _, ok := s.rawStep(st, byte(b)); ok {
			setBytes(&set, byte(b), r.hi)
		}
		b = int(r.hi) + 1
	}
	if _, ok := s.step(st, '\\'); ok && !s.bare {
		setBytes(&set, '\\', '\\')
	}
	if s.closes(st) && !s.bare {
		setBytes(&set, '"', '"')
	}
	return set
}

var escapeBytes = []byte("\"\\/bfnrtu0123456789abcdefACDEFB")
