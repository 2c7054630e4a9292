package tokenizer

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
)

// published holds the patterns that the scanners stand for, one a stage, for
// a general engine. The o200k words are as llama.cpp has them: a letter
// outside ASCII is large and small.
var published = map[string][]string{
	"gpt-2":     {`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`},
	"smollm":    {`\p{N}`, `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`},
	"default":   {`[\p{P}$+<=>^~|]+`, `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`, `\p{N}+`, `[0-9][0-9][0-9]`},
	"llama-bpe": {fold + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	"qwen2":     {fold + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	"qwen35":    {fold + `|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	"jais-2": {fold + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|` +
		`\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}`},
	"seed-coder": {fold + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+`},
	"bailingmoe": {`'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`},
	"exaone-moe": {fold + `|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)`},
	"gpt-4o": {`[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))*((?=[\p{L}])([^A-Z]))+` + fold + `?|[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))+((?=[\p{L}])([^A-Z]))*` + fold +
		`?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	"tekken": {`[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))*((?=[\p{L}])([^A-Z]))+|[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))+((?=[\p{L}])([^A-Z]))*` +
		`|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	"granite-embed-multi-97m": {`[^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))*((?=[\p{L}\p{M}])([^A-Z]))+` + fold +
		`?|[^\r\n\p{L}\p{N}]?((?=[\p{L}\p{M}])([^a-z]))+((?=[\p{L}\p{M}])([^A-Z]))*` + fold +
		`?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	"deepseek-v3": {`\p{N}{1,3}`, `[一-龥぀-ゟ゠-ヿ]+`, `[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_` + "`" +
		`{|}~][A-Za-z]+|(?:~|[^\r\n\p{L}\p{P}\p{S}])?[\p{L}\p{M}]+| ?(?:(?!~)[\p{P}\p{S}])+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	"deepseek-coder": {`[\r\n]`, `\s?\p{L}+`, `\s?\p{P}+`, `(?:(?!\s)[一-龥\u0800-一가-\uD7FF])+`, `\p{N}`},
	"bloom":          {` ?[^(\s|.,!?…。，、।۔،)]+`},
	"laguna":         {`[^\n]+|[\n]+`, fold + `|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
}

const fold = `(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])`

// cutSlow is what cut does, with a general engine.
func cutSlow(t *testing.T, re *regexp2.Regexp, s string) (out []string) {
	t.Helper()
	text := []rune(s)
	gap := 0
	m, err := re.FindRunesMatch(text)
	for ; m != nil && err == nil; m, err = re.FindNextMatch(m) {
		at, n := m.RuneIndex, m.RuneLength
		if gap < at {
			out = append(out, string(text[gap:at]))
		}
		out = append(out, string(text[at:at+n]))
		gap = at + n
	}
	if err != nil {
		t.Fatal(err)
	}
	if gap < len(text) {
		out = append(out, string(text[gap:]))
	}
	return out
}

// Every scanner splits random text as its published pattern does.
func TestSplitEqualsPattern(t *testing.T) {
	alphabet := []string{"a", "b", "S", "R", "é", "É", "ǅ", "漢", "ア", "가", "s", "t", "ll", "re", "'", "'", " ", " ", " ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u3000",
		"1", "23", "456", "٣", "½", "Ⅷ", "!", "/", "-", "$", "+", "—", "…", "。", "|", "😀", "\u200d", "\u0301", "\u093f", "\ufe0f", "\x00", "_", "ª", "\u00ad", "~"}
	r := rand.New(rand.NewPCG(7, 7))
	rounds := 4000
	if testing.Short() {
		rounds = 400
	}
	for name, patterns := range published {
		var res []*regexp2.Regexp
		for _, p := range patterns {
			res = append(res, regexp2.MustCompile(p))
		}
		p := findPre(name)
		for range rounds {
			var b strings.Builder
			for range 1 + r.IntN(12) {
				b.WriteString(alphabet[r.IntN(len(alphabet))])
			}
			text := b.String()
			want := []string{text}
			for _, re := range res {
				var next []string
				for _, s := range want {
					next = append(next, cutSlow(t, re, s)...)
				}
				want = next
			}
			var got []string
			p.splits(text, func(s string) { got = append(got, s) })
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q\n got %q\nwant %q", name, text, got, want)
				break
			}
		}
	}
}
