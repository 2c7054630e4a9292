package lang

import (
	"unicode/utf8"
)

// A textLang is a set of texts as an automaton over UTF-8 bytes. States are
// small integers; a text may be cut anywhere, also inside a code point.
type textLang interface {
	Start() int32
	step(q int32, b byte) int32 // dead if no text goes on this way
	Accept(q int32) bool
	Inside(q int32) bool // q is inside a code point
	// Alike is a range of bytes around b that all lead from q to the same
	// state and mean the same to a JSON string.
	Alike(q int32, b byte) ByteRange
	// Cost is the fewest bytes of JSON string text that lead from q to
	// acceptance with lo..hi more code points (hi < 0: unlimited), or
	// unreachable.
	Cost(q, lo, hi int32) int32
}

// Dead is the state from which nothing can be completed.
const Dead = int32(-1)

// A StringLang is what may stand in a JSON string: a set of decoded texts with
// bounds on their length in code points. Its automaton reads the encoded form
// from after the opening quote to the closing one, so every escape of RFC
// 8259 is allowed, a surrogate pair counts as one, and lone surrogates are
// refused.
type StringLang struct {
	Lang   textLang
	Lo, Hi int32
	// Off is the language of a text whose lang no longer restricts it, or nil:
	// with it such texts share their states.
	Off *StringLang
	ID  int32 // its place in the program
	// Unique texts are items of an array that differ, or names of an object:
	// what was read is remembered. bare ones are numbers, which no quote closes,
	// and of them whole ones are integers.
	Unique, Bare, Whole bool
	// Word texts are bare names in a scope (see [ObjectLang]), in any case. They
	// are remembered there; those that are among them are one that was.
	Word, Among bool
}

// Remembers reports whether what is read of a text matters to those after it.
func (s *StringLang) Remembers() bool { return s.Unique || s.Word }

// MinBytes is the fewest bytes that a text and its closing quote take.
func (s *StringLang) MinBytes() int32 {
	if s.Among {
		return maxWord // what was remembered is not known yet, so others are nearer
	}
	return Add32(s.Closing(), s.Lang.Cost(s.Lang.Start(), s.Lo, s.Hi))
}

// A StringState is a position inside a JSON string. Code points still needed
// and still allowed are Lo and Hi. The zero esc stands between code points or
// inside a raw one; otherwise it is an escape under way.
type StringState struct {
	Str    int32
	Q      int32
	Lo, Hi int32
	Esc    escape
	// Of a unique text: what has been read of it (an index into the texts of
	// the automaton, from 1) and the data of its array.
	Text, Seen int32
	// No text of that data begins with what was read.
	Apart bool
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

func (e escape) kind() uint32 { return uint32(e) & 7 }

func (e escape) digits() uint32 { return uint32(e) >> 3 & 3 }

func (e escape) value() uint32 { return uint32(e) >> 5 & 0xFFF }

func (e escape) high() uint32 { return uint32(e) >> 17 & 0x3FF }

// shortEscapes maps the byte after a backslash to what it stands for.
var shortEscapes = [...]struct{ code, char byte }{
	{'"', '"'}, {'\\', '\\'}, {'/', '/'}, {'b', '\b'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'},
}

// Less1 takes one off a count; 0, and -1 for no limit, stay.
func Less1(n int32) int32 {
	if n > 0 {
		return n - 1
	}
	return n
}

// Released reports whether nothing but its length restricts a text from st on,
// and the state of any text that st is then.
func (s *StringLang) Released(st StringState) (q int32, ok bool) {
	if s.Off == nil || st.Text != 0 {
		return 0, false
	}
	switch lang := s.Lang.(type) {
	case *ExceptText:
		return st.Q, st.Q < UTF8States
	case *DFA:
		return lang.phase[st.Q], lang.free[st.Q]
	}
	return 0, false
}

// maxWord is more than the bytes of any word.
const maxWord = 64

// Closing is the number of bytes that end the text.
func (s *StringLang) Closing() int32 {
	if s.Bare {
		return 0
	}
	return 1
}

// Closes reports whether the closing quote may come at st.
func (s *StringLang) Closes(st StringState) bool {
	return st.Esc == 0 && st.Lo <= 0 && s.Lang.Accept(st.Q)
}

// rawStep reads a byte of an unescaped code point.
func (s *StringLang) rawStep(st StringState, b byte) (StringState, bool) {
	if !s.Lang.Inside(st.Q) {
		if b < 0x20 || b == '"' || b == '\\' || st.Hi == 0 {
			return st, false
		}
		st.Lo, st.Hi = Less1(st.Lo), Less1(st.Hi)
	}
	st.Q = s.Lang.step(st.Q, b)
	return st, st.Q != Dead && s.Lang.Cost(st.Q, st.Lo, st.Hi) < Unreachable
}

// Step reads any byte but the closing quote.
func (s *StringLang) Step(st StringState, b byte) (StringState, bool) {
	switch st.Esc.kind() {
	case escNone:
		if b == '\\' && !s.Lang.Inside(st.Q) && !s.Bare {
			st.Esc = makeEscape(escBackslash, 0, 0, 0)
			return st, s.Distance(st) < Unreachable
		}
		return s.rawStep(st, b)
	case escBackslash:
		if b == 'u' {
			st.Esc = makeEscape(escHex, 0, 0, 0)
			return st, s.Distance(st) < Unreachable
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
		st.Esc = makeEscape(escHighSlash, 0, 0, st.Esc.high())
		return st, b == '\\'
	default:
		st.Esc = makeEscape(escLow, 0, 0, st.Esc.high())
		return st, b == 'u'
	}
}

func (s *StringLang) hexStep(st StringState, b byte) (StringState, bool) {
	digit, ok := hexValue(b)
	if !ok {
		return st, false
	}
	e := st.Esc
	value := e.value()<<4 | digit
	if e.digits() < 3 {
		st.Esc = makeEscape(e.kind(), e.digits()+1, value, e.high())
		return st, s.Distance(st) < Unreachable
	}
	switch {
	case e.kind() == escLow:
		if value < 0xDC00 || value > 0xDFFF {
			return st, false
		}
		return s.runeStep(st, 0x10000+rune(e.high())<<10+rune(value-0xDC00))
	case value >= 0xD800 && value < 0xDC00:
		st.Esc = makeEscape(escHigh, 0, 0, value-0xD800)
		return st, s.Distance(st) < Unreachable
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
func (s *StringLang) runeStep(st StringState, r rune) (StringState, bool) {
	if st.Hi == 0 {
		return st, false
	}
	var buf [utf8.UTFMax]byte
	for _, b := range buf[:utf8.EncodeRune(buf[:], r)] {
		if st.Q = s.Lang.step(st.Q, b); st.Q == Dead {
			return st, false
		}
	}
	st.Lo, st.Hi, st.Esc = Less1(st.Lo), Less1(st.Hi), 0
	return st, s.Lang.Cost(st.Q, st.Lo, st.Hi) < Unreachable
}

// Distance is the fewest bytes from st to after the closing quote.
func (s *StringLang) Distance(st StringState) int32 {
	e := st.Esc
	if e == 0 {
		return Add32(s.Closing(), s.Lang.Cost(st.Q, st.Lo, st.Hi))
	}
	if st.Hi == 0 {
		return Unreachable
	}
	left := int32(4 - e.digits())
	lo := rune(e.value()) << (4 * left)
	hi := lo + rune(1)<<(4*left) - 1
	astral := 0x10000 + rune(e.high())<<10
	best := Unreachable
	switch e.kind() {
	case escBackslash:
		for _, x := range shortEscapes {
			best = min(best, Add32(1, s.runesCost(st, rune(x.char), rune(x.char))))
		}
		best = min(best, Add32(5, s.runesCost(st, 0, 0xFFFF)), Add32(11, s.runesCost(st, 0x10000, MaxRune)))
	case escHex:
		best = Add32(left, s.runesCost(st, lo, hi))
		if a, b := max(lo, 0xD800), min(hi, 0xDBFF); a <= b {
			pairs := s.runesCost(st, 0x10000+(a-0xD800)<<10, 0x10000+(b-0xD800)<<10+0x3FF)
			best = min(best, Add32(left+6, pairs))
		}
	case escHigh:
		best = Add32(6, s.runesCost(st, astral, astral+0x3FF))
	case escHighSlash:
		best = Add32(5, s.runesCost(st, astral, astral+0x3FF))
	case escLow:
		if a, b := max(lo, 0xDC00), min(hi, 0xDFFF); a <= b {
			best = Add32(left, s.runesCost(st, astral+a-0xDC00, astral+b-0xDC00))
		}
	}
	return Add32(1, best)
}

// runesCost is the least cost after any one code point of lo..hi.
func (s *StringLang) runesCost(st StringState, lo, hi rune) int32 {
	wanted, allowed := Less1(st.Lo), Less1(st.Hi)
	if _, ok := s.Lang.(AnyText); ok {
		if lo > hi || lo >= 0xD800 && hi <= 0xDFFF {
			return Unreachable
		}
		return s.Lang.Cost(0, wanted, allowed)
	}
	if x, ok := s.Lang.(*ExceptText); ok && int(hi-lo) > len(x.Nodes)+0x800 {
		return 0 // more code points than the list has, surrogates aside
	}
	best := Unreachable
	UTF8Sequences(lo, hi, func(seq []ByteRange) {
		now := []int32{st.Q}
		for _, r := range seq {
			var next []int32
			for _, q := range now {
				last := Dead
				for b := int(r.Lo); b <= int(r.Hi); b = int(s.Lang.Alike(q, byte(b)).Hi) + 1 {
					to := s.Lang.step(q, byte(b))
					if to == Dead || to == last {
						continue
					}
					last = to
					next = appendNew(next, to)
				}
			}
			now = next
		}
		for _, q := range now {
			best = min(best, s.Lang.Cost(q, wanted, allowed))
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

// Live is the set of bytes that may come at st, the closing quote included.
func (s *StringLang) Live(st StringState) (set [4]uint64) {
	if st.Esc != 0 {
		for _, b := range EscapeBytes {
			if _, ok := s.Step(st, b); ok {
				SetBytes(&set, b, b)
			}
		}
		return set
	}
	for b := 0; b < 256; {
		r := s.Lang.Alike(st.Q, byte(b))
		if _, ok := s.rawStep(st, byte(b)); ok {
			SetBytes(&set, byte(b), r.Hi)
		}
		b = int(r.Hi) + 1
	}
	if _, ok := s.Step(st, '\\'); ok && !s.Bare {
		SetBytes(&set, '\\', '\\')
	}
	if s.Closes(st) && !s.Bare {
		SetBytes(&set, '"', '"')
	}
	return set
}

var EscapeBytes = []byte("\"\\/bfnrtu0123456789abcdefACDEFB")

// Items of an array that must differ are read by a StringLang that remembers
// what it read, and so are undeclared names of an object as long as each counts
// for its least number of properties. The data of the array or object holds the
// texts before; one of them cannot close again, and a beginning that only such
// texts complete is dead.

// Ends is the code point that an escape stands for once b completes it.
func (e escape) Ends(b byte) rune {
	if e.kind() == escBackslash {
		for _, x := range shortEscapes {
			if x.code == b {
				return rune(x.char)
			}
		}
	}
	digit, _ := hexValue(b)
	value := rune(e.value()<<4 | digit)
	if e.kind() == escLow {
		return 0x10000 + rune(e.high())<<10 + value - 0xDC00
	}
	return value
}
