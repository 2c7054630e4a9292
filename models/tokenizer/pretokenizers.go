package tokenizer

import (
	"regexp"
	"slices"
)

// A stage cuts a stretch of text into parts, which the next stage cuts
// further. It calls emit with every part in order.
type stage func(s string, emit func(part string))

// cut is the stage that a pattern gives: its matches are parts, and so is
// what lies between them.
func cut(m matcher) stage {
	return func(s string, emit func(string)) {
		gap := 0 // where the text since the last match begins
		for i := 0; i < len(s); {
			end := m(s, i)
			if end == i {
				_, n := decode(s, i)
				i += n
				continue
			}
			if gap < i {
				emit(s[gap:i])
			}
			emit(s[i:end])
			i, gap = end, end
		}
		if gap < len(s) {
			emit(s[gap:])
		}
	}
}

// cutRegexp is cut for a pattern too rare to write out by hand.
func cutRegexp(pattern string) stage {
	re := regexp.MustCompile(pattern)
	return func(s string, emit func(string)) {
		gap := 0
		for _, m := range re.FindAllStringIndex(s, -1) {
			if gap < m[0] {
				emit(s[gap:m[0]])
			}
			emit(s[m[0]:m[1]])
			gap = m[1]
		}
		if gap < len(s) {
			emit(s[gap:])
		}
	}
}

// pretokenizer is how one family of tokenizers splits text before merging,
// and the settings that go with its name.
type pretokenizer struct {
	names  []string
	stages []stage

	ignoreMerges bool
	addBOS       bool
	keepSpaces   bool // decoding leaves spaces before punctuation alone
	rawBytes     bool // the vocabulary holds UTF-8, not the byte alphabet
	escapeSpaces bool
	forceBOS     bool // a BOS token whatever the file says
	noBOS        bool // no default BOS token
}

const ln = letter | number

// splits runs the stages over text and calls emit with every piece.
func (p *pretokenizer) splits(text string, emit func(string)) {
	next := emit
	for _, st := range slices.Backward(p.stages) {
		emit := next
		next = func(s string) { st(s, emit) }
	}
	next(text)
}

var (
	// gpt2: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
	gpt2 = cut(first(contraction, spaced(letter), spaced(number), others(space|ln, ""), spacesBeforeSpace, run(space)))

	// llama3: (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
	llama3 = cut(first(contractionFold, word(ln, letter, nil), upTo(number, 3), others(space|ln, "\r\n"), newlines, spacesBeforeSpace, run(space)))

	// qwen2 is llama3 with one digit at a time.
	qwen2 = cut(first(contractionFold, word(ln, letter, nil), upTo(number, 1), others(space|ln, "\r\n"), newlines, spacesBeforeSpace, run(space)))

	// qwen35 is qwen2 with the marks of a letter kept in its word.
	qwen35 = cut(first(contractionFold, word(ln, letter|mark, nil), upTo(number, 1), others(space|ln|mark, "\r\n"), newlines, spacesBeforeSpace, run(space)))

	// deepseek3: [!-/:-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
	deepseek3 = cut(first(asciiWord, word(letter|punct|symbol, letter|mark, nil), marksOf("\r\n"), newlines, spacesBeforeSpace, run(space)))

	// o200k words, of which kinds differ in suffix, digits and marks.
	gpt4o  = cut(first(cased(letter, contractionFold), upTo(number, 3), others(space|ln, "\r\n/"), newlines, spacesBeforeSpace, run(space)))
	tekken = cut(first(cased(letter, nil), upTo(number, 1), others(space|ln, "\r\n/"), newlines, spacesBeforeSpace, run(space)))

	digit       = cut(upTo(number, 1))
	digits3     = cut(upTo(number, 3))
	digits      = cut(run(number))
	lineBreak   = cut(oneLineBreak)
	lines       = cut(first(notNewline, newlinesOnly))
	sentence    = cut(sentenceWord)
	cjk         = cut(anyOf("一龥぀ゟ゠ヿ"))
	cjkHangul   = cut(anyOf("一龥ࠀ一가\ud7ff"))
	threeDigits = cut(asciiDigits3)
)

// defaultPre is the pre-tokenizer of a file that names none, or one that
// nobody knows.
var defaultPre = &pretokenizer{names: []string{"default"}, stages: []stage{
	cut(punctOr("$+<=>^~|")), gpt2, digits, threeDigits}}

// pretokenizers lists the names of tokenizer.ggml.pre.
var pretokenizers = []*pretokenizer{
	defaultPre,
	{names: []string{"gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "jina-v2-es", "jina-v2-de", "a.x-4.0", "mellum",
		"modern-bert", "jina-v1-en", "jina-v2-code", "roberta-bpe", "mpt", "olmo", "jais", "exaone4"}, stages: []stage{gpt2}},
	{names: []string{"trillion", "granite-docling"}, stages: []stage{gpt2}, keepSpaces: true},
	{names: []string{"starcoder", "refact", "codeshell", "exaone", "minerva-7b", "mellum2"}, stages: []stage{digit, gpt2}},
	{names: []string{"command-r", "smollm"}, stages: []stage{digit, gpt2}, keepSpaces: true},
	{names: []string{"falcon"}, stages: []stage{cut(punctOr("$+<=>^~|`")), gpt2, threeDigits}},

	{names: []string{"llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano"},
		stages: []stage{llama3}, ignoreMerges: true, addBOS: true},
	{names: []string{"minicpm5"}, stages: []stage{digits3, llama3}, ignoreMerges: true},
	{names: []string{"dbrx", "smaug-bpe"}, stages: []stage{llama3}},
	{names: []string{"glm4", "chatglm-bpe"}, stages: []stage{llama3}, noBOS: true},
	{names: []string{"jais-2"}, stages: []stage{llama3, spacePowers}},

	{names: []string{"stablelm2", "megrez"}, stages: []stage{qwen2}},
	{names: []string{"qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "hunyuan", "solar-open", "grok-2",
		"bailingmoe", "bailingmoe2", "llada-moe"}, stages: []stage{qwen2}, keepSpaces: true},
	{names: []string{"ufakzeka"}, keepSpaces: true, stages: []stage{cut(first(word(ln, letter, nil), upTo(number, 1),
		others(space|ln, "\r\n"), newlines, spacesBeforeSpace, run(space)))}},
	{names: []string{"qwen35"}, stages: []stage{qwen35}, keepSpaces: true},
	{names: []string{"laguna"}, stages: []stage{lines, qwen2}, keepSpaces: true},
	{names: []string{"seed-coder"}, keepSpaces: true, stages: []stage{cut(first(contractionFold, word(ln, letter, nil),
		upTo(number, 1), others(space|ln, ""), newlines, spacesBeforeSpace, run(space)))}},
	{names: []string{"exaone-moe"}, stages: []stage{cut(first(contractionFold, phrase, upTo(number, 1),
		othersThenOne("\r\n/"), newlines, spacesBeforeSpace))}},

	{names: []string{"deepseek-llm"}, keepSpaces: true, stages: []stage{lineBreak, cut(whiteThenRun(anyOf(casedLetters))),
		cut(whiteThenRun(anyOf("!/:~！／：～‘‟、。"))), spacesAtEnd, cjkHangul, digits}},
	{names: []string{"deepseek-coder"}, keepSpaces: true, stages: []stage{lineBreak, cut(whiteThen(letter)),
		cut(whiteThen(punct)), cjkHangul, digit}},
	{names: []string{"deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"}, stages: []stage{digits3, cjk, deepseek3}, keepSpaces: true},
	{names: []string{"spark2_5"}, keepSpaces: true, stages: []stage{digits3, cjk, cut(first(asciiWord,
		word(letter|punct|symbol, letter|mark, nil), marksOf(""), oneLineBreak, spacesBeforeSpace, run(space))), digit}},
	// U+8C48 stands where U+F900 was meant, and llama.cpp has it too.
	{names: []string{"afmoe"}, keepSpaces: true, stages: []stage{groupsOfThree,
		cut(anyOf("一鿿㐀䶿\u8c48\ufaff぀ゟ゠ヿ･ﾟ⼀⿟เ๿຀໿ក៿က႟ꩠꩿꧠ꧿가힯ᄀᇿ")), deepseek3}},

	{names: []string{"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"}, stages: []stage{gpt4o}, keepSpaces: true},
	{names: []string{"tekken"}, stages: []stage{tekken}, keepSpaces: true, ignoreMerges: true, addBOS: true},
	{names: []string{"granite-embed-multi-97m"}, keepSpaces: true, ignoreMerges: true, stages: []stage{cut(first(
		cased(letter|mark, contractionFold), upTo(number, 3), others(space|ln, "\r\n/"), newlines, spacesBeforeSpace, run(space)))}},
	{names: []string{"tiny_aya", "cohere2moe"}, keepSpaces: true, stages: []stage{groupsOfThree, cut(first(
		word(ln, letter|mark, contractionFold), upTo(number, 3), others(space|ln, "\r\n/"), newlines, spacesBeforeSpace, run(space)))}},
	{names: []string{"youtu"}, keepSpaces: true, ignoreMerges: true, stages: []stage{
		cut(first(anyOf("가힣ㄱㆎ"), anyOf("！！……““””‘‘’’——：：；；，，、〿︰﹏"), anyOf("ㄅㄯ"), anyOf("一龥぀ゟ゠ヿ"))),
		cut(first(word(ln, letter|mark, contractionFold), upTo(number, 1), others(space|ln, "\r\n/"), newlines, spacesBeforeSpace, run(space)))}},
	{names: []string{"kimi-k2"}, keepSpaces: true, stages: []stage{cut(first(run(han), wordNotHan, upTo(number, 3),
		others(space|ln, "\r\n"), newlines, spacesBeforeSpace, run(space)))}},

	{names: []string{"bloom", "gpt3-finnish"}, stages: []stage{sentence}},
	{names: []string{"poro-chat"}, stages: []stage{sentence}, keepSpaces: true},
	{names: []string{"viking"}, stages: []stage{sentence, digit}, keepSpaces: true},
	{names: []string{"superbpe"}, stages: []stage{digits, thousands}, keepSpaces: true},
	{names: []string{"chameleon"}, keepSpaces: true, addBOS: true, stages: []stage{cutRegexp(`<sentinel:[0-9]+>`),
		cutRegexp(`IMGIMG[A-I]{1,4}Z`), cutRegexp(`[\t\n]|    |  `), digit, cut(onePunct), gpt2}},

	{names: []string{"gemma4", "granite-embed-multi-311m"}, stages: []stage{lines}, rawBytes: true, escapeSpaces: true, forceBOS: true},
	{names: []string{"sarvam-moe"}, stages: []stage{lines}, rawBytes: true, escapeSpaces: true, keepSpaces: true},
	{names: []string{"whitespace"}, stages: []stage{cut(func(s string, i int) int { return skipNot(s, i, space) })}, rawBytes: true},
}

// findPre returns the pre-tokenizer of a name, or nil.
func findPre(name string) *pretokenizer {
	for _, p := range pretokenizers {
		if slices.Contains(p.names, name) {
			return p
		}
	}
	return nil
}
