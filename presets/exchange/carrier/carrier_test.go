package carrier

import (
	"strings"
	"testing"
)

// Values of Python by hand, from its reference; what cannot be read is its own
// text.
func TestPythonValues(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{`.95`, `0.95`}, {`2_048`, `2048`}, {`0x200`, `512`}, {`0b101`, `5`}, {`0o17`, `15`}, {`+0.1`, `0.1`}, {`- 0.5`, `-0.5`}, {`1e-3`, `0.001`}, {`5.`, `5`}, {`00`, `0`},
		{`007`, `7`}, {`1__0`, `unread`}, {`3j`, `unread`}, {`4 * 1024`, `4096`}, {`(1 + 2) * 3`, `9`}, {`2 ** 10`, `1024`}, {`-7 // 2`, `-4`}, {`-7 % 3`, `2`}, {`1 / 0`, `unread`},
		{`"a" 'b'`, `"ab"`}, {`r'\n'`, `"\\n"`}, {`'\t|'`, `"\t|"`}, {`'\x41\u00e9\101'`, `"AéA"`}, {`'\N{BULLET}'`, `unread`}, {`b'x'`, `unread`}, {`f'{x}'`, `unread`}, {`rb'x'`, `unread`}, {`u'x'`, `"x"`},
		{`'''a
b'''`, `"a\nb"`}, {`'a\
b'`, `"ab"`}, {`'never`, `unread`}, {`("a" # one
 "b")`, `"ab"`},
		{`[1, 2,]`, `[1,2]`}, {`(1,)`, `[1]`}, {`(1)`, `1`}, {`()`, `[]`}, {`{1: 2.5, "b": [None, True]}`, `{"1":2.5,"b":[null,true]}`}, {`{(5, 6): -1}`, `{"[5,6]":-1}`}, {`{1, 2}`, `unread`},
		{`dict(a=1)`, `{"a":1}`}, {`float("inf")`, `unread`}, {`x`, `unread`}, {`a.b`, `unread`}, {`1 if x else 2`, `unread`}, {`[x]`, `["x"]`}, {`{**{"a": 1}, "b": 2}`, `{"a":1,"b":2}`},
		{strings.Repeat("[", 200) + strings.Repeat("]", 200), `unread`},
	} {
		p := ReadPython("v = " + tt.source)
		span, ok := p.Names["v"]
		if !ok {
			t.Fatalf("%s: not assigned", tt.source)
		}
		got := PlainJSON(p.Value(span[0], span[1], 0))
		if u, dark := FirstUnreadable(p.Value(span[0], span[1], 0)); dark && u.Text != "x" {
			got = "unread"
		} else if dark && tt.want == "unread" {
			got = "unread"
		}
		if got != tt.want {
			t.Errorf("%s is %s, want %s", tt.source, got, tt.want)
		}
	}
}

// A name is read where it is given a value once and changed nowhere.
func TestPythonNames(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{"N = 5\nv = N", "5"}, {"N: int = 5\nv = N * 2", "10"}, {"N = 5\nN = 6\nv = N", "unread"}, {"N = 5\nN += 1\nv = N", "unread"}, {"D = {}\nD['a'] = 1\nv = D", "unread"},
		{"D = {}\nD.update(a=1)\nv = D", "unread"}, {"A = B\nB = A\nv = A", "unread"}, {"A = 1\nB = A\nv = [B]", "[1]"},
	} {
		p := ReadPython(tt.source)
		span := p.Names["v"]
		v := p.Value(span[0], span[1], 0)
		got := PlainJSON(v)
		if _, dark := FirstUnreadable(v); dark {
			got = "unread"
		}
		if got != tt.want {
			t.Errorf("%q is %s, want %s", tt.source, got, tt.want)
		}
	}
}

// Words of a shell by hand, from POSIX.
func TestSplitWords(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`a 'b c' "d e"`, `a|b c|d e`}, {`'It'"'"'s'`, `It's`}, {`a\ b`, `a b`}, {"a \\\n b", `a|b`}, {`"\$x \" \n"`, `$x " \n`}, {`a#b #c`, `a#b`}, {`$'x\ty'`, "x\ty"}, {`""`, ``}, {`a;b`, `a|;|b`},
		{"a\nb", "a|\n|b"}, {`'\n'`, `\n`},
	} {
		words, err := SplitWords(tt.text, 1)
		var got []string
		for _, w := range words {
			got = append(got, w.Text)
		}
		if err != nil || strings.Join(got, "|") != tt.want {
			t.Errorf("%s is %q, %v; want %s", tt.text, got, err, tt.want)
		}
		for _, w := range got {
			if again, err := SplitWords(ShellWord(w), 1); !strings.ContainsAny(w, ";\n") && (err != nil || len(again) != 1 || again[0].Text != w) {
				t.Errorf("%q is written as %s and read back as %v", w, ShellWord(w), again)
			}
		}
	}
	for _, text := range []string{`'a`, `"a`, `$'a`} {
		if _, err := SplitWords(text, 3); err == nil || err.Error()[:7] != "line 3:" {
			t.Errorf("%s: %v", text, err)
		}
	}
	if words, _ := SplitWords(`--temp "$T" '$U'`, 1); words[1].Dark == "" || words[2].Dark != "" {
		t.Errorf("%+v", words)
	}
}
