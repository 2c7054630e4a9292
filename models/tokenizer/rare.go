package tokenizer

import "strings"

// This file holds the alternatives that only one or two pre-tokenizers have.

// asciiWord matches [!-/:-@\[-`{-~][A-Za-z]+.
func asciiWord(s string, i int) int {
	if i >= len(s) || s[i] >= 0x80 || ascii[s[i]]&(punct|symbol) == 0 && s[i] != '~' {
		return i
	}
	end := i + 1
	for end < len(s) && s[end] < 0x80 && ascii[s[end]]&letter != 0 {
		end++
	}
	if end == i+1 {
		return i
	}
	return end
}

// marksOf matches " ?[\p{P}\p{S}]+[tail]*".
func marksOf(tail string) matcher {
	m := spaced(punct | symbol)
	return func(s string, i int) int {
		end := m(s, i)
		for end > i && end < len(s) && strings.IndexByte(tail, s[end]) >= 0 {
			end++
		}
		return end
	}
}

// punctOr matches [\p{P}…]+ with some ASCII characters more.
func punctOr(more string) matcher {
	return func(s string, i int) int {
		for {
			c, n := at(s, i)
			if n == 0 || c&punct == 0 && strings.IndexByte(more, s[i]) < 0 {
				return i
			}
			i += n
		}
	}
}

// onePunct matches [\p{P}!-/:-@\[-`{-~].
func onePunct(s string, i int) int {
	c, n := at(s, i)
	if c&punct != 0 || n == 1 && (c&symbol != 0 && s[i] < 0x80 || s[i] == '~') {
		return i + n
	}
	return i
}

// othersThenOne matches " ?[^\s\p{L}\p{N}]+[tail]?".
func othersThenOne(tail string) matcher {
	m := others(space|ln, "")
	return func(s string, i int) int {
		end := m(s, i)
		if end > i && end < len(s) && strings.IndexByte(tail, s[end]) >= 0 {
			end++
		}
		return end
	}
}

// phrase matches [^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+: words
// with single spaces between them.
func phrase(s string, i int) int {
	start := i
	if n := isPrefix(s, i, ln); n > 0 {
		start = i + n
	}
	end := start
	for {
		from := end
		if end > start && from < len(s) && s[from] == ' ' {
			from++
		}
		c, n := at(s, from)
		if c&letter == 0 {
			break
		}
		end = skip(s, from+n, mark)
	}
	if end == start {
		return i
	}
	return end
}

// wordNotHan is word for the letters that are not Chinese, with a
// contraction.
func wordNotHan(s string, i int) int {
	is := func(i int) (n int) {
		c, n := at(s, i)
		if c&letter == 0 || c&han != 0 {
			return 0
		}
		return n
	}
	start := i
	if n := isPrefix(s, i, ln); n > 0 && is(i+n) > 0 {
		start = i + n
	}
	end := start
	for n := is(end); n > 0; n = is(end) {
		end += n
	}
	if end == start {
		return i
	}
	return contractionFold(s, end)
}

// spacePowers splits white space without a line break at its end into runs of
// 512, 256, 128 … 4, 2 or 1 characters, the longest first. After a stage that
// leaves the last space to the word that follows, this is the pattern
// \s{512}(?!\S)|\s{256}(?!\S)|…|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}.
func spacePowers(s string, emit func(string)) {
	if skip(s, 0, space) < len(s) || strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\r") {
		emit(s)
		return
	}
	ends := make([]int, 0, len(s))
	for i := 0; i < len(s); {
		_, n := at(s, i)
		i += n
		ends = append(ends, i)
	}
	from := 0
	for _, size := range []int{512, 256, 128, 64, 32, 16, 8, 4, 2, 1} {
		for len(ends) >= size {
			emit(s[from:ends[size-1]])
			from = ends[size-1]
			ends = ends[size:]
		}
	}
}

// spacesAtEnd splits off \s+$.
func spacesAtEnd(s string, emit func(string)) {
	from := 0 // where the white space at the end begins
	for i := 0; i < len(s); {
		c, n := at(s, i)
		i += n
		if c&space == 0 {
			from = i
		}
	}
	if from > 0 {
		emit(s[:from])
	}
	if from < len(s) {
		emit(s[from:])
	}
}

// oneLineBreak matches [\r\n].
func oneLineBreak(s string, i int) int {
	if i < len(s) && (s[i] == '\r' || s[i] == '\n') {
		return i + 1
	}
	return i
}

// notNewline matches [^\n]+.
func notNewline(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s)
}

// newlinesOnly matches \n+.
func newlinesOnly(s string, i int) int {
	for i < len(s) && s[i] == '\n' {
		i++
	}
	return i
}

// sentenceWord matches " ?[^(\s|.,!?…。，、।۔،)]+".
func sentenceWord(s string, i int) int {
	start := i
	if i < len(s) && s[i] == ' ' {
		start = i + 1
	}
	end := start
	for end < len(s) {
		c, n := at(s, end)
		if c&space != 0 || strings.Contains("(|.,!?…。，、।۔،)", s[end:end+n]) {
			break
		}
		end += n
	}
	if end == start {
		return i
	}
	return end
}

func isDigit(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }

// asciiDigits3 matches [0-9][0-9][0-9].
func asciiDigits3(s string, i int) int {
	if isDigit(s, i) && isDigit(s, i+1) && isDigit(s, i+2) {
		return i + 3
	}
	return i
}

// digitsEnd returns the end of the run of ASCII digits at s[i:].
func digitsEnd(s string, i int) int {
	for isDigit(s, i) {
		i++
	}
	return i
}

// thousands splits before every group of three ASCII digits, counted from the
// right: (?=(\d{3})+(?!\d)).
func thousands(s string, emit func(string)) {
	from := 0
	for i := 0; i < len(s); {
		end := digitsEnd(s, i)
		if end == i {
			i++
			continue
		}
		for ; i < end; i++ {
			if (end-i)%3 == 0 && i > from {
				emit(s[from:i])
				from = i
			}
		}
	}
	if from < len(s) {
		emit(s[from:])
	}
}

// groupsOfThree splits runs of numbers in groups of three counted from the
// right: \p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N})). The text before a run stays
// with its first group, as llama.cpp has it; the next stage parts them.
func groupsOfThree(s string, emit func(string)) {
	from := 0
	for i := 0; i < len(s); {
		var ends []int // where each number of the run ends
		j := i
		for c, n := at(s, j); c&number != 0; c, n = at(s, j) {
			j += n
			ends = append(ends, j)
		}
		if len(ends) == 0 {
			_, n := decode(s, i)
			i += n
			continue
		}
		for k := (len(ends)+2)%3 + 1; k <= len(ends); k += 3 {
			emit(s[from:ends[k-1]])
			from = ends[k-1]
		}
		i = j
	}
	if from < len(s) {
		emit(s[from:])
	}
}

// casedLetters are the letters with case, as ranges: the alphabet of the
// DeepSeek-LLM tokenizer's words.
const casedLetters = "AZazµµÀÖØöøƺƼƿǄʓʕʯͰͳͶͷͻͽͿͿΆΆΈΊΌΌΎΡΣϵϷҁҊԯԱՖႠჅᎠᏵᏸᏽᲐᲺᲽᲿᴀᴫᵫᵷᵹᶚḀἕἘἝἠὅὈὍὐὗὙὙὛὛὝὝὟ\u1f7dᾀᾴᾶᾼ\u1fbe\u1fbeῂῄῆῌῐ\u1fd3ῖ\u1fdbῠῬῲῴῶῼℂℂℇℇℊℓℕℕℙℝℤℤ\u2126\u2126ℨℨ\u212aℭℯℴℹℹℼℿⅅⅉⅎⅎↃↄⰀⱻⱾⳤⳫⳮⳲⳳꙀꙭꚀꚛꜢꝯꝱꞇꞋꞎꭰꮿﬀﬆﬓﬗＡＺａｚ𐐀𐑏𐒰𐓓𐓘𐓻𐲀𐲲𐳀𐳲𑢠𑣟𞤀𞥃"
